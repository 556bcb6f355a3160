"""Over/Under from the first card to the settlement: who gets cards when, who decides when, which hands are dead.

Annex A, rulemaking 125-223, §§ 686a.6(b), (c), 686a.7(e)-(i), 686a.9(c). The shoe is in `shoe_procedure.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.vocabulary import model
from games.layout import NO_HAND, BettingBox, Decision, TableLayout
from games.over_under import GAME, SIDES, total
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.rules import shoe_procedure
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import HAND_DEALT, HAND_SETTLED, Act, Step, early, hands_collected, racked, settled
from replay.rules.rule import Indeterminate, finding, rule
from replay.rules.shoe_procedure import shoe_begun, shoe_of
from replay.settlement.hand_readings import readings
from replay.settlement.open_reasons import unread_cards
from replay.settlement.payouts import first_moves, flows, moves
from replay.settlement.stakes import closing, stakes
from replay.settlement.surrenders import standing_surrenders, surrenders
from replay.settlement.table_layout import voided_seats
from replay.settlement.voids import is_void

CLOCKS = "the clocks contradict the order"


def dealt_to(round_: Round) -> dict[int, list[RecordedEvent]]:
    """Return what was dealt to each seat, in order: its first card, then its additional cards."""
    found: dict[int, list[RecordedEvent]] = {}
    for fact in round_.of(model.CardsDealt):
        if isinstance(fact.payload.to, int):
            found.setdefault(fact.payload.to, []).append(fact)
    return found


def additional(round_: Round, cards: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return what of a seat's cards, as dealt, came with additional ones: with the first card too, where it came with others.

    Where the order of the deal is not on record, cards told in one line were not said to come at once (D327).
    """
    at_once = bool(cards) and len(cards[0].payload.cards) > 1 and round_.covers("deal")
    return cards if at_once else cards[1:]


def first_card(round_: Round, cards: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the first of a seat's cards, as dealt; nothing where it is told with others, and not when it came (D327)."""
    return cards[:1] if cards and (len(cards[0].payload.cards) == 1 or round_.covers("deal")) else ()


def elections(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats that were asked about missing cards, or whose hand was called dead (§ 686a.9(c))."""
    return voided_seats(round_, book) | {fact.payload.seat for fact in round_.of(model.HandElected)}


def dead_without_ground(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose hand was called dead when it already had all its cards."""
    cards = book.chapter.numbers["cards_per_hand"]
    called = [(fact.payload.seat, fact) for fact in round_.of(model.HandElected) if fact.payload.election == "void"]
    called += [(fact.payload.scope, fact) for fact in round_.of(model.RoundVoided) if fact.payload.scope != "round"]
    first: dict[int, RecordedEvent] = {}
    for seat, fact in sorted(called, key=lambda each: each[1].seq):
        first.setdefault(seat, fact)
    found = set()
    for seat, fact in first.items():
        before = [each for each in dealt_to(round_).get(seat, []) if each.seq < fact.seq]
        if sum(len(each.payload.cards) for each in before) >= cards:
            found.add(seat)
    return frozenset(found)


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Say of each box what the game cannot see: its decision, of which wagers too late say nothing, and a hand called dead."""
    placed, groundless = stakes(round_, book), dead_without_ground(round_, book)
    boxes = []
    for box in layout.boxes:
        box = msgspec.structs.replace(box, decision=_decision_by_word(round_, book, box))
        late = box.decision is not None and key_of(box.seat, box.decision, None, "") in placed
        if late and box.decision not in box.stakes:
            box = msgspec.structs.replace(box, decision=None)
        boxes.append(msgspec.structs.replace(box, voided=None) if box.seat in groundless else box)
    return msgspec.structs.replace(layout, boxes=boxes)


def _decision_by_word(round_: Round, book: Rulebook, box: BettingBox) -> Decision | None:
    """Return what a player decided by word: the last said before the hand's additional cards, else after (§ 686a.7(f), (g)).

    Where the wagers lie on both sides, words that differ decide nothing; nor does one after a surrender that was collected
    (D340).
    """
    if not round_.of(model.DecisionMade):
        return None
    further = dealt_to(round_).get(box.seat, [])[1:2]
    gone = [fact for fact in standing_surrenders(round_, book) if fact.payload.seat == box.seat and box.collected]
    words = [
        fact
        for fact in round_.of(model.DecisionMade)
        if fact.payload.seat == box.seat and fact.payload.decision in SIDES and not (gone and gone[0].seq < fact.seq)
    ]
    in_time = [fact.payload.decision for fact in words if not further or fact.seq < further[0].seq]
    decided = in_time or [fact.payload.decision for fact in words]
    if not decided or (len(set(decided)) > 1 and box.stakes.keys() >= set(SIDES)):
        return None
    last: Decision = decided[-1]
    return last


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """Say why it cannot be told what a wager is due."""
    if round_.voided is not None:
        return "the round was voided, for which the chapter has no ground"
    if seat in dead_without_ground(round_, book):
        return "the hand was called dead, for which there is no ground on record"
    held = readings(round_, book, seat)
    if held == [NO_HAND] or len(held) > 1:
        return unread_cards(round_, seat)
    if total(held[0].cards) is None:
        return f"a card of seat {seat} has no value"
    if wager not in book.offers:
        return "the wager is not offered"
    return f"what seat {seat} decided and placed is not on record"


# --------------------------------------------------------------------------------------------------------- wagers, .6, .7(g)


@rule("WAGER-MIDSHOE", on=("686a.6(b)",))
def barred_patron(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """A patron who was barred does not wager again until the cards were reshuffled, or the house lets the patron in again."""
    shoe, begun = shoe_of(round_), shoe_begun(round_)
    bars = {patron: [bar] for patron, bar in shoe.barred.items()}
    for fact in round_.of(model.PatronBarred):
        bars.setdefault(fact.payload.patron, []).append((fact.seq, True))
    reshuffled = max(begun, shoe.last_card) if begun is not None else 0
    for stake in stakes(round_, book).values():
        if stake.wager != book.chapter.base or stake.on_layout_cents <= 0:
            continue
        placed = min(fact.seq for fact in stake.facts)
        bar, known = next((each for each in bars.get(stake.bettor, ()) if reshuffled < each[0] < placed), (0, True))
        if not bar:
            continue
        if not (known and round_.covers("shuffle")):
            yield Indeterminate(f"whether the cards were reshuffled since {stake.bettor} was barred is not on record")
            continue
        yield finding(
            round_,
            book,
            "WAGER-MIDSHOE",
            "686a.6(b)",
            expected=f"no wager of {stake.bettor} before a reshuffle",
            observed="wagered",
            evidence=(bar, *stake.facts),
            seat=stake.seat,
            wager=stake.wager,
            other_reading=f"{book.cite('686a.6(b)(1)')}: the house may have let the patron in again",
        )


@rule("WAGER-TOUCHED", on=("686a.6(c)",))
def handled(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """A wager whose time is over is not handled until it was decided and settled."""
    placed, done = stakes(round_, book), flows(round_)
    for fact in round_.of(model.WagerHandled):
        seat, wager = fact.payload.seat, fact.payload.wager
        key, rule_ = key_of(seat, wager, None, ""), book.chapter.wagers.get(wager)
        stake = placed.get(key)
        closed = closing(round_, rule_.closes, seat) if rule_ is not None else None
        if stake is None or closed is None:
            continue
        if any(each.seq < fact.seq for each in (done[key].facts if key in done else ())):
            continue
        over = round_.certainly_before(closed, fact)
        if over is None:
            yield Indeterminate(f"seat {seat} {wager}: {CLOCKS} of the handling and the end of the wager's time")
        elif over:
            yield finding(
                round_,
                book,
                "WAGER-TOUCHED",
                "686a.6(c)",
                expected="a wager not handled until it was settled",
                observed="handled",
                evidence=(*stake.facts, fact),
                seat=seat,
                wager=wager,
            )


@rule("WAGER-LIMIT", on=("686a.7(g)",))
def one_side(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A player elects over, under or to surrender: not two of them."""
    placed = stakes(round_, book)
    for seat in sorted({stake.seat for stake in placed.values()}):
        both = [placed[key] for side in SIDES if (key := key_of(seat, side, None, "")) in placed]
        both = [stake for stake in both if stake.in_time_cents > 0]
        if len(both) == 2:
            first, second = sorted(both, key=lambda stake: stake.facts[0].seq)
            yield finding(
                round_,
                book,
                "WAGER-LIMIT",
                "686a.7(g)",
                expected=f"{first.wager} alone",
                observed=f"{second.wager} too",
                evidence=(*first.facts, *second.facts),
                seat=seat,
                wager=second.wager,
            )


@rule("WAGER-SURRENDER", on=("686a.7(g)", "686a.7(f)"))
def surrender(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """A surrender comes after the first card and before the additional ones, and instead of over or under."""
    placed, dealt = stakes(round_, book), dealt_to(round_)
    for fact in surrenders(round_, book):
        seat = fact.payload.seat
        cards = dealt.get(seat, [])
        first = first_card(round_, cards)
        early = round_.certainly_before(fact, first[0]) if first else False
        further = additional(round_, cards)
        late = round_.certainly_before(further[0], fact) if further else False
        sides = [
            side for side in SIDES if (key := key_of(seat, side, None, "")) in placed and placed[key].in_time_cents > 0
        ]
        if early is None or late is None:
            yield Indeterminate(f"seat {seat}: {CLOCKS} of the surrender and the cards")
            continue
        if late and isinstance(fact.payload, model.WagerTaken):
            yield Indeterminate(
                f"when seat {seat} surrendered is not on record: the ante was taken after the additional cards"
            )
            continue
        if early:
            observed = "surrendered before the first card"
        elif late:
            observed = "surrendered after the additional cards"
        elif sides:
            observed = "surrendered with " + " and ".join(sides)
        else:
            continue
        yield finding(
            round_,
            book,
            "WAGER-SURRENDER",
            "686a.7(g)",
            expected="a surrender between the first card and the others, alone",
            observed=observed,
            evidence=(fact, *cards),
            seat=seat,
        )


# ----------------------------------------------------------------------------------------------- the deal, .7(e), (h), .9(c)


@rule("DEAL-ORDER", on=("686a.7(e)", "686a.7(f)", "686a.7(h)", "686a.9(c)"))
def dealt_in_turn(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A card each from the dealer's left; then hand by hand two more, those of a hand that was passed over after all others."""
    if not round_.covers("deal"):
        return
    dealt, passed_over = dealt_to(round_), elections(round_, book)
    for seat in _without_wager(round_, book):
        yield _deal_order(
            round_,
            book,
            "686a.7(e)",
            "a card to each position with an ante wager, and no other",
            f"dealt to seat {seat}, which has no wager",
            dealt[seat],
        )
    for seat, facts in dealt.items():
        if len(facts[0].payload.cards) > 1:
            expected = f"one card to seat {seat} before any additional card"
            observed = f"{len(facts[0].payload.cards)} cards at once"
            yield _deal_order(round_, book, "686a.7(e)", expected, observed, facts[:1])
    first_cards = in_order(facts[0] for facts in dealt.values())
    further = in_order(fact for facts in dealt.values() for fact in facts[1:])
    regular = [fact for fact in further if fact.payload.to not in passed_over]
    late = [fact for fact in further if fact.payload.to in passed_over]
    for section, phase in (("686a.7(e)", first_cards), ("686a.7(h)", regular)):
        for before, after in itertools.pairwise(phase):
            if after.payload.to < before.payload.to:
                expected = f"seat {after.payload.to} before seat {before.payload.to}"
                yield _deal_order(round_, book, section, expected, "dealt after it", (before, after))
                return
    if first_cards and further and further[0].seq < first_cards[-1].seq:
        expected = "a first card to each player before any additional card"
        observed = f"seat {further[0].payload.to} got another card first"
        yield _deal_order(round_, book, "686a.7(f)", expected, observed, (further[0], first_cards[-1]))
    elif late and regular and late[0].seq < regular[-1].seq:
        expected = f"the additional cards of seat {late[0].payload.to} after those of all other players"
        observed = f"dealt before those of seat {regular[-1].payload.to}"
        yield _deal_order(round_, book, "686a.9(c)", expected, observed, (late[0], regular[-1]))


def _deal_order(
    round_: Round, book: Rulebook, section: str, expected: str, observed: str, evidence: Sequence[RecordedEvent]
) -> Finding:
    return finding(round_, book, "DEAL-ORDER", section, expected=expected, observed=observed, evidence=evidence)


def _without_wager(round_: Round, book: Rulebook) -> frozenset[int]:
    """The seats that were dealt to and had no wager: all of theirs were withdrawn in time, or the record covers the wagers."""
    placed = stakes(round_, book).values()
    known = frozenset(dealt_to(round_)) if round_.covers("wagering") else frozenset(each.seat for each in placed)
    had = {each.seat for each in placed if each.in_time_cents > 0 or each.on_layout_cents > 0}
    return known & frozenset(dealt_to(round_)) - had


@rule("DEAL-COUNT", on=("686a.7(e)", "686a.7(h)", "686a.9(c)"))
def three_cards(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Each hand with an ante gets three cards, a surrendered one too, unless it is called dead; no hand gets more."""
    if round_.voided is not None:
        return
    must, dealt, base = book.chapter.numbers["cards_per_hand"], dealt_to(round_), book.chapter.base
    complete_record = round_.closed is not None and round_.covers("deal")
    wagered = {
        stake.seat: stake for stake in stakes(round_, book).values() if stake.wager == base and stake.in_time_cents > 0
    }
    may_have_fewer = voided_seats(round_, book) | _without_wager(round_, book)
    for seat in sorted({*dealt, *wagered}):
        count = sum(len(fact.payload.cards) for fact in dealt.get(seat, []))
        if count > must or (count < must and complete_record and seat not in may_have_fewer):
            evidence = dealt.get(seat) or wagered[seat].facts
            yield finding(
                round_,
                book,
                "DEAL-COUNT",
                "686a.7(h)" if count else "686a.7(e)",
                expected=f"{must} cards to seat {seat}",
                observed=f"{count}",
                evidence=evidence,
                seat=seat,
            )


@rule("PAY-VOID", on=("686a.9(c)",))
def dead_hands(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """A hand is called dead only while its additional cards are missing."""
    for seat in sorted(dead_without_ground(round_, book)):
        yield Indeterminate(f"the hand of seat {seat} was called dead and the record shows all its cards")


# --------------------------------------------------------------------------------------------------- decisions, .7(f), (g)


def decisions(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return each seat's decision, in order: what was said, placed in time, or surrendered in time, first."""
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
def decided_in_turn(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """Players decide from the dealer's left, when each has a first card and none an additional one.

    Where it is filed so, hand by hand: each when the hands before it are finished (D278).
    """
    made, reported = decisions(round_, book), set[int]()
    for case in (*_decided_before_a_nearer_seat(made), *_decided_at_another_time(round_, book, made)):
        if case.seat in reported:
            continue
        reported.add(case.seat)
        if not round_.certainly_before(case.earlier, case.later):
            yield Indeterminate(f"seat {case.seat}: {CLOCKS} of its decision and what came before it")
            continue
        yield finding(
            round_,
            book,
            "PLAY-ORDER",
            "686a.7(f)",
            expected=case.expected,
            observed=case.observed,
            evidence=(case.earlier, case.later),
            seat=case.seat,
            other_reading=case.other_reading,
        )


class DecisionOutOfTurn(msgspec.Struct, frozen=True):
    """A seat's decision and what it came too early or too late for, in the order of the log."""

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


def _decided_at_another_time(
    round_: Round, book: Rulebook, made: Sequence[RecordedEvent]
) -> Iterator[DecisionOutOfTurn]:
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
    """Players elect over, under or to surrender: a raise or a fold is not known here, and is taken for none of these (D330)."""
    clear = {fact.payload.seat for fact in decisions(round_, book)}
    for fact in round_.of(model.DecisionMade):
        seat, decision = fact.payload.seat, fact.payload.decision
        if decision not in SIDES and seat not in clear:
            what = "a raise" if decision == "raise" else "a fold"
            meant = "over or under" if decision == "raise" else "surrender"
            yield Indeterminate(f"seat {seat}: {what}, by the record, which the chapter does not know: {meant}?")


def _by_hand(book: Rulebook) -> str:
    """The other reading of when players decide: what follows a decision in the text is done hand by hand."""
    return (
        f"D278: {book.cite('686a.7(h)')} and (i) have each hand dealt and settled after its decision before the next player's "
        "turn: so read (decisions = hand_by_hand), players decide hand by hand"
    )


# ---------------------------------------------------------------------------------------------------- the settlement, .7(i)


@rule("PAY-ORDER", on=("686a.7(i)",))
def settled_in_turn(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
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
) -> Finding | Indeterminate | None:
    """The first hand that was settled after one farther from the dealer's left, though its cards came no later; or null."""
    came = {seat: fact.seq for seat, fact in further.items()}
    for before, after in itertools.pairwise(settled):
        earlier, seat = before.payload.seat, after.payload.seat
        if seat < earlier and came.get(seat, 0) <= came.get(earlier, 0):
            return _too_late(round_, book, before, after, f"seat {seat} settled before seat {earlier}")
    return None


def _settled_after_the_next_cards(
    round_: Round, book: Rulebook, settled: Sequence[RecordedEvent], further: Mapping[int, RecordedEvent]
) -> Finding | Indeterminate | None:
    """The first hand that was settled after the next one had its additional cards; or null."""
    last_move = {fact.payload.seat: fact for fact in settled}
    for seat, cards in further.items():
        later = (other for other in further.values() if other.seq > cards.seq)
        following, last = min(later, key=lambda fact: fact.seq, default=None), last_move.get(seat)
        if following is not None and last is not None and last.seq > following.seq:
            expected = f"seat {seat} settled before the next player gets additional cards"
            return _too_late(round_, book, following, last, expected)
    return None


def settling(round_: Round, book: Rulebook) -> Sequence[RecordedEvent]:
    """Return what settled wagers in turn: no surrendered ante, nothing given back as late or put right afterwards (D325)."""
    given_up = {fact.payload.seat for fact in standing_surrenders(round_, book)}
    return first_moves(
        [
            fact
            for fact in moves(round_)
            if getattr(fact.payload, "reason", "") != "late"
            and not (fact.payload.wager == book.chapter.base and fact.payload.seat in given_up)
        ]
    )


def _too_late(
    round_: Round, book: Rulebook, before: RecordedEvent, after: RecordedEvent, expected: str
) -> Finding | Indeterminate:
    seat = after.payload.seat
    if not round_.certainly_before(before, after):
        return Indeterminate(f"seat {seat}: {CLOCKS} of its settlement")
    return finding(
        round_,
        book,
        "PAY-ORDER",
        "686a.7(i)",
        expected=expected,
        observed="settled after it",
        evidence=(before, after),
        seat=seat,
    )


def next_hands(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the additional cards of each hand; not of one that was passed over, which gets them after all others."""
    passed_over = elections(round_, book)
    further = {seat: facts[1] for seat, facts in dealt_to(round_).items() if len(facts) > 1}
    return (Act(fact, seat, None, "dealt") for seat, fact in further.items() if seat not in passed_over)


def _hand_before_collected(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    """Return what collected the cards of the hand that got its additional cards right before an act's; or null."""
    before = [each.fact for each in next_hands(round_, book) if each.fact.seq < act.fact.seq]
    seat = in_order(before)[-1].payload.to if before else None
    return next(
        (fact for fact in round_.of(model.CardsCollected) if seat is not None and fact.payload.of == seat), None
    )


HAND_BEFORE_COLLECTED = Step("the cards of the hand before are collected", _hand_before_collected)
PRECEDENCES = (
    early(settled("ante", "over", "under", "bonus"), HAND_DEALT, "686a.7(i)"),
    racked(hands_collected, HAND_SETTLED, "686a.7(i)"),
    racked(next_hands, HAND_BEFORE_COLLECTED, "686a.7(i)", "additional cards dealt"),
)
"""What of a round comes after which step (§ 686a.7(i))."""

GAME_RULES = GameRules(
    game=GAME.name,
    complete_layout=complete_layout,
    open_reason=open_reason,
    surrender_section="686a.7(g)",
    rules={
        "paying": (
            shoe_procedure.six_decks,
            shoe_procedure.face_up_card,
            shoe_procedure.two_batches,
            shoe_procedure.shoe_shuffled,
            shoe_procedure.reshuffled_after_failure,
            shoe_procedure.return_to_play,
            shoe_procedure.cut_offered_to,
            shoe_procedure.reshuffled_cards_cut,
            shoe_procedure.cover_card_placed,
            shoe_procedure.cover_card_passed,
            shoe_procedure.first_card_burned,
            barred_patron,
            handled,
            one_side,
            surrender,
            dealt_in_turn,
            three_cards,
            dead_hands,
            decided_in_turn,
            no_raise_or_fold,
            settled_in_turn,
        )
    },
    precedences=PRECEDENCES,
)
