"""One small file of every language that is parsed through tree-sitter."""
# ruff: noqa: E501 - the samples are easier to compare with what is found in them when lines are not broken

import pytest

from activities.index.model import Index
from activities.index.records import Member, SymbolKind
from tests.activities.conftest import MakeIndex

K = SymbolKind


def rows(index: Index, path: str) -> list[tuple[SymbolKind, str, str]]:
    return [(s.kind, s.qualified, s.signature) for s in index.symbols_in(path)]


def test_typescript(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "src/a.ts": "import { b as c, type D } from './b';\nimport React from 'react';\nimport x from '@org/kit/sub';\n"
            "export const f = async (n: number): Promise<D> => c(n);\n"
            "/** Keeps carts. */\nexport class Store<T> extends Base implements Kept {\n"
            "  private size: number = 1;\n  add(item: T): void { c(item) }\n  later = () => 1;\n}\n"
            "export interface Item { id: string; rename(to: string): void }\n"
            "enum Color { Red, Blue = 2 }\n",
            "src/b.ts": "export function b(n: number): number { return n }\nexport type D = { n: number }\n",
            "src/view.tsx": "import { Store } from './a';\nexport function View() { return <Store/> }\n",
            "src/a.test.ts": "import { Store } from './a';\nnew Store();\n",
        }
    )
    assert rows(index, "src/a.ts") == [
        (K.FUNCTION, "f", "const f = async (n: number): Promise<D>"),
        (K.CLASS, "Store", "class Store<T> extends Base implements Kept"),
        (K.METHOD, "Store.add", "add(item: T): void"),
        (K.METHOD, "Store.later", "later = ()"),
        (K.INTERFACE, "Item", "interface Item"),
        (K.METHOD, "Item.rename", "rename(to: string): void"),
        (K.ENUM, "Color", "enum Color"),
    ]
    (store,) = index.find("Store")
    assert (store.doc, store.bases, store.members) == (
        "Keeps carts.",
        ("Base", "Kept"),
        (Member("size", "number", "1"),),
    )
    assert index.find("Color")[0].members == (Member("Red"), Member("Blue", "", "2"))
    assert index.imports_of("src/a.ts") == ("src/b.ts",)
    assert index.externals_of("src/a.ts") == ("@org/kit", "react")
    assert [u.line for u in index.callers(index.find("b")[0])] == []
    assert [(u.path, u.line) for u in index.callers(store)] == [("src/a.test.ts", 2), ("src/view.tsx", 2)]
    assert index.tests_of("src/a.ts") == ("src/a.test.ts",)


def test_javascript(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "lib/app.js": "const { make } = require('./make');\nexports.run = function run(a) { return make(a) };\n"
            "App.prototype.stop = (why) => why;\nfunction* walk(x) { yield x }\nconst LIMIT = 3;\n",
            "lib/make/index.js": "module.exports.make = (a) => a;\n",
        }
    )
    assert rows(index, "lib/app.js") == [
        (K.FUNCTION, "run", "exports.run = function run(a)"),
        (K.METHOD, "App.stop", "App.prototype.stop = (why)"),
        (K.FUNCTION, "walk", "function* walk(x)"),
        (K.CONSTANT, "LIMIT", "const LIMIT = 3"),
    ]
    assert index.imports_of("lib/app.js") == ("lib/make/index.js",)


def test_go(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "go.mod": "module example.com/shop\n",
            "cart/cart.go": 'package cart\n\nimport (\n\t"fmt"\n\t"example.com/shop/price"\n\t"github.com/x/y"\n)\n\n'
            "// Cart holds lines.\ntype Cart struct {\n\tID, Name string\n\tprice.Sum\n}\n\n"
            "func (c *Cart) Add(n int) (int, error) { fmt.Println(n); return price.Of(n), nil }\n\n"
            "type Payer interface {\n\tPay(n int) error\n}\n",
            "cart/cart_test.go": "package cart\n\nfunc TestAdd(t *T) { (&Cart{}).Add(1) }\n",
            "price/price.go": "package price\n\nfunc Of(n int) int { return n }\n",
        }
    )
    assert rows(index, "cart/cart.go") == [
        (K.STRUCT, "Cart", "type Cart struct"),
        (K.METHOD, "Cart.Add", "func (c *Cart) Add(n int) (int, error)"),
        (K.INTERFACE, "Payer", "type Payer interface"),
        (K.METHOD, "Payer.Pay", "Pay(n int) error"),
    ]
    (cart,) = index.find("Cart")
    assert cart.doc == "Cart holds lines."
    assert [m.name for m in cart.members] == ["ID", "Name", "Sum"]
    assert index.imports_of("cart/cart.go") == ("price/price.go",)
    assert index.externals_of("cart/cart.go") == ("github.com/x/y",)
    assert [(u.path, u.enclosing) for u in index.callers(index.find("Of")[0])] == [
        ("cart/cart.go", "Cart.Add")
    ]
    assert index.tests_of("cart/cart.go") == ("cart/cart_test.go",)


def test_rust(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "src/lib.rs": "mod cart;\nuse crate::cart::{Cart, line::Line};\nuse serde::Serialize;\nuse std::fmt;\n",
            "src/cart.rs": "mod line;\n/// Holds lines.\n#[derive(Debug)]\npub struct Cart<T> { pub lines: Vec<T>, size: u8 }\n"
            "impl<T> Cart<T> {\n    pub fn add(&mut self, line: T) -> usize { 1 }\n}\n"
            "pub trait Pays { fn pay(&self) -> bool; }\nenum Kind { Big, Small(u8) }\n",
            "src/cart/line.rs": "pub struct Line;\n",
        }
    )
    assert rows(index, "src/cart.rs") == [
        (K.STRUCT, "Cart", "pub struct Cart<T>"),
        (K.METHOD, "Cart.add", "pub fn add(&mut self, line: T) -> usize"),
        (K.INTERFACE, "Pays", "pub trait Pays"),
        (K.METHOD, "Pays.pay", "fn pay(&self) -> bool"),
        (K.ENUM, "Kind", "enum Kind"),
    ]
    (cart,) = index.find("Cart")
    assert cart.doc == "Holds lines."
    assert cart.members == (Member("lines", "Vec<T>"), Member("size", "u8"))
    assert index.imports_of("src/lib.rs") == ("src/cart.rs", "src/cart/line.rs")
    assert index.imports_of("src/cart.rs") == ("src/cart/line.rs",)
    assert index.externals_of("src/lib.rs") == ("serde",)


def test_java(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "src/main/java/org/shop/Cart.java": "package org.shop;\nimport org.shop.price.Price;\nimport java.util.List;\n"
            "import com.google.common.base.Joiner;\n/** Holds lines. */\npublic class Cart extends Base implements Kept {\n"
            "  private final int size = 1;\n  public Cart(int size) {}\n  List<Price> add(String item) throws Full { return null; }\n}\n"
            "record Line(String item, int number) {}\n",
            "src/main/java/org/shop/price/Price.java": "package org.shop.price;\npublic interface Price { int cents(); }\n",
        }
    )
    path = "src/main/java/org/shop/Cart.java"
    assert rows(index, path) == [
        (K.CLASS, "Cart", "public class Cart extends Base implements Kept"),
        (K.METHOD, "Cart.Cart", "public Cart(int size)"),
        (K.METHOD, "Cart.add", "List<Price> add(String item) throws Full"),
        (K.STRUCT, "Line", "record Line(String item, int number)"),
    ]
    assert index.find("Line")[0].members == (Member("item", "String"), Member("number", "int"))
    assert index.find("Cart")[0].bases == ("Base", "Kept")
    assert index.imports_of(path) == ("src/main/java/org/shop/price/Price.java",)
    assert index.externals_of(path) == ("com.google.common",)


def test_c_and_cpp(make_index: MakeIndex) -> None:
    c = make_index(
        {
            "src/cart.c": '#include <stdio.h>\n#include "cart.h"\n\n/* Adds. */\nstatic char *cart_add(struct cart *c, int n)\n{\n  return 0;\n}\n',
            "src/cart.h": "#define LIMIT 5\ntypedef struct { int size; char *name; } cart_t;\nint cart_pay(int n);\n",
        }
    )
    assert rows(c, "src/cart.c") == [(K.FUNCTION, "cart_add", "static char *cart_add(struct cart *c, int n)")]
    assert c.find("cart_add")[0].doc == "Adds."
    assert [(s.kind, s.name) for s in c.symbols_in("src/cart.h")] == [
        (K.CONSTANT, "LIMIT"),
        (K.STRUCT, "cart_t"),
        (K.FUNCTION, "cart_pay"),
    ]
    assert c.find("cart_t")[0].members == (Member("size", "int"), Member("name", "char"))
    assert c.imports_of("src/cart.c") == ("src/cart.h",)
    assert c.files["src/cart.h"].language == "c"

    cpp = make_index(
        {
            "cart.cpp": '#include "cart.hpp"\nint shop::Cart::add(int n) const { return n; }\n',
            "cart.hpp": "namespace shop {\nclass Cart : public Base {\n public:\n  int add(int n) const;\n  int size = 1;\n};\n"
            "template <typename T> T* make(T x) { return 0; }\n}\n",
        }
    )
    assert rows(cpp, "cart.cpp") == [(K.METHOD, "Cart.add", "int shop::Cart::add(int n) const")]
    assert rows(cpp, "cart.hpp") == [
        (K.CLASS, "Cart", "class Cart : public Base"),
        (K.METHOD, "Cart.add", "int add(int n) const"),
        (K.FUNCTION, "make", "T* make(T x)"),
    ]
    assert cpp.find("Cart")[0].bases == ("Base",)


def test_ruby(make_index: MakeIndex) -> None:
    index = make_index(
        {
            "lib/shop/cart.rb": "require 'json'\nrequire 'shop/line'\nrequire_relative 'price'\n\nmodule Shop\n  # Holds lines.\n"
            "  class Cart < Base\n    LIMIT = 5\n    attr_reader :size\n    def add(item, number: 1)\n      Line.new(item)\n    end\n"
            "    def self.open; end\n  end\nend\n",
            "lib/shop/line.rb": "class Line; end\n",
            "lib/shop/price.rb": "",
        }
    )
    assert rows(index, "lib/shop/cart.rb") == [
        (K.MODULE, "Shop", "module Shop"),
        (K.CLASS, "Shop.Cart", "class Cart < Base"),
        (K.CONSTANT, "Cart.LIMIT", "LIMIT = 5"),
        (K.METHOD, "Cart.add", "def add(item, number: 1)"),
        (K.METHOD, "Cart.open", "def self.open"),
    ]
    (cart,) = index.find("Cart")
    assert (cart.doc, cart.members) == ("Holds lines.", (Member("size"),))
    assert index.imports_of("lib/shop/cart.rb") == ("lib/shop/line.rb", "lib/shop/price.rb")
    assert index.externals_of("lib/shop/cart.rb") == ("json",)
    assert [u.enclosing for u in index.callers(index.find("Line")[0])] == ["Cart.add"]


@pytest.mark.parametrize(
    "path", ["a.ts", "a.tsx", "a.js", "a.go", "a.rs", "a.java", "a.c", "a.cpp", "a.rb", "a.py"]
)
def test_broken_code_is_no_error(make_index: MakeIndex, path: str) -> None:
    broken = "class {{{ def (( fn func ]] \x07 import from \n" * 50
    index = make_index({path: broken})
    assert index.files[path].skipped == ""
    assert index.text(path) == broken
