"""What optional wagers return: stored counts with the paytables of the chapter applied to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from analytics.theory.result import End, Result
from analytics.theory.returns import counts
from games.cards.cards import parse_cards
from games.catalogue import GAMES
from games.rulebook.chapters import Chapter
from games.rulebook.paytables import Line, Paytable

FULL_METER_BP: Final = 10_000


class Made(msgspec.Struct, frozen=True):
    """How many hands make which lines, of how many in all."""

    ways: Sequence[tuple[frozenset[str], int]]
    total: int

    def paid(self, paytable: Paytable) -> Counter[Line]:
        """Count the hands by the line that is paid."""
        return self._by(paytable.best)

    def envy_percent(self, paytable: Paytable, wager_cents: int) -> float:
        """Return what one other patron's hands bring in Envy Bonuses, per 100 of a wager."""
        cents = sum(line.envy_cents * number for line, number in self._by(paytable.envy).items())
        return float(Fraction(100 * cents, self.total * wager_cents))

    def _by(self, choose: Callable[[frozenset[str]], Line | None]) -> Counter[Line]:
        found: Counter[Line] = Counter()
        for lines, number in self.ways:
            line = choose(lines)
            if line is not None:
                found[line] += number
        return found


def seven_cards(paytable: Paytable) -> Made:
    """Return what all seven cards make, the joker as the paytable has it."""
    table = counts("seven_cards")
    return Made([(frozenset(row[paytable.joker]), row["hands"]) for row in table["rows"]], table["total"])


def by_example(game: str, name: str, number: str = "hands", pairs: str | None = None) -> Callable[[Paytable], Made]:
    """Take a stored table by what the game says that the example of each row makes; `pairs` multiplies the total."""

    def made(paytable: Paytable) -> Made:
        table, lines = counts(name), GAMES[game].lines
        ways = [(lines(paytable, parse_cards(row["example"]), None), row[number]) for row in table["rows"]]
        return Made(ways, table["total"] * (table[pairs] if pairs else 1))

    return made


def insurance(paytable: Paytable) -> Made:
    """Return what seven cards without a pair or better make by their highest card, as the game names it."""
    table, lines = counts("seven_cards"), GAMES["fortune_asia"].lines
    rows = [row for row in table["rows"] if row["highest"]]
    return Made([(lines(paytable, parse_cards(row["example"]), None), row["hands"]) for row in rows], table["total"])


def dice(paytable: Paytable) -> Made:
    """Return what the 216 rolls of three dice make."""
    table = counts("dice")
    rows = [row for row in table["rows"] if row["wager"] == paytable.wager]
    return Made([(frozenset(row["made"]), row["rolls"]) for row in rows], table["total"])


def ace_high(paytable: Paytable) -> Made:
    """Return what the dealer's and the player's hands make together."""
    table = counts("ace_high")
    return Made([(frozenset((row["hand"],)), row["hands"]) for row in table["rows"]], table["total"])


_COUNTED: Final[Mapping[str, Callable[[Paytable], Made]]] = {
    "ace_high_bonus": ace_high,
    "fortune_bonus": seven_cards,
    "insurance": insurance,
    "sum": dice,
    "match": dice,
    "beat_it": dice,
    "bonus": by_example("over_under", "over_under"),
    "trips": by_example("dj_wild", "dj_wild"),
    "bad_beat": by_example("dj_wild", "dj_wild", "dealer_higher", "dealer_hands"),
}
"""What each wager that is paid at odds looks at. Bad Beat: raised hands that the dealer's beats, of all pairs of hands."""


def at_odds(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what a wager paid at odds comes to; its Envy Bonus, for each other patron, stands beside it."""
    paytable = chapter.paytable(wager, name)
    all_made = _COUNTED[wager](paytable)
    made, total = all_made.paid(paytable), all_made.total
    ends = [End(number, _net(line)) for line, number in made.items()]
    ends.append(End(total - made.total(), Fraction(-1)))
    parts: dict[str, float] = {}
    notices = []
    if paytable.has_envy:
        qualifying = chapter.numbers["qualifying_wager_cents"]
        parts["envy_percent_per_other_player"] = all_made.envy_percent(paytable, qualifying)
    if wager == "fortune_bonus" and "fortune_pays" in chapter.settings:
        literal = all_made.paid(msgspec.structs.replace(paytable, picks="highest_rank"))
        parts["highest_rank_return_percent"] = _percent_at_odds(literal, total)
    if wager == "bad_beat":
        both = 2 * _percent_at_odds(made, total)
        parts["two_way_return_percent"] = both
        notices.append(f"both ways, a dealer's three of a kind or better that loses paid alike, {both:.3f} % (D20)")
    return Result(
        wager=wager,
        paytable=name,
        cite=paytable.cite,
        total=total,
        ends=ends,
        lines=_lines(paytable, made),
        parts=parts,
        notices=notices,
    )


def _percent_at_odds(made: Counter[Line], total: int) -> float:
    return float(100 * sum((number * (_net(line) + 1) for line, number in made.items()), Fraction(0)) / total)


def _net(line: Line) -> Fraction:
    return Fraction(line.odds.numerator, line.odds.denominator) if line.odds is not None else Fraction(0)


def _lines(paytable: Paytable, made: Counter[Line]) -> dict[str, int | float]:
    return {line.hand: made[line] for line in paytable.lines}


def _deuces_wild(paytable: Paytable, stake: int) -> Fraction:
    """What the fixed lines of a DJ Wild Progressive would return with deuces wild (D6)."""
    table = counts("dj_wild_progressive")
    made = Made([(frozenset((row["wild"],)), row["hands"]) for row in table["rows"]], table["total"])
    return _all_fixed(made.paid(paytable), made.total, paytable, stake)


# --------------------------------------------------------------------------------------------------------- progressives


def progressive(chapter: Chapter, wager: str, name: str) -> Result:
    """Return what a Progressive comes to: fixed lines, the rate of progression, and the seed as often as the meter falls.

    What goes to the meter comes back from it, whoever wins it: in the long run by the rate, and by a seed for every winner of
    the whole meter (D18). So a share of less than the whole has no part of its own. The ends, and the standard deviation, are
    those with the meter at its seed.
    """
    paytable = chapter.paytable(wager, name)
    all_made = PROGRESSIVES.get(chapter.game, seven_cards)(paytable)
    made, total = all_made.paid(paytable), all_made.total
    stake = paytable.wager_cents
    assert stake is not None, "a progressive paytable names its wager"
    fixed = _all_fixed(made, total, paytable, stake)
    full = Fraction(sum(number for line, number in made.items() if line.meter_bp == FULL_METER_BP), total)
    share = Fraction(sum(number * line.meter_bp for line, number in made.items()), total * FULL_METER_BP)
    rate, seed = Fraction(paytable.rate_bp, 10_000), full * paytable.seed_cents / stake
    at_seed = {line: Fraction(line.meter_bp * paytable.seed_cents, FULL_METER_BP * stake) for line in made}
    ends = [End(number, fixed_part(line, paytable, stake) + at_seed[line] - 1) for line, number in made.items()]
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
        parts["envy_percent_per_other_player"] = all_made.envy_percent(paytable, stake)
    if "progressive_deuces" in chapter.settings:
        parts["deuces_wild_fixed_percent"] = float(100 * _deuces_wild(paytable, stake))
    if paytable.rate_filed:
        notices.append("the text prints no rate of progression: the rate that is filed comes on top")
    if paytable.reserve_rate_bp:
        notices.append(f"{paytable.reserve_rate_bp / 100:g} % more goes to a reserve that the text gives no use (D108)")
    return Result(
        wager=wager,
        paytable=name,
        cite=paytable.cite,
        total=total,
        ends=ends,
        lines=_lines(paytable, made),
        parts=parts,
        beside=fixed + rate + seed - 1 - of_ends,
        notices=notices,
    )


def fixed_part(line: Line, paytable: Paytable, stake: int) -> Fraction:
    """What a line pays apart from the meter, the stake with it where that goes back, per unit staked (D18)."""
    paid = Fraction(line.amount_cents, stake) if line.odds is None else _net(line)
    return paid + (paytable.stake_returned or line.odds is not None)


def _all_fixed(made: Counter[Line], total: int, paytable: Paytable, stake: int) -> Fraction:
    return sum((number * fixed_part(line, paytable, stake) for line, number in made.items()), Fraction(0)) / total


PROGRESSIVES: Final[Mapping[str, Callable[[Paytable], Made]]] = {
    "dj_wild": by_example("dj_wild", "dj_wild_progressive")
}
"""Where a Progressive is not on seven cards: what it is on, by the game."""


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
        wager=wager,
        paytable=name,
        cite=rule.odds_cite,
        total=total,
        lines={"tiger_9": hits},
        parts=parts,
        ends=[End(hits, pays), End(total - hits, Fraction(-1))],
    )


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
        wager=wager,
        paytable=name,
        cite=paytable.cite,
        total=2 * total,
        ends=ends,
        method="formula",
        lines={"hit": float(hit)},
        parts={"mean_hit": float(mean / 100), "mean_wagers_to_hit": float(rounds)},
        notices=["added to the return of the progressive wager that qualifies for it"],
    )


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
