"""Over/Under by rows: what every wager is due, and what upholds a round (`games.over_under`)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.kernels.ranking import JOKER
from games.over_under import SIDES, bonus_lines, points, total
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.over_under import SCHEMA, SHUFFLERS
from replay.columns.kernels.screening_result import (
    BASE_WAGER,
    BURN_CARD,
    CARDS,
    COLLECTION,
    COVER_CARD,
    CUT,
    DECISIONS,
    DECK,
    LATE,
    LIMITS,
    LOSE,
    NOT_IN_COLUMNS,
    ORDER,
    ORDER_OF_THE_DEAL,
    SEATED,
    SHUFFLE,
    SURRENDERED,
    TIE,
    UPHELD,
    WIN,
)
from replay.columns.kernels.shared_rules import is_houses_total, is_on_side
from replay.columns.kernels.table import M_FIRST_CARD, M_LAST_WAGER, rows_type
from replay.columns.kernels.terms import NOT_HERE, PER, Ints, limits_of, paytable_row
from replay.columns.kernels.wagers import check_money, settle_at_odds, settle_even_money
from replay.rules.equipment import HOUR_US

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""
ANTE, OVER, UNDER, BONUS = range(4)
NOBODY = 255
MANUAL, AUTOMATED = 1, 2
"""How cards were shuffled (`replay.columns.ordinary_course.SHUFFLE_NUMBERS`)."""
CONTINUOUS = SHUFFLERS.index("continuous")
DEALER, ELSEWHERE, NOT_KNOWN = 7, 7, -1


class OverUnderTerms(NamedTuple):
    """Rules in force of Over/Under: limits, the Bonus Wager by total, the points of each card, and the numbers of the chapter.

    `wrong_side_pushes`, `hand_by_hand` and `most_boxes` as filed (D12, D278; one box where no second is permitted); `shuffler`
    is that of `replay.columns.games.over_under.SHUFFLERS`.
    """

    limits: Ints
    bonus: Ints
    points: Ints
    over_least: int
    under_most: int
    wrong_side_pushes: bool
    hand_by_hand: bool
    most_boxes: int
    copies: int
    deck_age: int
    deck_size: int
    cut_least: int
    cut_below: int
    shuffler: int


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[OverUnderTerms] | None:
    """Return rules of Over/Under as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    placed = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(("ante", "bonus"), (None, 1, "first_card"))
    known |= dict.fromkeys(SIDES, ("ante", 1, "further_cards"))
    if book.chapter.key != "pa-686a" or placed != known or book.without or book.settings.keys() != _KNOWN_SETTINGS:
        return None
    return (
        OverUnderTerms(
            limits=np.array([limits_of(book, wager) for wager in SCHEMA.wagers], dtype=np.int64),
            bonus=_rows_by_total(offered(book, "bonus")),
            points=np.array([points(card) for card in range(52)], dtype=np.int64),
            over_least=numbers["over_least_points"],
            under_most=numbers["under_most_points"],
            wrong_side_pushes=book.settings["wrong_side"] == "pushes",
            hand_by_hand=book.settings["decisions"] == "hand_by_hand",
            most_boxes=int(book.settings["most_boxes"]) if book.adjacent_boxes else 1,
            copies=numbers["copies"],
            deck_age=numbers["deck_age_shoe_hours"] * HOUR_US,
            deck_size=numbers["deck_size"],
            cut_least=numbers["cut_depth_cards"],
            cut_below=numbers.get("cut_from_bottom_cards", numbers["cut_depth_cards"]),
            shuffler=SHUFFLERS.index(book.shuffler),
        ),
    )


_KNOWN_SETTINGS: Final = frozenset({"wrong_side", "dead_hand_returns", "decisions", "most_boxes"})
"""The settings of Over/Under that its kernel knows, or that matter in ineligible rounds only."""


def _rows_by_total(paytable: Paytable | None) -> Ints:
    """Return what every total of three cards comes to."""
    table = np.full((34, 4), NOT_HERE, dtype=np.int64)
    table[:, PER] = 1
    for cards in combinations_with_replacement(range(0, 52, 4), 3) if paytable is not None else ():
        assert paytable is not None
        table[total(cards)] = paytable_row(paytable, paytable.best(bonus_lines(paytable, cards)))
    return table


@inlined
def settle(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends; return a check, 0: settled."""
    dealt, staked, due, lines, ends = r.dealt[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
    for seat in range(6):
        at, total = WIDTH * seat, wide(0)
        if r.boxes[i, seat] == 0:
            continue
        for card in range(3 * seat, 3 * seat + 3):
            if dealt[card] >= JOKER:
                return CARDS
            total += terms.points[dealt[card]]
        over, under = staked[at + OVER] > 0, staked[at + UNDER] > 0
        surrendered, decision = r.surrendered[i, seat] >= 0, wide(r.said[i, seat])
        if over and under:
            return LIMITS
        if surrendered == (over or under) or (decision and (surrendered or decision != (1 if over else 2))):
            return DECISIONS
        for wager in range(3):
            if not staked[at + wager]:
                continue
            line = LOSE
            if surrendered:
                line = SURRENDERED
            elif not is_houses_total(total, terms.under_most, terms.over_least):
                if is_on_side(total, over, terms.over_least):
                    line = WIN
                elif terms.wrong_side_pushes:
                    line = TIE
            settle_even_money(line, at + wager, staked, lines, ends, due)
        if staked[at + BONUS] and settle_at_odds(terms.bonus[total], at + BONUS, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
    return UPHELD


@inlined
def in_time(r: Any, i: int) -> bool:
    """Say whether ante and Bonus were placed before the first card, over and under before that player's additional ones."""
    before: bool = r.moments[i, M_LAST_WAGER] < r.moments[i, M_FIRST_CARD]
    for seat in range(6):
        before = before and (r.side_to[i, seat] < 0 or r.side_to[i, seat] < r.further_from[i, seat])
    return before


@inlined
def is_endless(r: Any, i: int, terms: Any) -> bool:
    """Say whether the cards go back into a continuous shuffler: the one at the table, else the one that is filed."""
    endless: bool = (r.shuffler[i] if r.shuffler[i] else terms.shuffler) == CONTINUOUS
    return endless


@inlined
def check_batch(r: Any, i: int, terms: Any) -> int:
    """Check the batch, which where no shoe begins is the one dealt last, and how it was cut."""
    if r.opened_at_us[i] - r.deck_in_play_us[i] > terms.deck_age:
        return DECK
    if r.shuffled[i] == AUTOMATED and r.decks_in_play[i] < 2:
        return DECK
    if r.begun[i] and r.decks_in_play[i] == 2 and r.decks_before[i] == 2 and r.same_deck[i]:
        return DECK
    if not r.begun[i] and not r.same_deck[i] and not is_endless(r, i, terms):
        return SHUFFLE
    return check_cut(r, i, terms) if r.shuffled[i] == MANUAL else UPHELD


@inlined
def check_cut(r: Any, i: int, terms: Any) -> int:
    """Check how deep the cards were cut, by whom, and to whom the cut was offered before."""
    cut_by, seated = wide(r.cut_by[i]), wide(r.cut_seated[i])
    above = wide(r.cut_depth[i]) if r.cut_from_top[i] else terms.deck_size - wide(r.cut_depth[i])
    if not cut_by or not terms.cut_least <= above <= terms.deck_size - terms.cut_below:
        return CUT
    first = wide(NOT_KNOWN)
    if r.just_opened[i]:
        first = wide(r.first_patron[i])
    elif r.cover_at[i]:
        first = wide(r.cover_at[i])
    elif r.cover_known[i]:
        first = wide(ELSEWHERE)
    in_turn = first == ELSEWHERE
    if not in_turn and (first <= 0 or not seated >> (first - 1) & 1):
        first = wide(NOT_KNOWN)
    right, asked, offers, head, last, following = True, False, 0, wide(0), wide(0), wide(6)
    for at in range(7):
        seat = wide(r.offered_to[i, at]) if at < 6 else wide(0)
        if seat:
            last = seat
        elif not asked and cut_by != DEALER:
            seat = cut_by  # a player who cut was offered the cut
        else:
            break
        asked = asked or seat == cut_by
        head = head if head else seat
        offers += 1
        while following and not seated >> (following - 1) & 1:
            following -= 1
        if in_turn and seat != following:
            right = False
        following = max(wide(0), following - 1)
    everybody = 0
    for seat in range(6):
        everybody += seated >> seat & 1
    if in_turn:
        right = right and (cut_by != DEALER or offers == everybody)
    elif first == NOT_KNOWN:
        right = offers > 0
    else:
        right = head == first
    if r.cut_taken[i] and cut_by != last:
        right = False
    return UPHELD if right or not seated else CUT


@inlined
def check_shoe(r: Any, i: int, terms: Any) -> int:
    """Check the cover card, the burn card, and that no card left the shoe more often than it is in it."""
    endless = is_endless(r, i, terms)
    if r.cover_passed[i] and not r.begun[i]:
        return COVER_CARD
    if r.cover_depth[i] >= 0:
        below = terms.deck_size - wide(r.cover_depth[i]) if r.cover_from_top[i] else wide(r.cover_depth[i])
        if 4 * below < terms.deck_size:
            return COVER_CARD
    if r.shuffled[i] == MANUAL and r.cover_put_at[i] <= r.cut_at[i]:
        return COVER_CARD
    since = wide(r.newcomer[i])
    if r.begun[i] and not endless:
        since = max(since, r.begun[i], r.last_dealt[i])
    if since and r.burnt_at[i] <= since:
        return BURN_CARD
    for at in range(18):
        card = wide(r.dealt[i, at])
        if card < JOKER and not endless:
            copies = wide(r.gone[i, card])
            for other in range(at + 1):
                copies += wide(r.dealt[i, other]) == card
            if copies > terms.copies:
                return CARDS
    return UPHELD


@inlined
def check_deal(r: Any, i: int) -> int:
    """Check that players with an ante, and no others, were dealt to from the dealer's left, and that all cards were collected."""
    first, further, began, cards = wide(-1), wide(-1), wide(-1), wide(0)
    for seat in range(6):
        if r.dealt[i, 3 * seat] == NOBODY:
            continue
        if not r.staked[i, WIDTH * seat]:
            return ORDER_OF_THE_DEAL
        if r.first_at[i, seat] < first or r.further_from[i, seat] < further:
            return ORDER_OF_THE_DEAL
        first, further, cards = wide(r.first_at[i, seat]), wide(r.further_to[i, seat]), cards + 3
        began = began if began >= 0 else wide(r.further_from[i, seat])
    if began < first:
        return ORDER_OF_THE_DEAL
    return UPHELD if cards <= r.collected[i] <= cards + r.burns[i] else COLLECTION


@inlined
def check_wagers(r: Any, i: int, terms: Any) -> int:
    """Check that wagers were in time and within the limits, over and under of the ante's amount, and boxes adjacent."""
    if not in_time(r, i):
        return LATE
    for seat in range(6):
        at = WIDTH * seat
        ante, bonus, first = wide(r.staked[i, at + ANTE]), wide(r.staked[i, at + BONUS]), wide(r.boxes[i, seat])
        if not first:
            continue
        if not ante:
            return BASE_WAGER
        if not terms.limits[ANTE, 0] <= ante <= terms.limits[ANTE, 1]:
            return LIMITS
        if bonus and not terms.limits[BONUS, 0] <= bonus <= terms.limits[BONUS, 1]:
            return LIMITS
        for side in (OVER, UNDER):
            if r.staked[i, at + side] and r.staked[i, at + side] != ante:
                return LIMITS
        if first != seat + 1 and (seat + 1 - first >= terms.most_boxes or r.boxes[i, seat - 1] != first):
            return SEATED
    return UPHELD


@inlined
def check_decisions(r: Any, i: int, terms: Any) -> int:
    """Check that players decided in turn, after the first card of each and before additional ones, over under or surrender."""
    distinct_by, further, before = wide(-1), wide(-1), wide(-1)
    for seat in range(6):
        if r.first_at[i, seat] >= 0:
            distinct_by = wide(r.first_at[i, seat])
            further = further if further >= 0 else wide(r.further_from[i, seat])
    for seat in range(6):
        decided = wide(r.decided[i, seat])
        if decided < 0:
            continue
        if decided < distinct_by or decided < before:
            return DECISIONS
        if decided > (wide(r.further_from[i, seat]) if terms.hand_by_hand else further):
            return DECISIONS
        before = decided
    return UPHELD


@inlined
def check_order(r: Any, i: int) -> int:
    """Check that each hand was settled after those before it, and before the next player got additional cards."""
    before = wide(-1)
    for seat in range(6):
        if 0 <= r.further_from[i, seat] < before:
            return ORDER
        if r.settled_from[i, seat] >= 0:
            if r.settled_from[i, seat] < before:
                return ORDER
            before = wide(r.settled_to[i, seat])
    return UPHELD


@inlined
def check_table(r: Any, i: int, terms: Any) -> int:
    """Check all that comes before the settlement."""
    return (
        check_batch(r, i, terms)
        or check_shoe(r, i, terms)
        or check_deal(r, i)
        or check_wagers(r, i, terms)
        or check_decisions(r, i, terms)
        or check_order(r, i)
    )


@borrowing
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up_pai_gow.screen` does."""
    for i in which:
        check = check_table(r, i, terms)
        if check == UPHELD or in_time(r, i):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_money(r, i, out, WIDTH)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
