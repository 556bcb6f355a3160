"""Findings about the record itself cite the log contract, section by section."""

import re
from pathlib import Path

import pytest

from events import errors
from events.vocabulary import model
from replay.findings import Finding
from replay.rules.log_contract import SECTIONS, cite_contract
from replay.rules.rule import SEVERITY
from tests.replay.tables import PAID, SECOND_US, START_US, Table

PAGE = Path(__file__).parents[3].joinpath("docs", "log-contract.md").read_text()


def test_every_code_of_the_record_has_a_section() -> None:
    broken = {each.code for each in vars(errors).values() if isinstance(each, type) and hasattr(each, "code")}
    assert {"LOG-GAP", "LOG-SEAL", "LOG-FORK", "LOG-UNREADABLE"} == broken
    assert set(SECTIONS) == broken | {code for code in SEVERITY if code.startswith("LOG-")}


@pytest.mark.parametrize("code", SECTIONS)
def test_a_section_is_a_heading_of_the_page_and_names_its_codes(code: str) -> None:
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
    assert f"**{code}**" in sections[SECTIONS[code].capitalize()]


def gap(table: Table) -> None:
    table.say(model.HandExamined(seat=3), 1, source_seq=table.next() + 1)


def repeat(table: Table) -> None:
    table.say(model.HandExamined(seat=3), 1, source_seq=table.next() - 1)


def clock(table: Table) -> None:
    table.say(model.HandExamined(seat=3), 1, at_us=START_US - SECOND_US)


def void_correction(table: Table) -> None:
    table.correct(table.last + 5, None, event_id="0" * 32)


@pytest.mark.parametrize(
    ("fault", "code", "cite"),
    [
        (gap, "LOG-SOURCE-GAP", "Log contract, device counters"),
        (repeat, "LOG-SOURCE-REPEAT", "Log contract, device counters"),
        (clock, "LOG-CLOCK", "Log contract, device clocks"),
        (void_correction, "LOG-CORRECTION", "Log contract, corrections"),
    ],
)
@pytest.mark.parametrize("chapter", ["pa-688a", "pa-645c", "pa-659a"])
def test_a_finding_about_the_record_cites_the_contract_in_every_chapter(
    fault: object, code: str, cite: str, chapter: str
) -> None:
    assert callable(fault)
    table = Table(words=chapter)
    table.play(1, PAID.replace("close\n", ""))
    fault(table)
    table.say(model.RoundClosed(by="d-7"), 1)
    *_, (_, conclusion) = table.verdicts()
    found: Finding = next(each for each in conclusion.findings if each.code == code)
    assert (found.cite, found.assumed) == (cite, False)


def test_a_code_of_the_game_has_no_section_of_the_contract() -> None:
    with pytest.raises(KeyError):
        cite_contract("PAY-UNDER")
