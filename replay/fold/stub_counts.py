"""How many rounds of play in a row, up to a round, were dealt without a count of the stub.

Annex A, § 687a.8(e), .9(f), .10(d); 58 Pa. Code §§ 688a.8(f), 688a.13.

If the record of a round does not cover the stub, a count may have taken place; so the number begins again with that round
(D26).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from events.vocabulary import model
from replay.fold.all_wagers_returned import all_wagers_returned

if TYPE_CHECKING:
    from replay.fold.round import Round
    from replay.fold.table_state import TableState


SINGLE_DECK = 53
"""The cards of the deck of every game whose stub is counted: 52 and a joker."""


def is_round_of_play(round_: Round) -> bool:
    """Return whether a round was dealt and not all wagers returned: only such count toward the next count of the stub."""
    return round_.first_card is not None and not all_wagers_returned(round_)


def has_wrong_deck(round_: Round) -> bool:
    """Return whether every hand got as many cards as the others, and they and the stub are not the 53 of a deck."""
    counted = round_.last(model.StubCounted)
    if counted is None or len({len(cards) for cards in round_.hands().values()}) != 1:
        return False
    dealt = sum(len(fact.payload.cards) for fact in round_.of(model.CardsDealt))
    aside = len(round_.found_face_up) + len(round_.boxed_aside)
    return dealt + aside + int(counted.payload.count) != SINGLE_DECK


def bans_deck(round_: Round) -> int:
    """Return the number of the count, wrong after a void round whose hands were right, that bans a deck (§ 688a.8(f)); else 0."""
    counted = round_.last(model.StubCounted)
    return counted.seq if counted is not None and all_wagers_returned(round_) and has_wrong_deck(round_) else 0


def counted_by_machine(round_: Round) -> bool:
    """Return whether a shuffling device counted the round's deck before it was dealt."""
    earlier = round_.before.preparations(round_.deck)
    inside = [fact.payload for fact in round_.of(model.CardsShuffled)]
    return any(step.kind == "shuffle" and step.depth for step in earlier) or any(
        each.deck == round_.deck and each.count is not None for each in inside
    )


def uncounted(round_: Round) -> int:
    """Return the number of consecutive rounds, including this one, in which neither stub nor deck was certainly counted."""
    is_open = round_.before.after_loss or not round_.covers("stub")
    if is_open or round_.of(model.StubCounted) or counted_by_machine(round_):
        return 0
    return round_.before.rounds_uncounted + is_round_of_play(round_)


def recount(changed: Round, ended: Iterable[Round], still_open: Round | None, now: TableState) -> list[Round]:
    """Count again from a round that a late fact changed, through the closed rounds since and the open one, up to the table now.

    Return the later closed rounds for which the number of rounds without a count changes.
    """
    since = [round_ for round_ in ended if round_.round_no > changed.round_no]
    others: list[Round] = []
    count, number = uncounted(changed), changed.round_no
    for later in (*since, *([still_open] if still_open is not None else [])):
        number += 1
        if later.round_no != number or later.before.just_opened or later.before.rounds_uncounted == count:
            break
        later.before.rounds_uncounted = count
        later.forget()
        if later is not still_open:
            others.append(later)
            count = uncounted(later)
    if not now.just_opened:
        now.rounds_uncounted = uncounted(since[-1] if since else changed)
    return others
