"""Reading single syntax nodes: name, kind, header, fields and docs, where the grammars differ."""

import re

from tree_sitter import Node

from activities.index.grammars import Grammar
from activities.index.records import Member, SymbolKind

_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_STATEMENTS = """export_statement lexical_declaration variable_declaration expression_statement
    type_declaration const_declaration var_declaration template_declaration ambient_declaration"""
_WRAPPERS = frozenset(_STATEMENTS.split())
_ABOVE = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})
_FIELDS = ("public_field_definition", "field_definition")
_LIMIT = 1_000
_MOST = 10_000
"""bytes of a node that are looked at: nobody writes longer headers, names and types"""
_BASE_WORDS = frozenset({"extends", "implements", "public", "private", "protected", "virtual"})


def text_of(node: Node | None) -> str:
    """The source of a node, blanks collapsed."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text[:_MOST].decode("utf-8", "replace").split())


def kind_of(node: Node, grammar: Grammar) -> SymbolKind | None:
    """What a node defines, None when it defines nothing worth a symbol."""
    kind = grammar.kinds.get(node.type)
    if node.type in _FIELDS:
        return SymbolKind.METHOD if _function_value(node) else None
    if node.type == "field_declaration" and _declared_function(node):
        return SymbolKind.METHOD
    if node.type == "variable_declarator":
        return _variable_kind(node)
    if node.type == "assignment_expression":
        return kind if _function_value(node) else None
    if node.type == "declaration":
        return kind if _declared_function(node) else None
    if node.type in ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"):
        return kind if node.child_by_field_name("body") else None
    if node.type in ("type_spec", "type_definition"):
        return _type_kind(node.child_by_field_name("type"))
    if node.type == "assignment":
        left = node.child_by_field_name("left")
        return kind if left is not None and left.type == "constant" else None
    return kind


def _variable_kind(node: Node) -> SymbolKind | None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.type != "identifier":
        return None
    if _function_value(node):
        return SymbolKind.FUNCTION
    is_require = (
        value is not None and value.type == "call_expression" and text_of(value).startswith("require(")
    )
    return None if is_require else SymbolKind.CONSTANT


def _type_kind(inner: Node | None) -> SymbolKind:
    if inner is None:
        return SymbolKind.TYPE
    bodied = inner.type.endswith("_type") or inner.child_by_field_name("body") is not None
    if not bodied:
        return SymbolKind.TYPE
    kinds = {"struct": SymbolKind.STRUCT, "union": SymbolKind.STRUCT, "interface": SymbolKind.INTERFACE}
    return kinds.get(
        inner.type.split("_")[0], SymbolKind.ENUM if inner.type.startswith("enum") else SymbolKind.TYPE
    )


def _function_value(node: Node) -> bool:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value is not None and value.type in _FUNCTION_VALUES


def _declared_function(node: Node) -> Node | None:
    """The function declarator of a C declaration, through pointers and references."""
    found = node.child_by_field_name("declarator")
    while found is not None and found.type in (
        "pointer_declarator",
        "reference_declarator",
        "init_declarator",
    ):
        found = found.child_by_field_name("declarator") or (
            found.named_children[-1] if found.named_children else None
        )
    return found if found is not None and found.type == "function_declarator" else None


def name_node(node: Node) -> Node | None:
    """The node of the name that is defined."""
    if node.type == "assignment":
        return node.child_by_field_name("left")
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        return left.child_by_field_name("property") if left is not None else None
    if node.type in _FIELDS:
        return node.child_by_field_name("name") or node.child_by_field_name("property")
    declared = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while declared is not None:
        inner = declared.child_by_field_name("declarator") or (
            declared.child_by_field_name("name") if declared.type == "qualified_identifier" else None
        )
        if inner is None and declared.type == "reference_declarator" and declared.named_children:
            inner = declared.named_children[-1]
        if inner is None:
            return declared
        declared = inner
    return None


def owner_of(node: Node) -> str:
    """The type a definition belongs to when that is written in the definition itself; blank otherwise."""
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        return _last_word(re.sub(r"\[.*\]", "", text_of(receiver)))
    if node.type == "impl_item":
        return _last_word(re.sub(r"<.*>", "", text_of(node.child_by_field_name("type"))))
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        target = text_of(left.child_by_field_name("object")) if left is not None else ""
        return (
            ""
            if target in ("exports", "module.exports", "module", "this")
            else _last_word(target.removesuffix(".prototype"))
        )
    declared = _declared_function(node) if node.type == "function_definition" else None
    inner = declared.child_by_field_name("declarator") if declared is not None else None
    if inner is not None and inner.type == "qualified_identifier":
        return _last_word(re.sub(r"<.*>", "", text_of(inner).rpartition("::")[0]))
    return ""


def _last_word(text: str) -> str:
    words = re.findall(r"\w+", text)
    return words[-1] if words else ""


def body_of(node: Node) -> Node | None:
    """Where the contents of a definition start."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is not None and value.type in _FUNCTION_VALUES:
        return value.child_by_field_name("body")
    inner = node.child_by_field_name("type") if node.type in ("type_spec", "type_definition") else None
    if inner is not None:
        lists = [c for c in inner.named_children if c.type == "field_declaration_list"]
        return inner.child_by_field_name("body") or (lists[0] if lists else inner)
    return node.child_by_field_name("body")


def outer(node: Node) -> Node:
    """The statement around a definition, with `export`, `const` or `type`, where it holds nothing else."""
    while node.parent is not None and node.parent.type in _WRAPPERS and node.parent.start_point[0] >= 0:
        same = [c for c in node.parent.named_children if c.type == node.type]
        if len(same) > 1:
            break
        node = node.parent
    return node


def header(node: Node, kind: SymbolKind) -> str:
    """The definition without its body, comments and line breaks."""
    body = body_of(node)
    start = node
    if (
        node.type in ("variable_declarator", "type_spec", "const_spec", "var_spec")
        and node.parent is not None
    ):
        start = node.parent if outer(node) is not node else node
    end = body.start_byte if body is not None and (kind.callable or body.parent == node) else node.end_byte
    if body is not None and body.parent != node and not kind.callable:
        end = body.start_byte
    if body is not None and body.type == "interface_type":  # Go: its braces belong to the type itself
        end = body.start_byte + len("interface")
    raw = (start.text or b"")[: min(max(end - start.start_byte, 0), _MOST)]
    cut = _without_comments(raw, start)
    line = " ".join(cut.decode("utf-8", "replace").split())
    if kind is SymbolKind.CONSTANT:
        return line[:200].rstrip(" ;")
    return (
        re.sub(r"(\s*(=>|\{|;|:))+$", "", line.removesuffix("; end"))[:_LIMIT]
        .replace("( ", "(")
        .replace(",)", ")")
        .strip()
    )


def _without_comments(raw: bytes, start: Node) -> bytes:
    pieces, at = [], 0
    pending = list(start.children) if len(raw) < _MOST else []
    comments = []
    while pending:
        node = pending.pop()
        if node.start_byte - start.start_byte >= len(raw):
            continue
        if "comment" in node.type:
            comments.append(node)
        else:
            pending.extend(node.children)
    for node in sorted(comments, key=lambda n: n.start_byte):
        pieces.append(raw[at : node.start_byte - start.start_byte])
        at = node.end_byte - start.start_byte
    return b" ".join([*pieces, raw[at:]])


def members_of(node: Node, grammar: Grammar) -> tuple[Member, ...]:
    """The fields of a class, struct, interface or enum."""
    body = body_of(node)
    inside = list(body.named_children) if body is not None else []
    if node.type == "record_declaration" and (parameters := node.child_by_field_name("parameters")):
        inside = [*parameters.named_children, *inside]
    found: list[Member] = []
    for item in inside:
        if item.type in grammar.members and kind_of(item, grammar) is None:
            found += _members(item)
        elif item.type == "property_identifier":
            found.append(Member(text_of(item)))
        elif item.type == "call" and text_of(item.child_by_field_name("method")).startswith("attr_"):
            arguments = item.child_by_field_name("arguments")
            found += [
                Member(text_of(a).removeprefix(":")) for a in (arguments.named_children if arguments else [])
            ]
    return tuple(found)


def _members(item: Node) -> list[Member]:
    kind = text_of(item.child_by_field_name("type")).removeprefix(":").strip()
    default = text_of(item.child_by_field_name("value") or item.child_by_field_name("default_value"))[:120]
    names = [*item.children_by_field_name("name"), *item.children_by_field_name("property")]
    if names:
        return [Member(text_of(name), kind, default) for name in names]
    declared = item.children_by_field_name("declarator")
    if declared:
        return [Member(_last_word(text_of(d).split("=")[0].split("[")[0]), kind, default) for d in declared]
    return [Member(_last_word(kind), kind)] if kind else []


def bases_of(node: Node, grammar: Grammar) -> tuple[str, ...]:
    """What a class extends or implements."""
    found: list[str] = []
    for child in node.children:
        if child.type in grammar.bases:
            plain = re.sub(r"<[^<>]*>", "", text_of(child))
            found += [word for word in re.findall(r"[\w.:]+", plain) if word.strip(":") not in _BASE_WORDS]
    return tuple(word for word in found if word.strip(":"))


def doc_above(node: Node) -> str:
    """First line of the comment that stands directly above."""
    comments: list[Node] = []
    row, above = node.start_point[0], node.prev_sibling
    if above is None and node.parent is not None and node.parent.type == "body_statement":
        # Ruby: a comment before the first statement stands outside of the body.
        above = node.parent.prev_sibling
    while above is not None and above.type in _ABOVE and row - above.end_point[0] <= 1:
        if "comment" in above.type:
            comments.append(above)
        row, above = above.start_point[0], above.prev_sibling
    for comment in reversed(comments):
        for line in (comment.text or b"").decode("utf-8", "replace").splitlines():
            words = re.sub(r"^[\s/*#!]+|[\s*/]+$", "", line)
            if words:
                return words[:200]
    return ""
