"""Face Up Pai Gow Poker with a player-dealer by rows: what every wager is due, how far it is covered, what upholds a round.

`settle` is `games.player_dealer.settle` for rows in which nothing is missing: seven seats, of which one deals. An Envy Bonus that
is not covered whole, and hands that the player-dealer set foul, go to event replay.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.kernels.ranking import JOKER, five, seven_and_unpaired, two
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.player_dealer import BEHIND, FIRST_BEHIND, OFFERS, SCHEMA
from replay.columns.kernels.screening_result import (
    ALL_PUSH,
    BACKLINE,
    BASE_WAGER,
    BUTTON,
    CARDS,
    COVERED_IN_PART,
    CUT,
    FEES,
    LAMMERS,
    LATE,
    LIMITS,
    NOT_COVERED,
    NOT_IN_COLUMNS,
    ORDER,
    ORDER_OF_THE_DEAL,
    PILES,
    ROTATION,
    SHUFFLE,
    START,
    STUB,
    UPHELD,
)
from replay.columns.kernels.seven_card_terms import ace_high_rows
from replay.columns.kernels.seven_cards import (
    check_dealer_first,
    goes_round,
    hands_are_those_dealt,
    settle_ace_high,
    two_hands,
)
from replay.columns.kernels.shared_rules import action_after, first_seat, is_envy_owed, left_to_cover
from replay.columns.kernels.table import M_FIRST_CARD, M_LAST_LAMMER, M_LAST_WAGER, rows_type
from replay.columns.kernels.terms import ENVY_CENTS, ENVY_LINE, Ints, is_wild, limits_of, rows_by_lines
from replay.columns.kernels.wagers import check_money, settle_at_odds, settle_even_money

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 6
"""The wagers that a seat can have: base, Ace High, Fortune, and of three who bet behind it."""
ACE_HIGH, FORTUNE = 1, 2
ON_HANDS = (0, 3, 4, 5)
"""The wagers that go by the hands of a seat: base, and of those who bet behind it."""
IN_TURN = (*ON_HANDS, ACE_HIGH, FORTUNE)
"""The wagers of a seat in the order in which the player-dealer's wager covers them."""
KINDS = 5
"""The kinds of wagers whose turns a row has (`replay.rules.games.player_dealer.IN_TURN`)."""


class PlayerDealerTerms(NamedTuple):
    """Rules in force where a patron deals: limits (of a wager that is not offered no amount is within them), paytables, numbers.

    `own` is the paytable of the Ace High Bonus. `net`: what was taken can be paid out again, so that the player-dealer's wager
    covers more (D22); `fee` is in cents; `rounds` is after how many rounds the position is offered on.
    """

    limits: Ints
    own: Ints
    fortune: Ints
    fortune_wild: bool
    fortune_envy: bool
    envy_holder_must_wager: bool
    qualifying: int
    lowest: bool
    net: bool
    fee: int
    rounds: int
    stub: int
    cut_free: bool


FURTHER_RATES = ("collection_2", "collection_3", "collection_4", "collection_5")
"""Rates of the collection beside the first: where one is filed, rounds are judged event by event (D554)."""


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[PlayerDealerTerms] | None:
    """Return rules with a player-dealer as their kernel takes them; null where it does not know rules such as these."""
    rules, numbers, settings = book.chapter.wagers, book.chapter.numbers, book.settings
    known = {"coverage", "envy_holder_must_wager", "collection", *FURTHER_RATES}
    if book.chapter.key != "ca-gegr-002138" or settings.keys() != known or any(map(settings.get, FURTHER_RATES)):
        return None
    if rules.keys() != set(SCHEMA.wagers) or any(
        (rule.closes, rule.of) != ("first_card", None) for rule in rules.values()
    ):
        return None
    fortune = offered(book, "fortune_bonus")
    return (
        PlayerDealerTerms(
            limits=np.array([limits_of(book, wager) for wager in SCHEMA.wagers], dtype=np.int64),
            own=ace_high_rows(book),
            fortune=rows_by_lines(fortune),
            fortune_wild=is_wild(fortune),
            fortune_envy=fortune is not None and fortune.has_envy,
            envy_holder_must_wager=bool(settings["envy_holder_must_wager"]),
            qualifying=numbers["qualifying_wager_cents"],
            lowest=book.chapter.wheel == "lowest",
            net=settings["coverage"] == "net",
            fee=int(settings["collection"]),
            rounds=numbers["rounds_as_player_dealer"],
            stub=numbers["stub_cards"],
            cut_free=book.exempt("5(e)"),
        ),
    )


@inlined
def action(r: Any, i: int) -> int:
    """Return the place of the seat that has the action (`games.player_dealer.action_seat`)."""
    bank = wide(r.bank[i])
    return action_after(first_seat(wide(r.start_count[i]), bank), bank) - 1


# ------------------------------------------------------------------------------------------------------------ what is due


@inlined
def settle_on_hands(terms: Any, line: int, at: int, staked: Array, lines: Array, ends: Array, due: Array) -> bool:
    """Settle the wagers of a seat, and behind it, that go by its hands; say whether all of them are offered."""
    for wager in ON_HANDS:
        if staked[at + wager]:
            if terms.limits[wager, 0] > terms.limits[wager, 1]:
                return False
            settle_even_money(line, at + wager, staked, lines, ends, due)
    return True


@inlined
def settle_hands(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due by the hands alone, with its line, and the Envy Bonuses; return a check, 0: settled."""
    dealt, hands, staked, due, lines, ends = r.dealt[i], r.hands[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
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
            return NOT_IN_COLUMNS
        completes, wild, highest = seven_and_unpaired(dealt[7 * seat : 7 * seat + 7])
        line = wide(ALL_PUSH)
        if on_hands and not ace_high:
            cards = hands[7 * seat : 7 * seat + 7]
            if not known or cards[0] > JOKER:
                return NOT_IN_COLUMNS
            line = wide(two_hands(cards, high, low, terms.lowest))
        if not settle_on_hands(terms, line, at, staked, lines, ends, due):
            return NOT_IN_COLUMNS
        own = wide(0)
        if staked[at + ACE_HIGH]:
            own = settle_ace_high(terms.own, ace_high, joker, highest, at + ACE_HIGH, staked, lines, ends, due)
        if own < 0:
            return NOT_IN_COLUMNS
        row = terms.fortune[wild if terms.fortune_wild else completes]
        if staked[at + FORTUNE] and settle_at_odds(row, at + FORTUNE, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
        if terms.fortune_envy and staked[at]:
            out.envy[i, seat], out.envy_due[i, seat] = row[ENVY_LINE], row[ENVY_CENTS]
    return UPHELD


@inlined
def cover(r: Any, i: int, terms: Any, out: Any) -> int:
    """Let the player-dealer's wager cover what is due, clockwise from the action; return a check, 0: settled (D22)."""
    staked, due, lines, boxes = r.staked[i], out.due[i], out.lines[i], r.boxes[i]
    wager, used, first = wide(r.bank_cents[i]), wide(0), action(r, i)
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
                lines[at + which] |= COVERED_IN_PART if part else NOT_COVERED
        if not terms.fortune_envy or not staked[at] or staked[at + FORTUNE] < terms.qualifying:
            continue
        for further in range(7):
            hand = (first + further) % 7
            hand_wagered = staked[WIDTH * hand + FORTUNE] > 0
            if not out.envy[i, hand] or not is_envy_owed(
                boxes[hand] == boxes[seat], hand_wagered, terms.envy_holder_must_wager
            ):
                continue
            used += out.envy_due[i, hand]
            if used > wager:
                return NOT_IN_COLUMNS
            out.envy_to[i, hand] |= 1 << seat
    return UPHELD


@inlined
def settle(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    if not hands_are_those_dealt(r.dealt[i], r.hands[i]):
        return CARDS
    check = settle_hands(r, i, terms, out)
    if check == UPHELD:
        check = cover(r, i, terms, out)
    return check


# ------------------------------------------------------------------------------------------------- the position, the deal


@inlined
def check_position(r: Any, i: int, terms: Any) -> int:
    """Check that the position was offered clockwise to those who had to be asked, and went to who accepted first."""
    seat, before, accepted = wide(r.bank[i]), wide(r.held_seat[i]), wide(r.accepted_by[i])
    if accepted and accepted != seat:
        return ROTATION
    stays = r.held_by_same[i] != 0
    if not before or (stays and r.held_rounds[i] < terms.rounds):
        return UPHELD
    if not stays and not accepted:
        return ROTATION
    to_ask, seen, at = wide(r.to_ask[i]), wide(1) << (before - 1), 0
    for offer in range(OFFERS):
        if r.offers[i, offer]:
            to_ask |= wide(1) << (wide(r.offers[i, offer]) - 1)
    for turn in range(1, 7):
        due_seat = (before - 1 + turn) % 7 + 1
        if not to_ask >> (due_seat - 1) & 1:
            continue
        while at < OFFERS and r.offers[i, at] and seen >> (wide(r.offers[i, at]) - 1) & 1:
            at += 1
        if at == OFFERS or r.offers[i, at] != due_seat:
            return ROTATION
        seen |= wide(1) << (due_seat - 1)
        if due_seat == seat and not stays:
            break
    while at < OFFERS and r.offers[i, at]:
        if not seen >> (wide(r.offers[i, at]) - 1) & 1:
            return ROTATION
        at += 1
    return UPHELD


@inlined
def check_deal(r: Any, i: int, terms: Any) -> int:
    """Check shuffle and cut, the action button, where the first hand went, the order of the others, and the stub."""
    if not r.shuffled[i]:
        return SHUFFLE
    if r.shuffled[i] == 1 and not terms.cut_free and not r.cut_by[i]:
        return CUT
    if r.button[i] != action(r, i) + 1:
        return BUTTON
    if r.dealt_to[i, 0] != first_seat(wide(r.start_count[i]), wide(r.bank[i])) - 1:
        return START
    if not goes_round(r, i):
        return ORDER_OF_THE_DEAL
    return STUB if r.stub[i] != terms.stub else UPHELD


@inlined
def check_piles(r: Any, i: int) -> int:
    """Check that piles were dealt to and fro, given out as they lay, and first the one that was picked."""
    if not r.pile_turns[i, 0]:
        return UPHELD
    first = wide(r.dealt_to[i, 0])
    for position in range(7):
        hand = wide(0)
        for at in range(7 * position, 7 * position + 7):
            hand |= wide(1) << wide(r.dealt[i, at])
        found = wide(0)
        for pile in range(1, 8):
            cards = wide(0)
            for row in range(7):
                turn = 7 * row + (pile - 1 if row % 2 == 0 else 7 - pile)
                if r.pile_turns[i, turn] != pile:
                    return PILES
                cards |= wide(1) << wide(r.piles[i, turn])
            if cards == hand:
                found = wide(pile)
        if not found or (position == first and found != r.picked[i]):
            return PILES
    return UPHELD


# ----------------------------------------------------------------------------------------------------------- wagers, fees


@inlined
def check_wagers(r: Any, i: int, terms: Any) -> int:
    """Check that wagers were placed in time, within the limits, none at the player-dealer's seat, each with its base wager."""
    staked, lammers = r.staked[i], wide(0)
    if r.moments[i, M_LAST_WAGER] > r.moments[i, M_FIRST_CARD]:
        return LATE
    for seat in range(7):
        for wager in range(WIDTH):
            cents = staked[WIDTH * seat + wager]
            if not cents:
                continue
            if seat == r.bank[i] - 1:
                return BACKLINE
            if not staked[WIDTH * seat]:
                return BASE_WAGER
            if not terms.limits[wager, 0] <= cents <= terms.limits[wager, 1]:
                return LIMITS
        if terms.fortune_envy and staked[WIDTH * seat + FORTUNE] >= terms.qualifying:
            lammers |= wide(1) << seat
    if wide(r.lammers[i]) != lammers or r.moments[i, M_LAST_LAMMER] > r.moments[i, M_FIRST_CARD]:
        return LAMMERS
    return UPHELD


@inlined
def check_fees(r: Any, i: int, terms: Any) -> int:
    """Check that every player paid the flat fee, and the player-dealer and those behind a seat paid that or nothing."""
    for seat in range(7):
        cents = r.fees[i, seat]
        if cents != terms.fee and (cents or r.staked[i, WIDTH * seat]):
            return FEES
        if cents and not r.staked[i, WIDTH * seat] and seat != r.bank[i] - 1:
            return FEES
        for which in range(BEHIND):
            cents = r.fees_behind[i, BEHIND * seat + which]
            if cents and (cents != terms.fee or not r.staked[i, WIDTH * seat + FIRST_BEHIND + which]):
                return FEES
    return UPHELD


@inlined
def check_turns(r: Any, i: int, out: Any) -> int:
    """Check that the seats were served clockwise from the action, where the player-dealer's wager does not cover all."""
    short = False
    for place in range(7 * WIDTH):
        short = short or (r.staked[i, place] > 0 and out.lines[i, place] >= COVERED_IN_PART)
    first, last = action(r, i), wide(-1)
    for turn in range(7 if short else 0):
        for kind in range(KINDS):
            at = KINDS * ((first + turn) % 7) + kind
            if r.moved_from[i, at] >= 0:
                if r.moved_from[i, at] < last:
                    return ORDER
                last = wide(r.moved_to[i, at])
    return UPHELD


@inlined
def check_table(r: Any, i: int, terms: Any) -> int:
    """Check all that comes before the settlement."""
    return (
        check_position(r, i, terms)
        or check_deal(r, i, terms)
        or check_piles(r, i)
        or check_wagers(r, i, terms)
        or check_fees(r, i, terms)
        or check_dealer_first(r, i)
    )


@borrowing
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up_pai_gow.screen` does.

    No fault at the table voids a round: all are settled in which the wagers were placed in time.
    """
    for i in which:
        check = check_table(r, i, terms)
        if r.moments[i, M_LAST_WAGER] < r.moments[i, M_FIRST_CARD]:
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_money(r, i, out, WIDTH)
            if check == UPHELD:
                check = check_turns(r, i, out)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
