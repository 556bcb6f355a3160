"""A round with a player-dealer (California) as a row: the hands, who deals with what, and who has the action."""

from __future__ import annotations

from typing import Final

import numpy as np

from games.layout import TableLayout
from replay.columns.game_columns import GameColumns, Row
from replay.columns.layout_row import Ineligible, cents_of, known_cards, require
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of

BEHIND: Final = 3
"""So many patrons who bet behind a seat have room in a row."""

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "ace_high_bonus", "fortune_bonus", *["backline"] * BEHIND),
    numbers={"bank": (np.uint8, 0), "bank_cents": (np.int32, -1), "action": (np.uint8, 0)},
    arrays={
        "dealt": (np.uint8, 7 * POSITIONS, NO_CARD),
        "hands": (np.uint8, 7 * POSITIONS, NO_CARD),
    },
    seats=POSITIONS,
)
"""`bank` is the player-dealer's seat and `bank_cents` its wager; `action` the seat that has the action. `dealt` has each seat's
seven cards, `hands` the same as set, the hand of five first, where that is on record."""


def write_layout(row: Row, layout: TableLayout) -> None:
    """Write who deals, and the hands. Raises `Ineligible` where it is not on record who deals."""
    bank = layout.bank
    if bank is None or bank.wager_cents is None or bank.action is None:
        raise Ineligible("no player-dealer, or no start, on record")
    row["bank"], row["bank_cents"], row["action"] = bank.seat, cents_of(bank.wager_cents), bank.action
    hands = {box.seat: box.hand for box in layout.boxes}
    require(bank.seat not in hands, "a wager at the player-dealer's seat")
    seen: list[int] = []
    for seat, hand in (hands | {bank.seat: layout.dealer}).items():
        at, cards = 7 * (seat - 1), known_cards(hand, 7)
        row["dealt"][at : at + 7] = cards
        seen += cards
        if hand.high is not None and hand.low is not None:
            row["hands"][at : at + 7] = (*hand.high, *hand.low)
    require(len(set(seen)) == len(seen), "a card that is there twice")


COLUMNS: Final = GameColumns(
    name="player_dealer",
    schema=SCHEMA,
    write_layout=write_layout,
    kernel="replay.columns.kernels.player_dealer",
)
