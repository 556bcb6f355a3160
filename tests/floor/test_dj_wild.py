"""The wing of DJ Wild Stud Poker: every fault planted and found, nothing else found, every line of every paytable won."""

from functools import cache
from random import Random

import pytest

from events.vocabulary import model
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from games.dj_wild.settle import lines
from games.dj_wild.simulation.stacking import TARGETS, line_of, make_hand
from rulebook.cards.cards import CODE
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import Rulebook, parse_submission
from tests.floor.simulated import Floor

NAME = "dj_wild"
FLOOR = Floor(NAME)
SIMULATION = SIMULATIONS[NAME]


@cache
def rulebook(toml: str) -> Rulebook:
    return parse_submission(toml)


def test_games_play_side_by_side() -> None:
    simulation = simulate(2, 60, games=("face_up_pai_gow", "dj_wild"))
    names = {stream for stream, _ in simulation.groups()}
    assert {"table/fu-01", "table/dw-01", "meter/wild-link"} <= names
    assert simulation.rounds == 120


def test_more_tables_have_meters_of_their_own() -> None:
    specs = SIMULATION.specs(6)
    assert [spec.id for spec in specs] == [f"dw-{number:02d}" for number in range(1, 7)]
    meters = [spec.first.meter for spec in specs]
    assert meters.count("wild-link") == 2
    assert len(set(meters)) == 5
    with pytest.raises(ValueError, match="at least 4"):
        SIMULATION.specs(3)


@pytest.mark.parametrize("target", TARGETS)
def test_hands_are_made_to_order(target: str) -> None:
    random, taken = Random(target), {0, 1, 20}
    for _ in range(20):
        hand = make_hand(random, target, set() if target == "five_wilds" else taken)
        assert hand is not None
        assert line_of(hand) == target


def test_a_hand_that_cannot_be_made_is_null() -> None:
    assert make_hand(Random(1), "five_wilds", {0}) is None


def test_all_paytables_ways_of_dealing_and_shufflers_are_used() -> None:
    used: set[tuple[str, str]] = set()
    for drafts in FLOOR.streams.values():
        for draft in drafts:
            match draft.payload:
                case model.RulesFiled(toml=toml):
                    book = rulebook(toml)
                    used |= {(name, offer.paytable.name) for name, offer in book.offers.items() if offer.paytable}
                    used |= {(name, str(value)) for name, value in book.settings.items()}
                case model.TableOpened(deal_method=method, shuffler=shuffler):
                    used |= {("deal", method), ("shuffler", shuffler)}
    expected = set(chapter("pa", "687a").paytables)
    expected |= {("deal", each) for each in ("manual_shoe", "hand", "automated_shoe")}
    expected |= {("shuffler", each) for each in ("none", "automated", "automated_counting")}
    expected |= {("folded_progressive", each) for each in ("True", "False")}
    expected |= {("progressive_deuces", each) for each in ("natural", "wild")}
    assert expected <= used


def test_every_kind_of_hand_comes_up() -> None:
    made: set[str] = set()
    trips, blind = chapter("pa", "687a").paytable("trips", "DJWT-04"), chapter("pa", "687a").paytable("blind", "1")
    for drafts in FLOOR.streams.values():
        hands: dict[object, list[int]] = {}
        for draft in drafts:
            match draft.payload:
                case model.RoundOpened():
                    hands = {}
                case model.CardsDealt(to=to, cards=cards):
                    hands.setdefault(to, []).extend(CODE[card] for card in cards if card is not None)
                case model.RoundClosed():
                    whole = [cards for to, cards in hands.items() if to != "side" and len(cards) == 5]
                    made |= {line for cards in whole for each in (trips, blind) for line in lines(each, cards)}
    printed = {line.hand for each in (trips, blind) for line in each.lines}
    assert printed - made == set()
