"""PhaseFacts, counted from the artifacts: what guards and policies look at."""

from collections.abc import Iterator

from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.checks.clarification import not_answered_by_people
from states.checks.plan import uncovered
from states.checks.subtasks import dependencies_found
from states.checks.validation import confidences, coverage_share, files_of
from states.checks.words import Artifacts, maybe, need
from states.complexity import higher, level_of
from states.review import PhaseFacts, QuestionRef
from states.sensitive import sensitive_topics
from states.words import WORK_PHASES, Level, ModelStatus, Operation, Phase


def count(phase: Phase, artifacts: Artifacts) -> PhaseFacts:
    """The facts of one phase, from its artifact and earlier ones. Raises LookupError without DISCOVERY.

    `questions` are those of DISCOVERY, in CLARIFICATION those that no person answered, later none.
    """
    known = {p: artifacts[p] for p in WORK_PHASES[: WORK_PHASES.index(phase) + 1] if p in artifacts}
    return _Count(known).facts(phase)


class _Count:
    """The artifacts up to one phase, by name."""

    def __init__(self, artifacts: Artifacts) -> None:
        self.found = need(artifacts, Phase.DISCOVERY, ContextDiscoveryArtifact)
        self.clarified = maybe(artifacts, Phase.CLARIFICATION, ClarificationArtifact)
        self.designed = maybe(artifacts, Phase.CONTRACTS, ContractDesignArtifact)
        self.plan = maybe(artifacts, Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact)
        self.validated = maybe(artifacts, Phase.VALIDATION, ValidationArtifact)

    def facts(self, phase: Phase) -> PhaseFacts:
        estimate, files = self.found.estimate, self._files()
        new_api = estimate.new_api or self._designs_api()
        new_model = estimate.new_model or self._designs_model()
        coverage, independence, confidence = self._shares()
        return PhaseFacts(
            files_affected=files,
            new_api=new_api,
            new_model=new_model,
            existing_pattern=estimate.existing_pattern,
            follows_patterns=self._follows_patterns(),
            complexity=higher(level_of(files, new_api or new_model), self._claimed_complexity()),
            high_risk=self._high_risk(),
            coverage=coverage,
            independence=independence,
            confidence=confidence,
            sensitive=sensitive_topics(self._texts(), removes_code=self._deletes()),
            questions=self._questions(phase),
        )

    def _files(self) -> int:
        if self.plan:
            return files_of(self.plan)
        changed = {m.path for m in self.designed.method_contracts if not m.stays} if self.designed else ()
        return max(self.found.estimate.files_affected, len(changed))

    def _designs_api(self) -> bool:
        designed = self.designed
        return designed is not None and (
            bool(designed.api_contracts) or any(m.is_new for m in designed.method_contracts)
        )

    def _designs_model(self) -> bool:
        return self.designed is not None and any(
            model.status is ModelStatus.NEW for model in self.designed.data_models
        )

    def _follows_patterns(self) -> bool:
        """A claim of the contracts counts only where DISCOVERY found a pattern to follow."""
        pattern = self.found.estimate.existing_pattern
        return pattern and (self.designed is None or self.designed.follows_patterns)

    def _claimed_complexity(self) -> Level:
        return self.validated.plan_summary.estimated_complexity if self.validated else Level.LOW

    def _high_risk(self) -> bool:
        risks = self.validated.risk_assessment if self.validated else ()
        return any(r.probability is Level.HIGH and r.impact is Level.HIGH for r in risks)

    def _shares(self) -> tuple[float, float, float]:
        """Coverage, independence, confidence; 1 as long as there is no plan to count them from."""
        if self.plan is None or self.clarified is None:
            return 1.0, 1.0, 1.0
        dependencies = dependencies_found(self.plan).values()
        independence = sum(1 for names in dependencies if not names) / max(1, len(dependencies))
        required = max(1, len(self.clarified.updated_requirements.requirements))
        if self.validated is None:
            covered = len(self.clarified.updated_requirements.requirements) - len(
                uncovered(self.plan, self.clarified)
            )
            return covered / required, independence, 1.0
        coverage = coverage_share(self.validated, self.plan, self.clarified)
        return coverage, independence, sum(confidences(self.validated, self.clarified)) / required

    def _deletes(self) -> bool:
        return self.plan is not None and any(
            operation.operation is Operation.DELETE for operation in self.plan.file_operations
        )

    def _texts(self) -> Iterator[str]:
        """Everything that can name a sensitive topic: the task, the contracts, the paths that change."""
        if self.clarified:
            requirements = self.clarified.updated_requirements
            yield from (requirements.task, *requirements.requirements, *requirements.constraints)
        if self.designed:
            yield from _contract_texts(self.designed)
        if self.plan:
            for operation in self.plan.file_operations:
                yield from (operation.file_path, operation.changes_description)
        elif not self.designed:
            likely = max(1, self.found.estimate.files_affected)
            yield from self.found.codebase_understanding.relevant_files[:likely]

    def _questions(self, phase: Phase) -> tuple[QuestionRef, ...]:
        if phase is Phase.DISCOVERY:
            return tuple(map(_question, self.found.ambiguities_discovered))
        if phase is Phase.CLARIFICATION and self.clarified:
            return tuple(map(_question, not_answered_by_people(self.clarified, self.found)))
        return ()


def _contract_texts(designed: ContractDesignArtifact) -> Iterator[str]:
    for method in designed.method_contracts:
        if not method.stays:
            yield from (method.path, method.qualified, method.purpose)
    for model in designed.data_models:
        yield from (model.name, model.path)
    for api in designed.api_contracts:
        yield api.endpoint
    for integration in designed.integration_contracts:
        yield integration.component


def _question(ambiguity: Ambiguity) -> QuestionRef:
    return QuestionRef(
        id=ambiguity.id,
        text=ambiguity.question,
        why=ambiguity.impact_if_wrong,
        choices=tuple(candidate.label for candidate in ambiguity.candidates),
        recommended=ambiguity.recommended,
        critical=ambiguity.critical,
    )
