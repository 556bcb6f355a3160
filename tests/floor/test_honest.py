"""Where nothing is planted nothing is made to order: cards fall as they fall, and patrons play as they are said to play."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from events.vocabulary import model
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from floor.table.people import People
from rack.cli import main
from rulebook.settlement.wagers import Outcome
from tests.floor.simulated import stored


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("made to order")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", SIMULATIONS)
def test_nothing_is_made_to_order(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan: Any = SIMULATIONS[game].plan
    for name in ("stack", "hand_for", "make", "deal_until"):
        if hasattr(plan, name):
            monkeypatch.setattr(plan, name, refuse)
    floor = simulate(3, 400, plant=False, games=(game,), rare_every=0)
    assert floor.labels == []
    assert {label.kind for label in floor.legitimate} & {"recut", "duplicate_message"}
    with pytest.raises(AssertionError, match="made to order"):
        simulate(3, 400, plant=False, games=(game,))


@pytest.mark.parametrize("game", ["face_up_pai_gow", "pai_gow_poker", "fortune_asia", "player_dealer"])
def test_by_the_house_way_nobody_sets_otherwise_fouls_or_surrenders(game: str) -> None:
    simulation = SIMULATIONS[game]
    for index, spec in enumerate(simulation.specs(simulation.tables)):
        table = simulation.table(index, simulation.tables, spec, {}, People(Random(1)), Random(index))
        table.house_way = True
        for meter in table.meters_filed(1):
            table.meters[meter.id] = meter
        table.open_day(0)
        for _ in range(60):
            table.come_and_go()
            plan: Any = simulation.plan(table, table.random)
            assert not plan.surrendered
            assert plan.dealer_way == plan.house_way(plan.hands["dealer"])
            for seat, box in plan.boxes.items():
                assert box.way == plan.house_way(plan.hands[seat])
                assert plan.outcome(seat) is not Outcome.FOUL


def test_by_the_house_way_all_decisions_are_the_best() -> None:
    day = stored(simulate(4, 300, plant=False, games=("over_under", "dj_wild"), rare_every=0, house_way=True))
    events = [draft.payload for drafts in day.values() for draft in drafts]
    assert not any(isinstance(event, model.Surrendered) for event in events)
    decisions = {event.decision for event in events if isinstance(event, model.DecisionMade)}
    assert decisions == {"raise", "fold", "over", "under"}


@pytest.mark.nightly
def test_a_floor_of_all_games_where_a_face_up_card_lies_at_the_cover_card() -> None:
    """The shoe of this floor once ran out: the cover card was passed over by a card found face up."""
    assert simulate(515151, 2500, plant=False, games=("over_under",), rare_every=0, tables=5).rounds == 2500


@pytest.mark.parametrize("face_up_before", range(6))
def test_the_cover_card_is_reached_wherever_a_face_up_card_lies(face_up_before: int) -> None:
    simulation = SIMULATIONS["over_under"]
    (spec, *_) = simulation.specs(5)
    for until_cover in range(1, 9):
        table: Any = simulation.table(0, 5, spec, {}, People(Random(1)), Random(until_cover))
        table.open_day(0)
        while len(table.seats) < 2:
            table.come_and_go()
        plan: Any = simulation.plan(table, table.random)
        while len(plan.boxes) < 2:
            plan = simulation.plan(table, table.random)
        plan.until_cover, plan.face_up, plan.face_up_before = until_cover, 0, face_up_before
        plan.deal()
        play = simulation.play(plan)
        steps = [step.payload for step in play.write()]
        reached = [at for at, event in enumerate(steps) if isinstance(event, model.CoverCardReached)]
        assert len(reached) == (until_cover < 1 + 3 * len(plan.boxes) + 1)
        if reached:
            gone = (model.CardsDealt, model.CardFoundFaceUp, model.CardBurned)
            assert sum(isinstance(event, gone) for event in steps[: reached[0]]) == until_cover


def test_the_command_lets_everybody_play_by_theory(tmp_path: Path) -> None:
    out = tmp_path / "day.jsonl"
    given = ["simulate", "--rounds", "120", "--games", "dj_wild,face_up_pai_gow", "--plant", "nothing", "--seed", "7"]
    assert main([*given, "--play", "house_way", "--out", str(out), "--quiet"]) == 0
    by_theory = out.read_bytes()
    assert main([*given, "--out", str(out), "--quiet"]) == 0
    assert out.read_bytes() != by_theory
    assert b'"surrendered"' not in by_theory
    assert b'"foul"' not in by_theory
