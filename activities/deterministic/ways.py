"""Three ways to carry the same subtasks out: the smallest change, the full one, one stage after the other."""

from dataclasses import dataclass

from activities.deterministic.commands import TestCommands
from activities.deterministic.option_steps import (
    code_step,
    document_step,
    estimated,
    impact_step,
    planned,
    proving_step,
    readable_step,
    suite_of,
    tests_step,
)
from activities.deterministic.stages import Material
from activities.deterministic.wording import listed
from states.amounts import counted
from states.artifacts.implementation import Subtask
from states.artifacts.plan import Impact, Likelihood, Plan, PlanOption, PlanRisk, PlanStep

SOURCE = "planner:deterministic"
SURE, PER_GUESS, PER_OPEN, NO_TESTS, UNTESTED, STAGED = 0.9, 0.1, 0.01, 0.25, 0.1, 0.03
"""confidence: at the start; off for each requirement whose place is a guess and each open point (at most
0.3 and 0.1), for a repository without known tests, for a change without a test of its own; on for stages"""
MANY_USES = 10


@dataclass(frozen=True)
class Ways:
    """What all ways have in common."""

    material: Material
    commands: TestCommands

    def smallest(self) -> PlanOption | None:
        """The fewest subtasks that cover every requirement, then the tests that exist.

        None where nothing can be left out.
        """
        chosen, every = self.material.needed(), self.material.subtasks
        left = [f"{s.subtask_id} ({s.location})" for s in every if s not in chosen]
        if not left and not any(map(planned, every)):
            return None
        steps = [code_step(s, tests=False) for s in chosen]
        steps += self._proven([s.id for s in steps])
        if tests := self._test_id(steps):
            steps.append(impact_step((), when_failed=tests))
        cons = ["the tests that prove the new behaviour are left to you: existing tests run"]
        cons += [f"leaves out {listed(left)}"] if left else []
        return self._option(
            "smallest",
            "Smallest change",
            f"{counted(len(chosen), 'subtask')} that the requirements need, then the existing tests.",
            steps,
            chosen,
            pros=[f"the least to write and to review: {len(chosen)} of {counted(len(every), 'subtask')}"],
            cons=cons,
            risks=[_risk("nothing tests the new behaviour itself", Impact.MEDIUM, "write the planned tests")],
            sure=-UNTESTED,
        )

    def full(self) -> PlanOption:
        """Every subtask with its tests, the documents that name what changes, and a look at the outcome."""
        every, documents = self.material.subtasks, self.material.documents()
        steps = [code_step(s) for s in every]
        written = [s.id for s in steps]
        steps += [document_step(path, names, written) for path, names in documents]
        steps += self._proven([s.id for s in steps])
        steps.append(impact_step([steps[-1].id]))
        tests = sum(len(planned(s)) for s in every)
        pros = (
            [f"{counted(tests, 'planned test proves', 'planned tests prove')} the requirements"]
            if tests
            else []
        )
        say = "says" if len(documents) == 1 else "say"
        pros += [f"{listed([p for p, _ in documents])} {say} what the code does"] if documents else []
        pros.append("reports at the end what changed and who uses it")
        return self._option(
            "full",
            "Full change with tests" + (" and docs" if documents else ""),
            f"{_all_of(len(every))} tests, the documents, then all tests.",
            steps,
            every,
            pros=pros,
            cons=["the most to write and to review"] if len(every) > 1 else [],
        )

    def staged(self) -> PlanOption | None:
        """Stage by stage, what others build on first, with the tests in between; None without two stages."""
        stages, command = self.material.stages(), self._suite()
        if len(stages) < 2 or not command:
            return None
        steps: list[PlanStep] = []
        before: list[str] = []
        for number, stage in enumerate(stages, 1):
            written = [code_step(s, before) for s in stage]
            names = ", ".join(s.subtask_id for s in stage)
            test = proving_step(
                f"tests-{number}", command, [s.id for s in written], f"Run the tests after {names}"
            )
            steps += [*written, test]
            before = [test.id]
        steps += [readable_step(before), impact_step(["readable"])]
        return self._option(
            "staged",
            f"In {len(stages)} stages",
            "What others build on comes first; the tests run after each stage.",
            steps,
            self.material.subtasks,
            pros=[
                "a stage that breaks something is found before the next one builds on it",
                "stops at the last stage that works",
            ],
            cons=[f"all tests run {len(stages)} times", "no stage begins before the one before it passes"],
            sure=STAGED,
        )

    def tests_first(self) -> PlanOption | None:
        """The planned tests before the code that makes them pass; None without planned tests."""
        every = self.material.subtasks
        tests = [tests_step(s) for s in every if planned(s) and not self.material.proves(s)]
        tests += [code_step(s) for s in every if self.material.proves(s)]
        written = [step.id for step in tests]
        code = [code_step(s, written, tests=False) for s in every if not self.material.proves(s)]
        if not tests or not code or not self._suite():
            return None
        steps = [*tests, *code, *self._proven([step.id for step in code])]
        return self._option(
            "tests-first",
            "Tests first",
            "The planned tests are written before the code that makes them pass.",
            steps,
            every,
            pros=["the tests say what is wanted before any code is written"],
            cons=["tests fail from the first step on until the code is written"],
        )

    def _proven(self, after: list[str]) -> list[PlanStep]:
        command = self._suite()
        steps = [readable_step(after)]
        return [*steps, proving_step("tests", command, ["readable"])] if command else steps

    def _suite(self) -> str:
        return suite_of(self.commands, self.material.tests)

    def _test_id(self, steps: list[PlanStep]) -> str:
        return next((s.id for s in steps if s.id == "tests"), "")

    def _option(
        self,
        name: str,
        title: str,
        description: str,
        steps: list[PlanStep],
        chosen: tuple[Subtask, ...],
        *,
        pros: list[str],
        cons: list[str],
        risks: list[PlanRisk] | None = None,
        sure: float = 0.0,
    ) -> PlanOption:
        files = {path for s in chosen for path in (s.location, *s.edits)}
        plan = Plan(
            title=title,
            description=description,
            steps=tuple(steps),
            risks=(*(risks or ()), *self._risks(chosen)),
            estimates=estimated(steps, len(files), self._confidence() + sure),
        )
        return PlanOption(
            id=name,
            title=title,
            description=description,
            plan=plan,
            pros=tuple(pros),
            cons=tuple(cons),
            source=SOURCE,
        )

    def _confidence(self) -> float:
        guesses, points = self.material.guesses(), self.material.open_points
        sure = SURE - min(0.3, PER_GUESS * guesses) - min(0.1, PER_OPEN * (points - guesses))
        return sure if self._suite() else sure - NO_TESTS

    def _risks(self, chosen: tuple[Subtask, ...]) -> list[PlanRisk]:
        found = []
        uses = sum(len(s.specification.integration_points) for s in chosen)
        if uses:
            likely = Likelihood.MEDIUM if uses > MANY_USES else Likelihood.LOW
            what = f"{counted(uses, 'place uses', 'places use')} what changes"
            found.append(_risk(what, Impact.MEDIUM, "the last steps report them", likely))
        if not self._suite():
            what = "no test command was recognised: nothing runs what was changed"
            found.append(_risk(what, Impact.HIGH, "add a testing step before you carry it out"))
        return found


def _all_of(subtasks: int) -> str:
    return "The subtask with its" if subtasks == 1 else f"All {counted(subtasks, 'subtask')} with their"


def _risk(what: str, impact: Impact, mitigation: str, likelihood: Likelihood = Likelihood.MEDIUM) -> PlanRisk:
    return PlanRisk(description=what, impact=impact, likelihood=likelihood, mitigation=mitigation)
