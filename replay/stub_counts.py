"""What a round leaves to the next: in how many in a row the stub was not counted, and whether a round was given back.

Annex A, § 687a.8(e), .9(f), .10(d); 58 Pa. Code §§ 688a.8(f), 688a.13.

A round in which the record does not cover the stub may have had a count: the rounds are counted afresh from it (D26).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from events import model

if TYPE_CHECKING:
    from replay.rounds import Round
    from replay.table_state import Fact


def is_round_of_play(round_: Round) -> bool:
    """Say whether a round was dealt and not voided: one that counts toward those in which the stub is due."""
    return round_.first_card is not None and round_.voided is None


def given_back(round_: Round) -> bool:
    """Say whether a round was declared void, or all that was wagered in it went back as void and nothing else moved (D321)."""
    if round_.voided is not None:
        return True
    returned = {_wager(fact) for fact in round_.of(model.WagerReturned) if fact.payload.reason == "void"}
    if not returned or round_.of(model.WagerPaid) or round_.of(model.WagerTaken):
        return False
    lies: defaultdict[tuple[object, ...], int] = defaultdict(int)
    for fact in round_.of(model.WagerPlaced):
        lies[_wager(fact)] += fact.payload.amount_cents
    late = (fact for fact in round_.of(model.WagerReturned) if fact.payload.reason == "late")
    for fact in (*round_.of(model.WagerRemoved), *round_.of(model.WagerRefused), *late):
        lies[_wager(fact)] -= fact.payload.amount_cents
    return {wager for wager, cents in lies.items() if cents > 0} <= returned


def _wager(fact: Fact) -> tuple[object, ...]:
    event = fact.payload
    return event.seat, event.wager, event.number, event.bettor if event.wager == "backline" else ""


def counted_by_machine(round_: Round) -> bool:
    """Say whether a shuffling device counted the round's deck before it was dealt."""
    earlier = round_.before.preparations(round_.deck)
    inside = [fact.payload for fact in round_.of(model.CardsShuffled)]
    return any(step.kind == "shuffle" and step.depth for step in earlier) or any(
        each.deck == round_.deck and each.count is not None for each in inside
    )


def uncounted(round_: Round) -> int:
    """Return in how many rounds of play in a row, this one included, the deck was certainly not counted: stub or shuffler."""
    if round_.of(model.StubCounted) or not round_.observes("stub") or counted_by_machine(round_):
        return 0
    return round_.before.rounds_uncounted + is_round_of_play(round_)


def recount(changed: Round, since: Sequence[Round], still_open: Round | None) -> tuple[int, list[Round]]:
    """Carry on from a round that a late fact changed, through those since and the open one.

    Return the rounds without a count up to the last that ended, and which of the later ones are now opened otherwise.
    """
    others, count, number = [], uncounted(changed), changed.round_no
    for each in (*since, *([still_open] if still_open is not None else [])):
        number += 1
        if each.round_no != number or each.before.rounds_uncounted == count:
            break
        each.before.rounds_uncounted, each.memo = count, {}
        if each is not still_open:
            others.append(each)
            count = uncounted(each)
    return uncounted(since[-1] if since else changed), others
