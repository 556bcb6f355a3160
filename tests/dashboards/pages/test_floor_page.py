"""The floor by AppTest: now, a gaming day, all of them, and what is there when the log cannot be followed."""

from pathlib import Path

import msgspec
import pytest

from analytics.warehouse.warehouse import build
from dashboards.drawing.names import Formats
from dashboards.parts import floor_now
from desk.review.desk import desk_at
from replay.advice import Advice
from replay.findings import Finding
from replay.narrative.advice import remedies
from tests.analytics.counts import month
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import run, said, start
from tests.desk.people import PEOPLE

FORMATS = Formats.of(sample.FACTS)


def test_now_shows_each_table_and_goes_on_with_the_log(floor: Living) -> None:
    test = start("floor")
    assert '<div class="rk-label">Gaming day</div><div class="rk-value">Wed 1 Jan</div>' in said(test)
    page = said(test)
    for words in ("2 high", "−$200.00", "Bought in", 'href="queue?table=fu-01&amp;day='):
        assert words in page
    floor.play([3])
    page = said(test.run())
    assert "3 high" in page
    assert "−$300.00" in page


def test_what_is_resolved_is_no_longer_open(floor: Living) -> None:
    with desk_at(floor.log, persons=PEOPLE) as at:
        first = at.cases()[0].finding.id
        at.resolve(first, disposition="cannot_tell", by="m.ortiz", reason="no video")
    assert "1 high" in said(start("floor"))


def test_a_log_without_a_warehouse_can_be_followed(floor: Living) -> None:
    floor.warehouse.unlink()
    page = said(start("floor"))
    assert "2 high" in page


def test_a_broken_stream_is_said_and_nothing_after_it_is_shown(floor: Living) -> None:
    living.change_a_byte(floor, seq=9)
    floor.warehouse.unlink()  # so that the log is read from its beginning
    page = said(start("floor"))
    assert "Broken" in page
    assert "table/fu-01" in page


def test_a_log_that_is_not_there_leaves_the_warehouse(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK_LOG", "sqlite:///nowhere/gone.db")
    test = start("floor")
    assert "The log cannot be followed" in said(test)
    test.selectbox[0].set_value("all").run()
    assert "2 tables" in said(test) or "1 table" in said(test)


def test_a_link_to_a_gaming_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sample.make(tmp_path / "w")
    assert "2 tables · Thu 5 Mar 2026" in said(run("floor", path, monkeypatch, show=sample.DAY_1))


ROW = {
    "table_id": "fu-01", "open": True, "game": "face_up_pai_gow", "dealer": "d-07", "gaming_day": "2026-03-06", "rounds": 1,
    "pace": None, "house_win_cents": 5, "bought_in_cents": 10_000, "drop_cents": None, "repeated_drops": 0,
    "incidents": 0, "high": 0, "worst": None, "waiting": 0, "last_round_no": 1, "broken": "",
    "last_event_at_us": sample.EVENING, "recorded_at_us": sample.EVENING, "advice": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ("Nothing open", "4 s ago", "Bought in $100.00")),
        ({"open": False}, ("○ Closed", "rk-shut")),
        ({"open": None}, ("? Not known",)),
        ({"drop_cents": 90_000}, ("Drop", "$900.00", "counted")),
        ({"waiting": 2}, ("2 rounds not judged yet",)),
        ({"worst": "medium", "incidents": 1}, ("Medium",)),
        ({"broken": "<b>"}, ("Broken", "&lt;b&gt;")),
        ({"game": "player_dealer"}, ("a patron deals",)),
        ({"recorded_at_us": None}, ("no event yet",)),
        ({"rounds": 0}, ("No round on record",)),
        ({"rounds": 0, "waiting": 1}, ("Not judged yet",)),
        ({"house_win_cents": None}, ("House win – (no wagers on record)",)),
        ({"drop_cents": 90_000, "repeated_drops": 1}, ("Drop $900.00, a box entered twice",)),
    ],
)
def test_a_tile(change: dict[str, object], words: tuple[str, ...]) -> None:
    drawn = floor_now.tile({**ROW, **change}, FORMATS, sample.EVENING + 4_000_000)
    assert all(word in drawn for word in words)
    assert ("rk-v-upheld" in drawn) == ("Nothing open" in drawn)


def test_d870_a_table_of_which_no_round_was_seen_is_not_green() -> None:
    drawn = floor_now.tile({**ROW, "rounds": 0, "last_round_no": None}, FORMATS, sample.EVENING)
    assert "rk-v-upheld" not in drawn
    assert "Nothing open" not in drawn


def test_d870_a_past_day_of_which_only_counts_are_on_record_is_not_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "w", (), month("fu-01", ["2026-03-05"]), facts=sample.FACTS)
    drawn = said(run("floor", tmp_path / "w", monkeypatch, show="2026-03-05"))
    assert "No round on record" in drawn
    assert "rk-v-upheld" not in drawn


def test_a_warning_about_the_open_round_is_on_its_tile(floor: Living) -> None:
    floor.pay_short(7)
    page = said(start("floor"))
    assert "rk-warned" in page
    assert "Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00" in page
    assert "Pay $100.00 to the patron at seat 3." in page
    assert "Ace High Bonus: $10.00 at 20 to 1 pays $200.00" in page
    floor.play([8])  # a replay that does not follow takes away what it has gone past
    assert "rk-warned" not in said(start("floor"))


def test_the_most_urgent_table_comes_first() -> None:
    short = finding("PAY-UNDER", difference_cents=-10_000)
    rows: list[dict[str, object]] = [
        ROW | {"table_id": "quiet"},
        ROW | {"table_id": "shut", "open": False, "worst": "high"},
        ROW | {"table_id": "low", "worst": "low", "incidents": 9},
        ROW | {"table_id": "high", "worst": "high", "high": 1, "incidents": 1},
        ROW | {"table_id": "now", "advice": advised(short)},
        ROW | {"table_id": "more", "advice": advised(finding("PAY-UNDER", difference_cents=-20_000))},
        ROW | {"table_id": "broken", "broken": "event 9 does not fit"},
        ROW | {"table_id": "dues", "advice": advised()},
    ]
    order = [row["table_id"] for row in sorted(rows, key=floor_now.urgency)]
    assert order == ["broken", "more", "now", "high", "low", "dues", "quiet", "shut"]


def finding(code: str, **change: object) -> Finding:
    given = {
        "id": code,
        "code": code,
        "stream": "table/fu-01",
        "round_no": 7,
        "seat": 3,
        "wager": "base",
        "expected": "",
        "observed": "",
        "difference_cents": None,
        "evidence": (9,),
        "cite": "",
        "other_reading": None,
        "severity": "high",
        "assumed": False,
        "rules_digest": "",
    }
    return msgspec.convert(given | change, Finding)


def advised(*warnings: Finding) -> Advice:
    return Advice(
        stream="table/fu-01",
        round_no=7,
        as_of=9,
        at_us=0,
        opened_at_us=0,
        game="face_up_pai_gow",
        chapter="pa-688a",
        dealer="",
        phase="settling",
        dues=(),
        warnings=warnings,
    )


def test_a_warning_says_whom_to_pay_or_what_the_rule_asks() -> None:
    shoe = finding("DEAL-DEVICE", expected="with a failed dealing shoe the round is void", cite="58 Pa. Code § 688a.13(l)")
    assert remedies(advised(shoe), "USD") == [
        "The rule asks: with a failed dealing shoe the round is void (58 Pa. Code § 688a.13(l))."
    ]
    short = finding("PAY-UNDER", difference_cents=-10_000, expected="200.00", cite="58 Pa. Code § 688a.12(b)")
    assert remedies(advised(short), "USD") == ["Pay $100.00 to the patron at seat 3."]
