"""A round of Face Up Pai Gow Poker as a row, as adopted and as first proposed."""

from __future__ import annotations

from typing import Final

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, OutcomeNames, Row
from replay.columns.games.seven_cards import (
    ACE_HIGH_SECTIONS,
    ASPECTS,
    AT_MOST_ONCE,
    BASE_OUTCOMES,
    BONUS_SECTIONS,
    CARDS,
    ORDINARY,
    START,
    write_hand_shakes,
    write_settlement,
    write_table,
)
from replay.columns.row_schemas import RowSchema, slots_of
from replay.fold.round import Round

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "ace_high_bonus", "fortune_bonus", "progressive"),
    follows=frozenset({"ace_high_bonus", "fortune_bonus", "progressive"}),
    numbers=START,
    arrays=CARDS,
)


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of Face Up Pai Gow Poker into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    write_table(row, round_, SCHEMA, (5, 2, 0))
    write_hand_shakes(row, round_)
    course.write_meter(row, round_, round_.of(model.ProgressiveAccepted))
    write_settlement(row, round_, SCHEMA)


COLUMNS: Final = GameColumns(
    name="face_up_pai_gow",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.face_up_pai_gow",
    outcomes=OutcomeNames({"base": BASE_OUTCOMES}, {**BONUS_SECTIONS, "ace_high_bonus": ACE_HIGH_SECTIONS}),
)
