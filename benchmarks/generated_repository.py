"""A repository of realistic sources for machines without clones: the same files every time."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

_NOUN_WORDS = """
    account address article basket batch branch budget cache channel client column comment contract
    course device document editor event export filter folder gateway history image invoice journal
    key label ledger license listing locale location machine manager member message metric module
    notice offer order package parcel partner payment permission person picture plan policy price
    product profile project provider query queue rate record region report request response review
    role route rule schedule schema score script search section segment server session setting
    shipment signal source stage status step stock store stream subject summary supplier table
    target task tax team template tenant ticket token topic total trace transfer user value vendor
    version view visit voucher warehouse window worker zone
"""
_NOUNS = _NOUN_WORDS.split()
_VERB_WORDS = """
    accept add apply archive assign attach build cancel check claim clean close collect compare
    compute confirm copy count create decode delete deliver detach disable download emit enable
    encode estimate expire export fetch filter find flush format freeze group import index insert
    join keep limit list load lock match merge migrate move notify open pack parse patch pick plan
    poll prepare print publish push query rank read receive record refresh register reject release
    remove render repeat replace reset resolve restore retry return revoke save scan schedule score
    search select send settle sort split start stop store submit sum switch sync test track trim
    unpack update upload validate verify wait wrap write
"""
_VERBS = _VERB_WORDS.split()


def generate(root: Path, files: int) -> None:
    """Commit about `files` files of Python, Go, TypeScript, tests, docs and settings to a new repository."""
    for path, text in _files(files):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Generated")


def git(root: Path, *arguments: str) -> None:
    """Run git as nobody in particular."""
    identity = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.invalid", "-c", "gc.auto=0")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


def _files(number: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(7)
    for n in range(number):
        folder, name = chance.choice(_NOUNS), f"{chance.choice(_NOUNS)}_{chance.choice(_NOUNS)}_{n}"
        kind = n % 10
        if kind < 4:
            yield f"src/{folder}/{name}.py", _python(chance, name)
        elif kind < 5:
            yield f"tests/{folder}/test_{name}.py", _python(chance, f"test_{name}")
        elif kind < 7:
            yield f"services/{folder}/{name}.go", _go(chance, folder)
        elif kind < 8:
            yield f"web/{folder}/{name}.ts", _typescript(chance)
        elif kind < 9:
            yield (
                f"docs/{folder}/{name}.md",
                f"# {name}\n\n" + "\n\n".join(_sentence(chance, 40) for _ in range(6)),
            )
        else:
            yield f"config/{folder}/{name}.yaml", "".join(f"{_name(chance)}: {n}\n" for _ in range(40))


def _name(chance: random.Random) -> str:
    return f"{chance.choice(_VERBS)}_{chance.choice(_NOUNS)}"


def _camel(chance: random.Random) -> str:
    return "".join(
        word.title() for word in (chance.choice(_VERBS), chance.choice(_NOUNS), chance.choice(_NOUNS))
    )


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice((_VERBS, _NOUNS)[n % 2]) for n in range(words)).capitalize() + "."


def _python(chance: random.Random, name: str) -> str:
    lines = [
        f'"""{_sentence(chance, 8)}"""',
        "",
        "import logging",
        f"from src.{chance.choice(_NOUNS)} import base",
    ]
    for _ in range(4):
        lines += ["", "", f"class {_camel(chance)}(base.Base):", f'    """{_sentence(chance, 10)}"""']
        for _ in range(5):
            one, other = _name(chance), _name(chance)
            lines += [
                "",
                f"    def {one}(self, {chance.choice(_NOUNS)}: str, limit: int = 10) -> bool:",
                f'        """{_sentence(chance, 8)}"""',
                f"        for item in self.{other}(limit):",
                f"            if item.{chance.choice(_NOUNS)} is None:  # {_sentence(chance, 5)}",
                f'                logging.info("{_sentence(chance, 6)}", item)',
                f"            self.{_name(chance)}(item, {name!r})",
                f"        return self.{other}({one!r}) == limit",
            ]
    return "\n".join(lines) + "\n"


def _go(chance: random.Random, package: str) -> str:
    lines = [f"package {package}", "", "import (", '\t"errors"', '\t"fmt"', ")"]
    for _ in range(3):
        kind = _camel(chance)
        lines += ["", f"// {kind} {_sentence(chance, 8)}", f"type {kind} struct {{"]
        lines += [*(f"\t{_camel(chance)} string" for _ in range(4)), "}"]
        for _ in range(6):
            lines += [
                "",
                f"// {_sentence(chance, 10)}",
                f"func (s *{kind}) {_camel(chance)}(limit int, {chance.choice(_NOUNS)}Name string) error {{",
                f"\tfor _, item := range s.{_camel(chance)}(limit) {{",
                f'\t\tif item.{_camel(chance)} == "{_sentence(chance, 3)}" {{',
                f'\t\t\treturn errors.New("{_sentence(chance, 5)}")',
                "\t\t}",
                f'\t\tfmt.Println(item, "{_sentence(chance, 4)}")',
                "\t}",
                "\treturn nil",
                "}",
            ]
    return "\n".join(lines) + "\n"


def _typescript(chance: random.Random) -> str:
    lines = [f'import {{ {_camel(chance)} }} from "./{chance.choice(_NOUNS)}";']
    for _ in range(3):
        lines += ["", f"export class {_camel(chance)} {{"]
        for _ in range(5):
            lines += [
                f"  {_name(chance)}(value: string, limit = 10): boolean {{",
                f'    const found = this.{_name(chance)}(value, "{_sentence(chance, 4)}");',
                f"    return found.{chance.choice(_NOUNS)} > limit; // {_sentence(chance, 5)}",
                "  }",
            ]
        lines.append("}")
    return "\n".join(lines) + "\n"
