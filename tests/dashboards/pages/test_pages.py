"""Each page run by AppTest on the sample floor: what it says, its filters, its steps, and what is there without data."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from analytics.warehouse.warehouse import PropertyFacts, build
from dashboards.access.page_list import PAGES
from dashboards.run import WAREHOUSE_VARIABLE, command, warehouse_path
from tests.dashboards import sample
from tests.dashboards.running import run, said


def test_floor_has_a_tile_per_table_with_its_figures(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("floor", warehouse, monkeypatch))
    for words in ("Allegheny Rivers Casino", "FU-01", "FU-02", "Face Up Pai Gow Poker", "16 an hour", "$125.00", "$40.00"):
        assert words in page
    assert 'href="queue?table=fu-01"' in page
    assert "6 Mar, 21:25:30" in page


def test_floor_of_one_day(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("floor", warehouse, monkeypatch)
    test.selectbox[0].set_value("2026-03-06").run()
    assert "queue?table=fu-01&amp;day=2026-03-06" in said(test)
    assert "5</div>" in said(test)


def test_round_shows_the_finding_and_recorded_beside_recomputed(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("round", warehouse, monkeypatch, table="fu-01", round="17"))
    for words in ("FU-01 · Round 17", "Variance", "Wager underpaid", "Seat 3", "58 Pa. Code § 688a.12(b)", "Both ace high"):
        assert words in page
    row = next(row for row in page.split("<tr") if "rk-marked" in row)
    assert all(words in row for words in ("Seat 3", "+$200.00", "+$100.00", "▼", "−$100.00 short"))
    assert 'href="round?table=fu-01&amp;round=16"' in page
    assert 'href="round?table=fu-01&amp;round=18"' in page


def labeled(test: AppTest, label: str) -> Button:
    return next(each for each in test.button if each.label == label)


def test_round_opens_at_the_evidence_and_steps(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("round", warehouse, monkeypatch, table="fu-01", round="17", finding=sample.DISPUTE.id)
    step = sample.PAID_SEQ - sample.DISPUTE_FIRST_SEQ + 1
    assert test.slider[0].value == step
    assert "after step 45 of 52" in said(test)
    labeled(test, "Back").click().run()
    assert test.slider[0].value == step - 1
    assert test.query_params["step"] == str(step - 1)
    labeled(test, "Next").click().run()
    labeled(test, "Next").click().run()
    assert test.slider[0].value == step + 1
    test.slider[0].set_value(1).run()
    assert "after step 1 of 52" in said(test)
    assert labeled(test, "Back").disabled


@pytest.mark.parametrize(("given", "shown"), [("3", 3), ("0", 1), ("999", 52), ("x", 45)])
def test_a_link_reopens_the_same_round_and_step(warehouse: Path, monkeypatch: pytest.MonkeyPatch, given: str, shown: int) -> None:
    test = run("round", warehouse, monkeypatch, stream="table/fu-01", round="17", step=given)
    assert test.slider[0].value == shown
    assert f"round?table=fu-01&amp;round=17&amp;step={shown}" in said(test)


def test_round_shows_the_event_as_recorded_with_its_hash(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("round", warehouse, monkeypatch, table="fu-01", round="17", step="45")
    test.session_state["step of table/fu-01 17 tab"] = "Event"
    page = said(test.run())
    assert '"winnings_cents": 10000' in page
    assert sample.rounds_events()[0].events[44]["hash"] in page
    assert "The dealer paid seat 3 $100.00 on the Ace High Bonus" in page


def test_round_without_events_still_gives_the_verdict(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("round", warehouse, monkeypatch, table="fu-01", round="19"))
    assert "No events of this round" in page
    for words in ("Undetermined", "UNDETERMINED because seat 6: a card was not read.", "not determined", "not settled"):
        assert words in page


@pytest.mark.parametrize(
    ("round_no", "titles"),
    [("4", ("Wager overpaid", "Improper dice shake", "Other reading")), ("5", ("Wager outside limits", "Wrong payout source"))],
)
def test_round_shows_findings_of_every_kind(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, round_no: str, titles: tuple[str, ...]
) -> None:
    page = said(run("round", warehouse, monkeypatch, table="fu-02", round=round_no))
    assert all(title in page for title in titles)
    assert page.count('class="rk-finding ') == 1  # one whole, the others in short


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "Open a round"),
        ({"table": "fu-02", "round": "77"}, "has no round 77"),
        ({"table": "fu-02"}, "Open a round"),
        ({"table": "fu-09"}, "FU-09 has no rounds yet"),
    ],
)
def test_round_offers_rounds_where_none_is_named(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, query: dict[str, str], words: str
) -> None:
    test = run("round", warehouse, monkeypatch, **query)
    assert words in said(test)
    test.selectbox[0].set_value("fu-01").run()
    test.selectbox[2].set_value(17).run()
    assert 'href="round?table=fu-01&amp;round=17"' in said(test)


ASKING = tuple(page for page in PAGES if page not in ("entry", "pit", "count", "filing", "setup"))
"""The pages that ask the warehouse."""


def test_the_pit_needs_a_log_and_no_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rack dashboard --log ADDR" in said(run("pit", tmp_path / "none.duckdb", monkeypatch))


def test_a_round_is_answered_without_a_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Enter a round" in said(run("entry", tmp_path / "none.duckdb", monkeypatch))


def test_the_felt_answers_in_the_currency_of_the_property(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    currencies: list[str] = []
    monkeypatch.setattr("dashboards.parts.source.floor_data.property_facts", lambda _: PropertyFacts(currency="EUR"))
    monkeypatch.setattr("dashboards.parts.source._warehouse", lambda: None)
    monkeypatch.setattr("dashboards.felt.component.felt", lambda **about: currencies.append(about["currency"]))
    run("entry", tmp_path / "none.duckdb", monkeypatch)
    assert currencies == ["EUR"]


@pytest.mark.parametrize("page", ASKING)
def test_without_a_warehouse_a_page_says_what_to_do(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<code>rack " in said(run(page, tmp_path / "none.duckdb", monkeypatch))


@pytest.mark.parametrize("page", ASKING)
def test_with_nothing_replayed_a_page_says_what_to_do(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "w", (), ())
    assert "<code>rack" in said(run(page, tmp_path / "w", monkeypatch))


@pytest.mark.parametrize("page", ASKING)
def test_a_file_that_is_no_warehouse_says_what_to_do(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w").write_bytes(b"something else")
    assert "<code>rack " in said(run(page, tmp_path / "w", monkeypatch))


def test_a_page_shows_the_next_generation_when_it_is_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sample.make(tmp_path / "w")
    test = run("queue", path, monkeypatch)
    assert "6 incidents" in said(test)
    build(path, sample.adjudications()[:2], ())
    assert "No incidents" in said(test.run())


def test_the_command_serves_this_machine_only_and_reports_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = command(tmp_path / "w", 8765)
    assert f"{WAREHOUSE_VARIABLE}={tmp_path / 'w'}" in parts
    for flag in (
        "--server.address=127.0.0.1",
        "--server.port=8765",
        "--browser.gatherUsageStats=false",
        "--server.headless=true",
    ):
        assert flag in parts
    monkeypatch.delenv(WAREHOUSE_VARIABLE, raising=False)
    assert warehouse_path() == Path("demo") / "warehouse.duckdb"
