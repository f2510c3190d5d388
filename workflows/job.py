"""What the story of a job needs: to wait for people, to have work done, to show and to keep itself."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    import workflows.attributes as attributes
    import workflows.patience as patience
    from activities.orders import LedgerPage
    from activities.planning import PlanningActivities
    from states.details import details_of
    from states.holding import pause
    from states.ledger import EntryKind
    from states.receive import receive
    from states.record import LEDGER_KEPT, Hold, JobRecord
    from states.words import HoldKind, Message
    from workflows.failures import reason_of
    from workflows.log import workflow_logger

P = TypeVar("P")
R = TypeVar("R")
Activity = Callable[[PlanningActivities, P], Awaitable[R]]

HEARS_CANCELLING = "hears-cancelling"
"""the patch since which a job is cancelled in Temporal also while it does what may fail without harm"""


class Job:
    """A record that is shown, kept and logged while work and waiting go on. Not a workflow of its own."""

    def __init__(self, record: JobRecord) -> None:
        self.record = record
        self.log = workflow_logger(job=record.job)
        self._logged = record.ledger_count
        self._saved = -1
        self._shown: dict[Any, str] = {}
        self._long = False

    async def wait(self, until: Callable[[], bool], timeout: timedelta | None = None) -> bool:
        """Wait for people; False when the time is over. Here the job shows itself and bounds its history."""
        if until():
            return True
        self.measure()
        self.publish()
        await self.save()
        hold, mode = self.record.hold, self.record.mode

        def woken() -> bool:
            moved = self.record.hold != hold or self.record.mode is not mode
            changed = moved or self.record.demand is not None
            return until() or changed or self._long

        try:
            await workflow.wait_condition(woken, timeout=timeout)
        except TimeoutError:
            return False
        if self._long and not until() and self.record.demand is None:
            await self._continue_as_new()
        return True

    def measure(self) -> None:
        """See whether the history has become long: where something has come that every replay knows of.

        A refused update comes and leaves no trace in the history; what ended a wait then would end it in no
        replay.
        """
        self._long = workflow.info().is_continue_as_new_suggested()

    async def perform(self, work: Activity[P, R], order: P, *, quick: bool) -> R | None:
        """Run an activity; None when a message overtook it or it failed for good (the job is then parked)."""
        if not quick:
            self.publish()
        task = asyncio.create_task(self.local(work, order) if quick else self._regular(work, order))
        try:
            await workflow.wait_condition(lambda: task.done() or self.record.demand is not None)
            if task.done():
                return await task
        except FailureError as failed:
            self.park(reason_of(failed))
            return None
        finally:
            task.cancel()
        return None

    async def local(self, work: Activity[P, R], order: P) -> R:
        """A local activity: one event, no trip to the server. Raises ApplicationError when it fails."""
        return await workflow.execute_local_activity_method(work, order, **patience.QUICK)

    async def _regular(self, work: Activity[P, R], order: P) -> R:
        return await workflow.execute_activity_method(work, order, **patience.READ_REPOSITORY)

    def park(self, reason: str, agent: str = "") -> None:
        """A lasting failure never fails the job: it waits for an operator. `agent`: as in Hold."""
        now = workflow.now()
        self.record.note(now, EntryKind.FAILURE, "the work failed for good", why=reason)
        hold = Hold(reason=reason, by="phasegate", kind=HoldKind.FAILURE, since=now, agent=agent)
        pause(self.record, hold, now)
        self.log_ledger()

    def publish(self) -> None:
        """Bring search attributes and current details in line, with one event at most."""
        if not self._shown:
            self._shown = attributes.known(workflow.info().typed_search_attributes)
        if updates := attributes.changes(self._shown, self.record):
            workflow.upsert_search_attributes(updates)
            self._shown = attributes.values_of(self.record)
        self.show()

    def show(self) -> None:
        """Bring Temporal's own page in line; costs no event, so it can follow every message."""
        workflow.set_current_details(details_of(self.record))

    async def save(self) -> None:
        """Keep the manifest if the record has changed since."""
        if self._saved == self.record.ledger_count:
            return
        self._saved = self.record.ledger_count
        try:
            await self.local(PlanningActivities.save_manifest, self.record)
        except FailureError as failed:
            self.hear_cancelling(failed)
            # The job does not depend on the manifest while it runs; the ledger says that it is behind.
            self.record.note(
                workflow.now(), EntryKind.FAILURE, "the manifest was not saved", why=reason_of(failed)
            )

    async def _continue_as_new(self) -> None:
        old = tuple(self.record.ledger[:-LEDGER_KEPT])
        if old:
            try:
                page = LedgerPage(job=self.record.job, entries=old)
                self.record.ledger_pages.append(await self.local(PlanningActivities.store_ledger_page, page))
                # Messages may have added entries meanwhile: drop exactly what was stored.
                del self.record.ledger[: len(old)]
            except FailureError as failed:
                self.hear_cancelling(failed)
                # Carried along whole; the next time may find the store in order again.
                why = reason_of(failed)
                self.record.note(workflow.now(), EntryKind.FAILURE, "old entries stay in the job", why=why)
        workflow.continue_as_new({"carry": self.record.model_dump(mode="json")})

    def hear_cancelling(self, failed: BaseException) -> bool:
        """Take `temporal workflow cancel`, where that is how something failed; False where it is not.

        Temporal says it once: where such a failure is passed over, the job would never hear of it.
        """
        heard = is_cancelled_exception(failed) and workflow.patched(HEARS_CANCELLING)
        if heard:
            receive(self.record, Message.CANCEL, [{"by": "temporal workflow cancel"}], workflow.now())
        return heard

    def already_logged(self) -> None:
        """The record was read from elsewhere; its entries are no news."""
        self._logged = self.record.ledger_count

    def log_ledger(self) -> None:
        """One log event for each new entry of the ledger."""
        # Sliced, not searched: thousands of messages come in one task, and each comes through here.
        new = self.record.ledger_count - self._logged
        for entry in self.record.ledger[-new:] if new > 0 else ():
            self.log.info(
                entry.kind.value,
                n=entry.n,
                what=entry.what,
                who=entry.who,
                state=entry.state,
                phase=self.record.state.phase or "",
                gate=self.record.gate.id if self.record.gate else "",
            )
        self._logged = self.record.ledger_count
