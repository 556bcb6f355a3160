"""How a packet says things: money, times, names, events, and the verdict in one sentence. Pure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event, PropertyConfigured
from games.rulebook.money import show_money
from replay.findings import Adjudication, Finding, Settlement
from replay.transcript.write import statement

Story = dict[str, Any]
"""What a packet shows: plain values only (text, numbers, lists), never markup."""

UNKNOWN = "not known"
MEANING = {
    "UPHELD": "the record shows nothing against the rules",
    "VARIANCE": "what was done is not what the rules say",
    "VOID": "the round was properly void",
    "UNDETERMINED": "the evidence does not tell",
}
"""Every verdict, and what it says."""
NAMES = {"base": "Base wager", "mystery": "Must-Hit-By bonus", "bad_beat": "Two-Way Bad Beat"}
"""Names that are not just the words of the wire."""
LONGEST = 240
"""An event's own words are cut after so many letters in the list; its bytes are in the bundle whole."""


class Style:
    """How a property writes money and time: its currency and time zone, or dollars and UTC where it did not say."""

    def __init__(self, configured: PropertyConfigured | None) -> None:
        self.name = configured.name if configured is not None else ""
        self.currency = configured.currency if configured is not None else "USD"
        self.zone_name, self.zone = "UTC", cast(tzinfo, UTC)
        if configured is not None:  # where this machine does not know the zone, times are UTC, and say so
            with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OSError):
                self.zone, self.zone_name = ZoneInfo(configured.time_zone), configured.time_zone

    def money(self, cents: int | None) -> str:
        """Return an amount without a sign.

        >>> Style(None).money(-110000)
        '$1,100.00'
        """
        if cents is None:
            return UNKNOWN
        mark = "$" if self.currency == "USD" else f"{self.currency} "
        return mark + show_money(abs(cents), thousands=True)

    def signed(self, cents: int | None) -> str:
        """Return an amount with its sign, which zero has not.

        >>> Style(None).signed(-2500), Style(None).signed(0), Style(None).signed(100)
        ('−$25.00', '$0.00', '+$1.00')
        """
        return self.money(cents) if not cents else ("−" if cents < 0 else "+") + self.money(cents)

    def clock(self, at_us: int) -> str:
        """Return the time of day."""
        return f"{self._at(at_us):%H:%M:%S}"

    def time(self, at_us: int) -> str:
        """Return day and time."""
        return f"{self._at(at_us):%Y-%m-%d %H:%M:%S}"

    def _at(self, at_us: int) -> datetime:
        return datetime.fromtimestamp(at_us // 1_000_000, UTC).astimezone(self.zone)


def utc(at_us: int) -> str:
    """Return a time as in `2026-03-01T21:14:00Z`."""
    return f"{datetime.fromtimestamp(at_us // 1_000_000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def words(token: str) -> str:
    """Return a name of the wire as a heading.

    >>> words("ace_high_bonus"), words("base")
    ('Ace High Bonus', 'Base wager')
    """
    return NAMES.get(token) or token.replace("_", " ").title()


def plain(token: str) -> str:
    """Return a name of the wire within a sentence.

    >>> plain("manual_shoe")
    'manual shoe'
    """
    return token.replace("_", " ")


def wager(settlement: Settlement) -> str:
    """Return the wager of a settlement, with the number it was placed on."""
    number = "" if settlement.number is None else f" on {settlement.number}"
    return words(settlement.wager) + number


def position(of: int | str) -> str:
    """Return a position as a heading.

    >>> position(3), position("dealer"), position("pile-2")
    ('Seat 3', 'Dealer', 'Pile 2')
    """
    return f"Seat {of}" if isinstance(of, int) else of.replace("-", " ").capitalize()


def event(payload: Event) -> str:
    """Return an event in the notation of transcripts, or its fields where the notation has no statement for it."""
    said = statement(payload)
    if isinstance(payload, model.RoundOpened):
        said = f"round opened deck={payload.deck} covers {' '.join(payload.observed)}"
    if said is None:
        fields: dict[str, Any] = msgspec.to_builtins(payload)
        fields.pop("toml", None)  # the rules have a part of their own
        shown = " ".join(f"{name}={_plain(value)}" for name, value in fields.items() if value is not None)
        said = f"{payload.TYPE} {shown}"
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


# -------------------------------------------------------------------------------------------------------- the sentence


def sentence(judged: Adjudication, seat: int | None, style: Style) -> str:
    """Return the verdict in one sentence, on a seat or on the whole round.

    Money is claimed only where a finding claims it, and not as certain where the finding names another reading.
    """
    money = [each for each in judged.findings if each.difference_cents and seat in (None, each.seat)]
    short = [each for each in money if (each.difference_cents or 0) < 0]
    over = [each for each in money if (each.difference_cents or 0) > 0]
    if not money:
        return _without_money(judged, seat)
    if len({each.seat for each in money}) == 1:
        seat = money[0].seat
    who, is_owed, was_paid = "The round's patrons", "are owed", "were paid"
    if seat is not None:
        who, is_owed, was_paid = f"Seat {seat}", "is owed", "was paid"
    doubt = "; the finding names another reading of the text" if any(each.other_reading for each in money) else ""
    owed, too_much = (style.money(sum(each.difference_cents or 0 for each in some)) for some in (short, over))
    if short and over:
        return (
            f"{who} {is_owed} {owed} ({_names(short, seat)}) and {was_paid} {too_much} too much ({_names(over, seat)})"
            f"{doubt}."
        )
    claim = f"{is_owed} {owed}" if short else f"{was_paid} {too_much} too much"
    return f"{who} {claim}: {'; '.join(_detail(each, judged, seat, style) for each in money)}{doubt}."


def _without_money(judged: Adjudication, seat: int | None) -> str:
    where = f"at seat {seat}" if seat is not None else "in this round"
    of = [each for each in judged.settlements if seat in (None, each.seat)]
    found = [each for each in judged.findings if not each.code.startswith("LOG-")]
    here = list(dict.fromkeys(each.code for each in found if seat is None or each.seat in (None, seat)))
    others = sorted({each.seat for each in found if each.seat is not None and seat not in (None, each.seat)})
    conducted = f"the round was not conducted as the rules say ({', '.join(here)})"
    if judged.verdict == "UNDETERMINED" or any(each.due_cents is None for each in of):
        told = f"Whether what was done {where} is what the rules say cannot be told from the evidence"
        why = "; ".join(judged.undetermined) or "see below"
        return f"{told} ({why}), and {conducted}." if here else f"{told}: {why}."
    if not of:
        settled = f"Nothing was at stake {where}"
    elif any(each.done_cents is None for each in of):
        settled = f"What every wager {where} is due can be told, but the record does not say how they were settled"
    else:
        settled = f"Every wager {where} was settled as the rules say"
    if here:
        return f"{settled}, but {conducted}."
    if others:
        return f"{settled}; what was found is about seat {', '.join(map(str, others))}."
    if judged.verdict == "VOID":
        return f"The round was properly declared void, and {settled[0].lower()}{settled[1:]}."
    return f"{settled}."


def _names(findings: Sequence[Finding], seat: int | None) -> str:
    return ", ".join(_name(each, seat) for each in findings)


def _name(each: Finding, seat: int | None) -> str:
    what = words(each.wager) if each.wager is not None else each.code
    return what if each.seat in (None, seat) else f"{what} of seat {each.seat}"


def _detail(found: Finding, judged: Adjudication, seat: int | None, style: Style) -> str:
    """Return what was due and done of a finding's wager; of a fee or commission what was expected and observed."""
    for each in sorted(judged.settlements, key=lambda each: each.wager != found.wager):
        if (each.seat, _difference(each)) == (found.seat, found.difference_cents):
            due, done = (_net(cents, each.staked_cents, style) for cents in (each.due_cents, each.done_cents))
            of = "" if found.seat == seat else f" of seat {each.seat}"
            return f"the {wager(each)}{of} was due {due} and got {done} ({each.cite})"
    name = _name(found, seat)
    code = "" if found.wager is None else f" ({found.code})"
    return f"{name}{code}: expected {found.expected}, observed {found.observed} ({found.cite})"


def _difference(each: Settlement) -> int | None:
    return None if each.due_cents is None or each.done_cents is None else each.done_cents - each.due_cents


def _net(cents: int | None, staked_cents: int, style: Style) -> str:
    if cents is None:
        return UNKNOWN
    if not cents:
        return "nothing beyond its stake" if staked_cents else "nothing"
    return f"a {'win' if cents > 0 else 'loss'} of {style.money(cents)}"


# ---------------------------------------------------------------------------------------------------------- custody

CUSTODY: dict[type[Event], Callable[[Any], tuple[str, str]]] = {
    model.RulesFiled: lambda e: (
        f"rules submission {e.submission}",
        f"filed, effective {e.effective_gaming_day}, SHA-256 {e.sha256}",
    ),
    model.TableOpened: lambda e: (
        "table",
        f"opened for {words(e.game)}, dealing by {plain(e.deal_method)}, shuffler {plain(e.shuffler)}",
    ),
    model.DealerTappedIn: lambda e: (f"dealer {e.dealer}", "took over the table"),
    model.DeckReceived: lambda e: (
        e.deck,
        f"received, back {e.back_colour}, jokers {e.jokers}{', preshuffled' if e.preshuffled else ''}",
    ),
    model.DeckInspected: lambda e: (e.deck, f"inspected by {e.by}, verified by {e.verified_by or 'nobody on record'}"),
    model.JokerDestroyed: lambda e: (
        e.deck,
        f"a joker destroyed by {e.by}, witnessed by {e.witnessed_by or 'nobody on record'}",
    ),
    model.CardsSpread: lambda e: (e.deck, f"spread {'face up' if e.face_up else 'face down'}"),
    model.CardsWashed: lambda e: (e.deck, "washed"),
    model.DeckInPlay: lambda e: (e.deck, "put in play"),
    model.DeckRemoved: lambda e: (e.deck, f"removed: {plain(e.reason)}"),
    model.CardsShuffled: lambda e: (
        e.deck,
        f"shuffled, {e.method}" + ("" if e.count is None else f", {e.count} cards counted"),
    ),
    model.CardsCut: lambda e: ("cards", f"cut by {position(e.by).lower()}, {e.depth} cards from the {e.counted_from}"),
    model.DiceReceived: lambda e: (f"dice {e.dice_set}", "received"),
    model.DiceRemoved: lambda e: (f"dice {e.dice_set}", "removed"),
    model.DeviceFailed: lambda e: (plain(e.device), f"failed: {plain(e.fault)}"),
    model.DeviceCovered: lambda e: (plain(e.device), f"out of order, {e.how} placed"),
    model.DeviceRestored: lambda e: (plain(e.device), "restored"),
}
"""Of rules, cards, dice, devices and people at the table: the thing, and what became of it."""
