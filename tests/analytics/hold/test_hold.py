"""The figures, each worked out by hand from the sample floor (D27), and the order of the queue."""

from datetime import date
from pathlib import Path

import pytest

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from analytics.hold import hold
from analytics.warehouse import floor_data, round_data
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import LedgerEntry
from tests.dashboards import sample

DAY_1, DAY_2 = date(2026, 3, 5), date(2026, 3, 6)


def test_win_and_hold_of_a_table_day(db: Warehouse) -> None:
    """
    FU-01 on the 5th: 14,900 closer + 2,500 credit + 10,000 drop - 20,000 opener - 5,000 fill = 2,400; 24 % of drop.
    FU-01 on the 6th: 8,504 + 0 + (0 + 8,200) - 14,900 - 0 = 1,804; 22 %. FU-02 on the 5th: 1,500; 25 %.
    FU-02 on the 6th has no closer yet: win and hold are not known.
    """
    frame = hold.hold_by_table_day(db).select("table_id", "gaming_day", "drop_cents", "win_cents", "hold_percent")
    assert frame.rows() == [
        ("fu-01", DAY_2, 820_000, 180_400, pytest.approx(22.0)),
        ("fu-02", DAY_2, 400_000, None, None),
        ("fu-01", DAY_1, 1_000_000, 240_000, pytest.approx(24.0)),
        ("fu-02", DAY_1, 600_000, 150_000, pytest.approx(25.0)),
    ]


def test_totals_count_only_table_days_with_every_count(db: Warehouse) -> None:
    """Drop 10,000 + 8,200 + 6,000; win 2,400 + 1,804 + 1,500; the fourth table day's 4,000 of drop stays out."""
    total = hold.hold_totals(db).row(0, named=True)
    assert (total["table_days"], total["table_days_counted"]) == (4, 3)
    assert (total["drop_cents"], total["win_cents"]) == (2_420_000, 570_400)
    assert total["hold_percent"] == pytest.approx(100 * 5704 / 24200)


E_OPENER, E_CLOSER, E_DROP = ("opener", 100_00), ("closer", 90_00), ("drop", 50_00)


@pytest.mark.parametrize(
    ("entries", "drop", "win", "percent"),
    [
        ([E_OPENER, E_CLOSER, E_DROP], 5000, 4000, 80.0),
        ([E_OPENER, E_CLOSER], None, None, None),
        ([E_OPENER, E_DROP], 5000, None, None),
        ([E_CLOSER, E_DROP], 5000, None, None),
        ([E_OPENER, E_CLOSER, ("drop", 0)], 0, -1000, None),
        ([E_OPENER, E_CLOSER, E_DROP, ("fill", 2500), ("credit", 500)], 5000, 2000, 40.0),
        ([E_OPENER, E_CLOSER, E_DROP, ("buy_in", 7000), ("marker", 3000)], 5000, 4000, 80.0),
        ([E_OPENER, E_CLOSER, E_OPENER, E_DROP], 5000, None, None),
        ([E_OPENER, E_CLOSER, E_OPENER, E_CLOSER, E_DROP], 5000, 3000, 60.0),
    ],
    ids=[
        "all",
        "no drop",
        "no closer",
        "no opener",
        "nothing dropped",
        "fill and credit",
        "buy-ins are not win",
        "opened again",
        "opened and closed twice",
    ],
)
def test_what_is_not_counted_is_null_and_never_nothing(
    tmp_path: Path, entries: list[tuple[str, int]], drop: int | None, win: int | None, percent: float | None
) -> None:
    ledger = [
        LedgerEntry(stream="table/a", seq=i, gaming_day="2026-03-06", kind=kind, amount_cents=cents, reference="")
        for i, (kind, cents) in enumerate(entries)
    ]
    build(tmp_path / "w", (), [*ledger, *ledger])  # an entry given twice counts once
    with reading(tmp_path / "w") as db:
        row = hold.hold_by_table_day(db).row(0, named=True)
    assert (row["drop_cents"], row["win_cents"], row["hold_percent"]) == (drop, win, percent)


@pytest.mark.parametrize(
    ("withdrawn", "closer", "win"), [("closer", None, None), ("drop", 9_000, None), ("opener", 9_000, 4_000)]
)
def test_a_count_that_a_correction_took_back_is_no_count(
    tmp_path: Path, withdrawn: str, closer: int | None, win: int | None
) -> None:
    """The only closer, or drop, leaves one missing; an opener entered twice and taken back once is one opener."""
    counted = {"opener": 10_000, "closer": 9_000, "drop": 5_000}
    if withdrawn != "opener":
        del counted[withdrawn]
    entries = [*((kind, cents, "") for kind, cents in counted.items()), (withdrawn, 0, "withdrawn")]
    ledger = [
        LedgerEntry(stream="table/a", seq=i, gaming_day="2026-03-06", kind=kind, amount_cents=cents, reference=reference)
        for i, (kind, cents, reference) in enumerate(entries)
    ]
    build(tmp_path / "w", (), ledger)
    with reading(tmp_path / "w") as db:
        row = hold.hold_by_table_day(db).row(0, named=True)
    assert (row["closer_cents"], row["win_cents"]) == (closer, win)


def test_house_win_by_wager(db: Warehouse) -> None:
    """
    Ace High Bonus, round 17: $10.00 and $5.00 staked; done +100.00 and +50.00: house win -150.00, payouts 165.00.
    Progressive: 5.00 lost in round 17; in round 16 5.00 was staked and 1,250.00 paid by slip, so that the table kept
    the 5.00; in FU-02's round 5 1,250.00 were paid at the table for 5.00: house win 5.00 + 5.00 - 1,245.00.
    """
    rows = {row["wager"]: row for row in hold.hold_by(db, "wager").iter_rows(named=True)}
    bonus, progressive, base = rows["ace_high_bonus"], rows["progressive"], rows["base"]
    assert (bonus["wagers"], bonus["handle_cents"], bonus["payouts_cents"], bonus["house_win_cents"]) == (2, 1500, 16500, -15000)
    assert bonus["house_win_percent"] == pytest.approx(-1000.0)
    assert (progressive["handle_cents"], progressive["house_win_cents"]) == (1500, -123500)
    assert progressive["from_meter_cents"] == 125_000
    assert (base["wagers"], base["unsettled"]) == (24, 1)


def test_by_paytable_the_wager_is_named_too(db: Warehouse) -> None:
    frame = hold.hold_by(db, "paytable")
    assert frame.columns[:2] == ["wager", "paytable"]
    assert ("fortune_bonus", "3") in frame.select("wager", "paytable").rows()


@pytest.mark.parametrize("dimension", hold.DIMENSIONS)
def test_every_dimension_adds_up_to_the_whole(db: Warehouse, dimension: hold.Dimension) -> None:
    total = hold.hold_totals(db).row(0, named=True)
    frame = hold.hold_by(db, dimension)
    for figure in ("handle_cents", "payouts_cents", "house_win_cents", "from_meter_cents", "unsettled"):
        assert frame[figure].sum() == total[figure]
    assert "drop_cents" not in frame.columns  # counted per box, never split


def test_a_dimension_that_wagers_do_not_have_is_refused(db: Warehouse) -> None:
    with pytest.raises(ValueError, match="'color'"):
        hold.hold_by(db, "color")  # no such dimension


def test_floor_overview_of_a_day(db: Warehouse) -> None:
    """FU-01 on the 6th: five rounds from minute 4 to minute 25.5, so 5 / 21.5 min; seat 3 short 100.00, seat 1 25.00."""
    row = floor_data.floor_overview(db, DAY_2).row(0, named=True)
    assert (row["table_id"], row["rounds"], row["incidents"], row["high_incidents"]) == ("fu-01", 5, 2, 2)
    assert row["pace_rounds_per_hour"] == pytest.approx(5 * 60 / 21.5)
    assert (row["overpaid_cents"], row["underpaid_cents"]) == (0, 12_500)
    assert (row["last_round_no"], row["last_dealer"], row["undetermined"]) == (19, "d-07", 1)
    assert row["last_event_at_us"] == sample.EVENING + (24 * 60 + 90) * sample.SECOND


def test_floor_overview_of_all_days_and_the_pace_of_a_single_round(db: Warehouse) -> None:
    assert floor_data.floor_overview(db)["rounds"].to_list() == [6, 4]
    assert floor_data.floor_overview(db, DAY_1)["pace_rounds_per_hour"].to_list() == [None, None]
    assert floor_data.gaming_days(db) == [DAY_2, DAY_1]


def test_a_finding_of_a_table_but_of_no_round_counts_on_the_floor_as_in_the_queue(tmp_path: Path) -> None:
    gap = sample.finding("table/a", None, "LOG-SOURCE-GAP", None, None, None, "", "")
    build(tmp_path / "w", [sample.adjudication("table/a", 1, [])], (), stream_findings=[gap])
    with reading(tmp_path / "w") as db:
        assert floor_data.floor_overview(db)["incidents"].to_list() == [1]
        assert queue.queue_totals(db)["incidents"].to_list() == [1]
        assert floor_data.floor_overview(db, DAY_2)["incidents"].to_list() == [0]


def test_the_queue_begins_with_the_most_severe_and_the_most_money(db: Warehouse) -> None:
    frame = queue.incidents_queue(db).select("severity", "code", "underpaid_cents", "overpaid_cents", "findings")
    assert frame.rows() == [
        ("high", "PAY-UNDER", 10_000, 0, 1),
        ("high", "PAY-OVER", 0, 4000, 1),
        ("high", "PAY-MISSED", 2500, 0, 1),
        ("high", "PAY-SOURCE", 0, 0, 1),
        ("medium", "WAGER-LIMIT", 0, 0, 1),
        ("low", "DEAL-SHAKE", 0, 0, 1),
    ]


@pytest.mark.parametrize(
    ("filters", "codes"),
    [
        (QueueFilters(table="fu-01"), ["PAY-UNDER", "PAY-MISSED"]),
        (QueueFilters(code="DEAL-SHAKE"), ["DEAL-SHAKE"]),
        (QueueFilters(gaming_day=DAY_1), []),
        (QueueFilters(severity="medium", gaming_day=DAY_2), ["WAGER-LIMIT"]),
        (QueueFilters(table="fu-01'; DROP TABLE fct_findings; --"), []),
    ],
)
def test_the_queue_and_its_totals_follow_the_filters(db: Warehouse, filters: QueueFilters, codes: list[str]) -> None:
    assert queue.incidents_queue(db, filters)["code"].to_list() == codes
    assert queue.queue_totals(db, filters).row(0, named=True)["incidents"] == len(codes)


def test_the_queue_in_pages(db: Warehouse) -> None:
    assert queue.incidents_queue(db, limit=2, offset=1)["code"].to_list() == ["PAY-OVER", "PAY-MISSED"]


def test_queue_totals_and_choices(db: Warehouse) -> None:
    total = queue.queue_totals(db).row(0, named=True)
    assert (total["incidents"], total["high_incidents"], total["rounds"]) == (6, 4, 4)
    assert (total["overpaid_cents"], total["underpaid_cents"]) == (4000, 12_500)
    choices = queue.queue_choices(db)
    assert (choices.tables, choices.gaming_days, choices.severities) == (["fu-01", "fu-02"], [DAY_2], ["high", "medium", "low"])


def test_round_view_has_recorded_beside_recomputed_findings_events_and_neighbours(db: Warehouse) -> None:
    view = round_data.round_view(db, "table/fu-01", 17)
    assert view is not None
    assert (view.previous_round_no, view.next_round_no) == (16, 18)
    assert view.round["verdict"] == "VARIANCE"
    short = view.settlements.filter(seat=3, wager="ace_high_bonus").row(0, named=True)
    assert (short["due_cents"], short["done_cents"], short["difference_cents"]) == (20_000, 10_000, -10_000)
    assert view.findings["finding_id"].to_list() == [sample.DISPUTE.id]
    assert view.events["seq"].to_list() == list(range(1201, 1201 + len(sample.dispute())))
    assert len(view.events["hash"][0]) == 64


def test_round_view_at_the_ends_and_beyond(db: Warehouse) -> None:
    first, last = round_data.round_view(db, "table/fu-02", 1), round_data.round_view(db, "table/fu-02", 5)
    assert first is not None
    assert last is not None
    assert (first.previous_round_no, first.next_round_no) == (None, 3)
    assert (last.previous_round_no, last.next_round_no) == (4, None)
    assert last.events.is_empty()
    assert round_data.round_view(db, "table/fu-02", 2) is None


def test_rounds_of_a_table_and_facts(db: Warehouse) -> None:
    assert round_data.rounds_of(db, "fu-02")["round_no"].to_list() == [1, 3, 4, 5]
    assert round_data.rounds_of(db).height == 10
    assert floor_data.property_facts(db) == sample.FACTS
