"""High Card in columns, as a game from outside adds it: row schema, row writer and outcome names in one record.

The record names its kernel and does not import it: kernels load a compiler, which only rows that are screened need.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from events.vocabulary import model
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, OutcomeNames, Row
from replay.columns.kernels.screening_result import (
    LOSE,
    TIE,
    WIN,
)
from replay.columns.ordinary_course import position_of, require
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of
from replay.fold.round import Round

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "bonus"),
    follows=frozenset(),
    numbers={"dealer_turned": (np.int16, -1)},
    arrays={"dealt": (np.uint8, 2 * POSITIONS, NO_CARD)},
)
"""`dealt` has each position's two cards; `dealer_turned` the moment at which the dealer's were turned over."""
ASPECTS: Final = frozenset({"wagering", "deal", "settlement"})


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of High Card into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, course.SHARED_EVENTS, (model.NoMoreBets,), ASPECTS)
    course.require_order_of_steps(round_, book)
    for fact in round_.of(model.CardsDealt):
        require(len(fact.payload.cards) == 2 and None not in fact.payload.cards, "other than two cards that were read")
        at = 2 * position_of(fact.payload.to)
        row["dealt"][at : at + 2] = [CODE[card] for card in fact.payload.cards]
    course.write_stakes(row, round_, SCHEMA)
    course.write_settlement(row, round_, SCHEMA)
    for fact in round_.of(model.HandRevealed):
        if fact.payload.position == "dealer":
            row["dealer_turned"] = fact.seq - round_.first_seq
    course.write_moments(row, round_, course.shared_moments(round_))


COLUMNS: Final = GameColumns(
    name="high_card",
    schema=SCHEMA,
    write_row=write_row,
    kernel="tests.example_game.kernel",
    outcomes=OutcomeNames(
        {
            "ante": {
                WIN: (Outcome.WIN, "700a.12(a)"),
                LOSE: (Outcome.LOSE, "700a.11(b)"),
                TIE: (Outcome.TIE, "700a.11(b)"),
            }
        },
        {"bonus": ("700a.12(b)", "700a.11(c)")},
    ),
)
