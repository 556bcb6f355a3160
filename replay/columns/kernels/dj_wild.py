"""DJ Wild Stud Poker by rows: what every wager is due, and what upholds a round (`games.dj_wild`)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.cards.wild_ranking import WildClass
from games.dj_wild import line_of
from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.ranking import JOKER
from games.kernels.wild_ranking import CLASS_SHIFT, progressive_rank, wild_value
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.dj_wild import SCHEMA
from replay.columns.kernels.screening_result import (
    CARDS,
    COLLECTION,
    COUNT,
    DECISIONS,
    EQUAL,
    FOLDED,
    LIMITS,
    LOSE,
    LOST,
    NOT_IN_COLUMNS,
    ORDER,
    ORDER_OF_THE_DEAL,
    SIDE_CARD,
    STUB,
    TIE,
    UPHELD,
    WIN,
)
from replay.columns.kernels.table import (
    M_FIRST_CARD,
    M_LAST_WAGER,
    M_NO_MORE_BETS,
    M_TURNED,
    check_deck,
    check_wagers,
    rows_type,
)
from replay.columns.kernels.terms import (
    ENVY_CENTS,
    ENVY_LINE,
    KIND,
    NOT_HERE,
    PER,
    Ints,
    deck_age_us,
    limits_of,
    paytable_row,
    settings_are_known,
)
from replay.columns.kernels.wagers import check_money, settle_at_odds, settle_even_money, settle_progressive, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 6
"""The wagers that a box can have."""
ANTE, BLIND, RAISE, PROGRESSIVE, TRIPS, BAD_BEAT = range(6)
NOBODY = 255


class DjWildTerms(NamedTuple):
    """Rules in force of DJ Wild Stud Poker: limits, paytables by the rank of the hand, and the numbers of the chapter.

    `trips` has the ranks with a wild card first, then the natural ones. `counts`: the shuffler counts the deck;
    `as_printed`: Progressive, Trips and Bad Beat are settled in this order (D277).
    """

    limits: Ints
    blind: Ints
    trips: Ints
    bad_beat: Ints
    progressive: Ints
    deuces_wild: bool
    folds_lose: bool
    envy: bool
    qualifying: int
    envy_holder_must_wager: bool
    deck_age: int
    deck_size: int
    cut_least: int
    cut_below: int
    cut_free: bool
    cut_by_dealer: bool
    by_hand: bool
    counts: bool
    count_rounds: int
    as_printed: bool
    rate_bp: int


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[DjWildTerms] | None:
    """Return rules of DJ Wild Stud Poker as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    derived = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(SCHEMA.wagers, (None, 1, "no_more_bets"))
    known |= {"blind": ("ante", 1, "no_more_bets"), "raise": ("ante", 2, "reveal")}
    if book.chapter.key != "pa-687a" or derived != known or book.without or not settings_are_known(book):
        return None
    progressive = offered(book, "progressive")
    trips = offered(book, "trips")
    return (
        DjWildTerms(
            limits=np.array([limits_of(book, wager) for wager in SCHEMA.wagers], dtype=np.int64),
            blind=_rows_by_rank(offered(book, "blind")),
            trips=np.concatenate([_rows_by_rank(trips, False), _rows_by_rank(trips)]),
            bad_beat=_rows_by_rank(offered(book, "bad_beat")),
            progressive=_rows_by_rank(progressive),
            deuces_wild=book.settings["progressive_deuces"] == "wild",
            folds_lose=not book.settings["folded_progressive"],
            envy=progressive is not None and progressive.has_envy,
            qualifying=numbers["qualifying_wager_cents"],
            envy_holder_must_wager=bool(book.settings["envy_holder_must_wager"]),
            deck_age=deck_age_us(book),
            deck_size=numbers["deck_size"],
            cut_least=numbers["cut_depth_cards"],
            cut_below=numbers["cut_from_bottom_cards"],
            cut_free=False,
            cut_by_dealer=True,
            by_hand=book.deal_method == "hand",
            counts=book.shuffler in ("automated_counting", "continuous"),
            count_rounds=numbers["stub_count_rounds"],
            as_printed=book.settings["optional_wagers"] == "as_printed",
            rate_bp=-1 if book.linked_meter or progressive is None else progressive.rate_bp,
        ),
    )


def _rows_by_rank(paytable: Paytable | None, natural: bool = True) -> Ints:
    """Return what every rank of DJ Wild comes to, with its Envy Bonus."""
    table = np.zeros((len(WildClass), 6), dtype=np.int64)
    table[:, PER] = 1
    table[:, KIND] = NOT_HERE
    for made in WildClass if paytable is not None else ():
        assert paytable is not None
        lines = frozenset((line_of(paytable.wager, made, natural),))
        envy = paytable.envy(lines)
        table[made] = (
            *paytable_row(paytable, paytable.best(lines)),
            envy.envy_cents if envy is not None else 0,
            paytable.lines.index(envy) + 1 if envy is not None else 0,
        )
    return table


@compiled
def has_joker(cards: Array) -> bool:
    """Say whether the joker is among five cards."""
    joker = False
    for at in range(5):
        joker = joker or cards[at] == JOKER
    return joker


@compiled
def no_card_twice(dealt: Array, side: int) -> bool:
    """Say whether every card of a round, the side card too, is there once."""
    seen = wide(0)
    if side < NOBODY:
        seen = wide(1) << wide(side)
    for at in range(35):
        if dealt[at] < NOBODY:
            bit = wide(1) << wide(dealt[at])
            if seen & bit:
                return False
            seen |= bit
    return True


@inlined
def settle_against_dealer(
    terms: Any, mine: int, bank: int, folds: bool, at: int, staked: Array, lines: Array, ends: Array, due: Array
) -> None:
    """Settle Ante, Blind and Raise of a box: forfeited by a fold, otherwise by the higher hand."""
    line = FOLDED if folds else LOSE if mine < bank else TIE if mine == bank else WIN
    for wager in (ANTE, RAISE):
        if staked[at + wager]:
            settle_even_money(line, at + wager, staked, lines, ends, due)
    if not staked[at + BLIND]:
        return
    if line == WIN:
        settle_at_odds(terms.blind[mine >> CLASS_SHIFT], at + BLIND, staked, lines, ends, due)
    else:
        settle_even_money(line, at + BLIND, staked, lines, ends, due)
        lines[at + BLIND] = FOLDED if folds else 0 if line == LOSE else EQUAL


@inlined
def settle_optional(
    terms: Any,
    cards: Array,
    mine: int,
    bank: int,
    folds: bool,
    at: int,
    staked: Array,
    lines: Array,
    ends: Array,
    due: Array,
) -> bool:
    """Settle Trips and Bad Beat of a box; say whether the columns settle both."""
    rank = mine >> CLASS_SHIFT
    if staked[at + TRIPS]:
        natural = not has_joker(cards) and wild_value(cards, False) >> CLASS_SHIFT == rank
        if settle_at_odds(terms.trips[rank + 12 if natural else rank], at + TRIPS, staked, lines, ends, due) < 0:
            return False
    if staked[at + BAD_BEAT]:
        row = terms.bad_beat[rank]
        if row[KIND] == NOT_HERE:
            return False
        due[at + BAD_BEAT], ends[at + BAD_BEAT] = -staked[at + BAD_BEAT], LOST
        if folds:
            lines[at + BAD_BEAT] = FOLDED
        elif mine < bank:
            settle_at_odds(row, at + BAD_BEAT, staked, lines, ends, due)
    return True


@inlined
def settle_progressive_of(r: Any, i: int, seat: int, loses: bool, terms: Any, out: Any) -> bool:
    """Settle the Progressive of a box, note the Envy Bonus that its hand earns; say whether the columns settle both.

    `loses`: it is forfeited by a fold, or nobody at the table wagered on it.
    """
    staked, at, cards = r.staked[i], WIDTH * seat + PROGRESSIVE, r.dealt[i, 5 * seat : 5 * seat + 5]
    if loses:
        if staked[at]:
            out.due[i, at], out.ends[i, at], out.lines[i, at] = -staked[at], LOST, FOLDED
        return not staked[at] or terms.progressive[0, KIND] != NOT_HERE
    if has_joker(cards) and r.side[i] >= JOKER:
        return False  # what takes the joker's place is not on record
    row = terms.progressive[progressive_rank(cards, wide(r.side[i]), terms.deuces_wild)]
    if staked[at] and settle_progressive(row, at, staked, out.lines[i], out.ends[i], out.due[i], False) < 0:
        return False
    if terms.envy:
        out.envy[i, 6 + seat], out.envy_due[i, 6 + seat] = row[ENVY_LINE], row[ENVY_CENTS]
    return True


@inlined
def settle(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    dealt, staked, due, lines, ends = r.dealt[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
    folded, progressive = wide(r.folded[i]), False
    if not no_card_twice(dealt, wide(r.side[i])):
        return CARDS
    bank = wild_value(dealt[30:35], True)
    for seat in range(6):
        progressive = progressive or staked[WIDTH * seat + PROGRESSIVE] > 0
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at, folds = dealt[5 * seat : 5 * seat + 5], WIDTH * seat, folded >> seat & 1 != 0
        if cards[0] == NOBODY:
            return CARDS
        mine = wild_value(cards, True)
        settle_against_dealer(terms, mine, bank, folds, at, staked, lines, ends, due)
        if not settle_optional(terms, cards, mine, bank, folds, at, staked, lines, ends, due):
            return NOT_IN_COLUMNS
        loses = not progressive or (folds and terms.folds_lose)
        if not settle_progressive_of(r, i, seat, loses, terms, out):
            return NOT_IN_COLUMNS
    playing = wide(0x3F)
    if terms.folds_lose:
        playing &= ~folded
    share_envy(staked, r.boxes[i], playing, terms, out.envy[i], out.envy_to[i], WIDTH)
    qualifying = 0
    for seat in range(6):
        qualifying += out.envy_to[i, 6 + seat] != 0
    return NOT_IN_COLUMNS if qualifying > 1 else UPHELD  # in which order they are named goes by the settlement


@inlined
def stub_left(r: Any, i: int, terms: Any) -> int:
    """Return how many cards are left when everybody who wagered, and the dealer, has five."""
    left = terms.deck_size - 5 - (1 if r.side[i] < NOBODY else 0)
    for seat in range(6):
        if r.staked[i, WIDTH * seat] or r.dealt[i, 5 * seat] < NOBODY:
            left -= 5
    return wide(left)


@inlined
def stands(r: Any, i: int, terms: Any) -> bool:
    """Say whether nothing voids the round and all wagers were placed in time, so that the cards say what is due."""
    moments = r.moments[i]
    in_time = moments[M_LAST_WAGER] <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]
    counted = r.stub[i] < 0 or r.stub[i] == stub_left(r, i, terms)
    dealt = True
    for seat in range(6):
        dealt = dealt and (not r.staked[i, WIDTH * seat] or r.dealt[i, 5 * seat] < NOBODY)
    return in_time and moments[M_NO_MORE_BETS] >= 0 and counted and dealt and not check_decisions(r, i)


@inlined
def check_decisions(r: Any, i: int) -> int:
    """Check that the players decided in turn, and the dealer's cards were turned over after all had."""
    turned, last = wide(r.moments[i, M_TURNED]), wide(-1)
    for seat in range(6):
        if r.decided[i, seat] >= 0:
            if r.decided[i, seat] < last:
                return DECISIONS
            last = wide(r.decided[i, seat])
    return DECISIONS if 0 <= turned < max(last, wide(r.last_raise[i])) else UPHELD


@inlined
def check_deal(r: Any, i: int, terms: Any) -> int:
    """Check the order of the stacks, the side card, the stub and the counts, and that all cards were collected."""
    turn, progressive = 0, False
    for seat in range(6):
        progressive = progressive or r.staked[i, WIDTH * seat + PROGRESSIVE] > 0
        if r.staked[i, WIDTH * seat]:
            if r.dealt_to[i, turn] != seat:
                return ORDER_OF_THE_DEAL
            turn += 1
    if r.dealt_to[i, turn] != 6 or (turn < 6 and r.dealt_to[i, turn + 1] != NOBODY):
        return ORDER_OF_THE_DEAL
    if progressive and r.side[i] == NOBODY:
        return SIDE_CARD
    if r.stub[i] >= 0 and (r.stub[i] != stub_left(r, i, terms) or r.stub_seen[i]):
        return STUB
    machine_counts = terms.counts and not r.hand_shuffled[i]
    if not machine_counts and r.uncounted[i] and r.uncounted[i] % terms.count_rounds == 0:
        return COUNT
    if r.counted[i] and r.counted[i] != terms.deck_size:
        return COUNT
    return COLLECTION if r.collected[i] != terms.deck_size else UPHELD


@inlined
def check_beside(r: Any, i: int) -> int:
    """Check that the Blind equals the Ante, and a Raise is twice the Ante."""
    for seat in range(6):
        ante, more = wide(r.staked[i, WIDTH * seat + ANTE]), wide(r.staked[i, WIDTH * seat + RAISE])
        if r.staked[i, WIDTH * seat + BLIND] != ante or more not in (0, 2 * ante):
            return LIMITS
    return UPHELD


@inlined
def check_order(r: Any, i: int, terms: Any) -> int:
    """Check that one player's wagers were settled after another's, the optional ones last, and then the cards collected."""
    for seat in range(6):
        first, last = r.settled_from[i, seat], r.settled_to[i, seat]
        if 0 <= r.others_from[i, seat] < r.base_to[i, seat]:
            return ORDER
        if 0 <= r.hand_gone[i, seat] < last:
            return COLLECTION
        printed = wide(-1)
        for wager in range(3 if terms.as_printed else 0):
            began = wide(r.optional_from[i, 3 * seat + wager])
            if 0 <= began < printed:
                return ORDER
            printed = max(printed, began)
        for other in range(seat):
            if first >= 0 and r.settled_from[i, other] <= last and first <= r.settled_to[i, other]:
                return ORDER
    return UPHELD


@inlined
def check_table(r: Any, i: int, terms: Any) -> int:
    """Check all that comes before the settlement."""
    return (
        check_deck(r, i, terms)
        or check_deal(r, i, terms)
        or check_wagers(r, i, terms, WIDTH)
        or check_beside(r, i)
        or check_decisions(r, i)
        or check_order(r, i, terms)
    )


@borrowing
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up_pai_gow.screen` does."""
    for i in which:
        check = check_table(r, i, terms)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_money(r, i, out, WIDTH)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
