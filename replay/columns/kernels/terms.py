"""The filed rules as kernels take them: limits, paytables and numbers in arrays, made by asking `games`.

A paytable is a table by the set of lines that a hand makes (`games.kernels.ranking`), so that which line is paid, and what it
pays, stays what `games.rulebook.chapters.Paytable` says.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.cards.ranking import LINES_BY_RANK
from games.cards.wild_ranking import WildClass
from games.dj_wild import line_of
from games.fortune_asia import HIGHEST
from games.house_ways.house_way import HouseWay
from games.house_ways.house_way_asia import AsiaHouseWay
from games.kernels.house_way import way_of
from games.kernels.ranking import LINE_SETS
from games.kernels.three_hands import ThreeWay, three_way_of
from games.layout import Dice
from games.over_under import SIDES, bonus_lines, points, total
from games.rulebook.rulebook import PayLine, Paytable, Rulebook
from games.settlement.dice_wagers import FACES, lines_made
from replay.columns.game_row_schemas import (
    DJ_WILD,
    FACE_UP,
    FORTUNE_ASIA,
    OVER_UNDER,
    PAI_GOW_POKER,
    PLAYER_DEALER,
    SHUFFLERS,
)
from replay.columns.row_schemas import ENVY_WAGERS, RowSchema
from replay.rules.equipment import HOUR_US

Ints = npt.NDArray[Any]

LOSES, AT_ODDS, AMOUNT, PUSHES, NOT_HERE = range(5)
"""What a line comes to. `NOT_HERE`: what no row tells (a share of the meter), or a wager that is not offered."""
KIND, TIMES, PER, LINE, ENVY_CENTS, ENVY_LINE = range(6)
"""The columns of a paytable: what it comes to; odds, or an amount in cents; the lines' numbers, from 1."""
ACE_LINES: Final = ("both_ace_high", "dealer_ace_high_joker", "dealer_ace_high_no_joker")
DOWN, NEAREST, UP = range(3)
"""How vigorish is rounded."""


class Sevens(NamedTuple):
    """Rules in force of a game of seven cards: limits in cents (by wager: least, most), paytables, house way, numbers.

    `own` is the paytable of the wager that only this game has. `most_payout` is -1 where none is filed. Ages are in
    microseconds; `rate_bp` is -1 where the meter is linked, for then no round tells its advances. `cut_free`: the shuffler
    that is filed makes a cut needless; `players_first`: the players set before the dealer.
    """

    limits: Ints
    own: Ints
    fortune: Ints
    fortune_wild: bool
    progressive: Ints
    progressive_wild: bool
    stake_returned: bool
    way_rows: Ints
    way_plays: Ints
    lowest: bool
    most_payout: int
    qualifying: int
    fortune_envy: bool
    progressive_envy: bool
    envy_holder_must_wager: bool
    players_first: bool
    deck_age: int
    dice_age: int
    shakes: int
    stub: int
    deck_size: int
    cut_least: int
    cut_below: int
    cut_free: bool
    cut_by_dealer: bool
    by_hand: bool
    rate_bp: int


class PlayerDealer(NamedTuple):
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


class OnDice(NamedTuple):
    """What Pai Gow Poker has beside a game of seven cards: vigorish, Tiger 9, wagers on the dice, the Must-Hit-By bonus.

    `sum_pays` by the 216 ways in which the dice lie, `beat_it_pays` by the place of the red die too (0: not known),
    `match_pays` by the number wagered on. `offered`: bets close with the dice; `red`: the red die is to beat the others.
    `by_player`: a shaker that players activate is filed. `mystery_bp` is the rate of contribution, -1 where no such bonus is
    offered; its maximum is in centicents.
    """

    commission_free: bool
    vigorish_bp: int
    vigorish_step: int
    vigorish_rounding: int
    sum_pays: Ints
    beat_it_pays: Ints
    match_pays: Ints
    offered: bool
    red: bool
    by_player: bool
    shake_ms: int
    mystery_bp: int
    mystery_linked: bool
    mystery_most: int


class Wild(NamedTuple):
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


class Totals(NamedTuple):
    """Rules in force of Over/Under: limits, the Bonus Wager by total, the points of each card, and the numbers of the chapter.

    `wrong_side_pushes`, `hand_by_hand` and `most_boxes` as filed (D12, D278; one box where no second is permitted); `shuffler`
    is that of `replay.columns.game_row_schemas.SHUFFLERS`.
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


def face_up(book: Rulebook, instead: bool = False) -> tuple[Sevens] | None:
    """Return rules of Face Up Pai Gow Poker as its kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key not in ("pa-688a", "pa-688a-proposed") or not _as_known(book, FACE_UP):
        return None
    return (_sevens(book, FACE_UP, _on_ace_high(book)),)


def _on_ace_high(book: Rulebook) -> Ints:
    """Return what the lines of the Ace High Bonus come to, as they stand in `ACE_LINES`."""
    table, offered = np.full((len(ACE_LINES), 4), NOT_HERE, dtype=np.int64), _offered(book, "ace_high_bonus")
    for at, hand in enumerate(ACE_LINES if offered is not None else ()):
        assert offered is not None
        table[at] = _paid(offered, next(line for line in offered.lines if line.hand == hand))
    return table


def player_dealer(book: Rulebook, instead: bool = False) -> tuple[PlayerDealer] | None:
    """Return rules with a player-dealer as their kernel takes them; null where it does not know rules such as these."""
    rules, numbers, settings = book.chapter.wagers, book.chapter.numbers, book.settings
    if book.chapter.key != "ca-gegr-002138" or settings.keys() != {"coverage", "envy_holder_must_wager", "collection"}:
        return None
    if rules.keys() != set(PLAYER_DEALER.wagers) or any(
        (rule.closes, rule.of) != ("first_card", None) for rule in rules.values()
    ):
        return None
    fortune = _offered(book, "fortune_bonus")
    return (
        PlayerDealer(
            limits=np.array([_limits(book, wager) for wager in PLAYER_DEALER.wagers], dtype=np.int64),
            own=_on_ace_high(book),
            fortune=_by_lines(fortune),
            fortune_wild=_is_wild(fortune),
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


def pai_gow_poker(book: Rulebook, instead: bool = False) -> tuple[Sevens, OnDice] | None:
    """Return rules of Pai Gow Poker as its kernel takes them; null where it does not know rules such as these.

    `instead`: the rows were not made by these rules, so that they do not tell whose the Must-Hit-By meter was.
    """
    if book.chapter.key != "pa-645c" or not _as_known(book, PAI_GOW_POKER):
        return None
    mystery, rule = _offered(book, "mystery"), book.chapter.wagers["tiger_9"]
    if mystery is not None and instead:
        return None
    own = np.array([[NOT_HERE, 0, 1, 0]], dtype=np.int64)
    if "tiger_9" in book.offers and rule.odds is not None:
        own[0] = AT_ODDS, rule.odds.numerator, rule.odds.denominator, 1
    beat_it = _offered(book, "beat_it")
    on_dice = OnDice(
        commission_free=bool(book.settings["commission_free"]),
        vigorish_bp=book.chapter.numbers["vigorish_bp"],
        vigorish_step=max(1, int(book.settings["vigorish_step"])),
        vigorish_rounding=("down", "nearest", "up").index(str(book.settings["vigorish_rounding"])),
        sum_pays=_on_dice(_offered(book, "sum"), None),
        beat_it_pays=np.array([_on_dice(beat_it, None, red) for red in range(4)]),
        match_pays=np.array([_on_dice(_offered(book, "match"), number) for number in FACES]),
        offered=any(name in book.offers for name in ("sum", "beat_it", "match")),
        red=beat_it is not None and any(line.hand.startswith("red") for line in beat_it.lines),
        by_player=book.starting == "player_shaker",
        shake_ms=book.chapter.numbers["shake_ms"],
        mystery_bp=-1 if mystery is None else mystery.rate_bp,
        mystery_linked=book.linked_mystery,
        mystery_most=0 if mystery is None else mystery.maximum_cents * 100,
    )
    return _sevens(book, PAI_GOW_POKER, own), on_dice


def dj_wild(book: Rulebook, instead: bool = False) -> tuple[Wild] | None:
    """Return rules of DJ Wild Stud Poker as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    derived = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(DJ_WILD.wagers, (None, 1, "no_more_bets"))
    known |= {"blind": ("ante", 1, "no_more_bets"), "raise": ("ante", 2, "reveal")}
    if book.chapter.key != "pa-687a" or derived != known or book.without or not _settings_are_known(book):
        return None
    progressive = _offered(book, "progressive")
    trips = _offered(book, "trips")
    return (
        Wild(
            limits=np.array([_limits(book, wager) for wager in DJ_WILD.wagers], dtype=np.int64),
            blind=_by_rank(_offered(book, "blind")),
            trips=np.concatenate([_by_rank(trips, False), _by_rank(trips)]),
            bad_beat=_by_rank(_offered(book, "bad_beat")),
            progressive=_by_rank(progressive),
            deuces_wild=book.settings["progressive_deuces"] == "wild",
            folds_lose=not book.settings["folded_progressive"],
            envy=progressive is not None and progressive.has_envy,
            qualifying=numbers["qualifying_wager_cents"],
            envy_holder_must_wager=bool(book.settings["envy_holder_must_wager"]),
            deck_age=_deck_age(book),
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


def over_under(book: Rulebook, instead: bool = False) -> tuple[Totals] | None:
    """Return rules of Over/Under as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    placed = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(("ante", "bonus"), (None, 1, "first_card"))
    known |= dict.fromkeys(SIDES, ("ante", 1, "further_cards"))
    if book.chapter.key != "pa-686a" or placed != known or book.without or book.settings.keys() != _OF_TOTALS:
        return None
    return (
        Totals(
            limits=np.array([_limits(book, wager) for wager in OVER_UNDER.wagers], dtype=np.int64),
            bonus=_by_total(_offered(book, "bonus")),
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


_OF_TOTALS: Final = frozenset({"wrong_side", "dead_hand_returns", "decisions", "most_boxes"})
"""The settings of Over/Under that its kernel knows, or that are of rounds which are not plain."""


def _by_total(paytable: Paytable | None) -> Ints:
    """Return what every total of three cards comes to."""
    table = np.full((34, 4), NOT_HERE, dtype=np.int64)
    table[:, PER] = 1
    for cards in combinations_with_replacement(range(0, 52, 4), 3) if paytable is not None else ():
        assert paytable is not None
        table[total(cards)] = _paid(paytable, paytable.best(bonus_lines(paytable, cards)))
    return table


def _by_rank(paytable: Paytable | None, natural: bool = True) -> Ints:
    """Return what every rank of DJ Wild comes to, with its Envy Bonus."""
    table = np.zeros((len(WildClass), 6), dtype=np.int64)
    table[:, PER] = 1
    table[:, KIND] = NOT_HERE
    for made in WildClass if paytable is not None else ():
        assert paytable is not None
        lines = frozenset((line_of(paytable.wager, made, natural),))
        envy = paytable.envy(lines)
        table[made] = (
            *_paid(paytable, paytable.best(lines)),
            envy.envy_cents if envy is not None else 0,
            paytable.lines.index(envy) + 1 if envy is not None else 0,
        )
    return table


def fortune_asia(book: Rulebook, instead: bool = False) -> tuple[Sevens, Ints] | None:
    """Return rules of Fortune Asia Poker as its kernel takes them, with the kinds of its house way; null where it does not
    know rules such as these."""
    if book.chapter.key != "pa-659a" or not _as_known(book, FORTUNE_ASIA) or not isinstance(book.way, AsiaHouseWay):
        return None
    own, insurance = np.full((15, 4), NOT_HERE, dtype=np.int64), _offered(book, "insurance")
    for highest in range(len(own)) if insurance is not None else ():
        assert insurance is not None
        made = frozenset((HIGHEST[highest],)) if highest in HIGHEST else frozenset()
        own[highest] = _paid(insurance, insurance.best(made))
    way = three_way_of(book.way)
    return _sevens(book, FORTUNE_ASIA, own, way), way.kinds


_CLOSING: Final = {"sum": "activation", "beat_it": "activation", "match": "activation"}
_FOLLOWS: Final = {
    "tiger_9": (),
    "sum": (),
    "beat_it": (),
    "match": (),
    "fortune_bonus": ("base", "tiger_9"),
    "progressive": ("base", "tiger_9"),
}
"""Of Pai Gow Poker: up to when wagers are placed, and the wagers that they follow, where that is not as everywhere."""


_SETTINGS: Final = frozenset(
    {
        "commission_free",
        "envy_holder_must_wager",
        "folded_progressive",
        "fortune_pays",
        "mystery_paid_by",
        "optional_wagers",
        "progressive_deuces",
        "progressive_joker",
        "vigorish_rounding",
        "vigorish_step",
        "void_reverses_meter",
    }
)
"""The settings that kernels know, or that are of rounds which are not plain. Rules with another are not judged in columns."""


def _settings_are_known(book: Rulebook) -> bool:
    return book.settings.keys() <= _SETTINGS


def _as_known(book: Rulebook, form: RowSchema) -> bool:
    """Say whether the chapter's wagers close and follow one another as the kernels have it."""
    rules, on_dice = book.chapter.wagers, form is PAI_GOW_POKER
    return (
        _settings_are_known(book)
        and set(rules) - {"mystery"} == set(form.wagers)
        and all(
            (rule.closes, rule.follows, rule.of)
            == (
                _CLOSING.get(name, "no_more_bets") if on_dice else "no_more_bets",
                _FOLLOWS.get(name, ("base",)) if on_dice else ("base",),
                None,
            )
            for name, rule in rules.items()
            if name != "mystery"
        )
        and book.exempt("5(e)") == book.exempt("5(d)")
    )


def _sevens(book: Rulebook, form: RowSchema, own: Ints, three: ThreeWay | None = None) -> Sevens:
    numbers = book.chapter.numbers
    rows, plays, lowest = (three.rows, three.plays, False) if three is not None else way_of(_two_hands(book))
    fortune, progressive = (_offered(book, wager) for wager in ENVY_WAGERS)
    return Sevens(
        limits=np.array([_limits(book, wager) for wager in form.wagers], dtype=np.int64),
        own=own,
        fortune=_by_lines(fortune),
        fortune_wild=_is_wild(fortune),
        progressive=_by_lines(progressive),
        progressive_wild=_is_wild(progressive),
        stake_returned=progressive is not None and progressive.stake_returned,
        way_rows=rows,
        way_plays=plays,
        lowest=lowest,
        most_payout=-1 if book.max_payout_cents is None else book.max_payout_cents,
        qualifying=numbers["qualifying_wager_cents"],
        fortune_envy=fortune is not None and fortune.has_envy,
        progressive_envy=progressive is not None and progressive.has_envy,
        envy_holder_must_wager=bool(book.settings.get("envy_holder_must_wager", False)),
        players_first=not book.has("11(b)"),
        deck_age=_deck_age(book),
        dice_age=numbers["dice_age_hours"] * HOUR_US,
        shakes=numbers["shakes"],
        stub=numbers["stub_cards"],
        deck_size=numbers["deck_size"],
        cut_least=numbers["cut_depth_cards"],
        cut_below=numbers.get("cut_from_bottom_cards", numbers["cut_depth_cards"]),
        cut_free=book.exempt("5(e)"),
        cut_by_dealer=not book.has("5(d)"),
        by_hand=book.deal_method == "hand",
        rate_bp=-1 if book.linked_meter or progressive is None else progressive.rate_bp,
    )


def _deck_age(book: Rulebook) -> int:
    """Return after how many microseconds a deck must be changed."""
    return (
        book.chapter.numbers["deck_age_hand_hours" if book.deal_method == "hand" else "deck_age_shoe_hours"] * HOUR_US
    )


def _two_hands(book: Rulebook) -> HouseWay:
    assert isinstance(book.way, HouseWay), "hands of five and two are set by another house way"
    return book.way


def _on_dice(paytable: Paytable | None, number: int | None, red: int = 0) -> Ints:
    """Return what the 216 ways in which dice lie come to; `red` is the place of the red die from 1, 0 where not known."""
    table = np.full((len(FACES) ** 3, 4), NOT_HERE, dtype=np.int64)
    table[:, PER] = 1
    if paytable is None:
        return table
    first, second, third = ("red" if place == red else "blue" for place in (1, 2, 3))
    colours = (first, second, third) if red else None
    for at, (a, b, c) in enumerate(product(FACES, repeat=3)):
        made = {paytable.best(lines) for lines in lines_made(paytable.wager, number, Dice((a, b, c), colours))}
        if len(made) == 1:
            table[at] = _paid(paytable, made.pop())
    return table


def _offered(book: Rulebook, wager: str) -> Paytable | None:
    offer = book.offers.get(wager)
    return offer.paytable if offer is not None else None


def _limits(book: Rulebook, wager: str) -> tuple[int, int]:
    """The limits of a wager; of one that is not offered, such that no amount is within them."""
    offer = book.offers.get(wager)
    return (1, 0) if offer is None else (offer.min_cents, offer.max_cents)


def _is_wild(paytable: Paytable | None) -> bool:
    return paytable is not None and paytable.joker == "wild"


def _paid(paytable: Paytable, line: PayLine | None) -> tuple[int, int, int, int]:
    if line is None:
        return LOSES, 0, 1, 0
    number = paytable.lines.index(line) + 1
    if line.meter_bp:
        return NOT_HERE, 0, 1, number
    if line.odds is not None and not line.push:
        return AT_ODDS, line.odds.numerator, line.odds.denominator, number
    if paytable.wager == "progressive":
        return (NOT_HERE, 0, 1, number) if line.push else (AMOUNT, line.amount_cents, 1, number)
    return PUSHES, 0, 1, number


def _by_lines(paytable: Paytable | None) -> Ints:
    """Return what every set of lines comes to."""
    table = np.zeros((LINE_SETS, 6), dtype=np.int64)
    table[:, PER] = 1
    if paytable is None:
        table[:, KIND] = NOT_HERE
        return table
    for bits in range(LINE_SETS):
        made = frozenset(name for at, name in enumerate(LINES_BY_RANK) if bits >> at & 1)
        envy = paytable.envy(made)
        table[bits] = (
            *_paid(paytable, paytable.best(made)),
            envy.envy_cents if envy is not None else 0,
            paytable.lines.index(envy) + 1 if envy is not None else 0,
        )
    return table
