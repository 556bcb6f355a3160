"""How the hands were set: by the house way or not, of the cards dealt, in the order that the chapter asks for (58 Pa.

Code §§ 688a.7(f), 688a.11(a)-(c), 688a.13(h)).
"""

from collections.abc import Iterator, Sequence

from events.vocabulary import model
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.round_steps import last_hand_dealt
from replay.rules.rule import Departure, Early, Indeterminate, rule
from replay.settlement.game_terms import terms_of
from replay.settlement.hand_readings import (
    cards_by_hand,
    dealer_set,
    foreign_cards,
    foreign_in_words,
    in_two_hands,
    is_as_dealt,
    is_by_house_way,
    readings,
    set_hands,
)
from replay.settlement.stakes import stakes
from replay.settlement.voids import is_void, was_voided
from rulebook.cards.cards import TEXT, show
from rulebook.chapters.filed_way import settings_of
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position


@rule(
    "SET-DEALER",
    on=("13(h)",),
    early=Early("the hand can be reset until the round is over", remedies=(model.HandSet, model.HandReset)),
)
def house_way(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer's hands are set by the filed house way; set otherwise, they are reset."""
    set_hand, way = set_hands(round_).get("dealer"), book.house_way
    if set_hand is None or way is None or was_voided(round_, book):
        return
    held = [hand for hand in readings(round_, book, "dealer") if hand.cards is not None and hand.high is not None]
    verdicts = {is_by_house_way(round_, book, hand) for hand in held}
    if verdicts == {False}:
        accepted = settings_of(way, held[0].cards or ())[0]
        yield Departure(
            "13(h)",
            expected=f"{way.name}: {_hands_in_words(accepted.high, accepted.medium, accepted.low)}"
            if len(held) == 1
            else f"a setting by {way.name}, whatever the cards that were not read",
            observed=_hands_in_words(set_hand.high, set_hand.medium, set_hand.low),
            evidence=set_hand.facts,
        )
    elif len(verdicts) > 1:
        yield Indeterminate("whether the dealer's hands follow the house way depends on a card that was not read")


def _hands_in_words(*hands: tuple[int | None, ...] | None) -> str:
    return " / ".join(" ".join("??" if card is None else TEXT[card] for card in hand) for hand in hands if hand)


@rule("SET-CARDS", on=("11(a)", "11(c)"))
def cards_dealt(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Hands are set from the cards dealt to the position."""
    for position, set_hand in set_hands(round_).items():
        if is_as_dealt(round_, book, position):
            continue
        twice_read = in_two_hands(round_, book, position)
        if twice_read:
            yield Indeterminate(
                f"{show(sorted(twice_read))} in the hands set at {name(position)} lies in another hand too, by the record"
            )
        foreign = foreign_cards(round_, book, position)
        if foreign:
            yield Departure(
                "11(a)" if position == "dealer" else "11(c)",
                expected="hands made of the cards dealt",
                observed=f"{foreign_in_words(round_, foreign, position)} in the hands set",
                evidence=(*set_hand.facts, *_deals_of(round_, position, foreign)),
                seat=position if isinstance(position, int) else None,
            )


def _deals_of(round_: Round, position: Position, foreign: Sequence[int]) -> list[RecordedEvent]:
    """Return what was dealt to a position, and the deals of the foreign cards in its hands."""
    cards = {TEXT[card] for card in foreign}
    return [
        fact for fact in round_.of(model.CardsDealt) if fact.payload.to == position or not cards.isdisjoint(fact.payload.cards)
    ]


@rule("SET-CHANGED", on=("11(b)(3)",), early=Early("a hand that was touched was touched"))
def unchanged(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Once a player's hands are set and placed, they are not touched again; a repeated report of the same hands is no change."""
    for position, set_hand in set_hands(round_).items():
        if len(set_hand.facts) == 1:
            continue
        settings = {cards_by_hand(fact.payload) for fact in set_hand.facts if isinstance(fact.payload, model.HandSet)}
        again = None in set_hand.cards
        reset = any(isinstance(fact.payload, model.HandReset) for fact in set_hand.facts[1:])
        if isinstance(position, int) and (len(settings) > 1 or again or reset):
            yield Departure(
                "11(b)(3)", expected="hands as first set", observed="set again", evidence=set_hand.facts, seat=position
            )


@rule("SET-EARLY", on=("11(b)",))
def dealer_first(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Players examine and set their cards after the dealer's hands are set."""
    if "setting" not in round_.opened.payload.observed:
        return
    dealer = dealer_set(round_)
    if dealer is None:
        return
    dealt = last_hand_dealt(round_, book) if not is_void(round_, book) else None
    seen: set[int] = set()
    for fact in round_.in_order(model.HandExamined, model.HandSet):
        seat = fact.payload.seat if isinstance(fact.payload, model.HandExamined) else fact.payload.position
        if seat == "dealer" or seat in seen or fact.seq > dealer.seq:
            continue
        seen.add(seat)
        if dealt is not None and fact.seq < dealt.seq:
            continue  # before the deal was over: `steps_in_order` finds it
        if round_.certainly_before(fact, dealer) is None:
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of the player's look and the dealer's setting")
            continue
        yield Departure(
            "11(b)",
            expected="the dealer's hands set first",
            observed="looked at or set before",
            evidence=(fact, dealer),
            seat=seat,
        )


@rule("SET-EARLY", on=("645c.1(d)", "659a.11(c)", "688a-proposed.11(c)"))
def players_first(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer's hand is turned over and set after all players have set theirs, if the chapter has them set first."""
    section = next(section for section in players_first.on if book.has(section))
    dealer_exposed = terms_of(book.game).dealer_exposed
    turned = dealer_exposed(round_) if dealer_exposed is not None else None
    if turned is None or "setting" not in round_.opened.payload.observed:
        return
    seen: set[Position] = {"dealer"}
    for fact in round_.of(model.HandSet):
        seat = fact.payload.position
        if seat in seen:
            continue
        seen.add(seat)
        before = round_.certainly_before(fact, turned)
        if before is None:
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of the player's setting and the dealer's")
        elif not before:
            yield Departure(
                section,
                expected="the dealer's hand turned over and set after all have set",
                observed=f"turned over or set before seat {seat} had set",
                evidence=(turned, fact),
                seat=seat,
            )


@rule("SET-ORDER", on=("7(f)",), early=Early("what was set first was set first"))
def two_boxes(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Of two boxes the larger wager is set first; equal ones counterclockwise."""
    boxes: dict[str, list[tuple[int, int]]] = {}
    for stake in stakes(round_, book).values():
        if stake.wager == book.chapter.base and stake.in_time_cents > 0:
            boxes.setdefault(stake.bettor, []).append((stake.seat, stake.in_time_cents))
    for placed in boxes.values():
        if len(placed) != 2:
            continue
        (seat_a, cents_a), (seat_b, cents_b) = sorted(placed, key=lambda box: (-box[1], -box[0]))
        first = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == seat_a), None)
        second = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == seat_b), None)
        if first is not None and second is not None and second.seq < first.seq:
            why = "the larger wager" if cents_a != cents_b else "counterclockwise"
            yield Departure(
                "7(f)",
                expected=f"seat {seat_a} set first ({why}), both of one patron",
                observed=f"seat {seat_b} first",
                evidence=(second, first),
                seat=seat_b,
            )
