"""What a game's record holds: the rules that only it has, and what it adds to the settlement that all games share."""

from collections.abc import Mapping, Sequence
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
        """Refuse what is no rule, and rules under a theme that does not exist: they would never be applied."""
        for theme, rules in self.rules.items():
            if theme not in THEMES:
                raise ValueError(f"{self.game}: there is no theme {theme!r}; use one of {', '.join(THEMES)}")
            if not isinstance(rules, tuple) or not all(isinstance(each, Rule) for each in rules):
                raise ValueError(f"{self.game}: rules[{theme!r}] must be a tuple of functions with @rule")

    def must_fit(self, game: str, chapters: Sequence[Chapter]) -> None:
        """Raise `ValueError` if the record is of another game, or a rule or a declared code does not fit the game's chapters."""
        if self.game != game:
            raise ValueError(f"GAME_RULES of rules.py is of the game {self.game}, not of {game}")
        for chapter in chapters:
            self.must_have_its_codes(chapter)
        for each in (each for listed in self.rules.values() for each in listed):
            if not any(map(each.holds_in, chapters)):
                own = f"{chapters[0].name}.{each.on[0].rpartition('.')[2]}"
                raise ValueError(
                    f"no chapter of {game} has {', '.join(each.on)}, the rule of {each.codes[0]}; did you mean {own}?"
                )

    def must_have_its_codes(self, chapter: Chapter) -> None:
        """Raise `ValueError` if a rule finds what neither register nor chapter has, or the chapter takes a code of all games."""
        for code in sorted(chapter.findings.keys() & SEVERITY.keys()):
            raise ValueError(f"{chapter.key}: the code {code} is in the register of all games; give the new one another name")
        own = {code for rules in self.rules.values() for rule in rules for code in rule.codes}
        for code in sorted(own - chapter.findings.keys() - SEVERITY.keys()):
            raise ValueError(f"{chapter.key}: the chapter does not declare the code {code}; add a [[finding]] with it")
        for code in chapter.findings.keys() - own if self.void_grounds is None else ():
            raise ValueError(f"{chapter.key}: no rule in GAME_RULES finds {code}")
