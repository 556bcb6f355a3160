"""The tables of DJ Wild Stud Poker (Annex A, rulemaking 125-223, Chapter 687a), and what they are beside other tables.

Four tables between them use all paytables of § 687a.12, all three ways of dealing, every kind of shuffler, both settings of
the Progressive and of the order of optional wagers; what some of them file on the first day takes effect on the second.
"""

from __future__ import annotations

from typing import Any

from events.vocabulary import model
from floor.table.casino import Filing, TableSpec, grown, with_meter
from floor.table.cutting_table import CuttingTable
from floor.table.script import Script
from floor.table.table import DeckAtTable

CHAPTER = "pa-687a"
COUNTED_AT_LEAST = 5
"""The stub is counted once in so many rounds (§ 687a.8(e))."""


def _filing(
    trips: str, bad_beat: str, progressive: str, meter: str, low: str, high: str, linked: bool = False, **settings: str
) -> Filing:
    limits = {
        "ante.min": low,
        "ante.max": high,
        "trips.min": "1.00",
        "trips.max": "100.00",
        "bad_beat.min": "1.00",
        "bad_beat.max": "50.00",
        "progressive.rate": "15%",
    }
    paytables = {"progressive": progressive, "trips": f"DJWT-{trips}", "bad_beat": f"DJWBB-{bad_beat}"}
    return Filing(paytables, meter, limits | settings, linked)


_SPECS = (
    TableSpec(
        "dw-01",
        CHAPTER,
        "automated_shoe",
        "automated_counting",
        2,
        "",
        _filing("04", "01", "1", "wild-link", "15.00", "1000.00", linked=True),
    ),
    TableSpec(
        "dw-02",
        CHAPTER,
        "manual_shoe",
        "automated",
        2,
        "",
        _filing("05", "02", "1", "wild-link", "10.00", "500.00", linked=True, optional_wagers="as_printed"),
    ),
    TableSpec(
        "dw-03",
        CHAPTER,
        "hand",
        "automated",
        1,
        "",
        _filing("06", "03", "2", "wild-03", "25.00", "2000.00"),
        _filing("06", "03", "1", "wild-03b", "25.00", "2000.00"),
    ),
    TableSpec(
        "dw-04",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "",
        _filing("07", "04", "2", "wild-04", "10.00", "1000.00", folded_progressive="yes"),
        _filing("07", "04", "1", "wild-04b", "15.00", "1000.00", folded_progressive="yes", progressive_deuces="wild"),
        adjacent_boxes=True,
    ),
)
TABLES_MIN = len(_SPECS)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the floor: the four, and beyond them more of the same kinds with meters of their own."""
    return grown(_SPECS, tables, "dw-", with_meter("wild-"))


class DjWildTable(CuttingTable):
    """A table that remembers since when its stub was not counted."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.uncounted = 0
        """Rounds in a row of which the record shows that the stub was not counted."""
        self.counted: set[str] = set()
        """The decks that the shuffler counted since they were dealt."""

    @property
    def counts_by_machine(self) -> bool:
        """Whether the shuffler counts the deck, so that the stub need not be."""
        return self.spec.shuffler == "automated_counting"

    def shuffled(self, deck: DeckAtTable) -> model.CardsShuffled:
        """The event of a machine's shuffle, remembered where it counts."""
        event = super().shuffled(deck)
        if event.count is not None:
            self.counted.add(deck.id)
        return event

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table; the rounds without a count begin afresh."""
        self.uncounted = 0
        super().open_day(day, keep_dice)

    def book_round(self, script: Script) -> None:
        """Take what a round moved, and whether its stub was counted, or its count may have been lost."""
        super().book_round(script)
        deck = script.of(model.RoundOpened)[0].payload.deck
        if script.of(model.StubCounted) or self.lost or deck in self.counted:
            self.uncounted = 0
            self.counted.discard(deck)
        elif script.of(model.CardsDealt) and not script.of(model.RoundVoided):
            self.uncounted += 1


def counting(table: Any) -> bool:
    """Say whether the stub is due in the next round at the latest."""
    return bool(table.uncounted >= COUNTED_AT_LEAST - 1)
