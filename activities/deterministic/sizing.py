"""The estimate of DISCOVERY: how many files look like targets, and whether something new is asked for."""

import re

from activities.deterministic.asked import Asked
from activities.deterministic.novelty import new_symbols
from activities.deterministic.relevance import Relevant
from activities.index.model import Index
from activities.index.records import Role
from states.artifacts.discovery import Estimate

_BRING = (
    r"(?:add|creat|introduc|implement|expos|provid|build|offer|support|allow|enabl|need|new|writ|defin)\w*"
)
_API = re.compile(
    rf"\b{_BRING}\b(?:\W+[\w`*-]+){{0,6}}?\W+`?(?:(?:web ?)?apis?|endpoints?|functions?|methods?|"
    r"class(?:es)?|commands?|options?|"
    r"parameters?|arguments?|flags?|decorators?|hooks?|plugins?|services?|modules?|interfaces?|middlewares?|webhooks?)\b",
    re.I,
)
_MODEL = re.compile(
    rf"\b{_BRING}\b(?:\W+[\w`*-]+){{0,6}}?\W+`?(?:fields?|(?:data )?models?|schemas?|columns?|"
    r"tables?|entit(?:y|ies)|"
    r"dataclass(?:es)?|structs?|enums?|records?|data types?|migrations?)\b",
    re.I,
)
_MODEL_KINDS = frozenset({"class", "model", "dataclass", "enum", "struct", "interface", "type"})


def estimate(index: Index, asked: Asked, relevant: Relevant) -> Estimate:
    """From the targets and the task's wording; a pattern exists when a target is tested or imported."""
    fresh = new_symbols(asked.new_things, index.symbol_names)
    text = "\n".join(asked.new_things)
    return Estimate(
        files_affected=len(relevant.targets),
        new_api=bool(fresh) or bool(_API.search(text)),
        new_model=any(s.kind in _MODEL_KINDS for s in fresh) or bool(_MODEL.search(text)),
        existing_pattern=any(
            index.files[path].role is not Role.SOURCE or index.tests_of(path) or index.importers(path)
            for path in relevant.targets
        ),
    )
