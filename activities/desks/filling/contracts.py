"""CONTRACTS: a model designs what interfaces become; what they are today is read from the repository."""

from activities.desks.sources import Body, Sources
from activities.deterministic.reliance import callers
from activities.deterministic.signatures import stated
from activities.index.records import Symbol
from states.words import MethodChange, ModelStatus


def fill(body: Body, at: Sources) -> Body:
    """The whole artifact. What does not exist is left to the mechanical checks, which say it better."""
    methods = [_method(method, at) for method in body["method_contracts"]]
    return {
        **body,
        "method_contracts": methods,
        "data_models": [_model(model, at) for model in body["data_models"]],
        "follows_patterns": body["follows_patterns"] and _follows(body, methods, at),
    }


def _method(method: Body, at: Sources) -> Body:
    if method["change"] == MethodChange.NEW:
        return {**method, "line": 0, "current": "", "callers": []}
    symbol = _symbol(method, at)
    if symbol is None:
        return method
    current = stated(symbol.signature, symbol.path)
    stays = method["change"] == MethodChange.KEEP
    return {
        **method,
        "signature": current if stays else method["signature"],
        "line": symbol.line,
        "current": current,
        "callers": list(callers(at.index, symbol)),
    }


def _symbol(method: Body, at: Sources) -> Symbol | None:
    """The symbol that a contract is about; of several of one name, as overloads are, the first."""
    name = f"{method['class_name']}.{method['method_name']}".removeprefix(".")
    return next((s for s in at.index.find(name) if s.path == method["path"] and s.qualified == name), None)


def _model(model: Body, at: Sources) -> Body:
    found = [s for s in at.index.find(model["name"]) if s.path == model["path"]]
    if model["status"] == ModelStatus.NEW or not found:
        return model
    return {**model, "line": found[0].line}


def _follows(body: Body, methods: list[Body], at: Sources) -> bool:
    """Whether only existing things change, called as today, where DISCOVERY found patterns to follow."""
    stays = all(m["signature"].split() == m.get("current", "").split() for m in methods)
    novel = body["api_contracts"] or any(m["status"] == ModelStatus.NEW for m in body["data_models"])
    patterns = at.brief.found().codebase_understanding.existing_patterns
    return bool(methods and patterns) and stays and not novel
