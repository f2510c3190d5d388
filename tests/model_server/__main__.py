"""`python -m tests.model_server SCRIPT [--port N] [--delay S]`: serve until interrupted."""

import argparse
import signal
import threading
from pathlib import Path

from tests.model_server.script import Script
from tests.model_server.server import ModelServer


def main() -> None:
    """Read the script, print what a worker needs in its environment, wait for SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tests.model_server", description=__doc__)
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    parser.add_argument("--delay", type=float, default=None, help="seconds per call, over the script's own")
    given = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with ModelServer(Script.load(given.script), port=given.port, delay=given.delay) as server:
        print(server.address)
        for name, value in server.environment.items():
            print(f"export {name}={value}", flush=True)
        stop.wait()


if __name__ == "__main__":
    main()
