"""A small workflow that logs, for test_logs.py; a module of its own because the sandbox runs it again."""

from temporalio import workflow

from workflows.log import workflow_logger


@workflow.defn
class LoggingWorkflow:
    """Logs at its start, at each signal and at its end."""

    def __init__(self) -> None:
        self.seen = 0

    @workflow.run
    async def run(self) -> int:
        """Wait for two signals."""
        log = workflow_logger(phase="discovery", message="reserved by logging")
        log.info("started", api_key="sk-123")
        await workflow.wait_condition(lambda: self.seen > 0)
        log.warning("first", seen=self.seen)
        await workflow.wait_condition(lambda: self.seen > 1)
        try:
            raise ValueError("wrong")
        except ValueError:
            log.exception("second")
        log.debug("too fine")
        return self.seen

    @workflow.signal
    def poke(self) -> None:
        """Count."""
        self.seen += 1

    @workflow.query
    def pokes(self) -> int:
        """How many signals were seen; asking makes an uncached workflow replay."""
        return self.seen
