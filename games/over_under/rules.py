"""Over/Under from the first card to the settlement: who gets cards when, who decides when, which hands are dead.

Annex A, rulemaking 125-223, §§ 686a.6(b), (c), 686a.7(e)-(i), 686a.9(c). Decisions and settlements in turn are in `turns.py`, the
facts of the hands in `hands.py`, the shoe is in `shoe_procedure.py`.
"""

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from events.vocabulary import model
from games.over_under.hands import (
    CLOCKS,
    additional,
    called_dead,
    dead_without_ground,
    dealt_to,
    elections,
    first_card,
    is_ante_settled_before,
)
from games.over_under.settle import GAME, SIDES, total
from games.over_under.turns import HAND_BEFORE_COLLECTED, decided_in_turn, next_hands, no_raise_or_fold, settled_in_turn
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.rules import shoe_procedure
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import (
    FIRST_CARD_DEALT,
    HAND_DEALT,
    HAND_SETTLED,
    Act,
    Precedence,
    Step,
    acts_of,
    early,
    racked,
    settled,
    surrendered_taken,
)
from replay.rules.rule import Departure, Indeterminate, rule
from replay.rules.shoe_procedure import shoe_begun, shoe_of
from replay.settlement.game_terms import OtherReading
from replay.settlement.hand_readings import readings
from replay.settlement.open_reasons import unread_cards
from replay.settlement.payouts import flows
from replay.settlement.stakes import Stake, closing, stakes
from replay.settlement.surrenders import standing_surrenders, surrenders
from replay.settlement.table_layout import voided_seats
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import NO_HAND, BettingBox, Decision, TableLayout


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Add to each box its decision, which late wagers do not show, and whether its hand was called dead."""
    placed, groundless = stakes(round_, book), dead_without_ground(round_, book)
    boxes = []
    for box in layout.boxes:
        box = msgspec.structs.replace(box, decision=_decision_by_word(round_, book, box))
        called = called_dead(round_).get(box.seat)
        if called is not None and box.collected and not is_ante_settled_before(round_, book, called, box.seat):
            box = msgspec.structs.replace(box, collected=False)
        late = box.decision is not None and key_of(box.seat, box.decision, None, "") in placed
        if late and box.decision not in box.stakes:
            box = msgspec.structs.replace(box, decision=None)
        boxes.append(msgspec.structs.replace(box, voided=None) if box.seat in groundless else box)
    return msgspec.structs.replace(layout, boxes=boxes)


def _decision_by_word(round_: Round, book: Rulebook, box: BettingBox) -> Decision | None:
    """Return the decision that a player stated: the last one before the hand's additional cards, else after (§ 686a.7(f), (g)).

    If the wagers lie on both sides, words that differ decide nothing; nor does one after a surrender that was collected
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
    """Return why it cannot be told what a wager is due."""
    if round_.voided is not None:
        return "the round was voided, for which the chapter has no ground"
    if seat in dead_without_ground(round_, book):
        return "the hand was called dead, for which there is no ground on record"
    held = readings(round_, book, seat)
    if held == [NO_HAND] or len(held) > 1:
        return unread_cards(round_, book, seat)
    if total(held[0].cards) is None:
        return f"a card of seat {seat} has no value"
    if wager not in book.offers:
        return "the wager is not offered"
    return f"what seat {seat} decided and placed is not on record"


# --------------------------------------------------------------------------------------------------------- wagers, .6, .7(g)


@rule("WAGER-MIDSHOE", on=("686a.6(b)",))
def barred_patron(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
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
            yield Indeterminate("whether the cards were reshuffled since the patron was barred is not on record")
            continue
        yield Departure(
            "686a.6(b)",
            expected="no wager of a barred patron before a reshuffle",
            observed="wagered",
            evidence=(bar, *stake.facts),
            seat=stake.seat,
            wager=stake.wager,
            other_reading=f"{book.cite('686a.6(b)(1)')}: the house may have let the patron in again",
        )


@rule("WAGER-TOUCHED", on=("686a.6(c)",))
def handled(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
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
            yield Departure(
                "686a.6(c)",
                expected="a wager not handled until it was settled",
                observed="handled",
                evidence=(*stake.facts, fact),
                seat=seat,
                wager=wager,
            )


@rule("WAGER-LIMIT", on=("686a.7(g)",))
def one_side(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A player elects over, under or to surrender: not two of them."""
    for seat in sorted({stake.seat for stake in stakes(round_, book).values()}):
        both = _both_sides(round_, book, seat)
        if both:
            first, second = both
            yield Departure(
                "686a.7(g)",
                expected=f"{first.wager} alone",
                observed=f"{second.wager} too",
                evidence=(*first.facts, *second.facts),
                seat=seat,
                wager=second.wager,
            )


def _both_sides(round_: Round, book: Rulebook, seat: int) -> list[Stake]:
    """Return the over and the under wager of a hand in the order placed; nothing if it does not have both in time."""
    placed = stakes(round_, book)
    both = [placed[key] for side in SIDES if (key := key_of(seat, side, None, "")) in placed]
    both = [stake for stake in both if stake.in_time_cents > 0]
    return sorted(both, key=lambda stake: stake.facts[0].seq) if len(both) == len(SIDES) else []


def _only_the_first_side(round_: Round, book: Rulebook, seat: int) -> tuple[Round, Rulebook] | None:
    """Of two sides at one hand the one placed second goes back (D1312)."""
    both = _both_sides(round_, book, seat)
    return (_without_wagers(round_, seat, {both[1].wager}), book) if both else None


def _no_side_of_a_surrendered_hand(round_: Round, book: Rulebook, seat: int) -> tuple[Round, Rulebook] | None:
    """The over or under wager of a player who surrendered goes back (D1311)."""
    is_surrendered = any(fact.payload.seat == seat for fact in standing_surrenders(round_, book))
    return (_without_wagers(round_, seat, set(SIDES)), book) if is_surrendered else None


def _without_wagers(round_: Round, seat: int, wagers: set[str]) -> Round:
    moves = (model.WagerPlaced, model.WagerRemoved)
    gone = {fact.seq for fact in round_.in_order(*moves) if fact.payload.seat == seat and fact.payload.wager in wagers}
    return round_.made_of([fact for fact in round_.facts if fact.seq not in gone])


SIDE_READINGS = (
    OtherReading(
        decision="D1311",
        section="686a.7(g)",
        says="an over or under wager of a surrendered hand is settled as placed; by {cite} it can as well be read to be none, "
        "and goes back",
        change=_no_side_of_a_surrendered_hand,
        codes=frozenset({"WAGER-SURRENDER"}),
        of_money=False,
    ),
    OtherReading(
        decision="D1312",
        section="686a.7(g)",
        says="over and under at one hand are both settled as placed; by {cite} the second can as well be read to be none, and "
        "goes back",
        change=_only_the_first_side,
        codes=frozenset({"WAGER-LIMIT"}),
        of_money=False,
    ),
)


@rule("WAGER-SURRENDER", on=("686a.7(g)", "686a.7(f)"))
def surrender(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A surrender comes after the first card and before the additional ones, and instead of over or under."""
    placed, dealt = stakes(round_, book), dealt_to(round_)
    for fact in surrenders(round_, book):
        seat = fact.payload.seat
        cards = dealt.get(seat, [])
        first = first_card(round_, cards)
        early = round_.certainly_before(fact, first[0]) if first and round_.order_seen else False
        further = additional(round_, cards)
        late = round_.certainly_before(further[0], fact) if further and round_.order_seen else False
        sides = [side for side in SIDES if (key := key_of(seat, side, None, "")) in placed and placed[key].in_time_cents > 0]
        if early is None or late is None:
            yield Indeterminate(f"seat {seat}: {CLOCKS} of the surrender and the cards")
            continue
        if late and isinstance(fact.payload, model.WagerTaken):
            yield Indeterminate(f"when seat {seat} surrendered is not on record: the ante was taken after the additional cards")
            continue
        if early:
            observed = "surrendered before the first card"
        elif late:
            observed = "surrendered after the additional cards"
        elif sides:
            observed = "surrendered with " + " and ".join(sides)
        else:
            continue
        yield Departure(
            "686a.7(g)",
            expected="a surrender between the first card and the others, alone",
            observed=observed,
            evidence=(fact, *cards),
            seat=seat,
        )


# ----------------------------------------------------------------------------------------------- the deal, .7(e), (h), .9(c)


@rule("DEAL-ORDER", on=("686a.7(e)", "686a.7(f)", "686a.7(h)", "686a.9(c)"))
def dealt_in_turn(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """One card to each hand from the dealer's left, then two more hand by hand; a hand that was passed over comes last."""
    if not round_.covers("deal"):
        return
    dealt, passed_over = dealt_to(round_), elections(round_, book)
    for seat in _without_wager(round_, book):
        yield Departure(
            "686a.7(e)",
            "a card to each position with an ante wager, and no other",
            f"dealt to seat {seat}, which has no wager",
            dealt[seat],
        )
    for seat, facts in dealt.items():
        if len(facts[0].payload.cards) > 1:
            expected = f"one card to seat {seat} before any additional card"
            observed = f"{len(facts[0].payload.cards)} cards at once"
            yield Departure("686a.7(e)", expected, observed, facts[:1])
    first_cards = in_order(facts[0] for facts in dealt.values())
    further = in_order(fact for facts in dealt.values() for fact in facts[1:])
    regular = [fact for fact in further if fact.payload.to not in passed_over or _came_in_turn(round_, fact, further)]
    late = [fact for fact in further if fact not in regular]
    for section, phase in (("686a.7(e)", first_cards), ("686a.7(h)", regular)):
        for before, after in itertools.pairwise(phase):
            if after.payload.to < before.payload.to:
                expected = f"seat {after.payload.to} before seat {before.payload.to}"
                yield Departure(section, expected, "dealt after it", (before, after))
                return
    if first_cards and further and further[0].seq < first_cards[-1].seq:
        expected = "a first card to each player before any additional card"
        observed = f"seat {further[0].payload.to} got another card first"
        yield Departure("686a.7(f)", expected, observed, (further[0], first_cards[-1]))
    elif late and regular and late[0].seq < regular[-1].seq:
        expected = f"the additional cards of seat {late[0].payload.to} after those of all other players"
        observed = f"dealt before those of seat {regular[-1].payload.to}"
        yield Departure("686a.9(c)", expected, observed, (late[0], regular[-1]))


def _came_in_turn(round_: Round, fact: RecordedEvent, further: Sequence[RecordedEvent]) -> bool:
    """Return whether an additional card came in its hand's turn, before the player was asked about those that were missing."""
    seat = fact.payload.to
    asked = [each.seq for each in round_.of(model.HandElected) if each.payload.seat == seat]
    asked += [each.seq for each in round_.of(model.RoundVoided) if each.payload.scope == seat]
    is_passed_over = any(each.seq < fact.seq and each.payload.to > seat for each in further)
    return not is_passed_over and not any(seq < fact.seq for seq in asked)


def _without_wager(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats that got cards and had no wager: all were withdrawn in time, or the record covers the wagers."""
    placed = stakes(round_, book).values()
    known = frozenset(dealt_to(round_)) if round_.covers("wagering") else frozenset(each.seat for each in placed)
    had = {each.seat for each in placed if each.in_time_cents > 0 or each.on_layout_cents != 0}
    return known & frozenset(dealt_to(round_)) - had


@rule("DEAL-COUNT", on=("686a.7(e)", "686a.7(h)", "686a.9(c)"))
def three_cards(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Each hand with an ante, even a surrendered one, gets three cards unless it is called dead; no hand gets more."""
    if round_.voided is not None:
        return
    must, dealt, base = book.chapter.numbers["cards_per_hand"], dealt_to(round_), book.chapter.base
    complete_record = round_.closed is not None and round_.covers("deal")
    wagered = {stake.seat: stake for stake in stakes(round_, book).values() if stake.wager == base and stake.in_time_cents > 0}
    may_have_fewer = voided_seats(round_, book) | _without_wager(round_, book)
    for seat in sorted({*dealt, *wagered}):
        count = sum(len(fact.payload.cards) for fact in dealt.get(seat, []))
        if count > must or (count < must and complete_record and seat not in may_have_fewer):
            evidence = dealt.get(seat) or wagered[seat].facts
            yield Departure(
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


def seats_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of players' hands, surrendered and dead ones too."""
    for fact in round_.of(model.CardsCollected):
        if isinstance(fact.payload.of, int):
            yield Act(fact, fact.payload.of, None, "collected")


def settled_hands_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of hands, and of all cards that are left: a surrendered hand's Bonus is settled too (§ 686a.7(g))."""
    for fact in round_.of(model.CardsCollected):
        of = fact.payload.of
        if of == "all" or isinstance(of, int):
            yield Act(fact, None if of == "all" else of, None, "collected")


burnt_of_new_shoe = acts_of(model.CardBurned, "burnt", only=lambda event: event.reason == "new_shoe")


def _cut(round_: Round, book: Rulebook) -> RecordedEvent | None:
    first = round_.first_card
    cuts = [fact for fact in round_.of(model.CardsCut) if first is not None and fact.seq < first.seq]
    return cuts[-1] if cuts else None


CARDS_CUT = Step("the cards are cut and in the shoe", _cut)
PRECEDENCES = (
    Precedence("DEAL-BURN", "686a.7(c)", burnt_of_new_shoe, CARDS_CUT, "the first card burnt"),
    early(surrendered_taken, FIRST_CARD_DEALT, "686a.7(g)"),
    early(settled("ante", "over", "under", "bonus"), HAND_DEALT, "686a.7(i)"),
    racked(seats_collected, HAND_DEALT, "686a.7(i)"),
    racked(settled_hands_collected, HAND_SETTLED, "686a.7(i)"),
    racked(next_hands, HAND_BEFORE_COLLECTED, "686a.7(i)", "additional cards dealt"),
)
"""The order of the steps of a round (§ 686a.7(i))."""

GAME_RULES = GameRules(
    game=GAME.name,
    complete_layout=complete_layout,
    open_reason=open_reason,
    other_readings=SIDE_READINGS,
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
            shoe_procedure.recut_by,
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
