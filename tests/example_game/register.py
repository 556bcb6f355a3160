"""Adds High Card to every layer: the function that a distribution names in `discard_rack.games`."""

from __future__ import annotations

from pathlib import Path

from analytics.theory.catalogue import add_returns, remove_returns
from floor.catalogue import add_simulation, remove_simulation
from games.catalogue import add_game, remove_game
from replay.rules.catalogue import add_game_rules, remove_game_rules
from tests.example_game import floor, high_card, returns, rules

CHAPTER = Path(__file__).parent / "700a.toml"


def add() -> None:
    """Add the game."""
    add_game(high_card.GAME, [CHAPTER.read_text(encoding="utf-8")])
    add_game_rules(rules.GAME_RULES)
    add_returns(returns.RETURNS)
    add_simulation(floor.HIGH_CARD)


def remove() -> None:
    """Remove it again, as only tests do."""
    remove_simulation("high_card")
    remove_returns("high_card")
    remove_game_rules("high_card")
    remove_game("high_card")
