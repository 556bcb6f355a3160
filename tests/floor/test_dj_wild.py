"""The wing of DJ Wild Stud Poker: every fault planted and found, nothing else found, every line of every paytable won."""

from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from floor.faults.comparison import compare
from games.dj_wild.settle import lines
from games.dj_wild.simulation.stacking import TARGETS, line_of, make_hand
from replay.findings import Finding
from replay.run.replayer import MemoryResults, findings, replay
from rulebook.cards.cards import CODE
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import Rulebook, parse_submission
from tests.floor import simulated as floors
from tests.whatif.simulated_log import SimulatedLog

NAME = "dj_wild"
SEEDS, ROUNDS = floors.DAYS[NAME]
SIMULATION = SIMULATIONS[NAME]


def simulated(seed: int) -> Simulation:
    return floors.simulated(NAME, seed, ROUNDS)


def streams(seed: int) -> dict[str, list[Draft]]:
    return floors.streams(NAME, seed, ROUNDS)


def codes() -> set[str]:
    return {code.partition("/")[0] for code in SIMULATION.anomalies.faults}


def documented_codes() -> set[str]:
    """The codes in the table of docs/evidence-687a.md; PAY-… codes with one prefix are together there."""
    text = Path(__file__).parents[2].joinpath("docs", "evidence-687a.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ") and "-" in line.split("|")[1]]
    named = {code.strip() for row in rows for code in row.split(",") if code.strip().isupper()}
    return {f"PAY{code}" if code.startswith("-") else code for code in named}


def test_there_is_an_injector_for_every_documented_code() -> None:
    assert codes() - {code for code in codes() if code.startswith("LOG-")} == documented_codes()


def replayed(simulation: Simulation) -> tuple[list[Finding], Counter[str]]:
    """What a replay finds, and its verdicts."""
    results = MemoryResults()
    summary = replay(SimulatedLog(simulation.groups()), results)
    return findings(results), Counter(summary.verdicts)


@cache
def rulebook(toml: str) -> Rulebook:
    return parse_submission(toml)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", SEEDS)
def test_every_fault_is_found_and_nothing_else(seed: int) -> None:
    found, verdicts = replayed(simulated(seed))
    comparison = compare(simulated(seed).labels, found)
    assert comparison.missed == ()
    assert comparison.false_alarms == ()
    assert verdicts["UPHELD"] > ROUNDS * 0.8
    assert verdicts["VOID"] > 5


def test_a_floor_without_faults_raises_no_alarm() -> None:
    simulation = simulate(4, 300, games=(NAME,), plant=False)
    assert simulation.labels == []
    assert simulation.legitimate
    found, verdicts = replayed(simulation)
    assert found == []
    assert verdicts["VARIANCE"] == 0


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


MISDEALT = ("DEAL-DECK", "DEAL-COUNT", "DEAL-ORDER", "PAY-VOID")
AS_DEALT = ("proper_void", "stack_moved")
"""What leaves a position with other than its cards, as they were dealt."""


@pytest.mark.parametrize("seed", SEEDS)
def test_every_deal_is_of_one_deck(seed: int) -> None:
    """No card twice, five to each hand and one next to: but if a fault or a void is labeled."""
    labels = simulated(seed).labels
    odd = {(each.stream, each.round_no) for each in labels if each.code in MISDEALT}
    odd |= {(each.stream, each.round_no) for each in simulated(seed).legitimate if each.kind in AS_DEALT}
    for stream, drafts in streams(seed).items():
        rounds: dict[int | None, dict[object, list[str | None]]] = {}
        for draft in drafts:
            if isinstance(draft.payload, model.CardsDealt):
                rounds.setdefault(draft.round_no, {}).setdefault(draft.payload.to, []).extend(draft.payload.cards)
        for number, hands in rounds.items():
            if (stream, number) in odd:
                continue
            assert {len(cards) for to, cards in hands.items() if to != "side"} == {5}, (stream, number)
            dealt = [CODE[card] for cards in hands.values() for card in cards if card is not None]
            assert len(dealt) == len(set(dealt)), (stream, number)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_paytables_ways_of_dealing_and_shufflers_are_used(seed: int) -> None:
    used: set[tuple[str, str]] = set()
    for drafts in streams(seed).values():
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
    for seed in SEEDS:
        for drafts in streams(seed).values():
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
