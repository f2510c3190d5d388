"""CooperBench planning, from Python as from the command line: the names of the seed's Python API."""

from phasegate.cooperbench.interface import FileInterface
from phasegate.cooperbench.planning import create_plan
from states.bench import BenchSetting

__all__ = ["BenchSetting", "FileInterface", "create_plan"]
