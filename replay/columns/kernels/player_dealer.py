"""Face Up Pai Gow Poker with a player-dealer by rows: what every wager is due, and how far it is covered.

`settle` is `games.player_dealer.settle` for rows in which nothing is missing: seven seats, of which one deals. An Envy Bonus that
is not covered whole, and hands that the player-dealer set foul, go to event replay.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.kernels.ranking import JOKER, five, seven_and_unpaired, two
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.player_dealer import SCHEMA
from replay.columns.kernels.settled_rows import ALL_PUSH, rows_type
from replay.columns.kernels.seven_card_terms import ace_high_rows
from replay.columns.kernels.seven_cards import settle_ace_high, two_hands
from replay.columns.kernels.shared_rules import is_envy_owed, left_to_cover
from replay.columns.kernels.terms import ENVY_CENTS, Ints, is_wild, rows_by_lines
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 6
"""The wagers that a seat can have: base, Ace High, Fortune, and of three who bet behind it."""
ACE_HIGH, FORTUNE = 1, 2
ON_HANDS = (0, 3, 4, 5)
"""The wagers that go by the hands of a seat: base, and of those who bet behind it."""
IN_TURN = (*ON_HANDS, ACE_HIGH, FORTUNE)
"""The wagers of a seat in the order in which the player-dealer's wager covers them."""


class PlayerDealerTerms(NamedTuple):
    """Rules in force where a patron deals: paytables and numbers.

    `own` is the paytable of the Ace High Bonus; `behind`: others may bet behind a seat. `net`: what was taken can be paid out
    again, so that the player-dealer's wager covers more (D22).
    """

    own: Ints
    fortune: Ints
    fortune_wild: bool
    fortune_envy: bool
    envy_holder_must_wager: bool
    qualifying: int
    lowest: bool
    net: bool
    behind: bool


FURTHER_RATES = ("collection_2", "collection_3", "collection_4", "collection_5")
"""Rates of the collection beside the first; like that one they are no part of what a wager is due."""


def terms_of(book: Rulebook) -> tuple[PlayerDealerTerms] | None:
    """Return rules with a player-dealer as their kernel takes them; null where it does not know rules such as these."""
    rules, numbers, settings = book.chapter.wagers, book.chapter.numbers, book.settings
    known = {"coverage", "envy_holder_must_wager", "collection", *FURTHER_RATES}
    if book.chapter.key != "ca-gegr-002138" or settings.keys() != known:
        return None
    if rules.keys() != set(SCHEMA.wagers) or any(
        (rule.closes, rule.of) != ("first_card", None) for rule in rules.values()
    ):
        return None
    fortune = offered(book, "fortune_bonus")
    return (
        PlayerDealerTerms(
            own=ace_high_rows(book),
            fortune=rows_by_lines(fortune),
            fortune_wild=is_wild(fortune),
            fortune_envy=fortune is not None and fortune.has_envy,
            envy_holder_must_wager=bool(settings["envy_holder_must_wager"]),
            qualifying=numbers["qualifying_wager_cents"],
            lowest=book.chapter.wheel == "lowest",
            net=settings["coverage"] == "net",
            behind="backline" in book.offers,
        ),
    )


@inlined
def settle_on_hands(terms: Any, line: int, at: int, staked: Array, due: Array) -> bool:
    """Settle the wagers of a seat, and behind it, that go by its hands; say whether all of them are offered."""
    for wager in ON_HANDS:
        if staked[at + wager]:
            if wager and not terms.behind:
                return False
            settle_even_money(line, at + wager, staked, due)
    return True


@inlined
def settle_hands(r: Any, i: int, terms: Any, out: Any) -> bool:
    """Write what every wager is due by the hands alone, and the Envy Bonuses; say whether the columns hold all of it."""
    dealt, hands, staked, due = r.dealt[i], r.hands[i], r.staked[i], out.due[i]
    bank = wide(r.bank[i]) - 1
    held, shown = dealt[7 * bank : 7 * bank + 7], hands[7 * bank : 7 * bank + 7]
    ace_high, joker = seven_and_unpaired(held)[2] == 14, False
    for at in range(7):
        joker = joker or held[at] == JOKER
    high = low = wide(0)
    if shown[0] <= JOKER:
        high, low = five(shown[:5], terms.lowest), two(wide(shown[5]), wide(shown[6]))
    known = shown[0] <= JOKER and high >= low
    for seat in range(7):
        at, anything, on_hands = WIDTH * seat, False, False
        for wager in range(WIDTH):
            anything = anything or staked[at + wager] > 0
        for wager in ON_HANDS:
            on_hands = on_hands or staked[at + wager] > 0
        if not anything:
            continue
        if seat == bank:
            return False
        completes, wild, highest = seven_and_unpaired(dealt[7 * seat : 7 * seat + 7])
        line = wide(ALL_PUSH)
        if on_hands and not ace_high:
            cards = hands[7 * seat : 7 * seat + 7]
            if not known or cards[0] > JOKER:
                return False
            line = wide(two_hands(cards, high, low, terms.lowest))
        if not settle_on_hands(terms, line, at, staked, due):
            return False
        own = wide(0)
        if staked[at + ACE_HIGH]:
            own = settle_ace_high(terms.own, ace_high, joker, highest, at + ACE_HIGH, staked, due)
        if own < 0:
            return False
        row = terms.fortune[wild if terms.fortune_wild else completes]
        if staked[at + FORTUNE] and settle_at_odds(row, at + FORTUNE, staked, due) < 0:
            return False
        if terms.fortune_envy and staked[at]:
            out.envy_cents[i, seat] = row[ENVY_CENTS]
    return True


@inlined
def cover(r: Any, i: int, terms: Any, out: Any) -> bool:
    """Let the player-dealer's wager cover what is due, clockwise from the action; say whether the columns hold it (D22)."""
    staked, due, boxes = r.staked[i], out.due[i], r.boxes[i]
    wager, used, first = wide(r.bank_cents[i]), wide(0), wide(r.action[i]) - 1
    for turn in range(7):
        seat = (first + turn) % 7
        at = WIDTH * seat
        for which in IN_TURN:
            whole = wide(due[at + which])
            wins = whole > 0
            part = min(abs(whole), left_to_cover(wager, used, wins, terms.net))
            used += -part if terms.net and not wins else part
            if part < abs(whole):
                due[at + which] = part if wins else -part
        if not terms.fortune_envy or not staked[at] or staked[at + FORTUNE] < terms.qualifying:
            continue
        for further in range(7):
            hand = (first + further) % 7
            hand_wagered = staked[WIDTH * hand + FORTUNE] > 0
            if not out.envy_cents[i, hand] or not is_envy_owed(
                boxes[hand] == boxes[seat], hand_wagered, terms.envy_holder_must_wager
            ):
                continue
            used += out.envy_cents[i, hand]
            if used > wager:
                return False
            out.envy_to[i, hand] |= 1 << seat
    return True


@borrowing
def settle(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_hands(r, i, terms, out) and cover(r, i, terms, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
