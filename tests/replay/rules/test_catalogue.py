"""The rules of a game are found in its package, and what a game without them is told."""

from collections.abc import Iterator

import msgspec
import pytest

from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.catalogue import GAME_RULES
from replay.rules.game_rules import GameRules
from replay.rules.order import SHARED, rules_in_order
from replay.rules.rule import EVERY_CHAPTER, rule
from replay.run.adjudicate import rules_of
from replay.settlement.game_terms import terms_of
from replay.settlement.voids import can_be_void
from rulebook.catalogue import GAMES, add_game, remove_game
from rulebook.chapters.chapter_form import FindingKind
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import parse_submission, simple_submission


@rule("PLAY-ORDER", on=EVERY_CHAPTER)
def a_rule(round_: Round, book: object) -> Iterator[Finding]:
    """Nothing."""
    yield from ()


@pytest.fixture
def high_card() -> Iterator[None]:
    add_game("tests.example_game")
    yield
    remove_game("high_card")


def test_every_game_has_a_record_under_its_name() -> None:
    assert set(GAME_RULES) == set(GAMES)
    assert all(record.game == game for game, record in GAME_RULES.items())


def test_the_rules_of_an_added_game_are_applied_after_their_theme(high_card: None) -> None:
    record = GAME_RULES["high_card"]
    assert record is terms_of("high_card")
    order = [id(each) for each in rules_in_order()]
    for theme, rules in record.rules.items():
        assert all(order.index(id(each)) > order.index(id(SHARED[theme][-1])) for each in rules)
    assert {id(each) for rules in record.rules.values() for each in rules} <= {*order}
    of_the_chapter = rules_of(chapter("pa", "700a"))
    assert all(each in of_the_chapter for rules in record.rules.values() for each in rules)


def test_the_rules_of_a_removed_game_are_gone() -> None:
    add_game("tests.example_game")
    rules = [each for listed in GAME_RULES["high_card"].rules.values() for each in listed]
    remove_game("high_card")
    assert not [each for each in rules_in_order() if each in rules]


def test_a_theme_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="whist: there is no theme 'dessert'; use one of wagering, dealing"):
        GameRules(game="whist", rules={"dessert": (a_rule,)})


def test_a_game_that_nobody_added_is_not_settled() -> None:
    book = parse_submission(simple_submission("pa-688a"))
    without = msgspec.structs.replace(book, chapter=msgspec.structs.replace(book.chapter, game="whist"), game="whist")
    with pytest.raises(LookupError, match="the game whist has no record of its rules"):
        can_be_void(without)


def test_a_code_that_its_chapter_does_not_declare_and_one_of_all_games_are_refused_by_name() -> None:
    @rule("HC-TURN", on=("11(a)",))
    def own(round_: Round, book: object) -> Iterator[Finding]:
        """Find nothing (§ 11(a))."""
        yield from ()

    record, book = GameRules(game="over_under", rules={"paying": (own,)}), chapter("pa", "686a")
    with pytest.raises(ValueError, match=r"pa-686a: the chapter does not declare the code HC-TURN; add a \[\[finding\]\]"):
        record.must_have_its_codes(book)
    kind = FindingKind(code="PAY-OVER", title="Another meaning", severity="low")
    with pytest.raises(ValueError, match="pa-686a: the code PAY-OVER is in the register of all games"):
        record.must_have_its_codes(msgspec.structs.replace(book, findings={"PAY-OVER": kind}))
