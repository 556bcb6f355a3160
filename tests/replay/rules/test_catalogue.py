"""The door by which a game's rules come in from outside, and what a game without a record is told."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from games.catalogue import GAMES
from games.rulebook.rulebook import chapter, parse_submission, simple_submission
from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.catalogue import GAME_RULES, add_game_rules, remove_game_rules
from replay.rules.game_rules import GameRules
from replay.rules.order import SHARED, rules_in_order
from replay.rules.rule import EVERY_CHAPTER, rule
from replay.run.adjudicate import rules_of
from replay.settlement.game_terms import terms_of
from replay.settlement.voids import can_be_void

OUTSIDE = "whist"


@rule("PLAY-ORDER", on=EVERY_CHAPTER)
def first_rule(round_: Round, book: object) -> Iterator[Finding]:
    """Nothing."""
    yield from ()


@rule("PLAY-ORDER", on=EVERY_CHAPTER)
def second_rule(round_: Round, book: object) -> Iterator[Finding]:
    """Nothing."""
    yield from ()


@pytest.fixture
def whist() -> Iterator[GameRules]:
    record = GameRules(game=OUTSIDE, rules={"dealing": (first_rule,)})
    add_game_rules(record)
    yield record
    if OUTSIDE in GAME_RULES:
        remove_game_rules(OUTSIDE)


def test_every_game_of_the_package_has_a_record_under_its_name() -> None:
    assert set(GAME_RULES) == set(GAMES)
    assert all(record.game == game for game, record in GAME_RULES.items())


def test_an_added_game_speaks_after_its_theme(whist: GameRules) -> None:
    assert GAME_RULES[OUTSIDE] is whist is terms_of(OUTSIDE)
    order = [id(each) for each in rules_in_order()]
    place = order.index(id(first_rule))
    assert order.index(id(SHARED["dealing"][-1])) < place < order.index(id(SHARED["setting"][0]))


def test_a_game_is_added_once(whist: GameRules) -> None:
    with pytest.raises(ValueError, match="there is a record of the game whist already"):
        add_game_rules(GameRules(game=OUTSIDE))
    assert GAME_RULES[OUTSIDE] is whist


def test_a_game_of_the_package_is_neither_added_again_nor_removed() -> None:
    with pytest.raises(ValueError, match="dj_wild already"):
        add_game_rules(GameRules(game="dj_wild"))
    with pytest.raises(ValueError, match="a game of the package"):
        remove_game_rules("dj_wild")
    assert GAME_RULES["dj_wild"].rules


def test_a_theme_that_is_not_there_is_refused_and_nothing_is_added() -> None:
    with pytest.raises(
        ValueError, match="whist: there is no theme 'dessert'; rules speak after one of wagering, dealing"
    ):
        add_game_rules(GameRules(game=OUTSIDE, rules={"dessert": (first_rule,)}))
    assert OUTSIDE not in GAME_RULES
    with pytest.raises(LookupError):
        terms_of(OUTSIDE)


def test_a_removed_game_is_gone(whist: GameRules) -> None:
    remove_game_rules(OUTSIDE)
    assert first_rule not in list(rules_in_order())
    with pytest.raises(KeyError):
        remove_game_rules(OUTSIDE)


def test_a_game_without_a_record_is_settled_by_nobody() -> None:
    book = parse_submission(simple_submission("pa-688a"))
    without = msgspec.structs.replace(book, chapter=msgspec.structs.replace(book.chapter, game=OUTSIDE), game=OUTSIDE)
    with pytest.raises(LookupError, match=r"the game whist has no record of its rules.*add_game_rules"):
        can_be_void(without)


def test_the_rules_of_a_chapter_are_those_of_the_record_that_is_there_now(whist: GameRules) -> None:
    pa = msgspec.structs.replace(chapter("pa", "688a"), name="0a", game=OUTSIDE)
    assert first_rule in rules_of(pa)
    remove_game_rules(OUTSIDE)
    add_game_rules(GameRules(game=OUTSIDE, rules={"dealing": (second_rule,)}))
    assert second_rule in rules_of(pa)
    assert first_rule not in rules_of(pa)
