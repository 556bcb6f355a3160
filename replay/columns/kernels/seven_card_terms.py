"""The filed rules of a game of seven cards as its kernel takes them. Pure; nothing here is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from games.house_ways.house_way import HouseWay
from games.kernels.house_way import way_of
from games.kernels.three_hands import ThreeWay
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import offered
from replay.columns.kernels.terms import (
    NOT_HERE,
    Ints,
    is_wild,
    paytable_row,
    rows_by_lines,
    settings_are_known,
)
from replay.columns.row_schemas import ENVY_WAGERS, RowSchema

ACE_LINES: Final = ("both_ace_high", "dealer_ace_high_joker", "dealer_ace_high_no_joker")


NO_EXCEPTIONS: Final[Mapping[str, Any]] = {}


class SevenCardTerms(NamedTuple):
    """Rules in force of a game of seven cards: paytables, house way, numbers.

    `own` is the paytable of the wager that only this game has. `most_payout` is -1 where none is filed.
    """

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


def ace_high_rows(book: Rulebook) -> Ints:
    """Return what the lines of the Ace High Bonus come to, as they stand in `ACE_LINES`."""
    rows, paytable = np.full((len(ACE_LINES), 3), NOT_HERE, dtype=np.int64), offered(book, "ace_high_bonus")
    for at, hand in enumerate(ACE_LINES if paytable is not None else ()):
        assert paytable is not None
        rows[at] = paytable_row(paytable, next(line for line in paytable.lines if line.hand == hand))
    return rows


def wagers_are_known(
    book: Rulebook,
    schema: RowSchema,
    closes: Mapping[str, str] = NO_EXCEPTIONS,
    follows: Mapping[str, tuple[str, ...]] = NO_EXCEPTIONS,
) -> bool:
    """Say whether the chapter's wagers close and follow one another as the kernels have it.

    `closes`, `follows`: where a wager of this game closes other than with "no more bets", or follows others than the base wager.
    """
    rules = {name: rule for name, rule in book.chapter.wagers.items() if name != "mystery"}
    return (
        settings_are_known(book)
        and set(rules) == set(schema.wagers)
        and all(
            (rule.closes, rule.follows, rule.of)
            == (closes.get(name, "no_more_bets"), follows.get(name, ("base",)), None)
            for name, rule in rules.items()
        )
    )


def seven_card_terms(book: Rulebook, own: Ints, three: ThreeWay | None = None) -> SevenCardTerms:
    """Return the rules in force: `own` for the wager that only this game has, `three` for a house way of three hands."""
    numbers = book.chapter.numbers
    rows, plays, lowest = (three.rows, three.plays, False) if three is not None else way_of(_two_hands(book))
    fortune, progressive = (offered(book, wager) for wager in ENVY_WAGERS)
    return SevenCardTerms(
        own=own,
        fortune=rows_by_lines(fortune),
        fortune_wild=is_wild(fortune),
        progressive=rows_by_lines(progressive),
        progressive_wild=is_wild(progressive),
        stake_returned=progressive is not None and progressive.stake_returned,
        way_rows=rows,
        way_plays=plays,
        lowest=lowest,
        most_payout=-1 if book.max_payout_cents is None else book.max_payout_cents,
        qualifying=numbers["qualifying_wager_cents"],
        fortune_envy=fortune is not None and fortune.has_envy,
        progressive_envy=progressive is not None and progressive.has_envy,
        envy_holder_must_wager=bool(book.settings.get("envy_holder_must_wager", False)),
    )


def _two_hands(book: Rulebook) -> HouseWay:
    assert isinstance(book.way, HouseWay), "hands of five and two are set by another house way"
    return book.way
