"""The hands: what each position holds, how it was set, by the house way or not, and in which order.

58 Pa. Code §§ 688a.7(f), 688a.11(a)-(c), (e), 688a.13(h). `Hands` gives every reading of unread cards and every
accepted setting of the dealer, so that the settlement can tell what depends on them (D26).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import msgspec

from events import model
from games.cards import CODE, DECK, show
from games.pai_gow import Position
from games.rulebook import Rulebook
from replay.findings import Finding
from replay.rounds import Round
from replay.rules import Doubt, finding, rule
from replay.table_state import Fact
from replay.wagering import stakes

MAX_UNREAD = 2
"""With more unread cards than this in one hand, readings are not tried out."""


class SetHand(msgspec.Struct, frozen=True):
    """Hands as set at a position: the cards (a card that was not read is null), and the facts that say so."""

    high: tuple[int | None, ...]
    low: tuple[int | None, ...]
    facts: tuple[Fact, ...]


def set_hands(round_: Round) -> dict[Position, SetHand]:
    """Return the hands as last set (or reset) at each position."""
    if "set_hands" in round_.memo:
        known: dict[Position, SetHand] = round_.memo["set_hands"]
        return known
    found: dict[Position, SetHand] = {}
    both = [*round_.of(model.HandSet), *round_.of(model.HandReset)]
    for fact in sorted(both, key=lambda each: each.seq):
        event = fact.payload
        earlier = found[event.position].facts if event.position in found else ()
        found[event.position] = SetHand(_codes(event.high), _codes(event.low), (*earlier, fact))
    round_.memo["set_hands"] = found
    return found


def _codes(cards: Sequence[str | None]) -> tuple[int | None, ...]:
    return tuple(CODE[card] if card is not None else None for card in cards)


class Holding(msgspec.Struct, frozen=True):
    """One reading of a position: its cards and its hands (null where not known)."""

    cards: tuple[int, ...] | None
    high: tuple[int, ...] | None
    low: tuple[int, ...] | None


UNKNOWN = Holding(None, None, None)


def foreign_cards(round_: Round, position: Position) -> list[int]:
    """Return the cards of a set hand that were not dealt to its position, where both are on record."""
    memo: dict[Position, list[int]] = round_.memo.setdefault("foreign", {})
    if position not in memo:
        memo[position] = _foreign_cards(round_, position)
    return memo[position]


def _foreign_cards(round_: Round, position: Position) -> list[int]:
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position)
    if set_hand is None or dealt is None or _as_mostly(set_hand, dealt):
        return []
    unread = sum(1 for card in dealt if card is None)
    foreign = [card for card in (*set_hand.high, *set_hand.low) if card is not None and card not in dealt]
    twice = [card for card in (*set_hand.high, *set_hand.low) if card is not None]
    repeated = [card for card in set(twice) if twice.count(card) > 1]
    return repeated + foreign[unread:] if len(foreign) > unread else repeated


def _as_mostly(set_hand: SetHand, dealt: Sequence[int | None]) -> bool:
    """Whether seven cards were dealt, all read, and the hands set of just these."""
    cards = set(dealt)
    return (
        len(cards) == len(dealt) == len(set_hand.high) + len(set_hand.low) == 7
        and None not in cards
        and cards == {*set_hand.high, *set_hand.low}
    )


def readings(round_: Round, position: Position) -> list[Holding]:
    """Return every reading of what a position holds and how it was set; `[UNKNOWN]` when the record does not tell.

    An unread card can be any that is not known to be elsewhere; a card that was dealt unread but read when the hands
    were set is known. Hands set with foreign cards count as not known.
    """
    memo = round_.memo.setdefault("readings", {})
    if position not in memo:
        memo[position] = _readings(round_, position)
    found: list[Holding] = memo[position]
    return found


def _readings(round_: Round, position: Position) -> list[Holding]:
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position)
    if set_hand is not None and dealt is not None and _as_mostly(set_hand, dealt):
        round_.memo.setdefault("foreign", {})[position] = []
        return [Holding(tuple(dealt), set_hand.high, set_hand.low)]  # type: ignore[arg-type]
    high = set_hand.high if set_hand is not None else None
    low = set_hand.low if set_hand is not None else None
    if set_hand is not None and high is not None and low is not None:
        if dealt is None:
            dealt = [*high, *low]
        elif any(card is None for card in dealt):
            known = [card for card in dealt if card is not None]
            extra = [card for card in (*high, *low) if card is not None and card not in known]
            for card in extra:
                if None in dealt:
                    dealt = list(dealt)
                    dealt[dealt.index(None)] = card
    if dealt is None:
        return [UNKNOWN]
    if set_hand is not None and foreign_cards(round_, position):
        high = low = None
    missing = sum(1 for card in dealt if card is None)
    hands = [*(high or ()), *(low or ())]
    if missing == 0:
        held = [card for card in hands if card is not None]
        if len(held) < len(hands):
            left = [card for card in dealt if card is not None and card not in held]
            if len(left) != len(hands) - len(held) or len(set(left)) > 1:
                high = low = None
            else:
                high, low = _fill(high, left), _fill(low, left)
        return [_holding(dealt, high, low)]
    if missing > MAX_UNREAD:
        return [UNKNOWN]
    elsewhere = {card for cards in round_.hands().values() for card in cards if card is not None}
    elsewhere |= {card for card in dealt if card is not None}
    candidates = [card for card in DECK if card not in elsewhere]
    found = []
    for chosen in permutations(candidates, missing):
        filling = list(chosen)
        cards = [card if card is not None else filling.pop(0) for card in dealt]
        found.append(_holding(cards, _fill(high, chosen), _fill(low, chosen, high)))
    return found


def _fill(cards: Sequence[int | None] | None, chosen: Sequence[int], before: Sequence[int | None] | None = None
          ) -> tuple[int, ...] | None:  # fmt: skip
    """Put the chosen cards in the places that were not read (after those of the hand `before`)."""
    if cards is None:
        return None
    left = list(chosen)[sum(1 for card in before or () if card is None) :]
    filled: list[int] = []
    for card in cards:
        if card is None:
            if not left:
                return None
            filled.append(left.pop(0))
        else:
            filled.append(card)
    return tuple(filled)


def _holding(dealt: Sequence[int | None], high: Sequence[int | None] | None, low: Sequence[int | None] | None
             ) -> Holding:  # fmt: skip
    cards = tuple(card for card in dealt if card is not None)
    if len(cards) != 7:
        return UNKNOWN
    set_high = tuple(card for card in high if card is not None) if high is not None else None
    set_low = tuple(card for card in low if card is not None) if low is not None else None
    return Holding(cards, set_high, set_low)


def dealer_readings(round_: Round, book: Rulebook) -> list[Holding]:
    """Return every reading of the dealer's hands as they count: as set where by the house way, else as it sets them.

    Hands against the house way are reset and the round completed (§ 688a.13(h)); where the house way accepts several
    settings, each is a reading.
    """
    if "dealer_readings" not in round_.memo:
        found: list[Holding] = []
        for holding in readings(round_, "dealer"):
            if holding.cards is None:
                found.append(UNKNOWN)
            elif holding.high is not None and _by_house_way(round_, book, holding):
                found.append(holding)
            else:
                settings = book.house_way.settings(holding.cards)
                found += [Holding(holding.cards, setting.high, setting.low) for setting in settings]
        round_.memo["dealer_readings"] = found
    known: list[Holding] = round_.memo["dealer_readings"]
    return known


def _by_house_way(round_: Round, book: Rulebook, holding: Holding) -> bool:
    """Whether hands as set are ones that the house way accepts for the cards held."""
    memo: dict[Holding, bool] = round_.memo.setdefault("by_house_way", {})
    if holding not in memo:
        cards, high, low = holding.cards or (), holding.high or (), holding.low or ()
        whole = len(high) == 5 and len(low) == 2 and sorted((*high, *low)) == sorted(cards)
        memo[holding] = whole and book.house_way.accepts(high, low)
    return memo[holding]


@rule("SET-DEALER", cites="58 Pa. Code §§ 688a.11(a), 688a.13(h)")
def house_way(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """The dealer's hands are set by the filed house way; set otherwise, they are reset."""
    set_hand = set_hands(round_).get("dealer")
    if set_hand is None or round_.voided is not None:
        return
    held = readings(round_, "dealer")
    verdicts = {
        _by_house_way(round_, book, holding) for holding in held if holding.cards is not None and holding.high is not None
    }  # fmt: skip
    if verdicts == {False}:
        holding = held[0]
        assert holding.cards is not None
        assert holding.high is not None
        assert holding.low is not None
        accepted = book.house_way.choose(holding.cards)
        yield finding(
            round_, book, "SET-DEALER", "13(h)",
            expected=f"{book.house_way.name}: {show(accepted.high)} / {show(accepted.low)}",
            observed=f"{show(holding.high)} / {show(holding.low)}", evidence=set_hand.facts,
        )  # fmt: skip
    elif len(verdicts) > 1:
        yield Doubt("whether the dealer's hands follow the house way depends on a card that was not read")


@rule("SET-CARDS", cites="58 Pa. Code § 688a.11(a), (c)")
def cards_dealt(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Hands are set from the cards dealt to the position."""
    for position, set_hand in set_hands(round_).items():
        foreign = foreign_cards(round_, position)
        if foreign:
            yield finding(
                round_, book, "SET-CARDS", "11(a)" if position == "dealer" else "11(c)",
                expected="hands made of the cards dealt", observed=f"{show(sorted(set(foreign)))} in the hands set",
                evidence=(*set_hand.facts, *(f for f in round_.of(model.CardsDealt) if f.payload.to == position)),
                seat=position if isinstance(position, int) else None,
            )  # fmt: skip


@rule("SET-CHANGED", cites="58 Pa. Code §§ 688a.7(f), 688a.11(b)(3)")
def unchanged(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Once a player's hands are set and placed, they are not touched again."""
    for position, set_hand in set_hands(round_).items():
        if isinstance(position, int) and len(set_hand.facts) > 1:
            yield finding(
                round_, book, "SET-CHANGED", "11(b)(3)", expected="hands as first set",
                observed="set again", evidence=set_hand.facts, seat=position,
            )  # fmt: skip


@rule("SET-EARLY", cites="58 Pa. Code § 688a.11(b)")
def dealer_first(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """Players examine and set their cards after the dealer's hands are set."""
    if "setting" not in round_.opened.payload.observed:
        return
    dealer = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"), None)
    if dealer is None:
        return
    seen: set[int] = set()
    looks = [*round_.of(model.HandExamined), *round_.of(model.HandSet)]
    for fact in sorted(looks, key=lambda each: each.seq):
        seat = fact.payload.seat if isinstance(fact.payload, model.HandExamined) else fact.payload.position
        if seat == "dealer" or seat in seen or fact.seq > dealer.seq:
            continue
        seen.add(seat)
        if round_.certainly_before(fact, dealer) is None:
            yield Doubt(f"seat {seat}: the clocks contradict the order of the player's look and the dealer's setting")
            continue
        yield finding(
            round_, book, "SET-EARLY", "11(b)", expected="the dealer's hands set first",
            observed="looked at or set before", evidence=(fact, dealer), seat=seat,
        )  # fmt: skip


@rule("SET-ORDER", cites="58 Pa. Code § 688a.7(f)")
def two_boxes(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Of two boxes the larger wager is set first; equal ones counterclockwise."""
    boxes: dict[str, list[tuple[int, int]]] = {}
    for stake in stakes(round_).values():
        if stake.wager == "base" and stake.on_layout_cents > 0:
            boxes.setdefault(stake.bettor, []).append((stake.seat, stake.on_layout_cents))
    for patron, placed in boxes.items():
        if len(placed) != 2:
            continue
        (seat_a, cents_a), (seat_b, cents_b) = sorted(placed, key=lambda box: (-box[1], -box[0]))
        first = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == seat_a), None)
        second = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == seat_b), None)
        if first is not None and second is not None and second.seq < first.seq:
            why = "the larger wager" if cents_a != cents_b else "counterclockwise"
            yield finding(
                round_, book, "SET-ORDER", "7(f)", expected=f"seat {seat_a} set first ({why}), both of {patron}",
                observed=f"seat {seat_b} first", evidence=(second, first), seat=seat_b,
            )  # fmt: skip
