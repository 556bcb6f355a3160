"""A round of Fortune Asia Poker as a row: hands of four, two and one card."""

from __future__ import annotations

from typing import Final

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, OutcomeNames, Row
from replay.columns.games.seven_cards import (
    ASPECTS,
    AT_MOST_ONCE,
    BONUS_SECTIONS,
    CARDS,
    ORDINARY,
    START,
    write_hand_shakes,
    write_settlement,
    write_table,
)
from replay.columns.kernels.screening_result import FOUL, FOUL_IN_FRONT, LOSE, WIN
from replay.columns.ordinary_course import require
from replay.columns.row_schemas import RowSchema, slots_of
from replay.fold.round import Round
from replay.rules.equipment import preparations

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "insurance", "fortune_bonus", "progressive"),
    follows=frozenset({"insurance", "fortune_bonus", "progressive"}),
    numbers=START,
    arrays=CARDS,
)


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of Fortune Asia Poker into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    write_table(row, round_, SCHEMA, (4, 1, 2))
    write_hand_shakes(row, round_)
    require(all(step.who == "dealer" for step in preparations(round_) if step.kind == "cut"), "cut by a player")
    seen = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    require(not seen, "a card of the dealer dealt face up")
    course.write_meter(row, round_, round_.of(model.ProgressiveAccepted))
    write_settlement(row, round_, SCHEMA)


COLUMNS: Final = GameColumns(
    name="fortune_asia",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.fortune_asia",
    outcomes=OutcomeNames(
        {
            "base": {
                WIN: (Outcome.WIN, "12(a)"),
                LOSE: (Outcome.LOSE, "659a.11(f)(1)(i)"),
                FOUL: (Outcome.FOUL, "659a.11(f)(1)(iii)"),
                FOUL_IN_FRONT: (Outcome.FOUL, "659a.11(f)(1)(iv)"),
            },
        },
        {**BONUS_SECTIONS, "insurance": ("659a.12(c)", "659a.11(h)(2)(i)")},
    ),
)
