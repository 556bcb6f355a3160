"""The format of a report's values on paper and on pages; its files have plain values (`csv_tables`). Pure."""

from datetime import date
from typing import Any

from desk.packet.words import Style
from desk.report.content import Report, ReportColumn
from replay.narrative.names import MINUS, day_words, game_name, moment, readable, table_name, wager_name, zone_note

UNKNOWN = "–"


def written(column: ReportColumn, value: Any, style: Style) -> str:
    """Return a value as people read it; a dash for None.

    >>> dollars = Style.of("", "USD", "UTC")
    >>> written(ReportColumn(name="win_cents", label="Win", kind="difference"), -250, dollars)
    '−$2.50'
    """
    if value is None:
        return UNKNOWN
    match column.kind:
        case "money":
            return style.balance(value)
        case "meter":
            return _meter(value, style)
        case "difference":
            return style.signed(value)
        case "percent":
            return f"{value:,.2f} %".replace("-", MINUS)
        case "times":
            return f"{value:,.1f}"
        case "points":
            return f"{value:+,.2f}".replace("-", MINUS)
        case "count":
            return f"{value:,}"
        case "day":
            return day_words(date.fromisoformat(value))
        case "time":
            return time_words(value, style)
        case "table":
            return table_name(value)
        case "game":
            return game_name(value)
        case "wager":
            return wager_name(value)
        case _:
            return readable(str(value))


def period_words(report: Report) -> str:
    """Return the days of a report in words."""
    first, last = (day_words(date.fromisoformat(day)) for day in (report.first, report.last))
    return first if first == last else f"{first} to {last}"


def as_of_words(report: Report, style: Style) -> str:
    """Return the day and time that date a report, with its time zone."""
    return f"{time_words(report.as_of_us, style)} ({style.zone_name})"


def time_words(at_us: int, style: Style) -> str:
    """Return day and time at the property; with its zone in the repeated hour of a clock change.

    >>> time_words(1_774_958_490_000_000, Style(None))
    '31 Mar 2026, 12:01:30'
    """
    at = moment(at_us, style.zone)
    return f"{at.day} {at:%b %Y, %H:%M:%S}{zone_note(at)}"


def _meter(centicents: int, style: Style) -> str:
    """Return a meter's reading with its fractions of a cent.

    >>> _meter(1_278_5560, Style(None)), _meter(-50, Style(None)), _meter(100, Style(None))
    ('$1,278.5560', '−$0.0050', '$0.01')
    """
    cents, rest = divmod(abs(centicents), 100)
    return (MINUS if centicents < 0 else "") + style.money(cents) + (f"{rest:02d}" if rest else "")
