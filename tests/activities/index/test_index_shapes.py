"""Texts of one opening repeated: none holds a parser, whatever its language."""

import time
from contextlib import suppress

import pytest

from activities.index.allowance import Allowance, TookTooLong
from activities.index.languages import CODE
from activities.index.lexing import tokens
from activities.index.parse import parse
from activities.index.treesitter import parse_code

OTHERS = sorted(CODE - {"python"})
SHAPES = [
    *("(", "[", "{", "<", "{{", "/* ", "do ", "a?b:", "-", "function a(){", "a.b = function(){", "var a;"),
    *("class A { ", "<div>", "#if A\n", "import {", "use a::{", "=a<", "<<A ", 'r#"', "#{", "@a\n", "a;\n"),
    *("elif a:\n", '{"a":', "[0]", "{% if a %}", "not ", "lambda:", 'f"{', "a="),
]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_holds_a_parser(language: str, shape: str) -> None:
    began = time.thread_time()
    with suppress(TookTooLong):
        parse_code(shape * (20_000 // len(shape)), language, Allowance(0.5))
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("text", [f"x = {shape * 20_000}" for shape in SHAPES])
def test_no_shape_holds_or_kills_the_parser_of_python(text: str) -> None:
    began = time.thread_time()
    parse(text.encode(), "python")
    assert time.thread_time() - began < 10


@pytest.mark.parametrize("language", ["html", "json", "markdown", "yaml", "css"])
@pytest.mark.parametrize("shape", ["<div>", '{"a":', "[", "{% if a %}", "{{", "`", "A", "a_", "- "])
def test_other_texts_are_read_at_once(language: str, shape: str) -> None:
    began = time.thread_time()
    parse((shape * 100_000).encode(), language)
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("quote", ['"', "'", "`"])
@pytest.mark.parametrize("language", OTHERS)
def test_a_literal_of_escaped_quotes_is_read_once(language: str, quote: str) -> None:
    began = time.thread_time()
    tokens(f"x = {quote}" + f"\\{quote} " * 200_000, language)
    assert time.thread_time() - began < 5


def test_code_that_takes_too_long_is_broken_and_its_words_are_known() -> None:
    began = time.thread_time()
    parsed = parse(("/* opened " * 17_000).encode(), "java")
    assert time.thread_time() - began < 15  # without an end it is a minute, and hours for the largest file
    assert parsed.broken
    assert parsed.symbols == ()
    assert "open" in parsed.terms
