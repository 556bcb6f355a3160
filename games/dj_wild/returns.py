"""DJ Wild Stud Poker in theory: ante, blind and raise with the best decision, Trips, Bad Beat and the Progressive."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import msgspec

from analytics.theory.bonus_returns import LineCounts, at_odds, by_example, fixed_return, percent_at_odds, progressive
from analytics.theory.game_returns import BonusReturns, CountTable, GameReturns, UncountedReading
from analytics.theory.result import End, Result, pays
from analytics.theory.returns import counts
from games.dj_wild.settle import lines
from rulebook.cards.cards import parse_cards
from rulebook.chapters.chapters import Chapter
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook

THEORY_WAGER: Final = "ante_blind_raise"


def required(chapter: Chapter) -> Iterator[Result]:
    """Yield ante, blind and raise together, with each Blind paytable and the best decision (Annex A, § 687a.11(b), (e))."""
    for name in chapter.wagers["blind"].paytables:
        yield _ante_blind_raise(chapter, chapter.paytable("blind", name))


def version(book: Rulebook) -> str:
    """Return the Blind paytable that a rules submission files."""
    paytable = book.offers["blind"].paytable
    return paytable.name if paytable is not None else ""


def _ante_blind_raise(chapter: Chapter, blind: Paytable) -> Result:
    table = counts("dj_wild")
    times = chapter.wagers["raise"].times
    ante, raised = pays(chapter.wagers["ante"].odds), times * pays(chapter.wagers["raise"].odds)
    if times != 2 or ante != 1 or raised != 2:
        raise ValueError("the stored decisions of DJ Wild are those for a raise of two antes, and even money")
    total, at_stake = table["total"] * table["dealer_hands"], Fraction(2 + times)
    ends, outcomes = [], Counter[str]()
    for row in table["rows"]:
        line = blind.best(lines(blind, parse_cards(row["example"]), None))
        won = pays(line.odds) if line is not None and line.odds is not None else Fraction(0)
        if won and row["raised"] != row["hands"]:
            raise ValueError(f"the stored decisions of DJ Wild suppose that the Blind does not pay {row['hand']}")
        ends += [
            End(row["dealer_lower"], ante + raised + won, at_stake),
            End(row["dealer_equal"], Fraction(0), at_stake),
            End(row["dealer_higher"], -at_stake, at_stake),
            End((row["hands"] - row["raised"]) * table["dealer_hands"], Fraction(-2), Fraction(2)),
        ]
        outcomes += Counter(win=row["dealer_lower"], push=row["dealer_equal"], lose=row["dealer_higher"], fold=ends[-1].number)
    return Result(
        wager=THEORY_WAGER,
        paytable=blind.name,
        cite=blind.cite,
        total=total,
        ends=ends,
        lines=dict(outcomes),
        method="enumeration, best decision by the player's five cards",
    )


_beaten = by_example(lines, "dj_wild", "dealer_higher", "dealer_hands")
"""Raised hands that the dealer's beats, of all pairs of hands."""


def bad_beat(chapter: Chapter, name: str) -> Result:
    """Return the Two-Way Bad Beat as settled here, and as a part of the result its return if it also paid the dealer's losing
    hands (D20).
    """
    result, paytable = at_odds("bad_beat", _beaten)(chapter, name), chapter.paytable("bad_beat", name)
    counted = _beaten(paytable)
    percent = 2 * percent_at_odds(counted.paid_lines(paytable), counted.total)
    notice = f"both ways, a dealer's three of a kind or better that loses paid alike, {percent:.3f} % (D20)"
    return msgspec.structs.replace(result, parts={**result.parts, "two_way_return_percent": percent}, notices=[notice])


def progressive_with_side_card(chapter: Chapter, name: str) -> Result:
    """Return the Progressive with natural deuces, and as a part of the result the return of its fixed lines with deuces wild
    (D6).
    """
    result = progressive(by_example(lines, "dj_wild_progressive"))(chapter, name)
    table = counts("dj_wild_progressive")
    wild = LineCounts([(frozenset((row["wild"],)), row["hands"]) for row in table["rows"]], table["total"])
    percent = float(100 * fixed_return(wild, chapter.paytable("progressive", name)))
    return msgspec.structs.replace(result, parts={**result.parts, "deuces_wild_fixed_percent": percent})


RETURNS: Final = GameReturns(
    game="dj_wild",
    required=required,
    theory_wager=THEORY_WAGER,
    combined=("ante", "blind", "raise"),
    version=version,
    bonuses={
        "trips": BonusReturns(at_odds("trips", by_example(lines, "dj_wild"))),
        "bad_beat": BonusReturns(bad_beat, one_result=True),
        "progressive": BonusReturns(progressive_with_side_card, from_meter=True),
    },
    counts={
        "dj_wild": CountTable("games.dj_wild.counts"),
        "dj_wild_progressive": CountTable("games.dj_wild.counts", "compute_progressive"),
    },
    other_readings=(UncountedReading("progressive", "progressive_deuces", "wild"),),
)
