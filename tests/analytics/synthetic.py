"""Marts made straight from chance, for tests with many honest months: nothing is dealt, wagers end as theory has them end."""

from collections.abc import Iterable
from datetime import date, timedelta

import duckdb
import numpy as np
import polars as pl

from analytics.theory.expectation import expected_of
from analytics.warehouse.warehouse import Warehouse, model_text

FIRST_DAY = date(2026, 4, 1)
CHAPTER = "pa-688a"


def against_theory(
    random: np.random.Generator,
    *,
    dealers: int = 12,
    days: int = 30,
    rounds: int = 60,
    seats: int = 3,
    wagers: Iterable[tuple[str, str]] = (("base", ""), ("fortune_bonus", "1")),
    stake: int = 2_500,
    stolen: dict[str, float] | None = None,
) -> pl.DataFrame:
    """Return rows of `mart_against_theory`: each dealer deals one table; `stolen` is dealer → how often a seat is overpaid
    a unit.

    Seats end independently of each other: what the bands allow for shared hands is not used up here.
    """
    rows = []
    for wager, paytable in wagers:
        expected = expected_of(CHAPTER, wager, paytable)
        assert expected is not None
        shares = np.array([share for share, _ in expected.ends])
        wins = np.array([win for _, win in expected.ends])
        for dealer in range(dealers):
            for day in range(days):
                won = random.choice(wins, size=(rounds, seats), p=shares / shares.sum()) * stake
                overpaid = random.random((rounds, seats)) < (stolen or {}).get(f"d-{dealer:02d}", 0.0)
                won = won - overpaid * stake
                units = float(seats * stake)
                rows.append(
                    {
                        "stream": f"table/fu-{dealer:02d}",
                        "table_id": f"fu-{dealer:02d}",
                        "game": "face_up_pai_gow",
                        "chapter": CHAPTER,
                        "theory_wager": wager,
                        "paytable": paytable,
                        "dealer": f"d-{dealer:02d}",
                        "shift": "day",
                        "gaming_day": FIRST_DAY + timedelta(days=day),
                        "hour": 12,
                        "rounds": rounds,
                        "bets": rounds * seats,
                        "handle_cents": rounds * seats * stake,
                        "house_win_cents": round(won.sum()),
                        "unit_cents": rounds * seats * stake,
                        "sum_u2": float(rounds * seats * stake**2),
                        "sum_u3": float(rounds * seats * stake**3),
                        "sum_round_u2": rounds * units**2,
                        "sum_round_u3": rounds * units**3,
                        "sum_round_w2": float((won.sum(axis=1) ** 2).sum()),
                        "sum_round_wu": float((won.sum(axis=1) * units).sum()),
                        "max_u": stake,
                        "max_round_u": round(units),
                    }
                )
    return pl.DataFrame(rows)


def warehouse(**marts: pl.DataFrame) -> Warehouse:
    """Return an open warehouse that holds these marts, what follows from them, and nothing else."""
    db = duckdb.connect(":memory:")
    for name, rows in marts.items():
        if name == "fct_findings" and "finding_id" not in rows.columns:
            rows = rows.with_row_index("finding_id").with_columns(pl.col("finding_id").cast(pl.String))
        db.register("rows", rows.to_arrow())
        db.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
        db.unregister("rows")
    if "stg_reviews" not in marts:
        db.execute("CREATE TABLE stg_reviews (finding_id VARCHAR, state VARCHAR, disposition VARCHAR)")
    if "mart_against_theory" in marts:
        db.execute(f"CREATE TABLE mart_theory_floor AS {model_text('mart_theory_floor')}")
    return db
