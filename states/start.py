"""What a job is started with: a task, an order to go on from the store, or the record of an earlier run."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from states.messages import Malformed, RestartFrom, parse
from states.record import JobRecord, JobSpec
from states.words import JOB_ID, Message
from states.wrong_input import told


class BadStart(ValueError):
    """The input of the workflow does not describe a job. The text says what is missing."""


class JobStart(BaseModel):
    """Exactly one of `spec`, `resume` and `carry` is set. `unknown` are fields that nobody reads."""

    model_config = ConfigDict(frozen=True)

    spec: JobSpec | None = None
    resume: RestartFrom | None = None
    carry: JobRecord | None = None
    unknown: tuple[str, ...] = Field(default=())


def read_start(raw: Any, job: str, continued: bool) -> JobStart:
    """Read the workflow's input, typed or from `temporal workflow start`. Raises BadStart.

    `continued`: the run follows an earlier one of the same job. A carried record is believed only then:
    anybody can start a workflow, and a record says who approved what.
    """
    if not JOB_ID.fullmatch(job):
        raise BadStart(
            f"{job[:80]!r} is no job id: 1 to 100 letters, digits, '.', '_' or '-', no leading dot"
        )
    if not isinstance(raw, dict):
        raise BadStart('the input must be an object like {"task": "...", "repository": "PATH_OR_URL"}')
    try:
        if raw.get("carry") is not None:
            return JobStart(carry=_carried(raw["carry"], job, continued))
        if raw.get("resume_from") is not None:
            given = {k: v for k, v in raw.items() if k not in ("resume_from", "carry")}
            resume = parse(Message.RESTART_FROM, [{**given, "phase": raw["resume_from"]}])
            assert isinstance(resume, RestartFrom)
            return JobStart(resume=resume)
        known = {k: v for k, v in raw.items() if k in JobSpec.model_fields}
        unknown = tuple(sorted(k for k, v in raw.items() if k not in known and v is not None))
        return JobStart(spec=JobSpec.model_validate(known), unknown=unknown)
    except ValidationError as problem:
        raise BadStart(f"the input's {told(problem)}") from None
    except Malformed as problem:
        raise BadStart(str(problem)) from None


def _carried(carry: Any, job: str, continued: bool) -> JobRecord:
    if not continued:
        raise BadStart("carry is what an earlier run of the job hands on; start with a task and a repository")
    record = JobRecord.model_validate(carry)
    if record.job != job:
        raise BadStart(f"carry is the record of {record.job[:80]!r}, and this job is {job}")
    return record
