"""A stand-in at the wire for the Hugging Face Hub."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hub(ThreadingHTTPServer):
    """As much of the Hugging Face Hub as a commit of small files needs; keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _HubRequest)
        self.commits: list[tuple[str, list[dict[str, Any]]]] = []
        self.tokens: set[str] = set()
        self.refuses = False


class _HubRequest(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.tokens.add(self.headers["Authorization"])
        if self.server.refuses:
            self._send(403, {"error": "you may not write here"})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]
            self._send(200, {"files": modes})
        else:
            self.server.commits.append((self.path, [json.loads(line) for line in body.splitlines()]))
            address = f"http://127.0.0.1:{self.server.server_port}/datasets/me/experiments"
            pull = f"{address}/discussions/1" if "create_pr=1" in self.path else None
            self._send(200, {"commitUrl": f"{address}/commit/1", "commitOid": "1", "pullRequestUrl": pull})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Quiet."""
