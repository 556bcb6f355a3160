"""What optional wagers return: stored counts with the paytables of the chapter applied to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from analytics.result import End, Result
from analytics.returns import counts
from games.cards import parse_cards
from games.catalogue import GAMES
from games.chapters import Chapter, Line, Paytable

FULL_METER_BP: Final = 10_000
Counted = tuple[Counter[Line], int]
"""How many hands a line of a paytable is paid for, of how many in all."""


def _by(
    paytable: Paytable, rows: Any, made: Callable[[Mapping[str, Any]], frozenset[str]], number: str
) -> Counter[Line]:
    counted: Counter[Line] = Counter()
    for row in rows:
        line = paytable.best(made(row))
        if line is not None:
            counted[line] += row[number]
    return counted


def seven_cards(paytable: Paytable) -> Counted:
    """Count the lines of a Fortune or Progressive paytable over all seven cards, the joker as the paytable has it."""
    table = counts("seven_cards")
    return _by(paytable, table["rows"], lambda row: frozenset(row[paytable.joker]), "hands"), table["total"]


def by_example(game: str, name: str) -> Callable[[Paytable], Counted]:
    """Count a stored table by what the game says that the example of each row makes."""

    def counted(paytable: Paytable) -> Counted:
        table, lines = counts(name), GAMES[game].lines
        made = _by(paytable, table["rows"], lambda row: lines(paytable, parse_cards(row["example"]), None), "hands")
        return made, table["total"]

    return counted


def insurance(paytable: Paytable) -> Counted:
    """Count seven cards without a pair or better by their highest card, as the game names it."""
    table, lines = counts("seven_cards"), GAMES["fortune_asia"].lines
    rows = [row for row in table["rows"] if row["highest"]]
    return _by(paytable, rows, lambda row: lines(paytable, parse_cards(row["example"]), None), "hands"), table["total"]


def dice(paytable: Paytable) -> Counted:
    """Count the 216 rolls of three dice."""
    table = counts("dice")
    rows = [row for row in table["rows"] if row["wager"] == paytable.wager]
    return _by(paytable, rows, lambda row: frozenset(row["made"]), "rolls"), table["total"]


def ace_high(paytable: Paytable) -> Counted:
    """Count the dealer's and the player's hands together."""
    table = counts("ace_high")
    return _by(paytable, table["rows"], lambda row: frozenset((row["hand"],)), "hands"), table["total"]


def bad_beat(paytable: Paytable) -> Counted:
    """Count the raised hands that the dealer's beats, of all pairs of hands; a fold forfeits (§ 687a.11(b)(2))."""
    table, lines = counts("dj_wild"), GAMES["dj_wild"].lines
    rows = table["rows"]
    made = _by(paytable, rows, lambda row: lines(paytable, parse_cards(row["example"]), None), "dealer_higher")
    return made, table["total"] * table["dealer_hands"]


_COUNTED: Final[Mapping[str, Callable[[Paytable], Counted]]] = {
    "ace_high_bonus": ace_high,
    "fortune_bonus": seven_cards,
    "insurance": insurance,
    "sum": dice,
    "match": dice,
    "beat_it": dice,
    "bonus": by_example("over_under", "over_under"),
    "trips": by_example("dj_wild", "dj_wild"),
    "bad_beat": bad_beat,
}


def at_odds(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what a wager paid at odds comes to; its Envy Bonus, for each other patron, stands beside it."""
    paytable = chapter.paytable(wager, name)
    made, total = _COUNTED[wager](paytable)
    ends = [End(number, _net(line)) for line, number in made.items()]
    ends.append(End(total - made.total(), Fraction(-1)))
    parts: dict[str, float] = {}
    notices = []
    if paytable.has_envy:
        qualifying = chapter.numbers["qualifying_wager_cents"]
        parts["envy_percent_per_other_player"] = _envy(seven_cards_envy(paytable), total, qualifying)
    if wager == "fortune_bonus" and "fortune_pays" in chapter.settings:
        literal, _ = seven_cards(msgspec.structs.replace(paytable, picks="highest_rank"))
        parts["highest_rank_return_percent"] = _percent_at_odds(literal, total)
    if wager == "bad_beat":
        both = 2 * _percent_at_odds(made, total)
        parts["two_way_return_percent"] = both
        notices.append(f"both ways, a dealer's three of a kind or better that loses paid alike, {both:.3f} % (D20)")
    return Result(
        wager=wager, paytable=name, cite=paytable.cite, total=total, ends=ends, lines=_lines(paytable, made), parts=parts,
        notices=notices,
    )  # fmt: skip


def _percent_at_odds(made: Counter[Line], total: int) -> float:
    return float(100 * sum((number * (_net(line) + 1) for line, number in made.items()), Fraction(0)) / total)


def _net(line: Line) -> Fraction:
    return Fraction(line.odds.numerator, line.odds.denominator) if line.odds is not None else Fraction(0)


def _lines(paytable: Paytable, made: Counter[Line]) -> dict[str, int | float]:
    return {line.hand: made[line] for line in paytable.lines}


def seven_cards_envy(paytable: Paytable) -> Counter[int]:
    """Count another patron's seven cards by the Envy Bonus that they are worth, in cents."""
    found: Counter[int] = Counter()
    for row in counts("seven_cards")["rows"]:
        line = paytable.envy(frozenset(row[paytable.joker]))
        if line is not None:
            found[line.envy_cents] += row["hands"]
    return found


def _deuces_wild(paytable: Paytable, stake: int) -> Fraction:
    """What the fixed lines of a DJ Wild Progressive would return with deuces wild (D6)."""
    table = counts("dj_wild_progressive")
    made = _by(paytable, table["rows"], lambda row: frozenset((row["wild"],)), "hands")
    total: int = table["total"]
    return sum((number * _fixed(line, paytable, stake) for line, number in made.items()), Fraction(0)) / total


def _envy(found: Counter[int], total: int, wager_cents: int) -> float:
    return float(Fraction(100 * sum(cents * number for cents, number in found.items()), total * wager_cents))


# --------------------------------------------------------------------------------------------------------- progressives


def progressive(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what a Progressive comes to: fixed lines, the rate of progression, and the seed as often as the meter falls.

    What goes to the meter comes back from it, whoever wins it: in the long run by the rate, and by a seed for every winner of
    the whole meter (D18). So a share of less than the whole has no part of its own. The ends, and the standard deviation, are
    those with the meter at its seed.
    """
    paytable = chapter.paytable(wager, name)
    made, total = PROGRESSIVES.get(chapter.game, seven_cards)(paytable)
    stake = paytable.wager_cents
    assert stake is not None, "a progressive paytable names its wager"
    fixed = sum((number * _fixed(line, paytable, stake) for line, number in made.items()), Fraction(0)) / total
    full = Fraction(sum(number for line, number in made.items() if line.meter_bp == FULL_METER_BP), total)
    share = Fraction(sum(number * line.meter_bp for line, number in made.items()), total * FULL_METER_BP)
    rate, seed = Fraction(paytable.rate_bp, 10_000), full * paytable.seed_cents / stake
    at_seed = {line: Fraction(line.meter_bp * paytable.seed_cents, FULL_METER_BP * stake) for line in made}
    ends = [End(number, _fixed(line, paytable, stake) + at_seed[line] - 1) for line, number in made.items()]
    ends.append(End(total - made.total(), Fraction(-1)))
    of_ends = sum((end.number * end.net for end in ends), Fraction(0)) / total
    parts = {
        "fixed_percent": float(100 * fixed),
        "rate_percent": float(100 * rate),
        "seed_percent": float(100 * seed),
        "full_meter_probability": float(full),
        "break_even_meter": round(float((1 - fixed) * stake / share / 100), 2),
    }
    notices = []
    if paytable.has_envy:
        envied = _wild_envy(paytable) if chapter.game == "dj_wild" else seven_cards_envy(paytable)
        parts["envy_percent_per_other_player"] = _envy(envied, total, stake)
    if "progressive_deuces" in chapter.settings:
        parts["deuces_wild_fixed_percent"] = float(100 * _deuces_wild(paytable, stake))
    if paytable.rate_filed:
        notices.append("the text prints no rate of progression: the rate that is filed comes on top")
    if paytable.reserve_rate_bp:
        notices.append(f"{paytable.reserve_rate_bp / 100:g} % more goes to a reserve that the text gives no use (D108)")
    return Result(
        wager=wager, paytable=name, cite=paytable.cite, total=total, ends=ends, lines=_lines(paytable, made), parts=parts,
        beside=fixed + rate + seed - 1 - of_ends, notices=notices,
    )  # fmt: skip


def _fixed(line: Line, paytable: Paytable, stake: int) -> Fraction:
    """What a line pays apart from the meter, the stake with it where that goes back, per unit staked (D18)."""
    paid = Fraction(line.amount_cents, stake) if line.odds is None else _net(line)
    return paid + (paytable.stake_returned or line.odds is not None)


PROGRESSIVES: Final[Mapping[str, Callable[[Paytable], Counted]]] = {
    "dj_wild": by_example("dj_wild", "dj_wild_progressive")
}
"""Where a Progressive is not on seven cards: what it is on, by the game."""


def _wild_envy(paytable: Paytable) -> Counter[int]:
    lines, found = GAMES["dj_wild"].lines, Counter[int]()
    for row in counts("dj_wild_progressive")["rows"]:
        line = paytable.envy(lines(paytable, parse_cards(row["example"]), None))
        if line is not None:
            found[line.envy_cents] += row["hands"]
    return found


# ------------------------------------------------------------------------------------------------- Tiger 9, Must-Hit-By


def tiger_9(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what Tiger 9 comes to with the dealer's hands set by the house way, as it shows them where it leaves a choice."""
    rule, table = chapter.wagers[wager], counts("tiger_9")
    assert rule.odds is not None, "Tiger 9 has odds of its own"
    total, pays = table["total"], Fraction(rule.odds.numerator, rule.odds.denominator)

    def nines(which: str) -> int:
        return sum(row["hands"] for row in table["rows"] if row[which])

    def return_of(number: int) -> float:
        return float(100 * number * (pays + 1) / total)

    hits = nines("shown")
    parts = {
        "least_return_percent": return_of(nines("all_accepted")),
        "most_return_percent": return_of(nines("some_accepted")),
    }
    return Result(
        wager=wager, paytable=name, cite=rule.odds_cite, total=total, lines={"tiger_9": hits}, parts=parts,
        ends=[End(hits, pays), End(total - hits, Fraction(-1))],
    )  # fmt: skip


def mystery(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what the Must-Hit-By bonus comes to, per amount of the qualifying Progressive: a target anywhere, as likely.

    From the minimum to the mean hit the meter takes (mean hit - minimum) / rate of wagers, and then pays the mean hit. The
    wager is the Progressive, whose own return it adds to: nothing is staked on the bonus itself.
    """
    paytable = chapter.paytable(wager, name)
    low, high, stake = paytable.seed_cents, paytable.maximum_cents, paytable.least_wager_cents
    mean, rate = Fraction(low + high, 2), Fraction(paytable.rate_bp, 10_000)
    rounds = (mean - low) / (rate * stake)
    hit = 1 / rounds
    total, number = hit.denominator, hit.numerator
    square = Fraction(low * low + low * high + high * high, 3)  # of the hit, on average
    spread = square - mean**2
    # Two equally likely hits with the mean and variance of all: what they come to is the same.
    ends = [End(2 * total - 2 * number, Fraction(-1))]
    ends += _around(mean, spread, stake, number)
    return Result(
        wager=wager, paytable=name, cite=paytable.cite, total=2 * total, ends=ends, method="formula",
        lines={"hit": float(hit)}, parts={"mean_hit": float(mean / 100), "mean_wagers_to_hit": float(rounds)},
        notices=["added to the return of the progressive wager that qualifies for it"],
    )  # fmt: skip


def _around(mean: Fraction, spread: Fraction, stake: int, number: int) -> list[End]:
    deviation = Fraction(round(float(spread) ** 0.5 * 10**6), 10**6)
    return [End(number, (mean + sign * deviation) / stake - 1) for sign in (-1, 1)]


def _on(make: Callable[[Chapter, str, str], Result], wager: str) -> Callable[[Chapter, str], Result]:
    return lambda chapter, name: make(chapter, wager, name)


BONUSES: Final[Mapping[str, Callable[[Chapter, str], Result]]] = {
    **{wager: _on(at_odds, wager) for wager in _COUNTED},
    "progressive": _on(progressive, "progressive"),
    "tiger_9": _on(tiger_9, "tiger_9"),
    "mystery": _on(mystery, "mystery"),
}
"""What every optional wager comes to, by chapter and paytable."""
