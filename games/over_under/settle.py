"""Over/Under: what every wager of a round is due (Annex A, rulemaking 125-223, Chapter 686a).

Invariant: it decides nothing about procedure and knows no events. There is no dealer's hand: three cards, the
decision after the first of them, and the stakes make every result. If a card or the decision is unknown and matters, the due
amount is None; it never guesses.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from rulebook.cards.cards import ACE, JOKER, rank
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.game import Game
from rulebook.layout import BettingBox, TableLayout
from rulebook.settlement.wagers import EVEN_MONEY, Due, MaximumPayout, Outcome, due_of, not_offered, offered, won_at_odds

SIDES: Final = ("over", "under")
_ACE_POINTS, _FACE_POINTS = 11, 10
_OVER_FROM_POINTS: Final = 6
_LEAST_AND_MOST: Final = 6 + 33
"""Each line of the bonus paytable is two totals that add up to this: 6 or 33, 7 or 32, …, 12 or 27 (§ 686a.8(b))."""


def points(card: int) -> int:
    """Return the value of a card: 2 to 10 at their number, face cards 10, an ace always 11 (§ 686a.3(d)).

    >>> from rulebook.cards.cards import CODE
    >>> [points(CODE[card]) for card in ("2c", "Td", "Jh", "Ks", "As")]
    [2, 10, 10, 10, 11]
    """
    value = rank(card)
    return _ACE_POINTS if value == ACE else min(value, _FACE_POINTS)


def total(cards: Sequence[int] | None) -> int | None:
    """Return the total point count of a hand; None if a card is not known, or is no card of this game (§ 686a.3(a), (d))."""
    if cards is None or JOKER in cards:
        return None
    return sum(points(card) for card in cards)


def best_decision(first: int) -> Literal["over", "under"]:
    """Return the best decision on the first card, all that is known then; a surrender is never best (§ 686a.7(g)).

    >>> from rulebook.cards.cards import CODE
    >>> best_decision(CODE["5c"]), best_decision(CODE["6c"])
    ('under', 'over')
    """
    return "over" if points(first) >= _OVER_FROM_POINTS else "under"


def bonus_lines(paytable: Paytable, cards: Sequence[int], side: int | None = None) -> frozenset[str]:
    """Return the line of the Bonus Wager that three cards make: their total and its opposite, such as `6_or_33`."""
    counted = total(cards)
    if counted is None:
        return frozenset()
    low, high = sorted((counted, _LEAST_AND_MOST - counted))
    return frozenset({f"{low}_or_{high}"})


def is_houses_total(counted: int, under_most: int, over_least: int) -> bool:
    """Return whether a total loses to the house whatever was decided (§ 686a.7(j))."""
    return under_most < counted < over_least


def is_on_side(counted: int, over: bool, over_least: int) -> bool:
    """Return whether a total that is not the house's is on the side wagered on (§ 686a.7(i))."""
    return (counted >= over_least) == over


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager of the round is due, hand by hand from the dealer's left (§ 686a.7(i)-(k))."""
    return [due for box in sorted(layout.boxes, key=lambda box: box.seat) for due in _hand(book, box)]


def _hand(book: Rulebook, box: BettingBox) -> Iterator[Due]:
    for wager in box.stakes:
        if box.voided is None:
            yield due_of(book, box, wager, Outcome.UNKNOWN, None, "686a.9(c)")
        elif wager == "ante":
            yield _ante(book, box)
        elif wager in SIDES:
            yield _side(book, box, wager)
        elif wager == "bonus":
            yield _bonus(book, box)
        else:
            yield not_offered(book, box, wager)
    if box.decision in SIDES and box.decision not in box.stakes and box.voided is False:
        yield Due(
            seat=box.seat,
            wager=box.decision,
            bettor=box.bettor,
            net_cents=None,
            outcome=Outcome.UNKNOWN,
            cite=book.cite("686a.7(g)"),
        )


def _side_of(box: BettingBox) -> str | None:
    """Return the side that the ante goes with, over or under; None if the placed wagers leave it open."""
    placed = [side for side in SIDES if side in box.stakes]
    if len(placed) == 1:
        return placed[0]
    return box.decision if box.decision in placed else None


def _ante(book: Rulebook, box: BettingBox) -> Due:
    stake, counted = box.stakes["ante"], total(box.hand.cards)
    is_settled = box.surrendered and box.collected
    if box.voided and not is_settled:  # what was settled before its hand was dead stays so (D23)
        return due_of(book, box, "ante", Outcome.VOID, 0, "686a.9(c)")
    if box.surrendered:
        return due_of(book, box, "ante", Outcome.SURRENDERED, -stake, "686a.7(g)(3)")
    if counted is not None and _is_houses(book, counted):
        return due_of(book, box, "ante", Outcome.LOSE, -stake, "686a.7(j)")
    side = _side_of(box)
    if counted is None or side is None:
        return due_of(book, box, "ante", Outcome.UNKNOWN, None, "686a.7(i)")
    return _decided(book, box, "ante", side, counted)


def _side(book: Rulebook, box: BettingBox, side: str) -> Due:
    counted = total(box.hand.cards)
    if box.voided:
        return _dead(book, box, side)
    if counted is None:
        return due_of(book, box, side, Outcome.UNKNOWN, None, "686a.7(i)")
    if _is_houses(book, counted):
        return due_of(book, box, side, Outcome.LOSE, -box.stakes[side], "686a.7(j)")
    return _decided(book, box, side, side, counted)


def _is_houses(book: Rulebook, counted: int) -> bool:
    numbers = book.chapter.numbers
    return is_houses_total(counted, numbers["under_most_points"], numbers["over_least_points"])


def _decided(book: Rulebook, box: BettingBox, wager: str, side: str, counted: int) -> Due:
    """Settle a wager that goes with over or under, on a total that is not the house's; the wrong side loses (D12)."""
    stake = box.stakes[wager]
    if is_on_side(counted, side == "over", book.chapter.numbers["over_least_points"]):
        winnings = EVEN_MONEY.winnings(stake)
        return due_of(book, box, wager, Outcome.WIN, winnings, "686a.8(a)", winnings=winnings)
    if book.settings["wrong_side"] == "pushes":
        return due_of(book, box, wager, Outcome.TIE, 0, "686a.7(j)")
    return due_of(book, box, wager, Outcome.LOSE, -stake, "686a.7(j)")


def _bonus(book: Rulebook, box: BettingBox) -> Due:
    wager, paytable = "bonus", offered(book, "bonus")
    if paytable is None:
        return not_offered(book, box, wager)
    if box.voided:
        return _dead(book, box, wager, paytable)
    if box.hand.cards is None or total(box.hand.cards) is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "686a.8(b)", paytable)
    line = paytable.best(bonus_lines(paytable, box.hand.cards))
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "686a.7(k)", paytable)
    return won_at_odds(book, box, wager, paytable, line, MaximumPayout(None), "686a.8(b)")


def _dead(book: Rulebook, box: BettingBox, wager: str, paytable: Paytable | None = None) -> Due:
    """Settle any other wager of a hand that was called dead: the text returns only the ante (D23)."""
    if book.settings["dead_hand_returns"] == "all":
        return due_of(book, box, wager, Outcome.VOID, 0, "686a.9(c)", paytable)
    return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "686a.9(c)", paytable)


GAME = Game(
    name="over_under",
    title="Over/Under",
    wagers={"ante": "Ante", "over": "Over 23", "under": "Under 18", "bonus": "Bonus"},
    hands={},
    settle=settle,
    lines=bonus_lines,
    worth=total,
)
