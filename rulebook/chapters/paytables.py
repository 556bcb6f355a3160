"""Paytables as printed: their lines, and the line paid among those that a hand makes (D15)."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from rulebook.cards.ranking import LINES_BY_RANK, JokerMode
from rulebook.chapters.money import Odds

ANY_SEVEN_CARD_STRAIGHT_FLUSH: Final = "seven_card_straight_flush_any"
Picks = Literal["best_paid", "first_printed", "highest_rank"]


class PayLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a paytable: a hand and its payout, as odds, as a push, or in cents and a share of the meter."""

    hand: str
    odds: Odds | None
    push: bool
    amount_cents: int
    meter_bp: int
    envy_cents: int
    cite: str

    def is_made(self, lines_made: frozenset[str]) -> bool:
        """Return whether a hand that makes these lines makes this one."""
        if self.hand == ANY_SEVEN_CARD_STRAIGHT_FLUSH:
            return not lines_made.isdisjoint(("seven_card_straight_flush", "seven_card_straight_flush_joker"))
        return self.hand in lines_made


class Paytable(msgspec.Struct, frozen=True, kw_only=True):
    """A paytable as printed. `wager_cents`, the seed and the rates are there for a progressive.

    `scales`: the amounts are "for 1" and go with the wager filed; `rate_filed`: the text prints no rate, it is filed.
    `printed_for_cents` is the wager that the text prints the amounts for, if they are kept for another one (D662).
    `least_wager_cents` and `maximum_cents` are those of a Must-Hit-By configuration, whose minimum is the seed (§ 645c.3).

    `picks` decides which of several lines made is paid: the best paid if all are odds (D15), the first printed if
    amounts or shares of a meter are among them, or the highest ranking hand if that is filed.
    """

    wager: str
    name: str
    cite: str
    lines: tuple[PayLine, ...]
    wager_cents: int | None
    joker: JokerMode
    stake_returned: bool
    seed_cents: int
    rate_bp: int
    reserve_rate_bp: int
    scales: bool
    rate_filed: bool
    least_wager_cents: int
    maximum_cents: int
    has_envy: bool
    picks: Picks
    printed_for_cents: int | None = None

    def best(self, lines_made: frozenset[str]) -> PayLine | None:
        """Return the paid line among those made, or None.

        >>> from rulebook.chapters.chapters import chapter
        >>> fortune = chapter("pa", "688a").paytable("fortune_bonus", "1")
        >>> fortune.best(frozenset({"straight", "three_of_a_kind"})).hand
        'three_of_a_kind'
        """
        known = _answers_for(self, _best_lines)
        if lines_made not in known:
            known[lines_made] = self._best([line for line in self.lines if line.is_made(lines_made)])
        return known[lines_made]

    def envy(self, lines_made: frozenset[str]) -> PayLine | None:
        """Return the highest line with an Envy Bonus among those made, or none."""
        known = _answers_for(self, _envy_lines)
        if lines_made not in known:
            known[lines_made] = next((line for line in self.lines if line.envy_cents and line.is_made(lines_made)), None)
        return known[lines_made]

    def _best(self, lines: Sequence[PayLine]) -> PayLine | None:
        if not lines:
            return None
        if self.picks == "first_printed":
            return lines[0]
        if self.picks == "highest_rank":
            return min(lines, key=lambda line: LINES_BY_RANK.index(line.hand))
        best = lines[0]
        for line in lines:
            if best.odds is None or (line.odds is not None and line.odds.is_better_than(best.odds)):
                best = line
        return best


_Answers = dict[int, tuple[Paytable, dict[frozenset[str], PayLine | None]]]
"""The answer for each set of lines that hands have made, by the paytable's identity (which its presence here keeps)."""

_best_lines: _Answers = {}
_envy_lines: _Answers = {}


def _answers_for(paytable: Paytable, answers: _Answers) -> dict[frozenset[str], PayLine | None]:
    entry = answers.get(id(paytable))
    if entry is None:
        entry = answers[id(paytable)] = (paytable, {})
    return entry[1]
