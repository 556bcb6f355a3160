"""The comparison of devices with the period before, with figures worked out by hand."""

from datetime import date

import polars as pl
import pytest

from analytics.fairness.comparison import beside
from analytics.fairness.fairness import fairness
from analytics.hold.changes import period_before, whole_months
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from tests.analytics import devices

MARCH, APRIL = date(2026, 3, 1), date(2026, 4, 1)
FAIR = [2_000] * 6
SIXES = [1_969] * 5 + [2_155]
"""12,000 rolls, of which a fair die shows each face 2,000 times: 155 sixes too many, 31 too few of each other face."""


def rolls(month: date, die: str, counts: list[int]) -> list[dict[str, object]]:
    place = {"stream": "table/fu-01", "table_id": "fu-01", "game": "face_up_pai_gow", "gaming_month": month}
    return [{**place, "dice_set": "dice-1", "die": die, "face": face, "rolls": n} for face, n in enumerate(counts, 1)]


def floor(*of_months: list[dict[str, object]]) -> Warehouse:
    """A floor of which the dice are those given; there is too little of everything else for a test."""
    db = devices.floor(1, tables=1, rounds=2)
    db.register("rows", pl.DataFrame([row for rows in of_months for row in rows]).to_arrow())
    db.execute("CREATE OR REPLACE TABLE mart_faces AS SELECT * FROM rows")
    return db


def dice(db: Warehouse, selection: Selection) -> pl.DataFrame:
    return fairness(db, "table", selection).filter(pl.col("family") == "die")


def days(first: str, last: str) -> Selection:
    return Selection(first=date.fromisoformat(first), last=date.fromisoformat(last))


@pytest.mark.parametrize(
    ("chosen", "whole", "before"),
    [
        (("2026-04-07", "2026-04-07"), ("2026-04-01", "2026-04-30"), ("2026-03-01", "2026-03-31")),
        (("2026-04-01", "2026-04-30"), ("2026-04-01", "2026-04-30"), ("2026-03-01", "2026-03-31")),
        (("2026-03-31", "2026-04-01"), ("2026-03-01", "2026-04-30"), ("2026-01-01", "2026-02-28")),
        (("2026-12-31", "2026-12-31"), ("2026-12-01", "2026-12-31"), ("2026-11-01", "2026-11-30")),
        (("2027-01-01", "2027-01-02"), ("2027-01-01", "2027-01-31"), ("2026-12-01", "2026-12-31")),
    ],
)
def test_days_are_compared_as_their_whole_months_with_as_many_before(
    chosen: tuple[str, str], whole: tuple[str, str], before: tuple[str, str]
) -> None:
    assert whole_months(days(*chosen)) == days(*whole)
    assert period_before(whole_months(days(*chosen))) == days(*before)


@pytest.mark.parametrize("open_ended", [Selection(), Selection(first=APRIL), Selection(last=APRIL)])
def test_a_selection_without_both_ends_is_compared_with_nothing(open_ended: Selection) -> None:
    with pytest.raises(ValueError, match="first and the last gaming day"):
        period_before(whole_months(open_ended))


def test_a_die_that_came_to_be_off_is_told_from_the_month_before() -> None:
    """Chi-square of April: (155² + 5 × 31²) ÷ 2,000 = 28,830 ÷ 2,000 = 14.415; of March 0.

    With five degrees of freedom 14.415 is exceeded with probability
    erfc(√7.2075) + √(28.83 ÷ π) × e^−7.2075 × (1 + 14.415 ÷ 3) = 0.000147 + 3.0293 × 0.000741 × 5.805 = 0.0132: outside 95 %.
    """
    db = floor(rolls(MARCH, "red", FAIR), rolls(APRIL, "red", SIXES))
    tuesday = days("2026-04-07", "2026-04-07")
    now, prior = dice(db, tuesday), dice(db, period_before(whole_months(tuesday)))
    (row,), (row_before,) = now.to_dicts(), prior.to_dicts()
    assert (row["n"], row_before["n"]) == (12_000, 12_000)
    assert row["p"] == pytest.approx(0.0132, abs=0.0001)
    assert row_before["p"] == pytest.approx(1.0)
    (told,) = beside(now, prior).to_dicts()
    assert (told["verdict"], told["verdict_before"]) == ("outside_95", "within")


def test_a_test_is_beside_its_own_die_and_a_new_die_beside_nothing() -> None:
    """The red die was off in March and is fair in April; the blue one came in April."""
    db = floor(rolls(MARCH, "red", SIXES), rolls(APRIL, "blue", FAIR), rolls(APRIL, "red", FAIR))
    april = days("2026-04-01", "2026-04-30")
    found = beside(dice(db, april), dice(db, period_before(whole_months(april))))
    told = {row["die"]: (row["verdict"], row["verdict_before"]) for row in found.to_dicts()}
    assert told == {"red": ("within", "outside_95"), "blue": ("within", None)}


def test_the_order_of_the_tests_stays() -> None:
    db = floor(rolls(MARCH, "red", FAIR), rolls(APRIL, "white", FAIR), rolls(APRIL, "red", SIXES))
    now = dice(db, days("2026-04-01", "2026-04-30"))
    found = beside(now, dice(db, days("2026-03-01", "2026-03-31")))
    assert found["die"].to_list() == now["die"].to_list()
