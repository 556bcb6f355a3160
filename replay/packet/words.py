"""How a packet says things: money, times, names and events. Pure. The verdict's sentence is that of `replay.narrative`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event, PropertyConfigured
from replay.findings import Settlement
from replay.narrative.names import amount, words
from replay.transcript.write import statement

Story = dict[str, Any]
"""What a packet shows: plain values only (text, numbers, lists), never markup."""

UNKNOWN = "not known"
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
        return amount(cents, self.currency)

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
