"""Python files in the index: symbols, signatures, imports, uses and tests."""

import textwrap
from pathlib import Path

import pytest

from activities.index.build import open_index
from activities.index.model import Index
from activities.index.records import Role, SymbolKind, Use
from tests.activities.conftest import MakeIndex, MakeRepo

SHOP = {
    "src/shop/__init__.py": "from shop.cart import Cart\n",
    "src/shop/cart.py": textwrap.dedent(
        '''\
        """Carts."""
        from __future__ import annotations
        import os
        import requests
        from dataclasses import dataclass, field
        from .prices import total as sum_up, Price

        LIMIT: int = 50


        @dataclass(frozen=True)
        class Line:
            """One line of a cart."""

            item: str
            number: int = 1


        class Cart(Base, metaclass=Meta):
            def add(
                self,
                item: str,  # what
                *,
                number: int = 1,
            ) -> Line:
                """Put something in.

                More words.
                """
                return Line(item, number)

            async def pay(self) -> None: sum_up(self)

            @property
            def size(self): return 0

            @size.setter
            def size(self, value): pass


        if os.name == "nt":
            def _home(): ...
        '''
    ),
    "src/shop/prices.py": "class Price: ...\n\n\ndef total(cart):\n    return cart.size\n",
    "src/shop/web.py": "from shop import Cart\n\n\n"
    "def page():\n    cart = Cart()\n    return cart.add('x')\n",
    "tests/test_cart.py": "from shop.cart import Cart, Line\n\n\n"
    "def test_add():\n    assert Cart().add('x') == Line('x')\n",
    "tests/conftest.py": "from shop.cart import Cart, Line\n\nCart, Line\n",
}


@pytest.fixture
def shop(make_index: MakeIndex) -> Index:
    return make_index(SHOP)


def test_signatures_are_the_source_on_one_line(shop: Index) -> None:
    assert [s.signature for s in shop.symbols_in("src/shop/cart.py")] == [
        "LIMIT: int = 50",
        "class Line",
        "class Cart(Base, metaclass=Meta)",
        "def add(self, item: str, *, number: int = 1) -> Line",
        "async def pay(self) -> None",
        "def size(self)",
        "def _home()",
    ]


def test_a_symbol_knows_its_place_parent_docs_and_decorators(shop: Index) -> None:
    (add,) = shop.find("Cart.add")
    assert (add.kind, add.parent, add.doc) == (SymbolKind.METHOD, "Cart", "Put something in.")
    assert shop.lines(add.path, add.first, add.last).startswith("    def add(\n")
    assert shop.lines(add.path, add.first, add.last).endswith("return Line(item, number)")
    (line,) = shop.find("Line")
    assert (line.first, line.line, line.decorators) == (11, 12, ("dataclass(frozen=True)",))
    assert [(m.name, m.type, m.default) for m in line.members] == [
        ("item", "str", ""),
        ("number", "int", "1"),
    ]
    assert shop.find("Cart")[0].bases == ("Base",)
    assert "Cart.add" in shop.symbol_names
    assert "add" in shop.symbol_names


def test_imports_reach_files_or_name_packages(shop: Index) -> None:
    assert shop.imports_of("src/shop/cart.py") == ("src/shop/prices.py",)
    assert shop.externals_of("src/shop/cart.py") == ("requests",)
    assert shop.imports_of("src/shop/web.py") == ("src/shop/__init__.py",)
    assert shop.imports_of("tests/test_cart.py") == ("src/shop/cart.py",)


def test_importers_are_found_through_the_package(shop: Index) -> None:
    assert shop.importers("src/shop/cart.py") == (
        "src/shop/__init__.py",
        "src/shop/web.py",
        "tests/conftest.py",
        "tests/test_cart.py",
    )


def test_callers_name_the_function_around_them(shop: Index) -> None:
    (add,) = shop.find("Cart.add")
    assert shop.callers(add) == (Use("src/shop/web.py", 6, "page"), Use("tests/test_cart.py", 5, "test_add"))


def test_callers_of_a_common_method_name_need_its_class(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "a.py": "class A:\n    def save(self): ...\n",
            "b.py": "class B:\n    def save(self): ...\n",
            "user.py": "from a import A\n\n\ndef go(a: A):\n    a.save()\n",
        }
    )
    by_class = {s.parent: index.callers(s) for s in index.find("save")}
    assert by_class == {"A": (Use("user.py", 5, "go"),), "B": ()}


def test_tests_are_found_by_name_and_by_use_but_not_fixtures(shop: Index) -> None:
    assert shop.tests_of("src/shop/cart.py") == ("tests/test_cart.py",)
    assert shop.tests_of("tests/test_cart.py") == ()


def test_a_file_without_tests_has_those_of_its_importers(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "store.py": "class Store: ...\n",
            "service.py": "from store import Store\n\n\nclass Service: ...\n",
            "tests/test_service.py": "from service import Service\n\nService()\n",
        }
    )
    assert index.tests_of("store.py") == ("tests/test_service.py",)


def test_relative_imports_climb(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "pkg/__init__.py": "",
            "pkg/a/__init__.py": "",
            "pkg/a/one.py": "from ..b import two\nfrom . import other\nfrom ...nowhere import x\n",
            "pkg/a/other.py": "",
            "pkg/b/__init__.py": "",
            "pkg/b/two.py": "",
        }
    )
    assert index.imports_of("pkg/a/one.py") == (
        "pkg/a/__init__.py",
        "pkg/a/other.py",
        "pkg/b/__init__.py",
        "pkg/b/two.py",
    )


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/shop/cart.py", Role.SOURCE),
        ("tests/test_cart.py", Role.TEST),
        ("web/cart.spec.ts", Role.TEST),
        ("pkg/cart_test.go", Role.TEST),
        ("docs/guide.md", Role.DOCS),
        ("_examples/one/main.go", Role.EXAMPLE),
        ("pyproject.toml", Role.CONFIG),
        ("node_modules/left/index.js", Role.GENERATED),
        ("web/cart.min.js", Role.GENERATED),
        ("api/cart_pb2.py", Role.GENERATED),
        ("contest/latest.py", Role.SOURCE),
    ],
)
def test_roles(make_index: MakeIndex, path: str, role: Role) -> None:
    assert make_index({path: "x = 1\n"}).files[path].role is role


def test_the_commit_is_read_not_the_checkout(make_repo: MakeRepo) -> None:
    root: Path = make_repo({"a.py": "def old(): ...\n"})
    (root / "a.py").write_text("def new(): ...\n")
    (root / "b.py").write_text("def newer(): ...\n")
    index = open_index(root, "HEAD")
    assert index.symbol_names == {"old"}
    assert index.text("a.py") == "def old(): ...\n"
