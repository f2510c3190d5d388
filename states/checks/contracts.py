"""CONTRACTS: do the interfaces that change exist, and are the new ones new."""

from collections.abc import Iterator

from states.artifacts.base import ModelDefinition
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.checks.words import contract, misplaced, repeated, short, warning
from states.grounding import Ground, outside, path_of
from states.review import Finding
from states.words import ModelStatus


def check(designed: ContractDesignArtifact, ground: Ground) -> Iterator[Finding]:
    """Every finding about a CONTRACTS artifact."""
    yield from _emptiness(designed)
    yield from _duplicates(designed)
    for method in designed.method_contracts:
        yield from _method(method, ground)
    for model in designed.data_models:
        yield from _model(model, ground)


def new_names(designed: ContractDesignArtifact | None) -> frozenset[str]:
    """Every name that the contracts bring into being, bare and qualified."""
    if designed is None:
        return frozenset()
    methods = [m for m in designed.method_contracts if m.is_new]
    models = [m.name for m in designed.data_models if m.status is ModelStatus.NEW]
    return frozenset([*models, *(m.qualified for m in methods), *(m.method_name for m in methods)])


def _emptiness(designed: ContractDesignArtifact) -> Iterator[Finding]:
    said = designed.method_contracts or designed.data_models or designed.api_contracts
    if not said and not designed.integration_contracts and not designed.open_points:
        yield contract("no interface is named; name what changes or stays, or mark as open why not")


def _duplicates(designed: ContractDesignArtifact) -> Iterator[Finding]:
    methods = (f"{m.path}: {m.qualified} {m.current}".rstrip() for m in designed.method_contracts)
    apis = (f"{api.method.upper()} {api.endpoint}" for api in designed.api_contracts)
    models = (f"{model.path}: {model.name}" for model in designed.data_models)
    for repeat in (*repeated(methods), *repeated(apis), *repeated(models)):
        yield contract(f"{short(repeat)} has two contracts; merge them into one", repeat[:200])


def _method(method: MethodContract, ground: Ground) -> Iterator[Finding]:
    where = f"{method.path}: {method.qualified}"
    yield from misplaced(method.path, where)
    if method.is_new:
        yield from _new(method, ground, where)
    else:
        yield from _existing(method, ground, where)


def _new(method: MethodContract, ground: Ground, where: str) -> Iterator[Finding]:
    if ground.declares(method.path, method.qualified):
        yield contract(
            f"{short(method.qualified)} is marked new but {method.path} already has it; mark it as modify "
            "or choose another name",
            where,
        )


def _existing(method: MethodContract, ground: Ground, where: str) -> Iterator[Finding]:
    if method.path not in ground.paths:
        if not outside(method.path):
            yield contract(
                f"{short(method.path)} does not exist, so {method.qualified} cannot be marked "
                f"{method.change}; name the file that has it, or mark it as new",
                where,
            )
    elif method.path in ground.unread:
        yield warning(f"no parser reads {method.path}; check {short(method.qualified)} by eye", where)
    elif not ground.declares(method.path, method.qualified):
        places = ground.declared_in(method.qualified)
        yield contract(
            f"{short(method.qualified)} is marked {method.change} but {method.path} does not have it; "
            + (f"{', '.join(places[:3])} does" if places else "name an existing symbol, or mark it as new"),
            where,
        )
    if not method.current.strip():
        yield warning("today's signature is not quoted", where)
    elif method.stays and method.current.split() != method.signature.split():
        yield contract("it is marked keep but its signature differs from today's; mark it as modify", where)


def _model(model: ModelDefinition, ground: Ground) -> Iterator[Finding]:
    path, where = path_of(model.path), f"data model {model.name}"
    if path and outside(path):
        yield from misplaced(path, where)
    elif model.status is not ModelStatus.NEW and path and path not in ground.paths:
        yield contract(
            f"{short(model.name)} is marked {model.status} but {short(path)} is missing; name its file", where
        )
    elif model.status is ModelStatus.NEW and path and ground.declares(path, model.name):
        yield contract(
            f"{short(model.name)} is marked {model.status} but {path} already has it; mark it as existing",
            where,
        )
