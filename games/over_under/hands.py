"""Over/Under: the cards dealt to each hand, and the hands passed over or called dead (Annex A, rulemaking 125-223).

§§ 686a.7(e), (h), 686a.9(c). Only the facts of a round; `rules.py` and `turns.py` find the faults in them.
"""

from collections.abc import Sequence

from events.vocabulary import model
from replay.fold.derived import derived, derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.settlement.table_layout import voided_seats
from rulebook.chapters.rulebook import Rulebook

CLOCKS = "the clocks contradict the order"


@derived
def dealt_to(round_: Round) -> dict[int, list[RecordedEvent]]:
    """Return what was dealt to each seat, in order: its first card, then its additional cards."""
    found: dict[int, list[RecordedEvent]] = {}
    for fact in round_.of(model.CardsDealt):
        if isinstance(fact.payload.to, int):
            found.setdefault(fact.payload.to, []).append(fact)
    return found


def additional(round_: Round, cards: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the additional cards of a seat; including the first card if it came together with others.

    If the order of the deal is not on record, cards in one line need not have come at once (D327).
    """
    at_once = bool(cards) and len(cards[0].payload.cards) > 1 and round_.covers("deal")
    return cards if at_once else cards[1:]


def first_card(round_: Round, cards: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the first of a seat's cards; None if it is reported together with others (D327)."""
    return cards[:1] if cards and (len(cards[0].payload.cards) == 1 or round_.covers("deal")) else ()


@derived_by_rules
def elections(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats that were asked about missing cards, or whose hand was called dead (§ 686a.9(c))."""
    return voided_seats(round_, book) | {fact.payload.seat for fact in round_.of(model.HandElected)}


@derived
def called_dead(round_: Round) -> dict[int, RecordedEvent]:
    """Return seat → the event that first declared its hand dead."""
    called = [(fact.payload.seat, fact) for fact in round_.of(model.HandElected) if fact.payload.election == "void"]
    called += [(fact.payload.scope, fact) for fact in round_.of(model.RoundVoided) if fact.payload.scope != "round"]
    first: dict[int, RecordedEvent] = {}
    for seat, fact in sorted(called, key=lambda each: each[1].seq):
        first.setdefault(seat, fact)
    return first


def is_ante_settled_before(round_: Round, book: Rulebook, called: RecordedEvent, seat: int) -> bool:
    """Return whether a surrendered ante was collected before its hand was called dead (§ 686a.7(g)(3), D23)."""
    taken = [f for f in round_.of(model.WagerTaken) if (f.payload.seat, f.payload.wager) == (seat, book.chapter.base)]
    return any(fact.seq < called.seq for fact in taken)


def dead_without_ground(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose hand was called dead when it already had all its cards."""
    cards = book.chapter.numbers["cards_per_hand"]
    found = set()
    for seat, fact in called_dead(round_).items():
        before = [each for each in dealt_to(round_).get(seat, []) if each.seq < fact.seq]
        if sum(len(each.payload.cards) for each in before) >= cards:
            found.add(seat)
    return frozenset(found)
