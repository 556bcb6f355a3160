"""What exact counts give for what was tallied: the chance of every end of a wager, and of all that devices show."""

from collections import Counter
from fractions import Fraction
from typing import Any

from analytics.fairness.chances import cards_of, pack_of, totals
from analytics.theory.bonus_returns import fixed_part
from analytics.theory.catalogue import RETURNS
from analytics.theory.expectation import expected_of
from analytics.theory.result import Result
from analytics.theory.returns import counts
from games.over_under.settle import best_decision, points
from rulebook.cards.cards import TEXT
from rulebook.chapters.chapters import Chapter, chapter
from tests.calibration.tally import DEUCES_WILD, LINES, Key

CARDS_IN_HAND = {"dj_wild": 5}
SIMULATED = 50_000_000
"""This many rounds did theory itself simulate for the base wagers of pai gow."""
TWO_HANDS = {"face_up_pai_gow": "base_two_hands", "player_dealer": "base_two_hands_wheel_lowest"}


def chances_of(key: Key) -> dict[Any, float] | None:
    """Return end → its chance, the ends as they are tallied; None if theory does not know the wager."""
    if key[0] == "fairness":
        return _of_device(key[1], _chapter(key[2]))
    listed, wager, name = _chapter(key[0]), key[1], key[2]
    if name.endswith(DEUCES_WILD):
        return _deuces_wild(listed, name.removesuffix(DEUCES_WILD), by_line=wager == LINES)
    if wager == LINES:
        result = RETURNS[listed.game].bonuses["progressive"].result(listed, name)
        lines = {line: number / result.total for line, number in result.lines.items()}
        return {**lines, "none": 1 - sum(lines.values())}
    if wager == "base" and listed.game in TWO_HANDS:
        return _by_house_way(listed)
    if name == "wrong_side_pushes":
        return _wrong_side_pushes(listed)
    if wager in ("base", "ante_blind_raise"):
        return _ends(_required(listed, wager, name))
    expected = expected_of(listed.key, wager, name)
    return None if expected is None else {round(win, 6): chance for chance, win in expected.ends}


def _chapter(key: str) -> Chapter:
    return chapter(*key.split("-", 1))


def _required(listed: Chapter, wager: str, name: str) -> Result:
    results = list(RETURNS[listed.game].required(listed))
    (found,) = [each for each in results if each.wager == wager and each.paytable in (name, "")]
    return found


def _ends(result: Result) -> dict[Any, float]:
    found: Counter[float] = Counter()
    for end in result.ends:
        found[round(float(-end.net), 6)] += float(Fraction(end.number, result.total))
    return dict(found)


def _by_house_way(listed: Chapter) -> dict[Any, float]:
    """Of the base wager of Face Up Pai Gow, both sides set by the house way; an Ace High Pai Gow pushes all."""
    table, found = counts(TWO_HANDS[listed.game]), Counter[float]()
    for row in table["rows"]:
        if row["play"] == "house_way":
            pushed = "ace_high" in row["dealer"] or row["outcome"] == "push"
            found[0.0 if pushed else {"win": -1.0, "lose": 1.0}[row["outcome"]]] += row["rounds"] / table["total"]
    return dict(found)


def _wrong_side_pushes(listed: Chapter) -> dict[Any, float]:
    """Of ante and side at Over/Under if only 18 to 23 lose (D12), decided as is best."""
    table, numbers, found = counts("over_under"), listed.numbers, Counter[float]()
    cards = {points(card): card for card in range(52)}
    for row in table["rows"]:
        low, high = row["total"] <= numbers["under_most_points"], row["total"] >= numbers["over_least_points"]
        wins = high if best_decision(cards[row["first"]]) == "over" else low
        found[-2.0 if wins else 0.0 if low or high else 2.0] += row["hands"] / table["total"]
    return dict(found)


def _deuces_wild(listed: Chapter, name: str, by_line: bool) -> dict[Any, float]:
    """Of the Progressive of DJ Wild if deuces are wild in it; what the meter pays left out."""
    table, paytable = counts("dj_wild_progressive"), listed.paytable("progressive", name)
    found: Counter[Any] = Counter()
    for row in table["rows"]:
        line = paytable.best(frozenset({row["wild"]}))
        fixed = fixed_part(line, paytable) if line is not None else 0
        end: Any = (line.hand if line is not None else "none") if by_line else round(float(1 - fixed), 6)
        found[end] += row["hands"] / table["total"]
    return dict(found)


def _of_device(family: str, listed: Chapter) -> dict[Any, float]:
    kind = family.split()[0]
    if kind == "die":
        return dict.fromkeys(range(1, 7), 1 / 6)
    if kind == "total":
        return {int(total): chance for total, chance in totals().items()}
    if kind == "number":
        return dict.fromkeys(range(1, 8), 1 / 7)
    pack = pack_of(listed.game)
    assert pack is not None
    if kind == "joker":
        held = CARDS_IN_HAND.get(listed.game, 7) / pack.cards
        return {True: held, False: 1 - held}
    by_text = cards_of(pack)
    return {card: by_text[TEXT[card]] for card in range(pack.kinds)}


def rounds_of_theory(key: Key) -> float:
    """Return how many rounds theory rests on: of what it simulated; infinite if it counted all."""
    simulated = key[1] == "base" and _chapter(key[0]).game != "over_under"
    return SIMULATED if simulated else float("inf")
