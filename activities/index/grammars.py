"""What to look for in the syntax trees of each language: data only, read by `treesitter.py`."""

from dataclasses import dataclass

from activities.index.records import SymbolKind

K = SymbolKind


@dataclass(frozen=True)
class Grammar:
    """One language. `package` and `function` say where the compiled grammar comes from; `kinds` maps node
    types to symbols; `inside` are nodes that are looked into without being symbols; `members` are fields;
    `names` are identifier nodes that count as uses; `imports` is a query whose captures are import nodes."""

    package: str
    kinds: dict[str, SymbolKind]
    inside: frozenset[str]
    members: frozenset[str] = frozenset()
    names: tuple[str, ...] = ("identifier",)
    imports: str = ""
    function: str = "language"
    bases: tuple[str, ...] = ()


_SCRIPT_KINDS = {
    "function_declaration": K.FUNCTION,
    "generator_function_declaration": K.FUNCTION,
    "class_declaration": K.CLASS,
    "method_definition": K.METHOD,
    "variable_declarator": K.CONSTANT,
    "assignment_expression": K.FUNCTION,
}
_SCRIPT_INSIDE = frozenset(
    {
        "program",
        "export_statement",
        "class_body",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    }
)
_SCRIPT_IMPORTS = """
(import_statement) @i (export_statement source: (string)) @i
(call_expression function: (identifier) @f arguments: (arguments . (string)) (#eq? @f "require")) @i
(call_expression function: (import)) @i
"""
_SCRIPT_NAMES = ("identifier", "property_identifier", "shorthand_property_identifier")
_TYPED_KINDS = {
    **_SCRIPT_KINDS,
    "abstract_class_declaration": K.CLASS,
    "interface_declaration": K.INTERFACE,
    "type_alias_declaration": K.TYPE,
    "enum_declaration": K.ENUM,
    "function_signature": K.FUNCTION,
    "method_signature": K.METHOD,
    "abstract_method_signature": K.METHOD,
}
_TYPED = Grammar(
    package="tree_sitter_typescript",
    function="language_typescript",
    kinds=_TYPED_KINDS,
    inside=_SCRIPT_INSIDE
    | {
        "interface_body",
        "object_type",
        "ambient_declaration",
        "internal_module",
        "module",
        "statement_block",
    },
    members=frozenset({"public_field_definition", "property_signature", "enum_assignment"}),
    names=(*_SCRIPT_NAMES, "type_identifier"),
    imports=_SCRIPT_IMPORTS,
    bases=("class_heritage", "extends_type_clause"),
)

_C_KINDS = {
    "function_definition": K.FUNCTION,
    "declaration": K.FUNCTION,
    "struct_specifier": K.STRUCT,
    "union_specifier": K.STRUCT,
    "enum_specifier": K.ENUM,
    "type_definition": K.TYPE,
    "preproc_def": K.CONSTANT,
    "preproc_function_def": K.FUNCTION,
}
_C_BODIES = """translation_unit preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification
    declaration_list field_declaration_list"""
_C_INSIDE = frozenset(_C_BODIES.split())
_GO_BODIES = """source_file type_declaration const_declaration var_declaration var_spec_list struct_type
    interface_type field_declaration_list"""
_RUST_BODIES = "source_file impl_item mod_item declaration_list field_declaration_list enum_variant_list"
_JAVA_BODIES = "program class_body interface_body enum_body enum_body_declarations"

GRAMMARS: dict[str, Grammar] = {
    "javascript": Grammar(
        package="tree_sitter_javascript",
        kinds=_SCRIPT_KINDS,
        inside=_SCRIPT_INSIDE,
        members=frozenset({"field_definition"}),
        names=_SCRIPT_NAMES,
        imports=_SCRIPT_IMPORTS,
        bases=("class_heritage",),
    ),
    "typescript": _TYPED,
    "tsx": Grammar(
        package=_TYPED.package,
        function="language_tsx",
        kinds=_TYPED.kinds,
        inside=_TYPED.inside,
        members=_TYPED.members,
        names=_TYPED.names,
        imports=_TYPED.imports,
        bases=_TYPED.bases,
    ),
    "go": Grammar(
        package="tree_sitter_go",
        kinds={
            "function_declaration": K.FUNCTION,
            "method_declaration": K.METHOD,
            "type_spec": K.TYPE,
            "type_alias": K.TYPE,
            "method_elem": K.METHOD,
            "const_spec": K.CONSTANT,
            "var_spec": K.CONSTANT,
        },
        inside=frozenset(_GO_BODIES.split()),
        members=frozenset({"field_declaration"}),
        names=("identifier", "field_identifier", "type_identifier"),
        imports="(import_spec) @i",
    ),
    "rust": Grammar(
        package="tree_sitter_rust",
        kinds={
            "function_item": K.FUNCTION,
            "function_signature_item": K.FUNCTION,
            "struct_item": K.STRUCT,
            "union_item": K.STRUCT,
            "enum_item": K.ENUM,
            "trait_item": K.INTERFACE,
            "type_item": K.TYPE,
            "const_item": K.CONSTANT,
            "static_item": K.CONSTANT,
            "macro_definition": K.FUNCTION,
        },
        inside=frozenset(_RUST_BODIES.split()),
        members=frozenset({"field_declaration", "enum_variant"}),
        names=("identifier", "field_identifier", "type_identifier"),
        imports="(use_declaration) @i (mod_item !body) @i",
    ),
    "java": Grammar(
        package="tree_sitter_java",
        kinds={
            "class_declaration": K.CLASS,
            "record_declaration": K.STRUCT,
            "interface_declaration": K.INTERFACE,
            "annotation_type_declaration": K.INTERFACE,
            "enum_declaration": K.ENUM,
            "method_declaration": K.METHOD,
            "constructor_declaration": K.METHOD,
        },
        inside=frozenset(_JAVA_BODIES.split()),
        members=frozenset({"field_declaration", "enum_constant", "formal_parameter"}),
        names=("identifier", "type_identifier"),
        imports="(import_declaration) @i",
        bases=("superclass", "super_interfaces", "extends_interfaces"),
    ),
    "c": Grammar(
        package="tree_sitter_c",
        kinds=_C_KINDS,
        inside=_C_INSIDE,
        members=frozenset({"field_declaration", "enumerator"}),
        names=("identifier", "field_identifier", "type_identifier"),
        imports="(preproc_include) @i",
    ),
    "cpp": Grammar(
        package="tree_sitter_cpp",
        kinds={**_C_KINDS, "class_specifier": K.CLASS, "alias_declaration": K.TYPE},
        inside=_C_INSIDE | {"namespace_definition", "template_declaration"},
        members=frozenset({"field_declaration", "enumerator"}),
        names=("identifier", "field_identifier", "type_identifier", "namespace_identifier"),
        imports="(preproc_include) @i",
        bases=("base_class_clause",),
    ),
    "ruby": Grammar(
        package="tree_sitter_ruby",
        kinds={
            "class": K.CLASS,
            "module": K.MODULE,
            "method": K.METHOD,
            "singleton_method": K.METHOD,
            "assignment": K.CONSTANT,
        },
        inside=frozenset({"program", "body_statement", "singleton_class"}),
        names=("identifier", "constant"),
        imports='(call method: (identifier) @f (#match? @f "^(require|require_relative|load)$")) @i',
        bases=("superclass",),
    ),
}
