"""Words that only pages use: states, verdicts and dimensions; money, times and days in the format of pages.

Invariant: words only. The names of things in sentences are in `replay.narrative`.
"""

from datetime import date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from analytics.warehouse.warehouse import PropertyFacts
from replay.narrative.names import MINUS, balance, day_words, difference, minute_words, moment, zone_note

UNKNOWN = "–"

STATES = {
    "open": "\N{WHITE CIRCLE} Open",
    "assigned": "\N{CIRCLE WITH LEFT HALF BLACK} Assigned",
    "awaiting_signature": "\N{WHITE DIAMOND CONTAINING BLACK SMALL DIAMOND} Awaits signature",
    "resolved": "\N{HEAVY CHECK MARK}\N{VARIATION SELECTOR-15} Resolved",
    "reopened": "\N{ANTICLOCKWISE OPEN CIRCLE ARROW} Reopened",
}
"""The state of a finding's review, by shape and word."""
VERDICTS = {"UPHELD": "Upheld", "VARIANCE": "Variance", "VOID": "Void", "UNDETERMINED": "Undetermined"}


class Formats(msgspec.Struct, frozen=True):
    """This property's format of money (its currency by ISO 4217) and time."""

    currency: str
    zone: ZoneInfo | None

    @classmethod
    def of(cls, facts: PropertyFacts) -> "Formats":
        """Return the formats of a property; if its time zone is unknown here, times are UTC."""
        try:
            zone = ZoneInfo(facts.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            zone = None
        return cls(facts.currency, zone)

    def money(self, cents: int | None) -> str:
        """Return an amount with its cents: `$1,234.50`, `−$3.00`; a dash if unknown."""
        if cents is None:
            return UNKNOWN
        return balance(cents, self.currency)

    def signed(self, cents: int | None) -> str:
        """Return an amount with its sign, also if it is positive; zero has none."""
        return UNKNOWN if cents is None else difference(cents, self.currency)

    def chips(self, cents: int) -> str:
        """Return an amount in short form: `$25`, `$2.50`."""
        return self.money(cents).removesuffix(".00")

    def moment(self, at_us: int) -> datetime:
        """Return a time of the log at the property."""
        return moment(at_us, self.zone)

    def clock(self, at_us: int | None) -> str:
        """Return the time of day at the property: `21:14:05`."""
        return UNKNOWN if at_us is None else f"{self.moment(at_us):%H:%M:%S}{zone_note(self.moment(at_us))}"

    def time_of_day(self, at_us: int | None) -> str:
        """Return the time of day at the property to the minute, for lists: `21:14`."""
        return UNKNOWN if at_us is None else minute_words(self.moment(at_us))

    def day_and_clock(self, at_us: int | None) -> str:
        """Return the day and time at the property: `6 Mar, 21:14:05`."""
        if at_us is None:
            return UNKNOWN
        moment = self.moment(at_us)
        return f"{moment.day} {moment:%b}, {moment:%H:%M:%S}{zone_note(moment)}"

    def zone_name(self, at_us: int | None) -> str:
        """Return the name of the time zone then: `EST`."""
        return "" if at_us is None else f"{self.moment(at_us):%Z}"


def ago(seconds: float) -> str:
    """Return an age in one unit; a negative age is 0.

    >>> ago(-3), ago(59.4), ago(61), ago(3599), ago(2 * 86_400)
    ('0 s', '59 s', '1 min', '59 min', '2 d')
    """
    whole = max(0, int(seconds))
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if whole >= length:
            return f"{whole // length:,} {unit}"
    return f"{whole} s"


def day_name(day: date | None) -> str:
    """Return a gaming day in words: `Fri 6 Mar 2026`."""
    return UNKNOWN if day is None else day_words(day)


def short_day(day: date | None) -> str:
    """Return a gaming day without its year: `Fri 6 Mar`."""
    return "" if day is None else f"{day:%a} {day.day} {day:%b}"


def share(value: float, places: int) -> str:
    """Return a percentage with this many decimals.

    >>> share(98.1201944, 3), share(-0.5, 1)
    ('98.120 %', '−0.5 %')
    """
    return f"{MINUS if value < 0 else ''}{abs(value):,.{places}f} %"


def points(value: float | None) -> str:
    """Return a change of percentage points with its sign; a dash if unknown.

    >>> points(2.34), points(-0.5), points(None)
    ('+2.3', '−0.5', '–')
    """
    return UNKNOWN if value is None else f"{MINUS if value < 0 else '+'}{abs(value):,.1f}"


def percent(value: float | None) -> str:
    """Return a percentage with one place; a dash if unknown."""
    if value is None:
        return UNKNOWN
    return f"{MINUS if value < 0 else ''}{abs(value):,.1f} %"
