"""Over/Under hand by hand: who decides when, and which hand is settled before the next (Annex A, rulemaking 125-223).

§§ 686a.7(f), (g), (h), (i), 686a.9(c).
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.vocabulary import model
from games.over_under.hands import CLOCKS, additional, dealt_to, elections, first_card
from games.over_under.settle import SIDES
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.rules.round_steps import Act, Step
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.payouts import first_moves, moves
from replay.settlement.surrenders import standing_surrenders, surrenders
from replay.settlement.voids import is_void
from rulebook.chapters.rulebook import Rulebook

# --------------------------------------------------------------------------------------------------- decisions, .7(f), (g)


def decisions(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return each seat's first decision, in order: an announcement, or a wager placed or surrendered in time."""
    dealt, found = dealt_to(round_), dict[int, RecordedEvent]()
    candidates = (*round_.of(model.DecisionMade), *round_.of(model.WagerPlaced), *surrenders(round_, book))
    for fact in in_order(candidates):
        event = fact.payload
        cards = dealt.get(event.seat, [])
        is_early = bool(cards) and fact.seq < cards[0].seq
        is_late = any(each.seq < fact.seq for each in additional(round_, cards))
        match event:
            case model.DecisionMade(decision=decision) if decision in SIDES:
                pass
            case model.WagerPlaced(wager=wager) if wager in SIDES and not is_late:
                pass
            case model.Surrendered() | model.WagerTaken() if not (is_early or is_late):
                pass
            case _:
                continue
        found.setdefault(event.seat, fact)
    return in_order(found.values())


@rule("PLAY-ORDER", on=("686a.7(f)",))
def decided_in_turn(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Players decide from the dealer's left, when each has a first card and none an additional one.

    If it is filed so, hand by hand: each when the hands before it are finished (D278).
    """
    made, reported = decisions(round_, book), set[int]()
    for case in (*_decided_before_a_nearer_seat(made), *_decided_at_another_time(round_, book, made)):
        if case.seat in reported:
            continue
        reported.add(case.seat)
        if not round_.certainly_before(case.earlier, case.later):
            yield Indeterminate(f"seat {case.seat}: {CLOCKS} of its decision and what came before it")
            continue
        yield Departure(
            "686a.7(f)",
            expected=case.expected,
            observed=case.observed,
            evidence=(case.earlier, case.later),
            seat=case.seat,
            other_reading=case.other_reading,
        )


class DecisionOutOfTurn(msgspec.Struct, frozen=True):
    """A seat's decision and the event for which it came too early or too late, in the order of the log."""

    seat: int
    earlier: RecordedEvent
    later: RecordedEvent
    expected: str
    observed: str
    other_reading: str | None = None


def _decided_before_a_nearer_seat(made: Sequence[RecordedEvent]) -> Iterator[DecisionOutOfTurn]:
    """The first decision that came after one of a seat farther from the dealer's left."""
    for before, after in itertools.pairwise(made):
        seat, earlier = after.payload.seat, before.payload.seat
        if seat < earlier:
            expected = f"seat {seat} decides before seat {earlier}"
            yield DecisionOutOfTurn(seat, before, after, expected, "decided after it")
            return


def _decided_at_another_time(round_: Round, book: Rulebook, made: Sequence[RecordedEvent]) -> Iterator[DecisionOutOfTurn]:
    """Decisions before each player has a first card, or after an additional card."""
    dealt = dealt_to(round_)
    hand_by_hand = book.settings["decisions"] == "hand_by_hand"
    further = in_order(later[0] for facts in dealt.values() if (later := additional(round_, facts)))
    first_cards = [first for facts in dealt.values() for first in first_card(round_, facts)]
    first_cards = [first for first in first_cards if not further or first.seq < further[0].seq]
    for fact in made:
        seat = fact.payload.seat
        own = additional(round_, dealt.get(seat, []))[:1]
        before_own = not own or fact.seq < own[0].seq
        if further and further[0].seq < fact.seq and not (hand_by_hand and before_own):
            first, other = own[0] if hand_by_hand else further[0], _by_hand(book) if before_own else None
            expected = "the decision before any additional card"
            yield DecisionOutOfTurn(seat, first, fact, expected, "decided after it", other)
        elif first_cards and fact.seq < first_cards[-1].seq:
            expected = "the decision after the first card of each player"
            yield DecisionOutOfTurn(seat, fact, first_cards[-1], expected, "decided before it")


@rule("PLAY-ORDER", on=("686a.7(g)",))
def no_raise_or_fold(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """Players elect over, under or surrender. This game has no raise or fold, so such a record is not a decision (D330)."""
    clear = {fact.payload.seat for fact in decisions(round_, book)}
    for fact in round_.of(model.DecisionMade):
        seat, decision = fact.payload.seat, fact.payload.decision
        if decision not in SIDES and seat not in clear:
            what = "a raise" if decision == "raise" else "a fold"
            meant = "over or under" if decision == "raise" else "surrender"
            yield Indeterminate(f"seat {seat}: {what}, by the record, which the chapter does not know: {meant}?")


def _by_hand(book: Rulebook) -> str:
    """The other reading of when players decide: hand by hand, as the text describes what follows a decision."""
    return (
        f"D278: {book.cite('686a.7(h)')} and (i) have each hand dealt and settled after its decision before the next player's "
        "turn: so read (decisions = hand_by_hand), players decide hand by hand"
    )


# ---------------------------------------------------------------------------------------------------- the settlement, .7(i)


@rule("PAY-ORDER", on=("686a.7(i)",))
def settled_in_turn(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Hand by hand from the dealer's left, each settled before the next gets its additional cards.

    Surrendered antes are collected at once; a hand that was passed over or dealt out of turn is settled when it is dealt.
    """
    if not round_.covers("settlement") or is_void(round_, book):
        return
    passed_over = elections(round_, book) | _returned_short_of_cards(round_, book)
    further = {seat: facts[1] for seat, facts in dealt_to(round_).items() if len(facts) > 1 and seat not in passed_over}
    settled = [fact for fact in settling(round_, book) if fact.payload.seat not in passed_over]
    out_of_turn = _settled_out_of_turn(round_, book, settled, further)
    if out_of_turn is None and round_.covers("deal"):
        out_of_turn = _settled_after_the_next_cards(round_, book, settled, further)
    if out_of_turn is not None:
        yield out_of_turn


def _returned_short_of_cards(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose wagers went back as void because their cards were missing: a dead hand in all but words (D552)."""
    cards, dealt = book.chapter.numbers["cards_per_hand"], dealt_to(round_)
    returned = {fact.payload.seat for fact in round_.of(model.WagerReturned) if fact.payload.reason == "void"}
    return frozenset(seat for seat in returned if sum(len(fact.payload.cards) for fact in dealt.get(seat, ())) < cards)


def _settled_out_of_turn(
    round_: Round, book: Rulebook, settled: Sequence[RecordedEvent], further: Mapping[int, RecordedEvent]
) -> Departure | Indeterminate | None:
    """Find the first hand settled after one farther from the dealer's left, although its own cards came no later."""
    came = {seat: fact.seq for seat, fact in further.items()}
    for before, after in itertools.pairwise(settled):
        earlier, seat = before.payload.seat, after.payload.seat
        if seat < earlier and came.get(seat, 0) <= came.get(earlier, 0):
            return _too_late(round_, before, after, f"seat {seat} settled before seat {earlier}")
    return None


def _settled_after_the_next_cards(
    round_: Round, book: Rulebook, settled: Sequence[RecordedEvent], further: Mapping[int, RecordedEvent]
) -> Departure | Indeterminate | None:
    """The first hand that was settled after the next one had its additional cards; or None."""
    last_move = {fact.payload.seat: fact for fact in settled}
    for seat, cards in further.items():
        later = (other for other in further.values() if other.seq > cards.seq)
        following, last = min(later, key=lambda fact: fact.seq, default=None), last_move.get(seat)
        if following is not None and last is not None and last.seq > following.seq:
            expected = f"seat {seat} settled before the next player gets additional cards"
            return _too_late(round_, following, last, expected)
    return None


def settling(round_: Round, book: Rulebook) -> Sequence[RecordedEvent]:
    """Return the settlements in turn: no surrendered ante, no return of a late wager, no later correction (D325)."""
    given_up = {fact.payload.seat for fact in standing_surrenders(round_, book)}
    return first_moves(
        [
            fact
            for fact in moves(round_)
            if getattr(fact.payload, "reason", "") != "late"
            and not (fact.payload.wager == book.chapter.base and fact.payload.seat in given_up)
        ]
    )


def _too_late(round_: Round, before: RecordedEvent, after: RecordedEvent, expected: str) -> Departure | Indeterminate:
    seat = after.payload.seat
    if not round_.certainly_before(before, after):
        return Indeterminate(f"seat {seat}: {CLOCKS} of its settlement")
    return Departure("686a.7(i)", expected=expected, observed="settled after it", evidence=(before, after), seat=seat)


def next_hands(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the additional cards of each hand; not of one that was passed over, which gets them after all others."""
    passed_over = elections(round_, book)
    further = {seat: facts[1] for seat, facts in dealt_to(round_).items() if len(facts) > 1}
    return (Act(fact, seat, None, "dealt") for seat, fact in further.items() if seat not in passed_over)


def _hand_before_collected(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    """Return the collection of the hand that got its additional cards right before an act's hand; or None."""
    before = [each.fact for each in next_hands(round_, book) if each.fact.seq < act.fact.seq]
    seat = in_order(before)[-1].payload.to if before else None
    return next((fact for fact in round_.of(model.CardsCollected) if seat is not None and fact.payload.of == seat), None)


HAND_BEFORE_COLLECTED = Step("the cards of the hand before are collected", of_act=_hand_before_collected)
