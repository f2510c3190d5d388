"""The server: chat completions and Messages API over HTTP, from a Script; every request is recorded.

    with ModelServer(script) as server:        # in a thread of its own: serves sync and async tests alike
        os.environ |= server.environment       # what workers and litellm need to find it
        ...
        assert not server.asked_twice()

`GET /requests` lists what was recorded, for tests of other processes; `GET /v1/models` the models asked for.
"""

import asyncio
import json
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Self

from aiohttp import web

from tests.model_server.conversation import Conversation, of_chat, of_messages
from tests.model_server.dialects import chat_answer, chat_fault, messages_answer, messages_fault
from tests.model_server.script import Answer, Fault, FaultKind, Script

MOST_BYTES = 64 * 2**20


@dataclass
class Recorded:
    """One request as it came, and what became of it."""

    number: int
    """from 1"""
    at: float
    """seconds since the epoch"""
    path: str
    body: str
    rule: int | None = None
    """the rule that answered"""
    fault: str = ""
    status: int = 0
    """0: no reply was sent, or not all of it"""
    answered: bool = False
    """a complete reply of the model was sent: this is what a provider bills"""
    until: float = 0

    @property
    def json(self) -> dict[str, Any]:
        """The body."""
        body: dict[str, Any] = json.loads(self.body)
        return body


class ModelServer:
    """Enter it with `with`. The address is http://127.0.0.1:PORT."""

    def __init__(self, script: Script, *, port: int = 0, delay: float | None = None) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.delay = script.delay if delay is None else delay
        self._port = port
        self._given: Counter[tuple[int, int]] = Counter()
        """faults given so far, by rule and answer; -1 stands for the rule's own"""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="model server", daemon=True)
        self._trouble: BaseException | None = None

    # --- for tests ---

    @property
    def address(self) -> str:
        """Without a path; litellm's OpenAI dialect wants `/v1` behind it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which `openai/...` and `anthropic/...` models are found here."""
        return {
            "OPENAI_API_KEY": "test-key-of-openai",
            "OPENAI_API_BASE": f"{self.address}/v1",
            "OPENAI_BASE_URL": f"{self.address}/v1",
            "ANTHROPIC_API_KEY": "test-key-of-anthropic",
            "ANTHROPIC_API_BASE": self.address,
            "ANTHROPIC_BASE_URL": self.address,
            "NO_PROXY": "127.0.0.1",
        }

    def answered(self) -> list[Recorded]:
        """Requests that got a complete reply of the model, the ones that are paid for."""
        return [r for r in self.requests if r.answered]

    def asked_twice(self) -> list[Recorded]:
        """Requests that repeat, byte for byte, one that had been answered before."""
        done: dict[str, float] = {}
        twice = []
        for request in self.requests:
            if request.body in done and request.at > done[request.body]:
                twice.append(request)
            if request.answered:
                done.setdefault(request.body, request.until)
        return twice

    def unmatched(self) -> list[Recorded]:
        """Requests that no rule was for."""
        return [r for r in self.requests if r.rule is None and not r.fault]

    # --- life ---

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._trouble:
            raise self._trouble
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0)
        try:
            self._loop.run_until_complete(self._start(runner))
        except OSError as taken:
            self._trouble = taken
            self._ready.set()
            return
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _start(self, runner: web.AppRunner) -> None:
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port)
        await site.start()
        self._port = runner.addresses[0][1]

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MOST_BYTES)
        for prefix in ("", "/v1"):
            app.router.add_post(f"{prefix}/chat/completions", self._ask)
            app.router.add_post(f"{prefix}/messages", self._ask)
            app.router.add_get(f"{prefix}/models", self._models)
        app.router.add_get("/requests", self._requests)
        return app

    # --- handlers ---

    async def _models(self, _: web.Request) -> web.Response:
        names = sorted({r.json["model"] for r in self.requests} or {"scripted"})
        return web.json_response({"object": "list", "data": [{"id": n, "object": "model"} for n in names]})

    async def _requests(self, _: web.Request) -> web.Response:
        return web.json_response([asdict(r) for r in self.requests])

    async def _ask(self, request: web.Request) -> web.StreamResponse:
        raw = (await request.read()).decode()
        record = Recorded(len(self.requests) + 1, time.time(), request.path, raw)
        self.requests.append(record)
        anthropic = request.path.endswith("/messages")
        asked = (of_messages if anthropic else of_chat)(json.loads(raw))
        await asyncio.sleep(self.delay)
        chosen, fault = self._next(asked)
        if fault is not None:
            record.fault = fault.kind
            await asyncio.sleep(fault.seconds)
            if fault.kind is not FaultKind.SLOW:
                return await _fail(request, record, fault, anthropic)
        if chosen is None:
            return await _send(request, record, 400, {"error": {"message": _no_rule(asked)}})
        record.rule, place = chosen
        answer: Answer = self.script.rules[record.rule].answers[place]
        await asyncio.sleep(answer.delay)
        body = (messages_answer if anthropic else chat_answer)(answer, asked, len(raw))
        return await _send(request, record, 200, body)

    def _next(self, asked: Conversation) -> tuple[tuple[int, int] | None, Fault | None]:
        """The answer that is meant, and the fault that comes before it; the fault counts as given."""
        chosen = self.script.choose(asked)
        queues = [((n, -1), self.script.rules[n].faults) for n in self.script.failing(asked)]
        if chosen is not None:
            queues.append((chosen, self.script.rules[chosen[0]].answers[chosen[1]].faults))
        for place, faults in queues:
            if (fault := _nth(faults, self._given[place])) is not None:
                self._given[place] += 1
                return chosen, fault
        return chosen, None


def _nth(faults: list[Fault], number: int) -> Fault | None:
    """The fault that is due after `number` were given; one that is always due hides those behind it."""
    for fault in faults:
        if fault.times is None or number < fault.times:
            return fault
        number -= fault.times
    return None


async def _fail(request: web.Request, record: Recorded, fault: Fault, anthropic: bool) -> web.StreamResponse:
    if fault.kind is FaultKind.CUT_EARLY:
        _hang_up(request)
        return web.Response()
    if fault.kind is FaultKind.CUT:
        reply = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "5000"})
        await reply.prepare(request)
        await reply.write(b'{"id": "cut", "choices": [')
        _hang_up(request)
        return reply
    if fault.kind is FaultKind.GARBAGE:
        record.status = 200
        return web.Response(text="<html>an error page of a proxy</html>", content_type="text/html")
    status, body = (messages_fault if anthropic else chat_fault)(fault)
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return await _send(request, record, status, body, headers)


def _hang_up(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.close()


async def _send(
    request: web.Request,
    record: Recorded,
    status: int,
    body: dict[str, Any],
    headers: dict[str, str] | None = None,
) -> web.Response:
    """Send. Recorded first, so that a client which has the reply finds it recorded; undone if it is gone."""
    reply = web.json_response(body, status=status, headers=headers)
    record.status, record.until, record.answered = status, time.time(), status == 200
    try:
        await reply.prepare(request)
        await reply.write_eof()
    except (ConnectionError, asyncio.CancelledError):
        record.status, record.answered = 0, False
        raise
    return reply


def _no_rule(asked: Conversation) -> str:
    return (
        f"no rule of the script is for this request: tools {', '.join(asked.tools) or 'none'}; "
        f"forced {asked.forced or 'none'}; {len(asked.reply_places)} replies; "
        f"system {asked.system[:200]!r}; last {asked.last[:200]!r}"
    )
