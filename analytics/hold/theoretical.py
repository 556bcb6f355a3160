"""Actual and theoretical win of a whole game, table, dealer or day: sums over its wagers, with the band of the sum.

Invariant: the wagers of one hand are correlated to an unknown degree, so the half-widths of their bands are added, as if fully
correlated. Different rounds (games, paytables) are independent, and their half-widths are added as squares. The resulting band
covers 95 % or more; for one wager on one paytable it is that wager's own (D604).
"""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

import polars as pl

from analytics.hold.against_theory import BY, Compared, compare
from analytics.warehouse.selection import EVERYTHING, Selection, columns_of
from analytics.warehouse.warehouse import Warehouse

BY_THEORETICAL: Final = (*BY, "wager", "paytable")
_NAMES: Final = ("handle_cents", "house_win_cents", "theoretical_win_cents", "unknown_handle_cents", "unknown_house_win_cents")


def theoretical_win(db: Warehouse, by: str = "game", selection: Selection = EVERYTHING, *, bands: bool = False) -> pl.DataFrame:
    """Return house win next to theoretical win, a row for each value; `by` may be `wager` and `paytable` too.

    Columns: the value, `handle_cents`, `house_win_cents`, `theoretical_win_cents`, `difference_cents`, `house_win_percent` and
    `theoretical_percent` (of the handle), of wagers known to theory; `unknown_handle_cents` and `unknown_house_win_cents` of the
    others, and, unless there is a row for each wager, of what was paid without a stake (an Envy Bonus). Voided wagers are in
    neither. What is theoretical is None if no wager is known to theory. With `bands` also `low_95_cents` and `high_95_cents`:
    where the house win lies by luck in at least 95 of 100 such periods (None without theory).
    """
    per_wager = by in ("wager", "paytable")
    columns = ["game", "wager", "paytable"][: 3 if by == "paytable" else 2] if per_wager else list(columns_of(by, BY))
    groups: dict[tuple[Any, ...], list[Compared]] = {}
    for compared in compare(db, "game" if per_wager else by, selection, bands=bands, stakeless=not per_wager):
        groups.setdefault(tuple(compared.key[column] for column in columns), []).append(compared)
    ends: dict[str, Any] = dict.fromkeys(("low_95_cents", "high_95_cents"), pl.Int64) if bands else {}
    table = pl.DataFrame(
        [(*key, *_sums(rows), *(_band(rows) if bands else ())) for key, rows in sorted(groups.items(), key=_in_order)],
        schema={**_key_types(columns), **dict.fromkeys(_NAMES, pl.Int64), **ends},
        orient="row",
    )
    handle = pl.when(pl.col("handle_cents") != 0).then(pl.col("handle_cents"))
    return table.with_columns(
        (pl.col("house_win_cents") - pl.col("theoretical_win_cents")).alias("difference_cents"),
        (100 * pl.col("house_win_cents") / handle).alias("house_win_percent"),
        (100 * pl.col("theoretical_win_cents") / handle).alias("theoretical_percent"),
    )


def _in_order(group: tuple[tuple[Any, ...], list[Compared]]) -> tuple[tuple[bool, Any], ...]:
    """Return sort keys that put None first."""
    return tuple((value is not None, value) for value in group[0])


def _sums(rows: Sequence[Compared]) -> tuple[int | None, ...]:
    sums: list[int | None] = []
    for known in (True, False):
        part = [row for row in rows if (row.expected is not None) == known]
        sums += [sum(row.handle_cents for row in part), sum(row.house_win_cents for row in part)]
        if known:
            sums.append(round(sum(row.theoretical_cents for row in part)) if part else None)
    return tuple(sums)


def _band(rows: Iterable[Compared]) -> tuple[int | None, int | None]:
    known = [row for row in rows if row.band is not None]
    if not known:
        return None, None
    middle = sum(row.theoretical_cents for row in known)
    return round(middle - half_width(known, below=True)), round(middle + half_width(known, below=False))


def half_width(rows: Iterable[Compared], *, below: bool, percent: str = "95") -> float:
    """Return the half-width of a sum's band (95 % or, `997`, 99.7 %): wagers of one game added, others as squares."""
    squares: dict[str, dict[str, float]] = {}
    for row in rows:
        assert row.band is not None
        wide = row.band.expected - getattr(row.band, f"{'low' if below else 'high'}_{percent}")
        wagers = squares.setdefault(row.key["game"], {})
        wagers[row.key["wager"]] = wagers.get(row.key["wager"], 0.0) + wide**2
    return sqrt(sum(sum(sqrt(square) for square in wagers.values()) ** 2 for wagers in squares.values()))


def _key_types(columns: list[str]) -> dict[str, Any]:
    dates = {"gaming_day": pl.Date, "month": pl.Date, "hour": pl.Int64}
    return {column: dates.get(column, pl.String) for column in columns}
