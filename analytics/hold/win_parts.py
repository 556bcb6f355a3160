"""Why a table's day was off: its win as a sum of parts, exact to the cent.

Invariant: `base + volume + edge` is the theoretical win of the days; plus `luck` and `other`, the house win if every wager had
been settled as due; plus `underpaid` and `overpaid`, the house win of the wagers; plus the parts of the counts (D605), the win.
"""

from collections.abc import Sequence
from math import erfc, sqrt
from typing import Any, Final

import msgspec
import polars as pl

from analytics.hold.against_theory import Compared, compare
from analytics.hold.luck import Z_95, Z_997, band
from analytics.hold.reconciliation import reconciliation
from analytics.hold.theoretical import half_width
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import EVERYTHING, WHERE, WHERE_PER_BOX, Selection, frame
from analytics.warehouse.warehouse import Warehouse

PARTS: Final = {
    "base": "Theoretical win of as many average days",
    "volume": "Volume: more or less wagered than on average",
    "edge": "Edge: another mix of wagers and paytables than on average",
    "luck": "Luck",
    "other": "Wagers without theory, and voided rounds",
    "underpaid": "Dealer errors: patrons underpaid",
    "overpaid": "Dealer errors: patrons overpaid",
    "uncounted": "House win of table days not fully counted",
    "slips": "Wins by slip that no meter paid",
    "box": "Drop less buy-ins recorded",
    "tray": "Unexplained tray variance",
    "no_wagers": "Win of table days without wagers on record",
}
"""Part → what it is, in the order in which they add up."""
OUTSIDE_997: Final = 0.003
"""The probability of a win outside the 99.7 % band."""
_COUNTED: Final = {
    "slips": "not_from_tray_cents", "box": "box_less_buy_ins_cents", "tray": "tray_difference_cents",
    "no_wagers": "win_without_wagers_cents",
}  # fmt: skip


def parts_of_win(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the parts of the win of some table days, a row each; they sum to the last row, the whole.

    Columns: `part` (of `PARTS`, or `whole`), `title`, `cents`, and known facts: `probability` (of this much luck or more, either
    way), `count` (of wagers underpaid or overpaid, of table days not counted), `handle_cents` and `average_handle_cents` (of
    `volume`), `percent` and `average_percent` (of `edge`: theoretical win by handle). The whole is the win of the counted table
    days, or the house win of the wagers if there are none. An average day is that of the same tables and games over all gaming
    days.
    """
    row = reconciliation(db, "property", selection)
    if row.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    whole = row.row(0, named=True)
    lines: list[dict[str, Any]] = []
    if whole["table_days_with_wagers"]:
        lines += _of_wagers(db, selection, whole["house_win_cents"] or 0)
    counted = whole["table_days_counted"]
    if counted:
        if counted < whole["table_days"]:
            cents = -(whole["uncounted_house_win_cents"] or 0)
            lines.append({"part": "uncounted", "cents": cents, "count": whole["table_days"] - counted})
        lines += [{"part": part, "cents": whole[name] or 0} for part, name in _COUNTED.items()]
    lines = [each for each in lines if each["cents"] or each["part"] not in ("other", "no_wagers")]
    total = sum(each["cents"] for each in lines)
    lines.append({"part": "whole", "cents": total, "count": whole["table_days"] - counted})
    titles = {**PARTS, "whole": "Win" if counted else "House win of the wagers: not fully counted"}
    return pl.DataFrame([{"title": titles[each["part"]], **each} for each in lines], schema=_SCHEMA)


def incidents_of(db: Warehouse, selection: Selection = EVERYTHING, limit: int = 20) -> pl.DataFrame:
    """Return the incidents in which patrons were overpaid or underpaid, largest first.

    Columns: `incident_id`, `table_id`, `round_no`, `finding_id` and `code` of a finding, `seats`, `overpaid_cents`,
    `underpaid_cents`.
    """
    return frame(
        db,
        f"""
        SELECT
            incident_id, any_value(table_id) AS table_id, any_value(round_no) AS round_no, min(finding_id) AS finding_id,
            arg_min(code, severity_rank) AS code, count(DISTINCT seat) AS seats,
            sum(overpaid_cents)::BIGINT AS overpaid_cents, sum(underpaid_cents)::BIGINT AS underpaid_cents
        FROM fct_findings
        WHERE {WHERE} AND difference_cents <> 0
        GROUP BY incident_id
        ORDER BY sum(abs(difference_cents)) DESC, incident_id
        LIMIT $limit
        """,
        selection,
        limit=limit,
    )


def _of_wagers(db: Warehouse, selection: Selection, house_win: int) -> list[dict[str, Any]]:
    """Return the parts of the house win of the wagers."""
    known = [each for each in compare(db, "property", selection) if each.expected is not None]
    always = msgspec.structs.replace(selection, first=None, last=None)
    every = [each for each in compare(db, "property", always, bands=False) if each.expected is not None]
    days, all_days = _days(db, selection), _days(db, always)
    handle, all_handle = (sum(each.handle_cents for each in rows) for rows in (known, every))
    expected, all_expected = (sum(each.theoretical_cents for each in rows) for rows in (known, every))
    average_handle = all_handle / all_days * days if all_days else 0.0
    average_edge = all_expected / all_handle if all_handle else 0.0
    theoretical, base = round(expected), round(average_handle * average_edge)
    volume = round((handle - average_handle) * average_edge)
    errors = _errors(db, selection)
    over, under = (sum(each[name] for each in errors.values()) for name in ("over", "under"))
    key = ("game", "chapter", "wager", "paytable")
    as_due = sum(
        each.house_win_cents + sum(sign * errors.get(tuple(each.key[name] for name in key), _NONE)[name_]
                                   for sign, name_ in ((1, "over"), (-1, "under")))
        for each in known
    )  # fmt: skip
    luck = as_due - theoretical
    return [
        {"part": "base", "cents": base},
        {
            "part": "volume", "cents": volume, "handle_cents": handle, "average_handle_cents": round(average_handle),
        },
        {
            "part": "edge", "cents": theoretical - base - volume, "percent": 100 * expected / handle if handle else None,
            "average_percent": 100 * average_edge,
        },
        {"part": "luck", "cents": luck, "probability": _probability(known, luck)},
        {"part": "other", "cents": house_win + over - under - as_due},
        {"part": "underpaid", "cents": under, "count": sum(each["under_count"] for each in errors.values())},
        {"part": "overpaid", "cents": -over, "count": sum(each["over_count"] for each in errors.values())},
    ]  # fmt: skip


def _probability(known: Sequence[Compared], luck: int) -> float | None:
    """Return an upper bound of the probability of this distance from theory or more, either way; None without theory.

    Within the band of 99.7 % it follows the two bands. Farther out a rare hit decides: some wager has to be off by its share of
    the distance, so the chances of that are added (Boole). It is never less likely than a single wager off by all of it.
    """
    rows = [each for each in known if each.band is not None]
    distance = max(0, abs(luck) - 1)  # whole cents are compared with exact sums
    wide, widest = (half_width(rows, below=luck < 0, percent=percent) for percent in ("95", "997"))
    if not wide:
        return None
    if distance > max(wide, widest):
        shares = [half_width([row], below=luck < 0, percent="997") for row in rows]
        any_off = sum(_as_far(row, distance * share / sum(shares)) for row, share in zip(rows, shares, strict=True))
        bound = min(OUTSIDE_997, any_off)
    else:
        beyond = (distance - wide) / (widest - wide) if distance > wide else 0.0
        bound = erfc((Z_95 * min(1.0, distance / wide) + (Z_997 - Z_95) * beyond) / sqrt(2))
    return min(1.0, max(bound, *(_as_far(row, distance) for row in rows)))


def _as_far(row: Compared, off: float) -> float:
    """Return the probability that one wager is this far off theory or farther, either way."""
    assert row.expected is not None
    assert row.volume is not None
    low, high = (band(row.expected, row.volume, row.theoretical_cents + side * off) for side in (-1, 1))
    return low.p_low + high.p_high


def _days(db: Warehouse, selection: Selection) -> int:
    statement = f"""
        SELECT count(*) AS days FROM mart_hold_table_day WHERE {WHERE_PER_BOX} AND house_win_cents IS NOT NULL
    """
    return int(frame(db, statement, selection).item())


def _errors(db: Warehouse, selection: Selection) -> dict[tuple[Any, ...], dict[str, int]]:
    """Return overpayments and underpayments, by game, chapter, theory's name of the wager, and paytable."""
    rows = frame(
        db,
        f"""
        SELECT
            game, chapter, theory_wager, paytable,
            sum(greatest(difference_cents, 0))::BIGINT AS over, sum(greatest(-difference_cents, 0))::BIGINT AS under,
            count(*) FILTER (difference_cents > 0) AS over_count, count(*) FILTER (difference_cents < 0) AS under_count
        FROM fct_wagers
        WHERE {WHERE} AND settled AND NOT patron_banked AND difference_cents <> 0
        GROUP BY game, chapter, theory_wager, paytable
        """,
        selection,
    )
    return {(row["game"], row["chapter"], row["theory_wager"], row["paytable"]): row for row in rows.iter_rows(named=True)}


_NONE: Final = {"over": 0, "under": 0}
_SCHEMA: Final = schema_of(
    "part VARCHAR, title VARCHAR, cents BIGINT, count BIGINT, probability DOUBLE, handle_cents BIGINT, "
    "average_handle_cents BIGINT, percent DOUBLE, average_percent DOUBLE"
)
