"""Jobs as the store knows them: no server is asked."""

from typing import Self

from activities.option_keeping import store_option
from activities.store import Store, open_store
from phasegate.problems import Problem, UnknownJob
from phasegate.settings import Settings
from states.artifacts.plan import PlanOption
from states.option_checks import options_of
from states.record import JobRecord
from states.words import JOB_ID, Phase


class NoOptions(Problem):
    """The job has no options yet."""


class StoredJobs:
    """What is kept beside Temporal, as it was last saved."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The store that the settings name; nothing is opened before it is read."""
        return cls(open_store(settings.store))

    async def record(self, prefix: str) -> JobRecord:
        """The record of the one job whose id begins so. Raises UnknownJob."""
        if not JOB_ID.fullmatch(prefix):
            raise UnknownJob(f"{prefix[:80]!r} is no job id")
        jobs = await self._store.list_manifests()
        found = [prefix] if prefix in jobs else sorted(job for job in jobs if job.startswith(prefix))
        if len(found) > 1:
            raise UnknownJob(f"{prefix} is ambiguous: {', '.join(found[:5])}")
        record = await self._store.read_record(found[0]) if found else None
        if record is None:
            raise UnknownJob(f"the store knows no job {prefix}; `phasegate list --all` shows all")
        return record

    async def options(self, record: JobRecord) -> tuple[PlanOption, ...]:
        """The current options: those of VALIDATION, before that those of the plan. Raises NoOptions."""
        for phase in (Phase.VALIDATION, Phase.IMPLEMENTATION_PLAN):
            ref = record.current(phase)
            stored = await self._store.get_artifact(ref.digest) if ref else None
            if stored and (options := options_of(stored.artifact())):
                return options
        raise NoOptions(f"job {record.job} is in {record.state} and has no options")

    async def keep_option(self, option: PlanOption) -> str:
        """Store an option that a job is to be started with; gives its digest."""
        return await store_option(self._store, option)
