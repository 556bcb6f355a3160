"""High Card: two cards to each bettor and the dealer; the higher card wins, then the other one. The bonus pays a pair."""

from collections.abc import Sequence

from rulebook.cards.cards import ACE, rank
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.game import Game
from rulebook.layout import BettingBox, TableLayout
from rulebook.settlement.wagers import EVEN_MONEY, Due, MaximumPayout, Outcome, due_of, not_offered, offered, won_at_odds


def lines(paytable: Paytable, cards: Sequence[int], side: int | None = None) -> frozenset[str]:
    """Return the lines of the bonus that two cards make."""
    one, other = map(rank, cards)
    if one != other:
        return frozenset()
    return frozenset(("pair", "pair_of_aces") if one == ACE else ("pair",))


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager of the round is due (§ 700a.11)."""
    settled = {"ante": _ante, "pair_plus": _bonus}
    return [
        settled[wager](book, layout, box) if wager in book.offers else not_offered(book, box, wager)
        for box in layout.boxes
        for wager in box.stakes
    ]


def _ante(book: Rulebook, layout: TableLayout, box: BettingBox) -> Due:
    mine, dealers, stake = box.hand.cards, layout.dealer.cards, box.stakes["ante"]
    if mine is None or dealers is None:
        return due_of(book, box, "ante", Outcome.UNKNOWN, None, "700a.11(b)")
    high, best = (sorted(map(rank, cards), reverse=True) for cards in (mine, dealers))
    if high > best:
        winnings = EVEN_MONEY.winnings(stake)
        return due_of(book, box, "ante", Outcome.WIN, winnings, "700a.12(a)", winnings=winnings)
    if high == best and book.settings["equal_hands"] == "push":
        return due_of(book, box, "ante", Outcome.TIE, 0, "700a.11(b)")
    return due_of(book, box, "ante", Outcome.LOSE, -stake, "700a.11(b)")


def _bonus(book: Rulebook, layout: TableLayout, box: BettingBox) -> Due:
    paytable = offered(book, "pair_plus")
    assert paytable is not None, "an optional wager is filed with its paytable"
    if box.hand.cards is None:
        return due_of(book, box, "pair_plus", Outcome.UNKNOWN, None, "700a.12(b)", paytable)
    line = paytable.best(lines(paytable, box.hand.cards))
    if line is None:
        return due_of(book, box, "pair_plus", Outcome.LOSE, -box.stakes["pair_plus"], "700a.11(c)", paytable)
    return won_at_odds(book, box, "pair_plus", paytable, line, MaximumPayout(None), "700a.12(b)")


GAME = Game(
    name="high_card", title="High Card", wagers={"ante": "Ante", "pair_plus": "Pair Plus"}, hands={}, settle=settle, lines=lines
)
