"""Reads source text and says what in it could differ between two runs: clock, chance, I/O, order of sets."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

SET_TYPES = {"set", "frozenset", "Set", "AbstractSet", "FrozenSet", "MutableSet"}
SET_METHODS = {"union", "intersection", "difference", "symmetric_difference"}
SET_OPERATORS = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)
ORDER_FREE = {"set", "frozenset", "sorted", "any", "all", "len", "sum", "min", "max"}
TIES_MATTER = {"sorted", "min", "max"}
ORDER_SHOWS = {
    *("list", "tuple", "dict", "str", "repr", "iter", "next", "enumerate", "map", "filter", "zip", "print"),
    *("deque", "chain", "from_iterable", "islice", "product", "combinations", "permutations", "starmap"),
    *("join", "extend", "fromkeys", "Counter", "dumps"),
}
BUILTINS = {"open", "input", "print", "exec", "eval", "compile", "__import__", "hash", "id", "breakpoint"}
CALLS = {
    *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today", "fromtimestamp")),
    *("datetime.date.today", "datetime.date.fromtimestamp"),
    *("asyncio.wait", "asyncio.as_completed", "asyncio.to_thread", "asyncio.run"),
}


@dataclass
class Known:
    """What is a set by its annotation, in any of the files: attributes by name, functions by name."""

    attributes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, sources: Iterable[str]) -> "Known":
        """Collect from the source texts."""
        known = cls()
        for source in sources:
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.ClassDef):
                    known.attributes.update(name for name, _ in _set_fields(node))
                elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_set_type(node.returns):
                    known.functions.add(node.name)
        return known


def _set_fields(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for each in node.body:
        if (
            isinstance(each, ast.AnnAssign)
            and isinstance(each.target, ast.Name)
            and _is_set_type(each.annotation)
        ):
            yield each.target.id, each.lineno


def _is_set_type(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Constant(value=str(text)):
            return _is_set_type(ast.parse(text, mode="eval").body)
        case ast.Subscript(value=base):
            return _is_set_type(base)
        case ast.BinOp(left=left, right=right):
            return _is_set_type(left) or _is_set_type(right)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in SET_TYPES
    return False


def impurities(source: str, allowed: set[str], known: Known | None = None) -> list[str]:
    """Everything impure in one file, each as `line: what`. `allowed` are the modules that it may import."""
    tree = ast.parse(source)
    found = [*_imports(tree, allowed), *_calls(tree), *_Sets(known or Known.of([source])).leaks(tree)]
    return [f"{line}: {what}" for line, what in sorted(set(found))]


def _imports(tree: ast.Module, allowed: set[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = ["a relative module" if node.level else node.module or ""]
        for name in names:
            if name.split(".")[0] not in allowed:
                yield node.lineno, f"imports {name}"


def _calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    aliases = dict(_aliases(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Attribute() | ast.Name() if (name := _dotted(node, aliases)) in CALLS:
                yield node.lineno, f"uses {name}"
            case ast.Call(func=ast.Name(id=name)) if name in BUILTINS:
                yield node.lineno, f"uses {name}()"


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                yield alias.asname or top, alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, aliases)}.{node.attr}"
    return aliases.get(node.id, node.id) if isinstance(node, ast.Name) else "?"


class _Sets:
    """Finds where the order of a set can be seen. A name that is ever a set counts as one."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._names: list[set[str]] = [set()]
        self._found: list[tuple[int, str]] = []
        self._order_free: set[int] = set()

    def leaks(self, tree: ast.Module) -> list[tuple[int, str]]:
        """Every place, with its line."""
        self._scope(tree)
        return self._found

    def _scope(self, node: ast.AST) -> None:
        """A module or function: first what its names are, then what is done with them."""
        self._names.append(self._names[-1] | _annotated_arguments(node))
        inner = list(_within(node))
        for _ in range(3):  # names that are sets by way of other names
            for each in inner:
                self._learn(each)
        for each in inner:
            self._look(each)
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                self._scope(each)
        self._names.pop()

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value) if self._is_set(value):
                self._names[-1] |= {t.id for t in targets if isinstance(t, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if _is_set_type(annotation):
                self._names[-1].add(name)
            case ast.NamedExpr(target=ast.Name(id=name), value=value) if self._is_set(value):
                self._names[-1].add(name)

    def _is_set(self, node: ast.expr | None) -> bool:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(id=name):
                return name in self._names[-1]
            case ast.Attribute(attr=name):
                return name in self._known.attributes
            case ast.Call(func=ast.Name(id=name)):
                return name in {"set", "frozenset"} | self._known.functions
            case ast.Call(func=ast.Attribute(value=owner, attr=name)):
                own = name == "copy" and self._is_set(owner)
                return own or name in SET_METHODS | self._known.functions
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, SET_OPERATORS):
                return any(self._is_set(side) or _is_view(side) for side in (left, right))
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_set(body) or self._is_set(orelse)
            case ast.BoolOp(values=values):
                return any(self._is_set(value) for value in values)
            case ast.NamedExpr(value=value):
                return self._is_set(value)
        return False

    def _look(self, node: ast.AST) -> None:
        match node:
            case ast.For(iter=each) | ast.AsyncFor(iter=each) if self._is_set(each):
                self._found.append((node.iter.lineno, "a loop over a set"))
            case ast.Call():
                self._look_at_call(node)
            case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
                self._look_at_comprehension(node)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                self._starred(parts)
            case ast.YieldFrom(value=value) | ast.FormattedValue(value=value) if self._is_set(value):
                self._found.append((value.lineno, "a set is handed on in its order"))
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) if self._is_set(value):
                self._found.append((value.lineno, "a set is unpacked"))
            case ast.ClassDef(bases=[_, *_]):
                # A class with a base is a model of ours, which is written as JSON somewhere.
                self._found += [(line, f"the field {name} is a set") for name, line in _set_fields(node)]

    def _look_at_call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        keyed = any(keyword.arg == "key" for keyword in node.keywords)
        if name in ORDER_FREE and not (name in TIES_MATTER and keyed):
            for arg in node.args:
                if isinstance(arg, (ast.GeneratorExp, ast.ListComp)):
                    self._order_free.add(id(arg))
            return
        sets = [arg for arg in node.args if self._is_set(arg)]
        if sets and name in ORDER_SHOWS | TIES_MATTER:
            why = "where ties keep a set's order" if keyed else "of a set"
            self._found.append((node.lineno, f"{name}() {why}"))
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "pop" and not node.args and self._is_set(owner):
            self._found.append((node.lineno, "pop() of a set"))
        self._starred(node.args)

    def _look_at_comprehension(self, node: ast.ListComp | ast.DictComp | ast.GeneratorExp) -> None:
        if id(node) not in self._order_free and any(self._is_set(each.iter) for each in node.generators):
            self._found.append((node.lineno, "a comprehension over a set"))

    def _starred(self, parts: list[ast.expr]) -> None:
        for part in parts:
            if isinstance(part, ast.Starred) and self._is_set(part.value):
                self._found.append((part.lineno, "a set is unpacked"))


def _is_view(node: ast.expr) -> bool:
    """`a.keys() & b.keys()` is a set."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("keys", "items")
    )


def _annotated_arguments(node: ast.AST) -> set[str]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return {each.arg for each in arguments if _is_set_type(each.annotation)}


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of one scope, parents before children; functions inside it are named but not entered."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from _within(child)
