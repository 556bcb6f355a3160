"""`rack hold`: drop, win and hold, actual vs. theoretical win, and game pace."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rack.arguments import add_log, check_options, positive, within
from rack.asking import add_question, answered, breakdown, cell, compared, selection, show, warehouse_at
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import log_address

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

HELP = "Report drop, win and hold, actual vs. theoretical win, and game pace"

QUESTIONS = {
    "periods": "drop, win and hold % by count period (--period) of the property, a game or a table",
    "to-date": "the newest day, its month and its year to date",
    "wagers": "handle, payouts, house win, house win % by game, table, wager, paytable, dealer, shift, hour or day",
    "theory": "actual vs. theoretical win for each wager: bands, p-values, alarms",
    "win": "actual and theoretical win, summed, with the band of chance",
    "change": "hold % compared with the period before (--from, --to; default: the newest day)",
    "win-change": "house win of each wager compared with the period before (--from, --to; default: the newest day)",
    "reconcile": "house win of the wagers, reconciled with the win as counted",
    "funnel": "dealers (or tables, …) side by side, with limits that narrow with volume",
    "chart": "actual vs. theoretical by day: CUSUM and EWMA",
    "investigate": "periods whose hold % requires a written investigation; --open records them in --log",
    "pace": "rounds and decisions per hour",
    "pace-audit": "pace compared with the usual pace of the game and hour",
    "average": "average wagers",
    "take-up": "take-up of side wagers",
    "tray": "table days whose inventory does not reconcile",
    "behind": "the wagers of a figure (--wager, --paytable, --hour, --seat)",
    "counts": "the counts of drop, win and hold %",
}

TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(QUESTIONS, ("by",)),
    "periods": ("by", "period"),
    "funnel": ("by", "wager"),
    "chart": ("by", "wager"),
    "investigate": ("by", "period", "open", "by_person", "log"),
    "tray": (),
    "counts": (),
    "behind": ("wager", "paytable", "hour", "seat"),
}
"""Question → its options, next to the part of the floor, which all take."""

OF_COUNTS = ("counts", "change", "investigate")
"""Questions that no wager has a part in."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_question(parser, QUESTIONS, "periods")
    parser.add_argument("--period", metavar="NAME", help="gaming_day, month, year or all (default: month).")
    parser.add_argument("--wager", metavar="NAME", help="funnel, chart, behind: only this wager.")
    parser.add_argument("--paytable", metavar="NAME", help="behind: only this paytable.")
    parser.add_argument(
        "--hour", metavar="N", type=within(0, 23), help="behind: only rounds opened in this hour, 0 to 23."
    )
    parser.add_argument("--seat", metavar="N", type=positive, help="behind: only this seat.")
    parser.add_argument(
        "--open", action="store_true", help="investigate: open an investigation in the log for each ended period."
    )
    parser.add_argument(
        "--by-person", metavar="PERSON", help="investigate --open: who opens the investigations, such as m.ortiz."
    )
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Answer; 1 if there is an alarm, or a period to be investigated."""
    from analytics.warehouse.warehouse import reading

    check_options(arguments, "hold", arguments.question, TAKES)
    if not arguments.open and (arguments.by_person or arguments.log):
        raise UsageError("--by-person and --log need `rack hold investigate --open`")
    with reading(warehouse_at(arguments)) as db:
        if arguments.question == "investigate":
            return _investigate(db, arguments, output)
        with answered(arguments, output):
            frame, columns = _ANSWERS[arguments.question](db, arguments)
        show(output, frame, columns, everything=arguments.all)
        _note(db, arguments, output)
    alarmed = "alarm" in frame.columns and bool(frame["alarm"].any())
    return Exit.FINDINGS if alarmed else Exit.CLEAN


Answer = tuple["pl.DataFrame", "list[str] | None"]
"""What is shown, and the columns of it that a screen has room for (None: all)."""


def _note(db: Warehouse, given: argparse.Namespace, output: Output) -> None:
    """Print what a reader of the answer must know of the record: table days without wagers, and counts entered twice."""
    from analytics.hold import behind, hold

    of = replace(selection(given), dealer=None, shift=None)
    total = hold.hold_totals(db, of).row(0, named=True)
    without = total["table_days"] - total["table_days_with_wagers"]
    if without and given.question not in OF_COUNTS:
        output.note(
            f"no wagers are on record for {without:,} of {counted(total['table_days'], 'table day')}: they are in no figure of "
            "wagers, and their trays can only be compared with drop, fills and credits"
        )
    if given.question in OF_COUNTS or given.question in ("tray", "reconcile", "periods", "to-date"):
        for row in behind.counts_behind(db, of).drop_nulls("repeats").iter_rows(named=True):
            name = f"{row['kind']} {row['reference']} of {cell('amount_cents', row['amount_cents'])}"
            output.note(
                f"{row['table_id']}, {row['gaming_day']}: {name} is on record twice (events {row['repeats']} and {row['seq']}), "
                "and both count; if it was one, correct the second"
            )


def _periods(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import periods

    by, period = breakdown(given, periods.PER_BOX, "table"), given.period or "month"
    if period not in periods.PERIODS:
        raise UsageError(f"--period {period}: expected one of {', '.join(periods.PERIODS)}")
    return _shown(periods.hold_by_period(db, by, period, selection(given, per_box=True)))


def _shown(frame: pl.DataFrame) -> Answer:
    """Leave out on a screen what goes without saying: that all table days have wagers, and that nothing was entered twice."""
    plain = [name for name in ("repeated_drops", "repeated_slips", "win_without_wagers_cents") if name in frame.columns]
    hidden: set[str] = {name for name in plain if not (frame[name] != 0).any()}
    if frame["table_days"].equals(frame["table_days_with_wagers"]):
        hidden.add("table_days_with_wagers")
    return frame, [column for column in frame.columns if column not in hidden]


def _to_date(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import periods

    by = breakdown(given, periods.PER_BOX, "table")
    if given.first is not None:
        raise UsageError("to-date starts with the month and the year; leave out --from, and name the day with --to")
    return _shown(periods.month_and_year_to_date(db, by, given.last, selection(given, per_box=True)))


def _wagers(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import hold

    by: Any = breakdown(given, hold.DIMENSIONS, "wager")
    return hold.hold_by(db, by, selection(given)), None


def _theory(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import against_theory

    by = breakdown(given, against_theory.BY, "game")
    frame = against_theory.win_against_theory(db, by, selection(given))
    key = [
        column for column in ("table_id", "dealer", "shift", "hour", "gaming_day", "month") if column in frame.columns
    ]
    shown = (
        "game",
        "wager",
        "paytable",
        "rounds",
        "house_win_cents",
        "theoretical_win_cents",
        "low_95_cents",
        "high_95_cents",
        "z",
        "p_adjusted",
        "sentence",
    )
    return frame, [*key, *shown]


def _win(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import theoretical

    by = breakdown(given, theoretical.BY_THEORETICAL, "game")
    return theoretical.theoretical_win(db, by, selection(given), bands=True), None


def _change(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import changes, periods

    by = breakdown(given, periods.PER_BOX, "table")
    return changes.hold_changes(db, by, compared(db, given, selection(given, per_box=True))), None


def _win_change(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import changes

    frame = changes.house_win_changes(
        db, breakdown(given, changes.BY_CHANGE, "game"), compared(db, given, selection(given))
    )
    hidden = {"chapter", "unit_cents", "prior_unit_cents", "p"}
    return frame, [column for column in frame.columns if column not in hidden]


def _reconcile(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import reconciliation

    by = breakdown(given, reconciliation.BY_RECONCILIATION, "table")
    return _shown(reconciliation.reconciliation(db, by, selection(given, per_box=True)))


def _funnel(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import control

    frame = control.funnel(db, breakdown(given, control.BY_FUNNEL, "dealer"), selection(given), given.wager)
    hidden = {"unit_cents", "low_997_percent", "high_997_percent", "p"}
    return frame, [column for column in frame.columns if column not in hidden]


def _chart(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import control

    by = breakdown(given, control.BY_TIME, "gaming_day")
    return control.over_time(db, by, selection(given), given.wager), None


def _pace(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import pace

    return pace.pace(db, breakdown(given, pace.BY_PACE, "table"), selection(given)), None


def _pace_audit(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import pace

    by = breakdown(given, [each for each in pace.BY_PACE if each != "property"], "dealer")
    return pace.pace_audit(db, by, selection(given)), None


def _average(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import pace

    return pace.average_wagers(db, breakdown(given, pace.BY_PACE, "game"), selection(given)), None


def _take_up(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import pace

    return pace.side_wager_take_up(db, breakdown(given, pace.BY_PACE, "game"), selection(given)), None


def _tray(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import periods

    shown = [
        "table_id",
        "gaming_day",
        "game",
        "expected_closer_cents",
        "closer_cents",
        "difference_cents",
        "unsettled",
        "repeated_slips",
        "findings",
    ]
    return periods.tray_differences(db, selection(given, per_box=True)), shown


def _detail(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import behind

    frame = behind.wagers_behind(
        db, selection(given), wager=given.wager, paytable=given.paytable, hour=given.hour, seat=given.seat
    )
    return frame, [
        column for column in frame.columns if column not in {"handle_cents", "payouts_cents", "bettor", "number"}
    ]


def _counts(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.hold import behind

    return behind.counts_behind(db, selection(given, per_box=True)), None


_ANSWERS = {
    "periods": _periods, "to-date": _to_date, "wagers": _wagers, "theory": _theory, "win": _win, "change": _change,
    "win-change": _win_change, "reconcile": _reconcile, "funnel": _funnel,
    "chart": _chart, "pace": _pace, "pace-audit": _pace_audit, "average": _average, "take-up": _take_up, "tray": _tray,
    "behind": _detail, "counts": _counts,
}  # fmt: skip


def _investigate(db: Warehouse, given: argparse.Namespace, output: Output) -> Exit:
    """Show the periods that ask for an investigation; with `--open`, put those that have ended on record."""
    import polars as pl

    from analytics.hold import investigations, periods

    by, period = breakdown(given, periods.PER_BOX, "table"), given.period or "month"
    allowed = [each for each in periods.PERIODS if each != "all"]
    if period not in allowed:
        raise UsageError(f"--period {period}: expected one of {', '.join(allowed)}")
    frame = investigations.written_investigations(db, by, period, selection(given, per_box=True))
    asked = frame.filter(pl.col("triggers").list.len() > 0)
    key = [column for column in ("table_id", "game") if column in frame.columns]
    show(
        output,
        frame if given.all else asked,
        [
            *key,
            "period",
            "ended",
            "drop_cents",
            "win_cents",
            "hold_percent",
            "prior_hold_percent",
            "low_95_percent",
            "high_95_percent",
            "sentence",
        ],
        everything=given.all,
    )
    _note(db, given, output)
    if given.open:
        if by != "table":
            raise UsageError("an investigation is about one table; leave out --by")
        _open(asked.filter(pl.col("ended")), period, given, output)
    return Exit.CLEAN if asked.is_empty() else Exit.FINDINGS


def _open(asked: pl.DataFrame, period: str, given: argparse.Namespace, output: Output) -> None:
    """Open an investigation for each row that has none yet; the same rows again open nothing more."""
    from rack.opening import desk

    if not given.by_person:
        raise UsageError("--open needs --by-person: who opens the investigations, such as m.ortiz")
    with desk(log_address(given.log)) as open_desk:
        for row in asked.iter_rows(named=True):
            name = f"hold-{period.replace('_', '-')}-{row['period']}"
            if name in open_desk.review(row["table_id"]).investigations:
                output.note(f"{row['table_id']}: {name} is already open")
                continue
            entry = open_desk.open_investigation(row["table_id"], **figures(row, name, given.by_person))
            output.note(f"{row['table_id']}: event {entry.seq} of review/{row['table_id']} opens {name}")


def figures(row: dict[str, Any], name: str, by: str) -> dict[str, Any]:
    """Return a row of `written_investigations` as the fields of the event that opens the investigation."""
    return {
        "band_high_bp": _hundredths(row["high_95_percent"]),
        "band_low_bp": _hundredths(row["low_95_percent"]),
        "by": by,
        "drop_cents": row["drop_cents"],
        "first_day": str(row["period"]),
        "investigation": name,
        "last_day": str(row["last_day"]),
        "prior_drop_cents": row["prior_drop_cents"],
        "prior_first_day": str(row["prior_period"]),
        "prior_table_days": row["prior_table_days"],
        "prior_win_cents": row["prior_win_cents"],
        "reason": row["sentence"],
        "table_days": row["table_days"],
        "triggers": list(row["triggers"]),
        "win_cents": row["win_cents"],
    }


def _hundredths(percent: float | None) -> int | None:
    return None if percent is None else round(100 * percent)
