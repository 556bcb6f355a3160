"""A round of Pai Gow Poker as a row: the seven cards, the dice and how they were shaken, the vigorish, the Must-Hit-By meter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from events.vocabulary import model
from events.vocabulary.model import Event
from games.rulebook.rulebook import Rulebook
from games.settlement.dice_wagers import ONE_RED_TWO_BLUE
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, OutcomeNames, Row
from replay.columns.games import seven_cards
from replay.columns.games.seven_cards import (
    ASPECTS,
    BASE_OUTCOMES,
    BONUS_SECTIONS,
    CARDS,
    START,
    write_hand_shakes,
    write_settlement,
    write_table,
)
from replay.columns.kernels.screening_result import ALL_PUSH, WIN
from replay.columns.ordinary_course import require, seat_of
from replay.columns.row_schemas import SEATS, RowSchema, Slot, slots_of
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.settlement.stakes import progressive_accepted

SCHEMA: Final = RowSchema(
    slots=(
        *slots_of("base", "tiger_9", "fortune_bonus", "progressive", "sum", "beat_it"),
        *(Slot("match", number) for number in range(1, 7)),
    ),
    follows=frozenset({"fortune_bonus", "progressive"}),
    numbers={
        **START,
        "dice": (np.int16, -1),
        "red": (np.uint8, 0),
        "electronic": (np.uint8, 0),
        "shake_ms": (np.int64, 0),
        "shaken_open": (np.uint8, 0),
        "activated": (np.uint8, 0),
        "seated": (np.uint8, 0),
        "mystery_before": (np.int64, -1),
    },
    arrays={
        **CARDS,
        "own_moved": (np.int16, SEATS, -1),
        "mystery_at": (np.uint8, SEATS, 0),
        "mystery_cents": (np.int32, SEATS, 0),
        "mystery_readings": (np.int64, SEATS, 0),
    },
)
"""`dice` is which of the 216 ways they lay (-1: none read), `red` the place of the red die from 1 where two are blue (0: no
colours, 4: other colours); `electronic`, `shake_ms`, `shaken_open`: whether a machine shook the dice, how long, and whether the
shaker stood open; `activated` the seat that activated it; `seated` the seats that are taken; `own_moved` of Tiger 9;
`mystery_…` what the Must-Hit-By meter accepted, as `accepted_…`.
"""

ORDINARY: Final[frozenset[type[Event]]] = seven_cards.ORDINARY | {
    model.ShakerActivated,
    model.DiceAnnounced,
    model.VigorishTaken,
}

AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (*seven_cards.AT_MOST_ONCE, model.ShakerActivated, model.DiceAnnounced)


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of Pai Gow Poker into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    write_table(row, round_, SCHEMA, (5, 2, 0))
    _write_dice(row, round_)
    accepted = progressive_accepted(round_, book)
    course.write_meter(row, round_, accepted)
    if len(accepted) < len(round_.of(model.ProgressiveAccepted)):
        contributed = [each for each in round_.of(model.ProgressiveAccepted) if each not in accepted]
        (_, row["mystery_before"], row["mystery_at"], row["mystery_cents"], row["mystery_readings"]) = (
            course.meter_advances(round_, contributed)
        )
    write_settlement(row, round_, SCHEMA)
    _deduct_vigorish(row, round_)
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            if fact.payload.wager == "tiger_9":
                course.keep_earliest(row["own_moved"], seat_of(fact.payload.seat), fact.seq - round_.first_seq)


def _write_dice(row: Row, round_: Round) -> None:
    """Write how the dice were shaken, by hand or by a machine, and how they lay."""
    roll, shakes = round_.first(model.DiceRolled), round_.of(model.ShakerShaken)
    activated = round_.first(model.ShakerActivated)
    row["seated"] = sum(1 << seat_of(seat) for seat in round_.before.patrons)
    row["activated"] = seat_of(activated.payload.seat) + 1 if activated else 0
    if roll is None:
        require(not (activated or shakes or round_.of(model.DiceAnnounced)), "a shaker, and no dice read")
        return
    made = [fact for fact in shakes if fact.seq < roll.seq]
    require(activated is None or activated.seq < roll.seq, "a shaker activated after the dice were read")
    row["shaken_open"] = any(not fact.payload.covered for fact in made)
    if activated or any(fact.payload.duration_ms is not None for fact in shakes):
        require(all(fact.payload.duration_ms and not fact.payload.times for fact in shakes), "shaken in two ways")
        row["electronic"], row["shake_ms"] = True, sum(fact.payload.duration_ms for fact in made)
    else:
        write_hand_shakes(row, round_)
    one, two, three = roll.payload.dice
    row["dice"], row["red"] = (one - 1) * 36 + (two - 1) * 6 + three - 1, _red_die(roll.payload.colours)
    announced, first = round_.first(model.DiceAnnounced), round_.first_card
    if announced is not None and first is not None:
        require(roll.seq < announced.seq < first.seq, "dice announced out of their place")
        require(sorted(announced.payload.dice) == sorted(roll.payload.dice), "dice announced that lay otherwise")


def _red_die(colours: Sequence[str] | None) -> int:
    if colours is None:
        return 0
    return colours.index("red") + 1 if sorted(colours) == ONE_RED_TWO_BLUE else 4


def _deduct_vigorish(row: Row, round_: Round) -> None:
    """Deduct from the money of each base wager the vigorish that was taken of it."""
    taken: Sequence[RecordedEvent] = round_.of(model.VigorishTaken)
    for fact in taken:
        place = seat_of(fact.payload.seat) * len(SCHEMA.slots)
        require(row["staked"][place], "vigorish taken where nothing was staked")
        row["net"][place] = course.cents_of(row["net"][place] - fact.payload.amount_cents)


COLUMNS: Final = GameColumns(
    name="pai_gow_poker",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.pai_gow_poker",
    outcomes=OutcomeNames(
        {
            "base": {
                **BASE_OUTCOMES,
                WIN: (Outcome.WIN, "11(f)(3)"),
                ALL_PUSH: (Outcome.TIGER_9_PUSH, "645c.1(e)(1)"),
            }
        },
        {
            **BONUS_SECTIONS,
            "tiger_9": ("645c.1(g)", "645c.1(e)(2)"),
            "sum": ("645c.2(g)(1)", "645c.2(e)(1)"),
            "match": ("645c.2(g)(2)", "645c.2(e)(2)"),
            "beat_it": ("645c.2(g)(3)", "645c.2(e)(3)"),
        },
    ),
)
