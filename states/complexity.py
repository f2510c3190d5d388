"""When a task is simple enough to skip CONTRACTS, and how complex what is planned is."""

from states.amounts import counted
from states.review import PhaseFacts
from states.words import Level

SIMPLE_BELOW_FILES = 3
COMPLEX_FROM_FILES = 10


def is_simple(facts: PhaseFacts, open_questions: int) -> bool:
    """Whether CONTRACTS may be skipped (Alfred seed, Complexity Adaptation).

    `facts` are DISCOVERY's; `open_questions` is how many no person answered, guessed ones included.
    """
    return not why_not_simple(facts, open_questions)


def why_not_simple(facts: PhaseFacts, open_questions: int) -> tuple[str, ...]:
    """What speaks against skipping CONTRACTS, one clause each, for people; empty for a simple task."""
    reasons = {
        f"{facts.files_affected} files are affected, not fewer than {SIMPLE_BELOW_FILES}": (
            facts.files_affected >= SIMPLE_BELOW_FILES
        ),
        "there is a new API": facts.new_api,
        "there is a new data model": facts.new_model,
        f"{counted(open_questions, 'question')} without a person's answer": open_questions > 0,
        "no existing pattern to follow": not facts.existing_pattern,
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def level_of(files: int, novel: bool) -> Level:
    """How complex a change of this many files is; `novel` is whether it brings a new API or data model."""
    if files >= COMPLEX_FROM_FILES:
        return Level.HIGH
    return Level.MEDIUM if novel or files >= SIMPLE_BELOW_FILES else Level.LOW


def higher(a: Level, b: Level) -> Level:
    """The higher of two levels."""
    return max(a, b, key=list(Level).index)
