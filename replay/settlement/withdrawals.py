"""Wagers returned before their time was over: these are withdrawals, however recorded (D731).

A player may take a wager back until its time is over (§ 688a.7(c); 645c.2(f); 686a.6(c), .7(f), (g)). A device or a person may
record that as a return; it settles nothing, because there is nothing to settle yet.
"""

from collections import Counter
from collections.abc import Collection

import msgspec

from events.vocabulary import model
from replay.fold.all_wagers_returned import all_wagers_returned
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.stakes import GIVEN_BACK, withdrawal_closes
from rulebook.chapters.rulebook import Rulebook


@derived_by_rules
def as_withdrawn(round_: Round, book: Rulebook) -> Round:
    """Return the round with returns made in time as withdrawals; the round itself if there are none."""
    return _with_withdrawals(round_, book, is_open=False)


def withdrawn_so_far(round_: Round, book: Rulebook) -> Round:
    """Return an open round likewise: until something ends a wager's time, a returned part is withdrawn (D864)."""
    return _with_withdrawals(round_, book, is_open=True)


def _with_withdrawals(round_: Round, book: Rulebook, *, is_open: bool) -> Round:
    return _withdrawn(
        round_, {fact.seq for fact in round_.of(model.WagerReturned) if _is_in_time(round_, book, fact, is_open=is_open)}
    )


def as_answered(reading: Round) -> Round:
    """Return a reading of a round without recorded order, with withdrawals in place of the returns that it reads so (D1360)."""
    return _withdrawn(reading, {seq for (asked, seq), answer in reading.answers.items() if answer and asked == GIVEN_BACK})


def _withdrawn(round_: Round, in_time: Collection[int]) -> Round:
    if not in_time:
        return round_
    facts: list[RecordedEvent] = []
    lying: Counter[Key] = Counter()
    for fact in round_.facts:
        event = fact.payload
        if isinstance(event, model.WagerReturned):
            if fact.seq in in_time and event.amount_cents <= lying[key_in(event)]:
                lying[key_in(event)] -= event.amount_cents
                fact = _withdrawal(fact)
        elif isinstance(event, model.WagerPlaced):
            lying[key_in(event)] += event.amount_cents
        elif isinstance(event, model.WagerRemoved | model.WagerRefused | model.WagerTaken):
            lying[key_in(event)] -= event.amount_cents
        facts.append(fact)
    return round_.made_of(facts)


def _is_in_time(round_: Round, book: Rulebook, returned: RecordedEvent, *, is_open: bool) -> bool:
    """Return whether a return came before the end of its wager's time, and is no part of a void or of a player-dealer's coverage.

    A base wager returned as a push to a hand that was dealt was settled, and too early.
    """
    event = returned.payload
    is_push_of_hand = event.reason == "push" and event.wager == book.chapter.base and event.seat in round_.hands()
    if event.reason == "uncovered" or is_push_of_hand or (event.reason == "void" and all_wagers_returned(round_)):
        return False
    closed = withdrawal_closes(round_, book, event.wager, event.seat)
    return is_open if closed is None else returned.seq < closed.seq


def _withdrawal(returned: RecordedEvent) -> RecordedEvent:
    event = returned.payload
    removed = model.fact(
        model.WagerRemoved,
        amount_cents=event.amount_cents,
        bettor=event.bettor,
        number=event.number,
        seat=event.seat,
        wager=event.wager,
    )
    return msgspec.structs.replace(returned, payload=removed)
