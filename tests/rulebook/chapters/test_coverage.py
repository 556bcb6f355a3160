"""Nothing of the texts is forgotten: the files of `games/<game>/coverage` against outline and golden rounds."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from replay.rules.rule import SEVERITY
from replay.transcript.transcript import parse
from rulebook.chapters.rulebook import chapter, known_chapters
from tests.golden.rounds import GoldenCase, read_cases, round_files

ROOT = Path(__file__).resolve().parents[3]
FILES = (*sorted((ROOT / "games").glob("*/coverage/*.toml"), key=lambda path: path.name),)
ROWS: list[dict[str, Any]] = [row for path in FILES for row in tomllib.loads(path.read_text())["section"]]

# The lettered paragraphs of each section, taken from the texts; a section without any is its own row.
OUTLINE: dict[str, dict[str, str | tuple[str, ...]]] = {
    "688a": {
        "1": "",
        "2": "abcdef",
        "3": "abc",
        "4": "abcde",
        "5": (*"abcdefghi", "closing"),
        "6": "abcdef",
        "7": "abcdef",
        "8": "abcdefg",
        "9": "abcdef",
        "10": "abcdef",
        "11": "abcdefghij",
        "12": "abcde",
        "13": "abcdefghijklm",
    },
    "645c": {"1": "abcdefgh", "2": "abcdefgh", "3": ("a", "b", *(f"c)({number}" for number in range(1, 8)))},
    "659a": {
        "1": "",
        "2": "abcdef",
        "3": "abc",
        "4": "abcde",
        "5": "abcdefgh",
        "6": "abcde",
        "7": "abcdef",
        "8": "abcdef",
        "9": "abcde",
        "10": "abcde",
        "11": "abcdefghij",
        "12": "abcd",
        "13": "abcdefghijklmn",
    },
    "686a": {
        "1": "",
        "2": "abcd",
        "3": "abcd",
        "4": "abcde",
        "5": "abcdefgh",
        "6": "abcdef",
        "7": "abcdefghijklm",
        "8": "ab",
        "9": "abcde",
    },
    "687a": {
        "1": "",
        "2": "abcd",
        "3": "abc",
        "4": "abcde",
        "5": "abcdefg",
        "6": "abcdef",
        "7": "abcde",
        "8": "abcdefg",
        "9": "abcdef",
        "10": "abcdef",
        "11": "abcdefg",
        "12": "abcde",
        "13": "abcdefg",
    },
    "688a-proposed": {
        "1": "",
        "2": "abcdef",
        "3": "abc",
        "4": "abcde",
        "5": "abcdefghij",
        "6": "abcdef",
        "7": "abcdef",
        "8": "abcdefg",
        "9": "abcdef",
        "10": "abcdef",
        "11": "abcdefghij",
        "12": "abcd",
        "13": "abcdefghijklm",
    },
    # its headings, and the bullets under them in the order printed
    "gegr-002138": {
        "Type of game": "",
        "Object of the game": "",
        "Deck": "",
        "Hand rankings": "",
        "Table": "",
        "Round of play": (*"abcdefghijklmnopqrstuvwxyz", "aa"),
        "House hand set": "",
        "How winners are determined": "abcdefghij",
        "Fortune Bonus Bet": "abcdefg",
        "Fortune paytable": "",
        "Envy Bonus": "abcdefghij",
        "Ace High Bonus Bet": "abcde",
        "Collection procedures": "abcdefghi",
    },
}
KEYS = {
    "688a": "pa-688a",
    "645c": "pa-645c",
    "659a": "pa-659a",
    "686a": "pa-686a",
    "687a": "pa-687a",
    "688a-proposed": "pa-688a-proposed",
    "gegr-002138": "ca-gegr-002138",
}


def paragraphs(document: str) -> list[str]:
    """Return the sections and lettered paragraphs of a document."""
    return [
        f"{document}.{section}({letter})" if letter else f"{document}.{section}"
        for section, letters in OUTLINE[document].items()
        for letter in letters or [""]
    ]


def document_of(row: dict[str, Any]) -> str:
    return str(row["section"]).split(".")[0]


@cache
def cases(document: str) -> tuple[GoldenCase, ...]:
    return tuple(case for path in round_files(document) for case in read_cases(path))


def found(case: GoldenCase) -> set[str]:
    """Return the codes that a case expects to be found."""
    return {text.split()[1] for _, text in case.expectations if text.startswith("finding ")}


@cache
def observed(case_text: str, folder: Path) -> frozenset[str]:
    """Return the aspects that a case's rounds cover."""
    scripts = parse(case_text, "golden", lambda name: (folder / name).read_text())
    return frozenset(aspect for script in scripts for each in script.events for aspect in getattr(each.payload, "observed", ()))


@pytest.mark.parametrize("document", OUTLINE)
def test_every_paragraph_has_a_row_and_every_row_a_paragraph(document: str) -> None:
    assert [row["section"] for row in ROWS if document_of(row) == document] == paragraphs(document)
    assert {document_of(row) for row in ROWS} == set(OUTLINE)


def test_every_chapter_has_its_outline_and_its_rounds() -> None:
    assert set(KEYS.values()) == set(known_chapters())
    assert set(KEYS) == set(OUTLINE) == {path.parent.name for path in round_files()}


@pytest.mark.parametrize("document", OUTLINE)
def test_a_row_says_what_became_of_it(document: str) -> None:
    known = chapter(*KEYS[document].split("-", 1))
    for row in ROWS:
        if document_of(row) != document:
            continue
        assert row["status"] in ("modelled", "procedural", "not_modelled"), row
        if "same_as" in row:  # it reads as a paragraph of another chapter, whose sections hold here under the same number
            (other,) = [each for each in ROWS if each["section"] == row["same_as"]]
            assert (known.like, row["status"]) == (True, other["status"]), row
        elif row["status"] == "modelled":
            assert row["by"], row
            assert all(name in SEVERITY or name in known.wagers for name in row["by"]), row
        else:
            assert not row["by"], row
            assert len(row["why"].split()) >= 3, row


def names(document: str) -> list[str]:
    modelled: Iterable[list[str]] = (row.get("by", []) for row in ROWS if document_of(row) == document)
    return sorted({name for by in modelled for name in by})


@pytest.mark.parametrize("document", OUTLINE)
def test_what_is_modelled_has_golden_rounds_that_show_it_and_rounds_that_do_not(document: str) -> None:
    for name in names(document):
        if name in SEVERITY:
            positive = [case for case in cases(document) if name in found(case)]
            assert positive, f"no golden round of {document} has the finding {name}"
            fewest = min((observed(case.transcript, case.path.parent) for case in positive), key=len)
            assert any(
                name not in found(case)
                and any("verdict " in t for _, t in case.expectations)
                and fewest <= observed(case.transcript, case.path.parent)
                for case in cases(document)
            ), f"no golden round of {document} covers what shows {name} and has none"
        else:
            amounts = {
                match[1]
                for case in cases(document)
                for _, text in case.expectations
                if (match := re.fullmatch(rf"due seat=\d {name} ([+-]?)\S+", text))
            }
            assert {"+", "-"} <= amounts, f"golden rounds of {document} have {name} won and lost"
