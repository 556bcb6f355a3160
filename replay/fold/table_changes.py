"""What changed a table since its last round, so that it can be made again in the order of each device's own numbers (D850)."""

from __future__ import annotations

import msgspec

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent, in_own_order
from replay.fold.round import Round
from replay.fold.table_state import TableState

MOST_REORDERED = 200
"""The most changes that are put in order again."""


class TableChanges:
    """The events that changed a table since its last round, with the opening and the first card of the one that is open.

    `before` is the table before the first of them, `before_loss` the table at the end of a round that lost evidence, with what
    was forgotten for it. `of_ended_rounds` are the numbers of those that came late of a round that is over.
    """

    def __init__(self, before: TableState, before_loss: TableState | None = None) -> None:
        self.facts: list[RecordedEvent] = []
        self.before, self.before_loss = before, before_loss
        self.of_ended_rounds: set[int] = set()

    def note(self, now: TableState, fact: RecordedEvent) -> None:
        """Note an event before it changes the table as it is now."""
        if not self.facts:
            self.before = now.at_opening()
        self.facts.append(fact)

    def begins_after(self, seq: int) -> bool:
        """Say whether none of the changes came at an event or before it."""
        return not self.facts or seq < self.facts[0].seq

    def again(self, now: TableState, opened: Round | None) -> TableState:
        """Return the table made again; the open round gets the one of its opening."""
        state = self.before.at_opening()
        numbers = dict(state.numbers)
        in_order = sorted(in_own_order(self.facts), key=lambda fact: fact.seq not in self.of_ended_rounds)
        for fact, arrived in zip(in_order, self.facts, strict=True):
            if fact is not arrived:
                numbers[arrived.seq] = fact.seq
            if opened is not None and fact is opened.opened:
                _open_with(opened, state)
            elif fact.payload.KIND is model.CardsDealt:
                state.dealt_from(state.round_deck)
            else:
                state.apply(msgspec.structs.replace(fact, seq=arrived.seq))
        state.numbers = numbers
        state.gaming_day, state.last_round_no = now.gaming_day, now.last_round_no
        state.rounds_uncounted = 0 if state.just_opened else now.rounds_uncounted
        for name in state.decks.keys() & now.decks.keys():
            state.decks[name].banned_by = now.decks[name].banned_by
        return state


def _open_with(opened: Round, state: TableState) -> None:
    """Give the open round the table as it is now, with what is known of it since it was opened."""
    uncounted = opened.before.rounds_uncounted
    opened.before = state.at_opening()
    opened.before.rounds_uncounted = 0 if state.just_opened else uncounted
    opened.forget()
    state.round_deck = opened.deck
