"""What people call things: games, wagers, findings; and money, times and days as they are written.

The law of this file: words only. A name that is not listed is made readable, never hidden.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from analytics.warehouse.warehouse import PropertyFacts

MINUS = "\N{MINUS SIGN}"
UNKNOWN = "–"

GAMES = {
    "face_up_pai_gow": "Face Up Pai Gow Poker",
    "pai_gow_poker": "Pai Gow Poker",
    "fortune_asia": "Fortune Asia Poker",
    "over_under": "Over/Under",
    "dj_wild": "DJ Wild Stud Poker",
    "player_dealer": "Face Up Pai Gow Poker (California)",
}
WAGERS = {
    "base": "Base wager",
    "ace_high_bonus": "Ace High Bonus",
    "fortune_bonus": "Fortune Bonus",
    "fortune_envy": "Fortune Envy",
    "progressive_envy": "Progressive Envy",
    "tiger_9": "Tiger 9",
    "sum": "Sum",
    "match": "Match",
    "beat_it": "Beat It",
    "mystery": "Must-Hit-By bonus",
    "insurance": "Insurance",
    "ante": "Ante",
    "ante_blind_raise": "Ante, Blind and Raise",
    "over": "Over 23",
    "under": "Under 18",
    "blind": "Blind",
    "raise": "Raise",
    "trips": "Trips",
    "bad_beat": "Two-Way Bad Beat",
    "backline": "Backline",
}
FINDINGS = {
    "DEAL-TOTAL": "Dice total announced wrong",
    "DEAL-START": "Dealt from the wrong position",
    "DEAL-NOROLL": "Went on after an invalid roll",
    "DEAL-SHAKE": "Shaken too little, or not covered",
    "DEAL-ORDER": "Dealt out of order",
    "DEAL-COUNT": "A hand without its cards",
    "DEAL-STUB": "Wrong stub and no void",
    "DEAL-STUBSEEN": "Stub card exposed",
    "DEAL-STUBDUE": "Stub not counted when due",
    "DEAL-DECK": "A card that is not of the deck",
    "DEAL-FACEUP": "Face-up card used",
    "DEAL-DRAWN": "Card drawn in error misused",
    "DEAL-EXPOSED": "Exposed card not handled",
    "DEAL-ELECTION": "Election made too late",
    "DEAL-DEVICE": "Failed device used",
    "DEAL-SHUFFLE": "Shuffle missing",
    "DEAL-CUT": "Cut missing or wrong",
    "DEAL-COVER": "Cover card misplaced",
    "DEAL-BURN": "Burn card missing",
    "DEAL-SIDE": "Side card missing or wrong",
    "DEAL-NOBETS": "Dealt before no more bets",
    "DEAL-RACK": "Cards not collected in full",
    "OPEN-INSPECT": "Deck not inspected",
    "OPEN-JOKER": "Second joker not destroyed",
    "OPEN-SPREAD": "Deck not spread",
    "OPEN-IDLE": "Return to play without wash",
    "EQUIP-DECK": "Deck past its time",
    "EQUIP-DICE": "Dice past their time",
    "EQUIP-ALTERNATE": "Decks not alternated",
    "EQUIP-COUNT": "Wrong count ignored",
    "EQUIP-BATCH": "Batches mixed",
    "WAGER-LATE": "Wager too late",
    "WAGER-BASE": "Side wager without its base",
    "WAGER-LIMIT": "Wager outside the limits",
    "WAGER-FORM": "Wager in a form not allowed",
    "WAGER-SEATED": "Wager of one not seated",
    "WAGER-MIDSHOE": "Entered mid-shoe",
    "WAGER-TOUCHED": "Wager handled",
    "WAGER-LAMMER": "Envy lammer missing or wrong",
    "WAGER-PROGRESSIVE": "Chips differ from accepted wagers",
    "WAGER-LOCKOUT": "Accepted after the lock",
    "WAGER-SURRENDER": "Surrender not allowed",
    "SET-DEALER": "Dealer not set by the house way",
    "SET-CARDS": "Set hand is not the cards dealt",
    "SET-CHANGED": "Hand changed after it was set",
    "SET-EARLY": "Dealer and players set out of turn",
    "SET-ORDER": "Boxes set in the wrong order",
    "PLAY-ORDER": "Played out of turn",
    "PAY-OVER": "Paid too much",
    "PAY-UNDER": "Paid too little",
    "PAY-MISSED": "Winner not paid",
    "PAY-LOSER": "Loser paid",
    "PAY-TAKEN": "Wager wrongly taken",
    "PAY-NOT-TAKEN": "Losing wager left",
    "PAY-FOUL": "Foul hand not treated as losing",
    "PAY-VIG": "Vigorish wrong",
    "PAY-ENVY": "Envy Bonus missed or wrong",
    "PAY-ENVYCALL": "Envy hand not acknowledged",
    "PAY-ANNOUNCED": "Result announced wrong",
    "PAY-REVEAL": "Revealed out of order",
    "PAY-METER": "Meter share wrong",
    "PAY-SOURCE": "Meter share paid from the table",
    "PAY-LIGHT": "Paid without the light",
    "PAY-VALIDATED": "Payout not validated",
    "PAY-DOCUMENTED": "Payout not documented",
    "PAY-LIMIT": "Maximum payout misapplied",
    "PAY-VOID": "Void not returned as it must",
    "PAY-ORDER": "Settled out of order",
    "MYST-TRIGGER": "Must-Hit-By hit at the wrong moment",
    "MYST-AMOUNT": "Must-Hit-By paid wrong",
    "MYST-RESET": "Must-Hit-By not reset",
    "MYST-CONTRIBUTION": "Must-Hit-By contribution wrong",
    "MYST-COMMITMENT": "Target is not the committed one",
    "CA-COVER": "Player-dealer's coverage wrong",
    "CA-ROTATE": "Player-dealer not rotated",
    "CA-BUTTON": "Action button misplaced",
    "CA-PILE": "Piles dealt or given out wrong",
    "CA-BACKLINE": "Backline wager not allowed",
    "CA-FEE": "Collection fee wrong",
    "LOG-GAP": "A number is missing in the log",
    "LOG-SEAL": "The log's chain is broken",
    "LOG-FORK": "The log has two histories",
    "LOG-SOURCE-GAP": "A device's message was lost",
    "LOG-SOURCE-REPEAT": "A device said two things under one number",
    "LOG-CORRECTION": "A correction of another event",
    "LOG-CLOCK": "A device's clock ran back",
}
STATES = {
    "open": "\N{WHITE CIRCLE} Open",
    "assigned": "\N{CIRCLE WITH LEFT HALF BLACK} Assigned",
    "awaiting_signature": "\N{WHITE DIAMOND CONTAINING BLACK SMALL DIAMOND} Awaits signature",
    "resolved": "\N{HEAVY CHECK MARK}\N{VARIATION SELECTOR-15} Resolved",
    "reopened": "\N{ANTICLOCKWISE OPEN CIRCLE ARROW} Reopened",
}
"""Where a finding stands in its review, by shape and word."""
VERDICTS = {
    "UPHELD": "Upheld",
    "VARIANCE": "Variance",
    "VOID": "Void",
    "UNDETERMINED": "Undetermined",
}
DIMENSIONS = {
    "game": "Game",
    "table": "Table",
    "wager": "Wager",
    "paytable": "Paytable",
    "dealer": "Dealer",
    "shift": "Shift",
    "hour": "Hour",
    "gaming_day": "Gaming day",
}
SYMBOLS = {"USD": "$", "CAD": "CA$", "EUR": "€", "GBP": "£"}


def _readable(token: str) -> str:
    words = token.replace("_", " ")
    return words[:1].upper() + words[1:]


def game_name(game: str) -> str:
    """Return the game's name as the chapter has it."""
    return GAMES.get(game) or _readable(game)


def wager_name(wager: str) -> str:
    """Return the wager's name.

    >>> wager_name("ace_high_bonus"), wager_name("bad_beat")
    ('Ace High Bonus', 'Two-Way Bad Beat')
    """
    return WAGERS.get(wager) or _readable(wager)


def wager_with_paytable(wager: str, paytable: str | None) -> str:
    """Return the wager's name, with its paytable where it has one."""
    return f"{wager_name(wager)}, paytable {paytable}" if paytable else wager_name(wager)


def line_name(line: str) -> str:
    """Return a paytable's line or an outcome; Envy Bonuses name the seats whose hands they are for, each after an `@`.

    >>> line_name("ace_high_push"), line_name("four_of_a_kind@2 straight_flush@5")
    ('Ace high push', 'Four of a kind of seat 2; straight flush of seat 5')
    """
    if "@" not in line:
        return _readable(line)
    hands = [hand.partition("@") for hand in line.split()]
    return _readable("; ".join(f"{hand} of seat {seat}" for hand, _, seat in hands))


def readable(sentence: str) -> str:
    """Return a finding's sentence with its tokens as words.

    >>> readable("12.00 paid (dealer_ace_high_joker, paytable 5)")
    '12.00 paid (dealer ace high joker, paytable 5)'
    """
    return re.sub(r"(?<=[a-z0-9])_(?=[a-z0-9])", " ", sentence)


def finding_title(code: str) -> str:
    """Return what a code means, in a few words."""
    return FINDINGS.get(code) or code


def severity_reason(code: str, severity: str, difference_cents: int | None) -> str:
    """Return why a finding has its severity.

    >>> severity_reason("PAY-UNDER", "high", -10000), severity_reason("DEAL-SHAKE", "low", None)
    ('money went otherwise than was due', 'procedure only: no result and no money rests on it')
    """
    if difference_cents:
        return "money went otherwise than was due"
    if code.startswith("LOG-"):
        return "the record itself is in doubt"
    if severity == "high":
        return "the result of the round, or money, rests on it"
    if severity == "medium":
        return "a rule that guards the result was broken; no money is known to have gone wrong"
    return "procedure only: no result and no money rests on it"


def table_name(table_id: str) -> str:
    """Return the id of a table, dealer or patron as it is written on the floor: `FU-01`."""
    return table_id.upper()


def position_name(position: object) -> str:
    """Return `Dealer`, `Seat 3`, or a pile's name."""
    return f"Seat {position}" if isinstance(position, int) else _readable(str(position))


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> plural(1, "finding"), plural(1200, "finding")
    ('1 finding', '1,200 findings')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


class Formats(msgspec.Struct, frozen=True):
    """How this property writes money and time."""

    symbol: str
    zone: ZoneInfo | None

    @classmethod
    def of(cls, facts: PropertyFacts) -> Formats:
        """Return the formats of a property; where the time zone is not known here, times are UTC."""
        try:
            zone = ZoneInfo(facts.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            zone = None
        return cls(SYMBOLS.get(facts.currency, f"{facts.currency} "), zone)

    def money(self, cents: int | None) -> str:
        """Return an amount with its cents: `$1,234.50`, `−$3.00`; a dash where it is not known."""
        if cents is None:
            return UNKNOWN
        return f"{MINUS if cents < 0 else ''}{self.symbol}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"

    def signed(self, cents: int | None) -> str:
        """Return an amount with its sign, also where it is positive; nothing lost or won has none."""
        return f"+{self.money(cents)}" if cents is not None and cents > 0 else self.money(cents)

    def chips(self, cents: int) -> str:
        """Return an amount as short as it can be said: `$25`, `$2.50`."""
        return self.money(cents).removesuffix(".00")

    def moment(self, at_us: int) -> datetime:
        """Return a time of the log at the property."""
        return datetime.fromtimestamp(at_us / 1_000_000, tz=self.zone or UTC)

    def clock(self, at_us: int | None) -> str:
        """Return the time of day at the property: `21:14:05`."""
        return UNKNOWN if at_us is None else f"{self.moment(at_us):%H:%M:%S}"

    def day_and_clock(self, at_us: int | None) -> str:
        """Return the day and time at the property: `6 Mar, 21:14:05`."""
        if at_us is None:
            return UNKNOWN
        moment = self.moment(at_us)
        return f"{moment.day} {moment:%b}, {moment:%H:%M:%S}"

    def zone_name(self, at_us: int | None) -> str:
        """Return what the clock is called then: `EST`."""
        return "" if at_us is None else f"{self.moment(at_us):%Z}"


def ago(seconds: float) -> str:
    """Return an age in one unit; a clock that runs ahead is no age.

    >>> ago(-3), ago(59.4), ago(61), ago(3599), ago(2 * 86_400)
    ('0 s', '59 s', '1 min', '59 min', '2 d')
    """
    whole = max(0, int(seconds))
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if whole >= length:
            return f"{whole // length:,} {unit}"
    return f"{whole} s"


def day_name(day: date | None) -> str:
    """Return a gaming day as people say it: `Fri 6 Mar 2026`."""
    return UNKNOWN if day is None else f"{day:%a} {day.day} {day:%b %Y}"


def short_day(day: date | None) -> str:
    """Return a gaming day where the year is plain: `Fri 6 Mar`."""
    return "" if day is None else f"{day:%a} {day.day} {day:%b}"


def share(value: float, places: int) -> str:
    """Return a percentage with so many places.

    >>> share(98.1201944, 3), share(-0.5, 1)
    ('98.120 %', '−0.5 %')
    """
    return f"{MINUS if value < 0 else ''}{abs(value):,.{places}f} %"


def percent(value: float | None) -> str:
    """Return a percentage with one place; a dash where it is not known."""
    if value is None:
        return UNKNOWN
    return f"{MINUS if value < 0 else ''}{abs(value):,.1f} %"
