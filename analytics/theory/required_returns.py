"""What the wagers return that a game cannot be played without: ante, raise and their like together, as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from analytics.theory.result import End, Result
from analytics.theory.returns import counts
from games.cards.cards import parse_cards
from games.catalogue import GAMES
from games.rulebook.chapters import Chapter
from games.rulebook.money import Odds
from games.rulebook.paytables import Paytable


def _pays(odds: Odds | None) -> Fraction:
    assert odds is not None, "the wager has odds of its own"
    return Fraction(odds.numerator, odds.denominator)


# ------------------------------------------------------------------------------------------------------------- pai gow


def _rounds(name: str, play: str, pushes: str | None) -> tuple[Counter[str], int]:
    """Rounds by outcome, one kind of the dealer's hands being a push for all."""
    table, found = counts(name), Counter[str]()
    for row in table["rows"]:
        if row["play"] == play:
            pushed = pushes is not None and pushes in row["dealer"]
            found[f"{pushes}_push" if pushed else row["outcome"]] += row["rounds"]
    return found, table["total"]


def _pai_gow(chapter: Chapter, name: str, play: str, pushes: str | None, takes: Fraction, paytable: str) -> Result:
    rule = chapter.wagers[chapter.base]
    found, total = _rounds(name, play, pushes)
    net = {"win": _pays(rule.odds) * (1 - takes), "lose": Fraction(-1)}
    how = {"house_way": "both set by the house way", "best": "the player's best setting against the dealer's on show"}
    return Result(
        wager="base",
        paytable=paytable,
        cite=rule.odds_cite,
        total=total,
        lines=dict(found),
        ends=[End(number, net.get(outcome, Fraction(0))) for outcome, number in found.items()],
        method=f"simulation of {total:,} rounds, {how[play]}",
    )


def face_up(name: str) -> Callable[[Chapter], Iterator[Result]]:
    """Return the base wager where the dealer's ace high pushes, and the dealer shows before players set."""

    def base(chapter: Chapter) -> Iterator[Result]:
        house = _pai_gow(chapter, name, "house_way", "ace_high", Fraction(0), "")
        if not chapter.dealer_face_up:
            yield house
            return
        best = _pai_gow(chapter, name, "best", "ace_high", Fraction(0), "")
        parts = {"house_way_return_percent": float(100 * house.per_amount_wagered())}
        yield msgspec.structs.replace(best, parts=parts)

    return base


def pai_gow_poker(chapter: Chapter) -> Iterator[Result]:
    """Return the base wager without vigorish, a Tiger 9 pushing, and with it (§ 645c.1, D13)."""
    vigorish = Fraction(chapter.numbers["vigorish_bp"], 10_000)
    yield _pai_gow(chapter, "base_two_hands", "house_way", "tiger_9", Fraction(0), "commission_free")
    yield _pai_gow(chapter, "base_two_hands", "house_way", None, vigorish, "vigorish")


def fortune_asia(chapter: Chapter) -> Iterator[Result]:
    """Return the base wager of three hands: two of three win (§ 659a.11(f))."""
    yield _pai_gow(chapter, "base_three_hands", "house_way", None, Fraction(0), "")


# ----------------------------------------------------------------------------------------------------------- Over/Under


def over_under(chapter: Chapter) -> Iterator[Result]:
    """Return ante and Over or Under together, with the best decision after the first card (Annex A, § 686a.7(g))."""
    result = _over_under(chapter, Fraction(-2))
    pushing = _over_under(chapter, Fraction(0))
    parts = {"wrong_side_pushes_return_percent": float(100 * pushing.per_amount_wagered())}
    yield msgspec.structs.replace(result, parts=parts)


def _over_under(chapter: Chapter, wrong_side: Fraction) -> Result:
    """What a total on the other side than the wager comes to is the reading (D12); 18 to 23 always lose."""
    table, numbers = counts("over_under"), chapter.numbers
    ante, over, under = (_pays(chapter.wagers[wager].odds) for wager in ("ante", "over", "under"))
    firsts: dict[int, list[Mapping[str, Any]]] = {}
    for row in table["rows"]:
        firsts.setdefault(row["first"], []).append(row)
    ends: list[End] = []
    lines = Counter[str]()
    for rows in firsts.values():
        held = sum(row["hands"] for row in rows)
        overs = sum(row["hands"] for row in rows if row["total"] >= numbers["over_least_points"])
        unders = sum(row["hands"] for row in rows if row["total"] <= numbers["under_most_points"])
        house = End(held - overs - unders, Fraction(-2), Fraction(2))
        choices = {
            "over": [End(overs, ante + over, Fraction(2)), End(unders, wrong_side, Fraction(2)), house],
            "under": [End(unders, ante + under, Fraction(2)), End(overs, wrong_side, Fraction(2)), house],
            "surrender": [End(held, Fraction(-1))],
        }
        best = max(choices, key=lambda choice: sum(end.number * end.net for end in choices[choice]))
        ends += choices[best]
        if best == "surrender":
            lines["surrender"] += held
        else:
            lines[f"{best}_wins"] += choices[best][0].number
            lines[f"{best}_loses"] += held - choices[best][0].number
    return Result(
        wager="base",
        paytable="",
        cite=chapter.wagers["ante"].odds_cite,
        total=table["total"],
        ends=ends,
        lines=lines,
        method="enumeration, best decision by the first card",
    )


# -------------------------------------------------------------------------------------------------------------- DJ Wild


def dj_wild(chapter: Chapter) -> Iterator[Result]:
    """Return ante, blind and raise together, with each Blind paytable and the best decision (Annex A, § 687a.11(b), (e))."""
    for name in chapter.wagers["blind"].paytables:
        yield _dj_wild(chapter, chapter.paytable("blind", name))


def _dj_wild(chapter: Chapter, blind: Paytable) -> Result:
    table, lines = counts("dj_wild"), GAMES["dj_wild"].lines
    times = chapter.wagers["raise"].times
    ante, raised = _pays(chapter.wagers["ante"].odds), times * _pays(chapter.wagers["raise"].odds)
    if times != 2 or ante != 1 or raised != 2:
        raise ValueError("the stored decisions of DJ Wild are those for a raise of two antes, and even money")
    total, at_stake = table["total"] * table["dealer_hands"], Fraction(2 + times)
    ends, ended = [], Counter[str]()
    for row in table["rows"]:
        line = blind.best(lines(blind, parse_cards(row["example"]), None))
        won = _pays(line.odds) if line is not None and line.odds is not None else Fraction(0)
        if won and row["raised"] != row["hands"]:
            raise ValueError(f"the stored decisions of DJ Wild suppose that the Blind does not pay {row['hand']}")
        ends += [
            End(row["dealer_lower"], ante + raised + won, at_stake),
            End(row["dealer_equal"], Fraction(0), at_stake),
            End(row["dealer_higher"], -at_stake, at_stake),
            End((row["hands"] - row["raised"]) * table["dealer_hands"], Fraction(-2), Fraction(2)),
        ]
        ended += Counter(
            win=row["dealer_lower"], push=row["dealer_equal"], lose=row["dealer_higher"], fold=ends[-1].number
        )
    return Result(
        wager="ante_blind_raise",
        paytable=blind.name,
        cite=blind.cite,
        total=total,
        ends=ends,
        lines=dict(ended),
        method="enumeration, best decision by the player's five cards",
    )


REQUIRED: Final[Mapping[str, Sequence[Callable[[Chapter], Iterator[Result]]]]] = {
    "face_up_pai_gow": (face_up("base_two_hands"),),
    "player_dealer": (face_up("base_two_hands_wheel_lowest"),),
    "pai_gow_poker": (pai_gow_poker,),
    "fortune_asia": (fortune_asia,),
    "over_under": (over_under,),
    "dj_wild": (dj_wild,),
}
"""What the wagers that a game needs come to, by game."""
