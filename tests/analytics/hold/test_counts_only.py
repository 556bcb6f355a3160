"""A house that records openings, fills, drops and closes but no wagers (D870): what rests on wagers is unknown, never 0."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from analytics.hold import figure_detail, hold, pace, periods, theoretical
from analytics.hold.reconciliation import reconciliation
from analytics.warehouse import floor_data
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from tests.analytics.counts import DAYS, DROP, FILL, OF_WAGERS, WIN, entry, month, opened_for
from tests.dashboards import sample

LOST = sample.settlement(1, "base", 2_500, -2_500, -2_500)
LEFT = sample.settlement(1, "base", 2_500, -2_500, None)


@pytest.fixture(scope="module")
def counts_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """Thirty days of two tables of which only counts are on record."""
    path = tmp_path_factory.mktemp("counts") / "w"
    games = [opened_for("fu-01", "face_up_pai_gow"), opened_for("ou-01", "over_under")]
    build(path, (), [*month("fu-01"), *month("ou-01")], table_events=games, facts=sample.FACTS)
    with reading(path) as db:
        yield db


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """FU-01 has counts for 1 to 30 March; $25.00 were lost there on the 6th, and a wager of the 5th was never settled."""
    path = tmp_path_factory.mktemp("mixed") / "w"
    rounds = [
        sample.adjudication("table/fu-01", 1, [LOST], day="2026-03-06"),
        sample.adjudication("table/fu-01", 2, [LEFT], day="2026-03-05"),
    ]
    build(path, rounds, month("fu-01"), table_events=[opened_for("fu-01", "face_up_pai_gow")], facts=sample.FACTS)
    with reading(path) as db:
        yield db


Question = Callable[[Warehouse], pl.DataFrame]
QUESTIONS: dict[str, Question] = {
    "by table day": hold.hold_by_table_day,
    "totals": hold.hold_totals,
    **{
        f"{by} by {period}": lambda db, by=by, period=period: periods.hold_by_period(db, by, period)
        for by in periods.PER_BOX
        for period in periods.PERIODS
    },
    **{f"{by} to date": lambda db, by=by: periods.month_and_year_to_date(db, by) for by in periods.PER_BOX},
    **{f"reconciled by {by}": lambda db, by=by: reconciliation(db, by) for by in ("property", "game", "table", "gaming_day")},
    "sums behind": figure_detail.sums_behind,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_d870_without_wagers_on_record_nothing_that_rests_on_them_is_known(counts_only: Warehouse, question: str) -> None:
    found = QUESTIONS[question](counts_only)
    assert not found.is_empty()
    for column in OF_WAGERS & set(found.columns):
        assert found[column].is_null().all(), column
    if "win_cents" in found.columns:
        assert found["win_cents"].is_not_null().all()
    if "table_days_with_wagers" in found.columns:
        assert found["table_days_with_wagers"].to_list() == [0] * found.height


def test_d870_thirty_days_without_wagers_raise_no_tray_alarm(counts_only: Warehouse) -> None:
    assert periods.tray_differences(counts_only).is_empty()
    assert hold.hold_totals(counts_only)["win_cents"].to_list() == [60 * WIN]
    (row,) = reconciliation(counts_only).iter_rows(named=True)
    assert row["win_without_wagers_cents"] == row["win_cents"] == 60 * WIN


@pytest.mark.parametrize("by", hold.DIMENSIONS)
def test_d870_a_table_without_wagers_is_no_row_of_any_breakdown_of_wagers(counts_only: Warehouse, by: hold.Dimension) -> None:
    assert hold.hold_by(counts_only, by).is_empty()
    assert theoretical.theoretical_win(counts_only, "game").is_empty()
    assert pace.pace(counts_only, "table").is_empty()


def test_a_table_of_which_no_round_was_seen_has_the_game_that_it_was_opened_for(counts_only: Warehouse) -> None:
    by_game = periods.hold_by_period(counts_only, "game", "month")
    assert dict(by_game.select("game", "table_days").iter_rows()) == {"face_up_pai_gow": 30, "over_under": 30}
    chosen = floor_data.choices(counts_only)
    assert (chosen.games, chosen.tables) == (["face_up_pai_gow", "over_under"], ["fu-01", "ou-01"])
    assert chosen.months == [date(2026, 3, 1)]


@pytest.mark.parametrize(("opened", "game"), [(12, "over_under"), (14, "face_up_pai_gow")])
def test_the_game_of_a_day_is_that_of_the_last_opening_before_its_last_count_at_the_table(
    tmp_path: Path, opened: int, game: str
) -> None:
    """The closer is event 13; the drop, event 40, is counted later, in the count room."""
    places = {"opener": 10, "fill": 11, "closer": 13, "drop": 40}
    entries = [msgspec.structs.replace(each, seq=places[each.kind]) for each in month("fu-01", DAYS[:1])]
    events = [opened_for("fu-01", "face_up_pai_gow"), opened_for("fu-01", "over_under", opened)]
    build(tmp_path / "w", (), entries, table_events=events)
    with reading(tmp_path / "w") as db:
        assert hold.hold_by_table_day(db)["game"].to_list() == [game]


def test_d870_a_sum_of_which_a_part_is_not_on_record_counts_what_is_and_says_of_how_many_days(mixed: Warehouse) -> None:
    (total,) = hold.hold_totals(mixed).iter_rows(named=True)
    assert (total["table_days"], total["table_days_counted"], total["table_days_with_wagers"]) == (30, 30, 1)
    assert (total["handle_cents"], total["house_win_cents"], total["unsettled"]) == (2_500, 2_500, 1)
    for by in periods.PER_BOX:
        (row,) = periods.hold_by_period(mixed, by, "all").iter_rows(named=True)
        assert (row["table_days_with_wagers"], row["handle_cents"]) == (1, 2_500)
    by_day = periods.hold_by_period(mixed, "property", "gaming_day")
    known = by_day.filter(pl.col("handle_cents").is_not_null())
    assert known["period"].to_list() == [date(2026, 3, 6)], "a wager that nobody settled is no handle of 0"
    (tray,) = periods.tray_differences(mixed).iter_rows(named=True)
    assert tray["gaming_day"] == date(2026, 3, 6)


def test_d870_win_is_reconciled_of_the_days_with_wagers_alone(mixed: Warehouse) -> None:
    (row,) = reconciliation(mixed).iter_rows(named=True)
    lines = ("house_win_cents", "not_from_tray_cents", "box_less_buy_ins_cents", "tray_difference_cents")
    assert sum(row[name] for name in lines) - row["uncounted_house_win_cents"] == WIN
    assert row["win_without_wagers_cents"] == 29 * WIN
    assert row["win_cents"] == 30 * WIN


def test_a_round_without_wagers_on_record_has_no_boxes_to_count(tmp_path: Path) -> None:
    rounds = [sample.adjudication("table/fu-01", 1, [])]
    build(tmp_path / "w", rounds, (), facts=sample.FACTS)
    with reading(tmp_path / "w") as db:
        (row,) = pace.pace(db, "table").iter_rows(named=True)
        assert (row["rounds"], row["decisions_per_hour"], row["seats_per_round"]) == (1, None, None)
        assert row["rounds_per_hour"] is not None
        assert hold.hold_totals(db)["handle_cents"].to_list() == [None]


REPEATS: list[tuple[str, dict[str, Any], int, int]] = [
    ("drop: same box, day and amount", {"kind": "drop", "cents": DROP, "reference": "b-1"}, 1, 0),
    ("drop: another box", {"kind": "drop", "cents": DROP, "reference": "b-2"}, 0, 0),
    ("drop: another amount", {"kind": "drop", "cents": DROP + 1, "reference": "b-1"}, 0, 0),
    ("drop: another day", {"kind": "drop", "cents": DROP, "reference": "b-1", "day": "2026-03-02"}, 0, 0),
    ("fill: same slip", {"kind": "fill", "cents": FILL, "reference": "slip-2026-03-01"}, 0, 1),
    ("fill: another slip", {"kind": "fill", "cents": FILL, "reference": "slip-9"}, 0, 0),
    ("credit with the number of a fill", {"kind": "credit", "cents": FILL, "reference": "slip-2026-03-01"}, 0, 0),
    ("no box named", {"kind": "drop", "cents": DROP, "reference": ""}, 0, 0),
]


@pytest.mark.parametrize(("again", "drops", "slips"), [row[1:] for row in REPEATS], ids=[row[0] for row in REPEATS])
def test_d871_a_count_entered_twice_is_marked_wherever_it_is_shown(
    tmp_path: Path, again: dict[str, Any], drops: int, slips: int
) -> None:
    more = entry("fu-01", 500, again.get("day", DAYS[0]), again["kind"], again["cents"], again["reference"])
    build(tmp_path / "w", (), [*month("fu-01", DAYS[:1]), more])
    with reading(tmp_path / "w") as db:
        found = [*QUESTIONS.values(), lambda db: hold.hold_by_table_day(db).filter(gaming_day=date(2026, 3, 1))]
        for question in found:
            rows = question(db)
            if "repeated_drops" in rows.columns:
                assert (rows["repeated_drops"].max(), rows["repeated_slips"].max()) == (drops, slips)
        listed = figure_detail.counts_behind(db, Selection(table="fu-01"))
        assert listed.filter(seq=500)["repeats"].is_not_null().to_list() == [bool(drops or slips)]
        assert listed["repeats"].drop_nulls().len() == drops + slips


def test_d871_a_count_that_a_correction_took_back_is_no_longer_entered_twice(tmp_path: Path) -> None:
    twice = entry("fu-01", 500, DAYS[0], "drop", DROP, "b-1")
    build(tmp_path / "w", (), [*month("fu-01", DAYS[:1]), twice, entry("fu-01", 500, DAYS[0], "drop", 0, "withdrawn")])
    with reading(tmp_path / "w") as db:
        (row,) = hold.hold_totals(db).iter_rows(named=True)
        assert (row["repeated_drops"], row["drop_cents"]) == (0, DROP)


def test_d870_the_floor_of_a_past_day_has_the_tables_of_which_only_counts_are_on_record(counts_only: Warehouse) -> None:
    for day in (None, date(2026, 3, 6)):
        found = floor_data.floor_overview(counts_only, day)
        assert found["table_id"].to_list() == ["fu-01", "ou-01"]
        assert found["game"].to_list() == ["face_up_pai_gow", "over_under"]
        assert set(found["rounds"].to_list()) == {0}
        assert found["last_round_no"].is_null().all()
