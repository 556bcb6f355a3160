"""What a game's record holds: the rules that only it has, and what it adds to the settlement that all games share."""

from collections.abc import Mapping
from typing import Literal, get_args

from replay.rules.round_steps import Precedence
from replay.rules.rule import SEVERITY, Rule
from replay.settlement.game_terms import GameTerms
from rulebook.chapters.chapters import Chapter

Theme = Literal["wagering", "dealing", "setting", "settlement", "equipment", "paying"]
"""The themes of the rules that games share, in the order in which they speak (`order.py`)."""
THEMES: tuple[Theme, ...] = get_args(Theme)


class GameRules(GameTerms, frozen=True, kw_only=True):
    """One game: its own rules, and what is particular to it when a round is settled (`GameTerms`).

    `rules` are listed by the theme after which they run, in their order. The order is part of stored bytes: a rule keeps its
    place. Rules without a theme of their own run last, after "paying". `precedences` are the sentences of its
    chapters on what comes after which step of the round, in the order of play; `order_of_steps.py` asks them.
    """

    rules: Mapping[Theme, tuple[Rule, ...]] = {}
    precedences: tuple[Precedence, ...] = ()

    def __post_init__(self) -> None:
        """Refuse rules under a theme that does not exist: they would never be applied."""
        unknown = [theme for theme in self.rules if theme not in THEMES]
        if unknown:
            raise ValueError(f"{self.game}: there is no theme {unknown[0]!r}; use one of {', '.join(THEMES)}")

    def must_have_its_codes(self, chapter: Chapter) -> None:
        """Raise `ValueError` if a rule finds what neither register nor chapter has, or the chapter takes a code of all games."""
        for code in sorted(chapter.findings.keys() & SEVERITY.keys()):
            raise ValueError(f"{chapter.key}: the code {code} is in the register of all games; give the new one another name")
        own = {code for rules in self.rules.values() for rule in rules for code in rule.codes}
        for code in sorted(own - chapter.findings.keys() - SEVERITY.keys()):
            raise ValueError(f"{chapter.key}: the chapter does not declare the code {code}; add a [[finding]] with it")
