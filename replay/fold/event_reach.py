"""How far an event reaches: a mere fact of its round, or something that the fold goes by or later rounds are judged by."""

from __future__ import annotations

from typing import Literal

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.phases import COLUMN, SAME, TABLE
from replay.fold.table_state import CHANGES, LEDGER_EVENTS, Change

MARKS = frozenset({model.RoundOpened, model.RoundClosed, model.IntakeRefused, model.EventCorrected})
"""Events that the fold itself goes by."""

REACHES_FURTHER = frozenset(CHANGES) | LEDGER_EVENTS | MARKS
"""Events that count beyond the facts of their round: correcting one of them means folding the stream again."""

QUIET_DEALT: tuple[dict[type[Event], Change | Literal[False]], ...] = tuple(
    {
        type_: CHANGES.get(type_, False)
        for type_ in TABLE
        if TABLE[type_][column] is SAME and type_ not in LEDGER_EVENTS | MARKS
    }
    for column in COLUMN.values()
)
"""For each phase the events that are mere facts of a round of which a card was dealt; and how they change the table."""

QUIET = tuple({type_: how for type_, how in types.items() if type_ is not model.CardsDealt} for types in QUIET_DEALT)
"""The same before the first card."""
