"""A decision's number on a page is a link with its text; the Rules page has all of them."""

import re
from pathlib import Path

import pytest

from dashboards.access.page_list import PAGES
from dashboards.drawing import decisions
from dashboards.rulings.round_account import finding
from replay.transcript.entry import explanations
from tests.dashboards import sample
from tests.dashboards.drawing.test_words import FORMATS
from tests.dashboards.running import expect_links_in_form, run, said, unfold


def test_a_number_becomes_a_link_that_shows_its_text() -> None:
    words = decisions.linked("58 Pa. Code § 645c.1(a), assumed (D13)")
    assert '(<a class="rk-decision" href="rules?decision=D13" target="_self" title="D13, ' in words
    assert "Chapter 645a, which the project does not hold" in words
    assert words.endswith(">D13</a>)")


def test_the_code_of_a_finding_is_a_link_to_what_its_rules_say() -> None:
    for code, words in explanations().items():
        assert f'href="rules?code={code}"' in decisions.finding_link(code)
        expect_links_in_form(decisions.finding_link(code))
        assert words
        assert f"rack docs {code}" in decisions.finding_account(code)
    assert decisions.finding_link("NO-SUCH") == "NO-SUCH"
    assert decisions.finding_account("NO-SUCH") == decisions.finding_account(None) == ""


@pytest.mark.parametrize("words", ["D999 is none", "dealer D-12", "card 3D13", "A26"])
def test_what_is_no_decision_stays_as_it_is(words: str) -> None:
    assert decisions.linked(words) == words


def test_every_text_is_escaped() -> None:
    assert decisions.linked("<b>D13").startswith("&lt;b&gt;<a ")
    assert all("<b>" not in decisions.account(number) for number in decisions.decisions())
    quoted = next(each for each in decisions.decisions().values() if '"' in each.reading)
    assert "&quot;" in decisions.linked(quoted.number)


def test_a_finding_links_the_decision_that_it_cites() -> None:
    shown = next(f for a in sample.adjudications() for f in a.findings if f.other_reading)
    row = {
        "difference_cents": None,
        "evidence": [],
        "expected": "",
        "observed": "",
        "cite": "§ 8(d), assumed (D13)",
        "assumed": True,
        "other_reading": shown.other_reading + ", D15",
        "code": shown.code,
        "severity": "low",
        "seat": None,
        "wager": None,
        "finding_id": "0" * 32,
        "stream": "table/fu-01",
        "rules_digest": "0" * 64,
        "table_id": "fu-01",
        "round_no": 1,
    }
    markup = finding(row, FORMATS)
    assert markup.count("assumed") == 1 + decisions.linked("D13").count("assumed")
    assert 'href="rules?decision=D13"' in markup
    assert 'href="rules?decision=D15"' in markup


@pytest.mark.slow
def test_the_rules_page_shows_the_decision_of_a_link_and_all_others(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("rules", warehouse, monkeypatch, decision="D26")
    assert "<strong>D26</strong>" in said(test)
    unfold(test, "How ambiguous rules are interpreted")
    page = said(test)
    assert all(f">{number}</a></dt>" in page for number in decisions.decisions())
    assert "<strong>D" not in said(run("rules", warehouse, monkeypatch))
    assert "<strong>PAY-UNDER</strong>" in said(run("rules", warehouse, monkeypatch, code="PAY-UNDER"))


def test_a_decision_is_shown_without_a_warehouse_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<strong>D26</strong>" in said(run("rules", tmp_path / "none", monkeypatch, decision="D26"))


@pytest.mark.parametrize("number", ["D999", "26", "<b>"])
def test_a_decision_that_is_none_shows_nothing(number: str) -> None:
    assert decisions.account(number) == ""


def test_words_without_room_for_a_link_lose_what_they_cite() -> None:
    assert decisions.plain("odds (D3) and counts (D26, D402)") == "odds and counts"
    assert decisions.plain("table (D-3)") == "table (D-3)"


@pytest.mark.parametrize("place", [*PAGES, "dealers?view=time", "dealers?view=alarms"])
def test_no_page_shows_a_number_or_a_code_without_its_text(place: str, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, _, view = place.partition("?view=")
    query = {"table": "fu-02", "round": "4"} if page == "round" else {"view": view} if view else {}
    test = run(page, warehouse, monkeypatch, **query)
    linked = re.compile(r'<a class="rk-decision".*?</a>', re.S)
    shown = linked.sub("", said(test))
    options = [str(option) for box in test.selectbox for option in box.options]
    assert re.findall(r"\b[Dd][1-9][0-9]{0,3}\b", "\n".join([shown, *options])) == []
    words = re.sub(r"<[^>]*>", " ", shown)
    assert {code for code in explanations() if re.search(rf"(?<![\w-]){code}(?![\w-])", words)} == set()
