"""The format of a packet's money and times, and its list of custody. Pure. Its sentences are those of `replay.narrative`."""

import contextlib
from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from events.vocabulary import model
from events.vocabulary.model import Event, PropertyConfigured
from replay.narrative.names import amount, balance, capitalized, difference, heading, identified, moment, table_name, zone_note

Story = dict[str, Any]
"""A value in a packet: text, numbers and lists, never markup."""

UNKNOWN = "not known"
LONGEST = 240
"""A sentence of the list of events is cut after this many letters."""


class Style:
    """A property's format of money and time: its currency and time zone, or dollars and UTC if it stated none."""

    def __init__(self, configured: PropertyConfigured | None) -> None:
        self.name = configured.name if configured is not None else ""
        self.currency = configured.currency if configured is not None else "USD"
        self.zone_name, self.zone = "UTC", cast(tzinfo, UTC)
        if configured is not None:
            self._set_zone(configured.time_zone)

    @classmethod
    def of(cls, name: str, currency: str, time_zone: str) -> "Style":
        """Return the style of a property with this name, currency (ISO 4217) and IANA time zone."""
        style = cls(None)
        style.name, style.currency = name, currency
        style._set_zone(time_zone)
        return style

    def _set_zone(self, time_zone: str) -> None:
        """Use a time zone. If this machine does not know it, use UTC and say so."""
        with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OSError):
            self.zone, self.zone_name = ZoneInfo(time_zone), time_zone

    def money(self, cents: int | None) -> str:
        """Return an amount without a sign.

        >>> Style(None).money(-110000)
        '$1,100.00'
        """
        if cents is None:
            return UNKNOWN
        return amount(cents, self.currency)

    def balance(self, cents: int) -> str:
        """Return an amount with a minus if it is negative.

        >>> Style(None).balance(-300)
        '−$3.00'
        """
        return balance(cents, self.currency)

    def signed(self, cents: int | None) -> str:
        """Return an amount with its sign; zero has none.

        >>> Style(None).signed(-2500), Style(None).signed(0), Style(None).signed(100)
        ('−$25.00', '$0.00', '+$1.00')
        """
        return UNKNOWN if cents is None else difference(cents, self.currency)

    def clock(self, at_us: int) -> str:
        """Return the time of day; with its zone in the repeated hour of a clock change.

        >>> style = Style.of("", "USD", "America/New_York")
        >>> [style.clock(at * 1_000_000) for at in (1_793_512_016, 1_793_515_616, 1_793_519_216)]
        ['01:46:56 EDT', '01:46:56 EST', '02:46:56']
        """
        at = moment(at_us, self.zone)
        return f"{at:%H:%M:%S}{zone_note(at)}"

    def time(self, at_us: int) -> str:
        """Return day and time; with its zone in the repeated hour of a clock change."""
        at = moment(at_us, self.zone)
        return f"{at:%Y-%m-%d %H:%M:%S}{zone_note(at)}"


def shortened(sentence: str) -> str:
    """Return a sentence for the list of events, cut if it is long; the bundle has the event whole."""
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1] + "…"


# ---------------------------------------------------------------------------------------------------------- custody

CUSTODY: dict[type[Event], Callable[[Any], str]] = {
    model.RoundObserved: lambda e: "Record of the round",
    model.EntryConfirmed: lambda e: "Record of the round",
    model.RulesFiled: lambda e: f"Rules submission {e.submission}",
    model.TableOpened: lambda e: "Table",
    model.DealerTappedIn: lambda e: f"Dealer {table_name(e.dealer)}",
    model.DeckReceived: lambda e: capitalized(identified("deck", e.deck)),
    model.DeckInspected: lambda e: capitalized(identified("deck", e.deck)),
    model.JokerDestroyed: lambda e: capitalized(identified("deck", e.deck)),
    model.CardsSpread: lambda e: capitalized(identified("deck", e.deck)),
    model.CardsWashed: lambda e: capitalized(identified("deck", e.deck)),
    model.DeckInPlay: lambda e: capitalized(identified("deck", e.deck)),
    model.DeckRemoved: lambda e: capitalized(identified("deck", e.deck)),
    model.CardsShuffled: lambda e: capitalized(identified("deck", e.deck)),
    model.CardsCut: lambda e: "Cards",
    model.DiceReceived: lambda e: capitalized(identified("dice set", e.dice_set)),
    model.DiceRemoved: lambda e: capitalized(identified("dice set", e.dice_set)),
    model.DeviceFailed: lambda e: heading(e.device),
    model.DeviceCovered: lambda e: heading(e.device),
    model.DeviceRestored: lambda e: heading(e.device),
    model.DeviceAlarmed: lambda e: heading(e.device),
    model.ForeignCardFound: lambda e: capitalized(identified("deck", e.deck)),
}
"""The rule, card, die, device or person at the table that an event is about."""
