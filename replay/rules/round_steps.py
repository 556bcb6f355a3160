"""The steps of a round: which act waits for which step, sentence by sentence of a chapter. The games' records list them.

The theory of this file: a text says of an act (a wager is settled, a hand's cards are collected) that it comes *after* a step
(the cards are dealt, the hand is revealed). Such a sentence is a `Precedence`: the acts, the step that each waits for, the code
and the section. One rule (`steps_in_order`, in `order_of_steps.py`) asks all sentences of a game in the same way: an act that is
before its step is found. No act is found by a step that is not on record, or whose place the clocks contradict (D403, D520).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.all_wagers_returned import is_collected_before
from replay.fold.derived import derived, derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import ASIDE, Round
from replay.settlement.hand_readings import dealer_position
from replay.settlement.payouts import first_moves, moves
from replay.settlement.settlement import dues
from replay.settlement.stakes import ENVY, shaker_used, stakes
from replay.settlement.surrenders import standing_surrenders
from replay.settlement.table_layout import abandoned_wagers, progressive_wins, voided_seats
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.bonus import qualifying_cents
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import Outcome

PUT_BACK = frozenset({"late", "void", "uncovered"})
"""Reasons of a return that settles nothing: the stake was late, the hand is void, or no one covers it."""
WORDS = {model.WagerTaken: "collected", model.WagerPaid: "paid", model.WagerReturned: "returned"}


class Act(msgspec.Struct, frozen=True):
    """Something that was done in a round and has its place there: the fact, at which seat, with which wager, in a word."""

    fact: RecordedEvent
    seat: int | None = None
    wager: str | None = None
    word: str = ""


Acts = Callable[[Round, Rulebook], Iterable[Act]]
StepOfRound = Callable[[Round, Rulebook], RecordedEvent | None]
StepOfAct = Callable[[Round, Rulebook, Act], RecordedEvent | None]


def acts_of(type_: type[Event], word: str, wager: str | None = None, *, only: Callable[[Any], bool] = lambda event: True) -> Acts:
    """Return the acts that the events of a type are (`only` some of them), each at its seat, if it has one."""

    def acts(round_: Round, book: Rulebook) -> list[Act]:
        facts = (fact for fact in round_.of(type_) if only(fact.payload))
        return [Act(fact, getattr(fact.payload, "seat", None), wager, word) for fact in facts]

    return acts


class Step(msgspec.Struct, frozen=True):
    """A step of a round: its words, as they follow "after", and the event that shows it done, or None.

    There is one event for the whole round (`of`), or one for each act, such as one per hand (`of_act`).
    """

    name: str
    of: StepOfRound | None = None
    of_act: StepOfAct | None = None

    def acts_before(self, round_: Round, book: Rulebook, acts: Acts) -> Iterator[tuple[Act, RecordedEvent]]:
        """Yield the acts before the step, each with the event that shows the step done."""
        if self.of is not None:
            done = self.of(round_, book)
            for act in acts(round_, book) if done is not None else ():
                if done is not None and act.fact.seq < done.seq:
                    yield act, done
        elif self.of_act is not None:
            for act in acts(round_, book):
                done = self.of_act(round_, book, act)
                if done is not None and act.fact.seq < done.seq:
                    yield act, done


class Precedence(msgspec.Struct, frozen=True):
    """A sentence of a chapter: these acts come after this step; another order is a finding of the code, by the section.

    `section` is one, or one for each way of dealing. `what` names the acts if they have no wager of their own.
    """

    code: str
    section: str | Mapping[str, str]
    acts: Acts
    after: Step
    what: str = ""


# -------------------------------------------------------------------------------------------------------------- the steps


@derived_by_rules
def hands_dealt(round_: Round, book: Rulebook) -> Mapping[Position | None, RecordedEvent]:
    """Return by position the fact with which its hand was whole: its last card so far, if it has fewer."""
    must, held = book.chapter.numbers["cards_per_hand"], dict[Position, int]()
    whole: dict[Position | None, RecordedEvent] = {}
    for fact in round_.of(model.CardsDealt):
        to = fact.payload.to
        before = held.get(to, 0)
        if before < must and to not in ASIDE:
            held[to], whole[to] = before + len(fact.payload.cards), fact
    return whole


@derived_by_rules
def last_hand_dealt(round_: Round, book: Rulebook) -> RecordedEvent | None:
    """Return the fact with which all hands were whole."""
    return _last(hands_dealt(round_, book).values())


@derived
def revealed_at(round_: Round) -> Mapping[Position | None, RecordedEvent]:
    """Return by position the fact that its hand was first revealed."""
    return {fact.payload.position: fact for fact in reversed(round_.of(model.HandRevealed))}


@derived
def first_set(round_: Round) -> Mapping[Position, RecordedEvent]:
    """Return by position the fact that its hands were first set."""
    return {fact.payload.position: fact for fact in reversed(round_.of(model.HandSet))}


def _dealer_set(round_: Round, book: Rulebook) -> RecordedEvent | None:
    return first_set(round_).get(dealer_position(round_)) or _dealer_revealed(round_, book)


def _dealer_revealed(round_: Round, book: Rulebook) -> RecordedEvent | None:
    return revealed_at(round_).get(dealer_position(round_))


def _first_of(type_: type[Event]) -> StepOfRound:
    return lambda round_, book: round_.first(type_)


ALL_HANDS_DEALT = Step("all hands are dealt", last_hand_dealt)
HAND_DEALT = Step("all cards of the hand are dealt", of_act=lambda round_, book, act: hands_dealt(round_, book).get(act.seat))
DEALER_SET = Step("the dealer's hands are set", _dealer_set)
PLAYER_DEALER_SET = Step("the player-dealer's hands are set", _dealer_set)
DEALER_REVEALED = Step("the dealer's hand is turned over", _dealer_revealed)
PLAYER_DEALER_REVEALED = Step("the player-dealer's hand is exposed", _dealer_revealed)
HAND_REVEALED = Step("the hand is revealed", of_act=lambda round_, book, act: revealed_at(round_).get(act.seat))
ENVY_HAND_REVEALED = Step(
    "the hand that it is for is revealed", of_act=lambda round_, book, act: revealed_at(round_).get(act.fact.payload.for_position)
)
DICE_AT_REST = Step(
    "the dice have come to rest",
    lambda round_, _: next((fact for fact in round_.of(model.DiceRolled) if fact.payload.lie == "flat"), shaker_used(round_)),
)
DICE_ANNOUNCED = Step("the value of each die is announced", _first_of(model.DiceAnnounced))
FIRST_CARD_DEALT = Step(
    "the hand's first card is dealt",
    of_act=lambda round_, _, act: next((fact for fact in round_.of(model.CardsDealt) if fact.payload.to == act.seat), None),
)
BONUS_HIT = Step(
    "the bonus is hit",
    of_act=lambda round_, _, act: next((fact for fact in round_.of(model.MysteryHit) if fact.payload.seat == act.seat), None),
)


# --------------------------------------------------------------------------------------------------------------- the acts


@derived_by_rules
def settling_moves(round_: Round, book: Rulebook) -> list[Act]:
    """Return, in order, the first settling move of each wager that is settled at its usual time; a later move corrects it
    (D325).

    This excludes moves that the text sets at another time: the return of a late, void or uncovered wager, the settlement of a
    surrendered or abandoned wager, and the collection of progressive chips before the deal (D383).
    """
    given_up = {fact.payload.seat for fact in standing_surrenders(round_, book)}
    abandoned, voided, base = abandoned_wagers(round_), voided_seats(round_, book), book.chapter.base
    placed, found = stakes(round_, book), []
    wagered = {key[:2] for key in placed} if placed else None
    settling = [
        fact
        for fact in moves(round_)
        if getattr(fact.payload, "reason", "") not in PUT_BACK and not is_collected_before(round_, fact)
    ]
    for fact in first_moves(settling):
        event, seat, wager = fact.payload, fact.payload.seat, fact.payload.wager
        at_another_time = (
            getattr(event, "reason", "") in ("surrendered", "abandoned")
            or (wager == base and seat in given_up)
            or seat in voided
            or wager in abandoned.get(seat, ())
        )
        is_wager = wagered is None or (seat, wager) in wagered or wager == "mystery"
        if is_wager and not at_another_time:
            found.append(Act(fact, seat, wager, WORDS[event.KIND]))
    return found


def settled(*wagers: str, but: Callable[[Round, Rulebook, Act], bool] | None = None) -> Acts:
    """Return the acts by which these wagers (without any: all) are settled; `but` says which acts the sentence is not about."""

    @derived_by_rules
    def acts(round_: Round, book: Rulebook) -> list[Act]:
        return [
            act
            for act in settling_moves(round_, book)
            if (not wagers or act.wager in wagers) and not (but is not None and but(round_, book, act))
        ]

    return acts


def is_push_for_all(round_: Round, book: Rulebook, act: Act) -> bool:
    """Return whether a stake was returned because the dealer's hand pushes all: the player's hands do not decide it (D9)."""
    return isinstance(act.fact.payload, model.WagerReturned) and is_pushed_for_all(round_, book, act.seat, act.wager)


def is_pushed_for_all(round_: Round, book: Rulebook, seat: int | None, wager: str | None) -> bool:
    """Return whether the dealer's hand pushes a wager, whatever the player holds (D9)."""
    pushes = {(seat, wager, outcome) for outcome in (Outcome.ACE_HIGH_PUSH, Outcome.TIGER_9_PUSH)}
    return any((due.seat, due.wager, due.outcome) in pushes for due in dues(round_, book))


def envy_paid(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the payments of Envy Bonuses."""
    for fact in round_.of(model.EnvyPaid):
        yield Act(fact, fact.payload.seat, ENVY[fact.payload.wager], "paid")


def vigorish_taken(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield what was taken as vigorish."""
    for fact in round_.of(model.VigorishTaken):
        yield Act(fact, fact.payload.seat, book.chapter.base, "vigorish collected")


def surrendered_taken(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield what was collected of surrendered base wagers; the word of the player may be on record after it (D285)."""
    for fact in round_.of(model.WagerTaken):
        if fact.payload.reason == "surrendered" and fact.payload.wager == book.chapter.base:
            yield Act(fact, fact.payload.seat, fact.payload.wager, "collected")


def progressive_light(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the lights at seats that did not hit a Must-Hit-By bonus; at the others the light may be for that bonus."""
    hit = {fact.payload.seat for fact in round_.of(model.MysteryHit)}
    for fact in round_.of(model.LightSeen):
        if fact.payload.seat not in hit:
            yield Act(fact, fact.payload.seat, "progressive", "light seen")


def _is_progressive(event: Any) -> bool:
    return bool(event.wager == "progressive")


progressive_validated = acts_of(model.PayoutValidated, "payout validated", "progressive", only=_is_progressive)
progressive_documented = acts_of(model.PayoutDocumented, "payout documented", "progressive", only=_is_progressive)


def meter_won(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield what the controller let the progressive meter pay."""
    for fact in progressive_wins(round_, book):
        yield Act(fact, fact.payload.seat, "progressive", "won of the meter")


def bonus_light(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the first light that was seen of each seat that hit a Must-Hit-By bonus."""
    hit = {fact.payload.seat for fact in round_.of(model.MysteryHit)}
    first = {fact.payload.seat: fact for fact in reversed(round_.of(model.LightSeen))}
    for seat in sorted(hit & first.keys()):
        yield Act(first[seat], seat, "mystery", "light seen")


def bonus_paid(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the validations and payments of a Must-Hit-By bonus."""
    for fact in round_.of(model.PayoutValidated):
        if fact.payload.wager == "mystery":
            yield Act(fact, fact.payload.seat, "mystery", "payout validated")
    for fact in round_.of(model.WagerPaid):
        if fact.payload.wager == "mystery":
            yield Act(fact, fact.payload.seat, "mystery", "paid")


cards_examined = acts_of(model.HandExamined, "examined")


def hands_set(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield each setting of hands, a player's or the dealer's."""
    for fact in (*round_.of(model.HandSet), *round_.of(model.HandReset)):
        position = fact.payload.position
        yield Act(fact, position if isinstance(position, int) else None, None, "set")


# ------------------------------------------------------------------------------------------- what the games of a shoe share


def set_after_the_deal(section: str) -> tuple[Precedence, ...]:
    """Return the sentences that cards are examined and hands set when the dealing procedures are completed (§ 688a.11(a))."""
    return (
        Precedence("SET-EARLY", section, cards_examined, ALL_HANDS_DEALT, "the cards examined"),
        Precedence("SET-EARLY", section, hands_set, ALL_HANDS_DEALT, "the hands set"),
    )


def early(acts: Acts, after: Step, section: str, what: str = "") -> Precedence:
    """Return the sentence that nothing is settled, validated or documented before its outcome can exist (PAY-EARLY)."""
    return Precedence("PAY-EARLY", section, acts, after, what)


def base_early(base: Acts, section: str) -> tuple[Precedence, ...]:
    """Return the sentences on base wagers: after the deal, after the dealer has set, after the hand is revealed (§ 688a.11(e)).

    If the dealer's hand pushes every wager, a stake is returned without a player's hand.
    """
    return (
        early(base, ALL_HANDS_DEALT, section),
        early(base, DEALER_SET, section),
        early(by_hand(base, HAND_REVEALED), HAND_REVEALED, section),
    )


def by_hand(acts: Acts, step: Step) -> Acts:
    """Return the acts that depend on the player's hand: no stake returned because the dealer's hand pushes all."""

    def of_hands(round_: Round, book: Rulebook) -> Iterator[Act]:
        for act, _ in step.acts_before(round_, book, acts):
            if not is_push_for_all(round_, book, act):
                yield act

    return of_hands


def progressive_early(light: str, validation: str, document: str) -> tuple[Precedence, ...]:
    """Return the sentences on what verifies a progressive payout: after the hand is dealt (§ 688a.11(h)(3)(i)(B))."""
    return (
        early(progressive_light, HAND_DEALT, light),
        early(progressive_validated, HAND_DEALT, validation),
        early(progressive_documented, HAND_DEALT, document),
    )


VERIFIED_EARLY = progressive_early("11(h)(3)(i)(B)(2)", "11(h)(3)(i)(B)(3)", "11(h)(3)(i)(B)(4)")


def bonuses_early(optional: Acts, section: str, envy: str) -> tuple[Precedence, ...]:
    """Return the sentences on optional wagers and Envy Bonuses: after the deal and the dealer's setting (§ 688a.11(a), (h))."""
    return (
        early(optional, ALL_HANDS_DEALT, section),
        early(optional, DEALER_SET, section),
        early(envy_paid, ALL_HANDS_DEALT, envy),
        early(envy_paid, ENVY_HAND_REVEALED, envy),
    )


# ------------------------------------------------------------------------------------------------- cards that are collected


def _last(facts: Iterable[RecordedEvent]) -> RecordedEvent | None:
    return max(facts, key=lambda fact: fact.seq, default=None)


@derived_by_rules
def settled_from_inventory(round_: Round, book: Rulebook) -> list[Act]:
    """Return what settled wagers, in order, but for slips, which may come later (D28)."""
    return [act for act in settling_moves(round_, book) if getattr(act.fact.payload, "source", "") != "slip"]


@derived_by_rules
def last_settled(round_: Round, book: Rulebook) -> Mapping[int | None, RecordedEvent]:
    """Return by seat what settled its last wager; under None what settled the last of all."""
    last: dict[int | None, RecordedEvent] = {}
    for act in settled_from_inventory(round_, book):
        last[act.seat] = last[None] = act.fact
    return last


def _base_settled(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    base = (each for each in settled_from_inventory(round_, book) if each.wager == book.chapter.base)
    return _last(each.fact for each in base if act.seat in (None, each.seat))


def dealer_compared(*wagers: str) -> Step:
    """Return the step after which all wagers against the dealer's hand are settled."""

    def of(round_: Round, book: Rulebook) -> RecordedEvent | None:
        return _last(each.fact for each in settled_from_inventory(round_, book) if each.wager in wagers)

    return Step("all hands are compared with it", of)


@derived_by_rules
def _last_envy(round_: Round, book: Rulebook) -> Mapping[Position | None, RecordedEvent]:
    """Return by position the last Envy Bonus paid for its hand; under None the last of all."""
    last: dict[Position | None, RecordedEvent] = {}
    for fact in round_.in_order(model.EnvyPaid):
        last[fact.payload.for_position] = last[None] = fact
    return last


BASE_SETTLED = Step("the hand's base wager is settled", of_act=_base_settled)
HAND_SETTLED = Step("the hand's wagers are settled", of_act=lambda round_, book, act: last_settled(round_, book).get(act.seat))
ENVY_PAID = Step(
    "the Envy Bonuses for the hand are paid", of_act=lambda round_, book, act: _last_envy(round_, book).get(act.seat)
)
FIRST_HAND_SHOWN = Step(
    "the first hand is revealed: a Qualifying Wager is placed",
    lambda round_, _: next((fact for fact in round_.of(model.HandRevealed) if fact.payload.position != "dealer"), None),
)


cards_collected = acts_of(model.CardsCollected, "collected", only=lambda event: event.of != "aside")


@derived_by_rules
def hands_collected(round_: Round, book: Rulebook) -> list[Act]:
    """Return the collections of players' hands and of all cards left, not of hands that were surrendered or are void."""
    gone: set[Position] = {fact.payload.seat for fact in standing_surrenders(round_, book)} | voided_seats(round_, book)
    gone.add(dealer_position(round_))
    return [
        Act(fact, None if fact.payload.of == "all" else fact.payload.of, None, "collected")
        for fact in round_.of(model.CardsCollected)
        if fact.payload.of == "all" or (isinstance(fact.payload.of, int) and fact.payload.of not in gone)
    ]


def dealer_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of the dealer's hand."""
    for fact in round_.of(model.CardsCollected):
        if fact.payload.of == dealer_position(round_):
            yield Act(fact, None, None, "dealer's hand collected")


def surrendered_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of surrendered hands if somebody placed a Qualifying Wager (§ 688a.11(d))."""
    given_up = {fact.payload.seat for fact in standing_surrenders(round_, book)}
    for fact in round_.of(model.CardsCollected) if given_up else ():
        if fact.payload.of in given_up and has_qualifying_wager(round_, book):
            yield Act(fact, fact.payload.of, None, "surrendered hand collected")


def has_qualifying_wager(round_: Round, book: Rulebook) -> bool:
    """Say whether any wager of the round gives a right to Envy Bonuses, so that all hands stay and are shown (§ 688a.11(h))."""
    least = {wager: qualifying_cents(book, wager) for wager in ENVY if wager in book.offers}
    return any(stake.wager in least and stake.in_time_cents >= least[stake.wager] for stake in stakes(round_, book).values())


def racked(acts: Acts, after: Step, section: str | Mapping[str, str], what: str = "the cards collected") -> Precedence:
    """Return the sentence that cards stay on the table until a step is made (DEAL-RACK)."""
    return Precedence("DEAL-RACK", section, acts, after, what)


def racked_of_shoe(base: str, optional: str, *by_dealer: str) -> tuple[Precedence, ...]:
    """Return the sentences on the cards of a round with Envy Bonuses and surrenders (§ 688a.11(d), (e), (g)-(i)).

    The first section asks for the base wager before a hand goes to the rack, the second for its optional wagers.
    """
    return (
        early(surrendered_taken, ALL_HANDS_DEALT, "11(d)"),
        early(surrendered_taken, DEALER_SET, "11(d)"),
        racked(cards_collected, ALL_HANDS_DEALT, STUB_SECTION),
        racked(hands_collected, BASE_SETTLED, base),
        racked(hands_collected, HAND_SETTLED, optional),
        racked(hands_collected, ENVY_PAID, "11(h)(2)(iii)"),
        racked(dealer_collected, dealer_compared(*by_dealer), "11(e)", "the dealer's cards collected"),
        racked(surrendered_collected, FIRST_HAND_SHOWN, "11(d)", "the surrendered hand collected"),
    )


# ----------------------------------------------------------------------------------- the stub, the shaker, the election


STUB_SECTION = {"manual_shoe": "8(e)", "hand": "9(d)", "automated_shoe": "10(d)"}
"""The section by which the cards that are left are counted and go to the rack after the deal, by the way of dealing."""
STUB_COUNTED = Step("the stub is counted", _first_of(model.StubCounted))


def _covered_and_shaken(round_: Round, book: Rulebook) -> RecordedEvent | None:
    covered = round_.first(model.ShakerCovered)
    after = [fact for fact in round_.of(model.ShakerShaken) if covered is not None and fact.seq > covered.seq]
    return after[0] if after else covered


SHAKER_COVERED = Step("the shaker is covered and shaken", _covered_and_shaken)


def _exposed(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    return next((fact for fact in round_.of(model.CardExposed) if fact.payload.whose in (act.seat, "stack")), None)


CARD_EXPOSED = Step("a card of the hand is exposed", of_act=_exposed)


def stub_counts(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the last count of the stub."""
    counted = round_.last(model.StubCounted)
    if counted is not None:
        yield Act(counted, None, None, "counted")


def play_after_the_deal(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the hands that were set, and the wagers that were settled after the first card."""
    for fact in round_.of(model.HandSet):
        yield Act(fact, None, None, "hands set")
    yield from settled_after_the_deal(round_, book)


@derived_by_rules
def settled_after_the_deal(round_: Round, book: Rulebook) -> list[Act]:
    """Return the wagers that were settled after the first card, but for those on the dice, whose time was before it."""
    first, rules = round_.first_card, book.chapter.wagers
    on_dice = {wager for wager, rule_ in rules.items() if rule_.closes == "activation"}
    return [
        Act(act.fact, None, None, "a wager settled")
        for act in settling_moves(round_, book)
        if first is not None and act.fact.seq > first.seq and act.wager not in on_dice
    ]


elections = acts_of(model.HandElected, "elected")


def stub_in_its_place(section: str | Mapping[str, str]) -> tuple[Precedence, ...]:
    """Return the sentences that the stub is counted after the deal and before the hands are set (§ 688a.8(e), .11(a))."""
    return (
        Precedence("DEAL-STUB", section, stub_counts, ALL_HANDS_DEALT, "the stub counted"),
        Precedence("DEAL-STUB", section, play_after_the_deal, STUB_COUNTED, "hands set and settled"),
    )


OF_THE_DEAL = (
    *stub_in_its_place(STUB_SECTION),
    Precedence("DEAL-SHAKE", "5(i)(1)(iv)", settled_after_the_deal, SHAKER_COVERED, "the wagers settled"),
    Precedence("DEAL-ELECTION", "13(d)", elections, CARD_EXPOSED, "the election"),
)
"""Steps of games that count a stub, shake dice and let players elect on an exposed card."""
