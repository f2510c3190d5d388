"""What went wrong, as one sentence on stderr and the exit code that belongs to it."""

import sys
import time
import traceback
from pathlib import Path

from phasegate.problems import Exit, Problem

_UNSAFE_END = 1_000
"""characters of a sentence that are shown"""


def failed(error: BaseException, as_json: bool) -> int:
    """Tell the person, or with --json the program too; gives the exit code."""
    if isinstance(error, BrokenPipeError):
        return Exit.ERROR  # whoever read our output has gone: nobody is left to tell
    code, sentence = explained(error)
    tell(sentence, code, type(error).__name__, as_json)
    return code


def tell(sentence: str, code: int, kind: str, as_json: bool) -> None:
    """One sentence on stderr; with --json an object on stdout as well."""
    from phasegate.screen.tame import tame_line

    line = tame_line(sentence, _UNSAFE_END)
    if as_json:
        from phasegate.screen.consoles import write_json

        write_json({"error": {"message": line, "code": int(code), "kind": kind}})
    print(f"phasegate: {line}", file=sys.stderr, flush=True)


def explained(error: BaseException) -> tuple[int, str]:
    """Exit code and sentence."""
    if isinstance(error, Problem):
        return error.code, str(error)
    if isinstance(error, KeyboardInterrupt):
        return Exit.INTERRUPTED, "interrupted; jobs go on, `phasegate list` shows them"
    if isinstance(error, _known_kinds()):
        return Exit.ERROR, str(error)
    place = _keep_traceback(error)
    told = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return Exit.ERROR, f"something unexpected happened ({told}); {place}"


def _known_kinds() -> tuple[type[BaseException], ...]:
    """Errors whose text is a sentence for people. Imported only here: most runs need none of them."""
    from temporalio.service import RPCError

    from activities.repository import RepositoryUnusable
    from activities.store import StoreError
    from phasegate.search_attributes import SearchAttributeError
    from phasegate.server_options import ServerError
    from phasegate.settings import SettingsError

    return (RepositoryUnusable, StoreError, SearchAttributeError, ServerError, SettingsError, RPCError)


def _keep_traceback(error: BaseException) -> str:
    """Where the details are, for the report of a defect."""
    place = _state_dir() / "logs" / f"error-{time.strftime('%Y%m%d-%H%M%S')}.log"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="replace")
    except OSError as unwritable:
        return f"the details could not be kept in {place}: {unwritable.strerror}"
    return f"the details are in {place}; please report them"


def _state_dir() -> Path:
    from phasegate.places import default_state_dir
    from phasegate.settings import Settings, SettingsError

    try:
        return Settings.load().state_dir
    except SettingsError:
        return default_state_dir()
