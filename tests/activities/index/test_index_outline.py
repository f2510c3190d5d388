"""Function bodies are left out before the grammar reads code, and nothing that the index tells changes."""

import pytest

from activities.index.allowance import Allowance
from activities.index.lexing import tokens
from activities.index.outline import outline
from activities.index.treesitter import parse_code

GO = """package a

// Open opens.
func (s *Store) Open(name string) error {
\tif name == "}" {
\t\treturn nil
\t}
\treturn s.open(name)
}

type Store struct {
\tName string
}

func Raw() string {
\treturn `
}
`
}

func Last[T interface {
\tLen() int
}](x T) int {
\treturn x.Len()
}
"""
TYPESCRIPT = """export class Form extends Base {
  private name: string;

  submit(values: Values): void {
    this.send(`a ${values.first} b`);
  }
}

export const check = (a: number) => {
  return a;
};

export const Input = forwardRef((props, ref) => {
  return props;
});

function lazy() {
  return require("./later");
}
"""
RUST = """impl Store {
    pub fn open(&self, name: &'static str) -> bool {
        self.find(name) == '"'
    }
}

macro_rules! make {
    ($name:ident) => {
        fn $name() {}
    };
}
"""
C = """#include <stdio.h>

static int
add(int a, int b)
{
\treturn sum(a, b); /* not this */
}

struct point {
\tint x;
};

int sub(int a) {
\treturn a;
}
"""
TEXTS = {"go": GO, "typescript": TYPESCRIPT, "rust": RUST, "c": C}


@pytest.mark.parametrize("language", TEXTS)
def test_lines_stay_where_they_are(language: str) -> None:
    text = TEXTS[language]
    short = outline(text, language)
    assert short.count("\n") == text.count("\n")
    kept = [(a, b) for a, b in zip(short.split("\n"), text.split("\n"), strict=True) if a]
    assert all(a == b for a, b in kept)


@pytest.mark.parametrize("language", TEXTS)
def test_definitions_and_imports_are_those_of_the_whole_code(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = parse_code(TEXTS[language], language, Allowance())
    monkeypatch.setattr("activities.index.treesitter.outline", lambda text, _: text)
    whole = parse_code(TEXTS[language], language, Allowance())
    assert short == whole
    assert whole.symbols


def test_what_is_left_out_is_a_body() -> None:
    assert "this.send" not in outline(TYPESCRIPT, "typescript")
    assert "return props" in outline(TYPESCRIPT, "typescript"), "the value of a constant is its signature"
    assert "require" in outline(TYPESCRIPT, "typescript")
    assert "s.open" not in outline(GO, "go")
    assert "sum" not in outline(C, "c")
    assert "int x;" in outline(C, "c")
    assert outline(RUST, "rust") == RUST


def test_comments_and_literals_are_words_but_no_uses() -> None:
    found = tokens(C, "c")
    assert "not" not in found.lines
    assert found.counts["not"] == 1
    assert found.lines["sum"] == [6]
    assert "stdio" not in found.lines
    assert "return" not in found.lines


def test_code_inside_of_literals_is_code() -> None:
    lines = tokens(TYPESCRIPT, "typescript").lines
    assert lines["values"] == [4, 5]
    assert "later" not in lines
    assert tokens('x = "a\n#{call(b)} c"\n', "ruby").lines["call"] == [2]


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("a = '\"'; b = c\n", "rust", {"a", "b", "c"}),
        ("fn f<'a, 'b>(x: &'a X) { y }\n", "rust", {"f", "a", "b", "x", "X", "y"}),
        ('let s = r#"say "hi" now"#; t\n', "rust", {"s", "t"}),
        ("x := '\\''; y := `raw \" z`\n", "go", {"x", "y"}),
        ("s = 'it\\'s'; t = 1\n", "javascript", {"s", "t"}),
        ("n = 0xFF + 1e5\n", "go", {"n"}),
        ('#ifdef DEBUG\n#include "x.h"\nint y;\n', "c", {"DEBUG", "y"}),
        ("# note\nx = 'a'; y # more\n=begin\nz\n=end\n", "ruby", {"x", "y"}),
    ],
)
def test_odd_tokens(text: str, language: str, names: set[str]) -> None:
    assert set(tokens(text, language).lines) == names
