"""Which texts rest on a decision that a restart invalidated; such texts reach no later artifact."""

from activities.deterministic.wording import normal, sentences, terms

_FILLERS = terms("approach decision option choice design idea plan way only select chosen")


def _phrase(text: str, decision: str) -> bool:
    wanted = normal(decision)
    return len(wanted) > 2 and f" {wanted} " in f" {normal(text)} "


def _telling(decision: str) -> frozenset[str]:
    """The words that make a decision this one; slugs count by their parts."""
    return terms(normal(decision)) - _FILLERS


def states(text: str, decisions: tuple[str, ...]) -> bool:
    """Whether a text says one of the decisions: as a phrase, or with all of its two or more telling words."""
    for decision in decisions:
        telling = _telling(decision)
        if _phrase(text, decision) or (len(telling) > 1 and telling <= terms(text)):
            return True
    return False


def answers(question_id: str, text: str, decisions: tuple[str, ...]) -> bool:
    """Whether an answer is one of the decisions. They may be slugs (`oauth_only_approach`), a question's id,
    or a part of the answer; a telling word may be the beginning of a name (`oauth` of `OAuth2Service`)."""
    spoken = {w.lower() for w in text.replace("`", " ").replace(".", " ").split()} | terms(text)
    for decision in decisions:
        telling = _telling(decision)
        if decision.strip() == question_id or states(text, (decision,)):
            return True
        if telling and all(any(w.startswith(t) for w in spoken) for t in telling if len(t) > 2):
            return True
    return False


def surviving(texts: tuple[str, ...], decisions: tuple[str, ...]) -> tuple[str, ...]:
    """The texts that rest on none of the decisions, in order."""
    return tuple(t for t in texts if not states(t, decisions)) if decisions else texts


def without(text: str, decisions: tuple[str, ...]) -> str:
    """A text without the sentences that say one of the decisions; line breaks are kept."""
    if not decisions or not states(text, decisions):
        return text
    lines = []
    for line in text.splitlines():
        kept = [s for s in sentences(line) if not states(s, decisions)]
        if kept or not line.strip():
            lines.append(line if len(kept) == len(sentences(line)) else " ".join(kept))
    return "\n".join(lines).strip()
