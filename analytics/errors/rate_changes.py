"""Whether mispayments became more frequent since the period before.

Invariant (D605): two counts of wrong rounds are compared, each with its number of rounds. If nothing changed, the second count,
given the sum of both, is binomial by its share of the rounds: the p-value is exact (Przyborowski and Wilenski 1940).
"""

from typing import Any, Final

import polars as pl

from analytics.errors.dealer_errors import BY_MISTAKES, error_rates
from analytics.hold.changes import judged, period_before
from analytics.statistics.exact import binomial_at_least
from analytics.warehouse.selection import Selection, columns_of
from analytics.warehouse.warehouse import Warehouse

BY_CHANGE: Final = tuple(name for name in BY_MISTAKES if name not in ("code", "gaming_day"))


def error_rate_changes(db: Warehouse, by: str, selection: Selection) -> pl.DataFrame:
    """Return rounds with a mispayment per 1,000 next to the period before, a row for each value with rounds in both.

    Columns: the value, `rounds`, `rounds_wrong`, `per_1000_rounds`, the same for the period before (`prior_…`), `change` (per
    1,000 rounds), `p` (two-sided), `p_adjusted` (Holm over the rows) and `verdict` (`alarm`, `outside_95`, `within`).
    """
    if by not in BY_CHANGE:
        raise ValueError(f"cannot compare periods by {by!r}; expected one of {', '.join(BY_CHANGE)}")
    columns = list(columns_of(by, BY_MISTAKES))
    names = ("rounds", "rounds_wrong", "per_1000_rounds")
    now, prior = (
        error_rates(db, by, part).select(*columns, *names).filter(pl.col("rounds") > 0)
        for part in (selection, period_before(selection))
    )
    prior = prior.rename({name: f"prior_{name}" for name in names})
    both = now.join(prior, on=columns, nulls_equal=True) if columns else now.join(prior, how="cross")
    changes = both.with_columns(
        (pl.col("per_1000_rounds") - pl.col("prior_per_1000_rounds")).alias("change"),
        pl.Series("p", [_both_sides(row) for row in both.iter_rows(named=True)], dtype=pl.Float64),
    )
    return judged(changes, columns)


def _both_sides(row: dict[str, Any]) -> float:
    """Return twice the smaller tail, at most 1."""
    wrong, total = row["rounds_wrong"], row["rounds_wrong"] + row["prior_rounds_wrong"]
    share = row["rounds"] / (row["rounds"] + row["prior_rounds"])
    many = binomial_at_least(wrong, total, share)
    few = 1 - binomial_at_least(wrong + 1, total, share)
    return min(1.0, 2 * min(many, few))
