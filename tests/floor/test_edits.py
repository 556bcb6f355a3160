"""The edits of which faults are made, on a script of four steps."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from events.vocabulary import model
from floor.faults.anomaly import HERE, Anomalies, Anomaly, NotPossible, require
from floor.faults.dealing import dealt_facing, to_dealer
from floor.faults.edits import add_before, add_behind, both, by_turns, change, drop, its_seat, its_wager
from floor.faults.labels import Spot
from floor.faults.payment import its_own, settled_before
from floor.table.facts import card_dealt, same, wager_paid, wager_placed
from floor.table.script import Script
from rulebook.chapters.citation import Citation
from rulebook.settlement.wagers import Due, Outcome


def played(turn: int = 0) -> Any:
    """A play of which nothing is known but its script: two wagers, the end of betting, a stub."""
    script = Script()
    for event in (
        wager_placed(3, "p-1", "base", 2500),
        wager_placed(5, "p-2", "base", 5000),
        same(model.NoMoreBets, announced_by="dealer"),
        same(model.StubCounted, count=4, exposed=0),
    ):
        script.add(event)
    return SimpleNamespace(script=script, plan=SimpleNamespace(turn=turn, random=Random(1), chosen=5))


def kinds(play: Any) -> list[str]:
    return [type(step.payload).__name__ for step in play.script]


def test_drop_takes_out_the_step_in_its_place_and_says_where() -> None:
    play = played()
    assert drop(model.WagerPlaced, 1, its_wager)(play) == Spot(5, "base")
    assert kinds(play) == ["WagerPlaced", "NoMoreBets", "StubCounted"]
    assert play.script.first(model.WagerPlaced).payload.seat == 3


def test_drop_finds_by_fields() -> None:
    play = played()
    assert drop(model.WagerPlaced, 0, its_seat, seat=5)(play) == Spot(5)
    assert [step.payload.seat for step in play.script.of(model.WagerPlaced)] == [3]


@pytest.mark.parametrize("edit", [drop(model.CardsCut), change(model.CardsCut, depth=3)])
def test_is_not_possible_where_there_is_no_such_step(edit: Any) -> None:
    play = played()
    with pytest.raises(NotPossible):
        edit(play)
    assert len(kinds(play)) == 4


def test_change_takes_values_and_functions_of_the_event() -> None:
    play = played()
    assert change(model.StubCounted, exposed=2, count=lambda play, stub: stub.count - 1)(play) == HERE
    stub = play.script.first(model.StubCounted).payload
    assert (stub.count, stub.exposed) == (3, 2)


def test_adds_before_and_behind() -> None:
    play = played()
    add_behind(model.NoMoreBets, lambda play, event: wager_placed(1, "p-3", "base", 100))(play)
    add_before(model.WagerPlaced, lambda play, event: same(model.HandExamined, seat=event.seat))(play)
    assert kinds(play) == ["HandExamined", "WagerPlaced", "WagerPlaced", "NoMoreBets", "WagerPlaced", "StubCounted"]


@pytest.mark.parametrize(("turn", "left"), [(0, "NoMoreBets"), (1, "StubCounted"), (2, "NoMoreBets")])
def test_by_turns_does_one_after_the_other(turn: int, left: str) -> None:
    play = played(turn)
    by_turns(drop(model.StubCounted), drop(model.NoMoreBets))(play)
    assert kinds(play) == ["WagerPlaced", "WagerPlaced", left]


def test_both_does_all_and_the_first_says_where() -> None:
    play = played()
    assert both(drop(model.WagerPlaced, 0, its_seat), drop(model.StubCounted))(play) == Spot(3)
    assert kinds(play) == ["WagerPlaced", "NoMoreBets"]


def settling_play() -> Any:
    """A play of one hand: cards, the hand revealed, its winning base wager paid."""
    due = Due(
        seat=3,
        wager="base",
        bettor="p-1",
        staked_cents=2500,
        net_cents=2500,
        winnings_cents=2500,
        outcome=Outcome.WIN,
        cite=Citation("§ 688a.11(f)"),
    )
    script = Script()
    for event in (
        card_dealt("dealer", 0, True),
        card_dealt(3, 1),
        same(model.HandRevealed, position=3),
        wager_paid(due, 2500, 2500),
    ):
        script.add(event)
    plan = SimpleNamespace(random=Random(1), chosen=3, by_hand=("base",), prepared="base", surrendered=set(), abandoned=set())
    return SimpleNamespace(script=script, plan=plan, dues=[due])


def test_a_wager_is_settled_before_a_step_of_its_own_hand_or_of_any() -> None:
    play = settling_play()
    place = Spot(3, "base", ("PAY-ORDER",))
    assert settled_before(model.HandRevealed, "base", position=its_own)(play) == place
    assert kinds(play) == ["CardsDealt", "CardsDealt", "WagerPaid", "HandRevealed"]
    assert settled_before(model.CardsDealt)(play) == place
    assert kinds(play) == ["WagerPaid", "CardsDealt", "CardsDealt", "HandRevealed"]
    for wager, seat in (("trips", 3), ("base", 4)):
        with pytest.raises(NotPossible):
            settled_before(model.HandRevealed, wager, position=seat)(play)


def test_all_cards_of_one_position_are_dealt_the_other_way_up() -> None:
    play = settling_play()
    assert dealt_facing(to_dealer, face_up=False)(play) == HERE
    assert dealt_facing(lambda play: play.plan.chosen, face_up=True)(play) == Spot(3)
    assert [step.payload.face_up for step in play.script.of(model.CardsDealt)] == [False, True]


def test_a_register_takes_each_name_once_and_a_spot_for_an_edit() -> None:
    anomalies, other = Anomalies(), Anomalies()
    anomalies.fault("DEAL-STUB", Spot(4))
    assert anomalies.faults["DEAL-STUB"].edit(played()) == Spot(4)
    with pytest.raises(AssertionError):
        anomalies.fault("DEAL-STUB", HERE)
    anomalies.legitimate("recut", 4, drop(model.StubCounted), decides=True)
    other.take_over(anomalies, "DEAL-STUB")
    assert (list(other.faults), list(other.legitimates)) == ([], ["recut"])
    assert (other.legitimates["recut"].per_mille, other.legitimates["recut"].decides) == (4, True)


def test_an_anomaly_that_is_not_possible_says_so_to_who_plays_the_round() -> None:
    anomaly = Anomaly("DEAL-CUT", drop(model.CardsCut), prepare=lambda plan: bool(require(plan.chosen)))
    assert anomaly.apply(played()) is None
    assert [anomaly.can_prepare(SimpleNamespace(chosen=seat)) for seat in (0, 3)] == [False, True]
    assert not Anomaly("DEAL-CUT", drop(model.CardsCut), prepare=lambda plan: False).can_prepare(played().plan)
