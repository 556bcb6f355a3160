"""Pai Gow Poker on the simulated floor: everything is planted, dice come before cards, hits keep their word, chips add up."""

from collections import Counter
from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from floor.table.people import People
from floor.table.streams import HOUR_US
from games.pai_gow_poker.simulation.plan import PaiGowPokerPlan
from games.pai_gow_poker.simulation.play import twin
from games.pai_gow_poker.simulation.table import PaiGowTable
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.settlement.dice_wagers import ONE_RED_TWO_BLUE
from rulebook.settlement.mystery import is_committed
from tests.floor.simulated import Floor

NAME = "pai_gow_poker"
SIMULATION = SIMULATIONS[NAME]
FLOOR = Floor(NAME)
ON_DICE = ("sum", "match", "beat_it")


def books(drafts: list[Draft]) -> dict[str, Rulebook]:
    """What a table filed, by the gaming day from which it is in force."""
    filed = [draft.payload for draft in drafts if isinstance(draft.payload, model.RulesFiled)]
    return {event.effective_gaming_day: parse_submission(event.toml) for event in filed}


@pytest.mark.parametrize(
    "planter",
    [
        "SET-EARLY/face_up",
        "PAY-VIG",
        "PAY-VIG/wrong",
        "PAY-ORDER/dice",
        "PAY-ANNOUNCED/dice",
        "DEAL-SHAKE/electronic",
        "DEAL-SHAKE/lid",
        "DEAL-NOBETS/dice",
        "EQUIP-DICE/colours",
        "WAGER-LATE/dice",
        "WAGER-BASE/contribution",
        "PAY-LIGHT/mystery",
        "PAY-VALIDATED/mystery",
        "PAY-SOURCE/mystery",
        *(f"PAY-{kind}/dice" for kind in ("OVER", "UNDER", "MISSED", "LOSER", "TAKEN", "NOT-TAKEN")),
    ],
)
def test_what_a_shared_code_means_here_is_planted_besides(planter: str) -> None:
    assert planter in SIMULATION.anomalies.faults


def test_faults_of_the_mystery_meters_show_in_their_own_streams() -> None:
    in_meters = {label.code for label in FLOOR.simulation.labels if label.stream.startswith("meter/mh-")}
    assert in_meters == {"MYST-AMOUNT", "MYST-COMMITMENT", "MYST-CONTRIBUTION", "MYST-RESET", "MYST-TRIGGER"}


def test_the_tables_file_what_the_chapter_offers() -> None:
    filed = [book for drafts in FLOOR.tables.values() for book in books(drafts).values()]
    offered = {(offer.wager, offer.paytable.name) for book in filed for offer in book.offers.values() if offer.paytable}
    assert {name for wager, name in offered if wager == "sum"} == set("ABCD")
    assert {name for wager, name in offered if wager == "beat_it"} == set("ABC")
    assert {name for wager, name in offered if wager == "fortune_bonus"} == set("123456")
    assert {name for wager, name in offered if wager == "progressive"} == set("1234567")
    assert {name for wager, name in offered if wager == "mystery"} == {"A-1", "B-5", "C-1", "D-5"}
    assert ("match", "1") in offered
    assert {book.settings["commission_free"] for book in filed} == {True, False}
    assert {book.settings["vigorish_rounding"] for book in filed} == {"down", "nearest", "up"}
    assert {book.settings["mystery_paid_by"] for book in filed} == {"either", "inventory", "slip"}
    assert {book.starting for book in filed} == {"shaker", "number", "player_shaker"}


def test_wagers_on_the_dice_are_announced_and_settled_before_the_cards() -> None:
    wrong = FLOOR.labeled("PAY-ORDER", "PAY-MISSED", "PAY-NOT-TAKEN", "DEAL-NOROLL")
    settled = 0
    for stream, drafts in FLOOR.tables.items():
        announced, dealt = False, False
        for draft in drafts:
            match draft.payload:
                case model.RoundOpened():
                    announced, dealt = False, False
                case model.DiceAnnounced():
                    announced = True
                case model.CardsDealt():
                    dealt = True
                case model.WagerTaken(wager=wager) | model.WagerPaid(wager=wager) | model.WagerReturned(wager=wager):
                    if wager in ON_DICE and (stream, draft.round_no) not in wrong:
                        assert announced, (stream, draft.round_no)
                        assert not dealt, (stream, draft.round_no)
                        settled += 1
    assert settled > 300


def test_the_red_die_is_among_the_dice_where_it_is_to_beat_the_blue_ones() -> None:
    rolled = 0
    for stream, drafts in FLOOR.tables.items():
        filed, day = books(drafts), ""
        for draft in drafts:
            match draft.payload:
                case model.GamingDayOpened(gaming_day=day):
                    pass
                case model.DiceRolled(lie="flat", colours=colours):
                    offer = filed[max(each for each in filed if each <= day)].offers.get("beat_it")
                    if offer and offer.paytable and offer.paytable.name in ("A", "B"):
                        right = colours is not None and sorted(colours) == ONE_RED_TWO_BLUE
                        assert right or (stream, draft.round_no) in FLOOR.labeled("EQUIP-DICE")
                        rolled += 1
    assert rolled > 100


def test_every_hit_that_is_right_keeps_the_word_that_was_given() -> None:
    """The contribution that lifts the meter above the target committed to hits; all of the meter is paid, and it begins again."""
    mistyped = {(each.stream, each.round_no) for each in FLOOR.simulation.legitimate if each.kind == "event_corrected"}
    hits = 0
    for stream, drafts in FLOOR.tables.items():
        armed: dict[str, model.MysteryArmed] = {}
        before: dict[str, int] = {}
        reading: dict[str, int] = {}
        for draft in drafts:
            match draft.payload:
                case model.MysteryArmed() as event:
                    armed[event.meter], reading[event.meter] = event, event.reading_centicents
                case model.ProgressiveAccepted() as event if event.meter.startswith("mh-"):
                    before[event.meter], reading[event.meter] = reading[event.meter], event.reading_centicents
                case model.MysteryHit() as event if (stream, draft.round_no) not in FLOOR.labeled():
                    word = armed[event.meter]
                    assert event.target_centicents is not None
                    assert before[event.meter] <= event.target_centicents < event.reading_centicents
                    assert event.reading_centicents == reading[event.meter]
                    assert is_committed(word.commitment or "", event.target_centicents, event.nonce or "")
                    assert word.minimum_cents * 100 <= event.target_centicents <= word.maximum_cents * 100
                    assert event.after_centicents == word.minimum_cents * 100
                    of_round = [each.payload for each in drafts if each.round_no == draft.round_no]
                    paid = [
                        each.winnings_cents for each in of_round if isinstance(each, model.WagerPaid) and each.wager == "mystery"
                    ]
                    meters = [  # a meter that was just reset can be hit again in the same round
                        each.reading_centicents // 100 for each in of_round if isinstance(each, model.MysteryHit)
                    ]
                    if (stream, draft.round_no) not in mistyped:
                        assert sorted(paid) == sorted(meters)
                    hits += 1
    assert hits > 20


def test_a_meter_tells_its_own_stream_what_it_tells_the_table() -> None:
    own = {name.removeprefix("meter/"): drafts for name, drafts in FLOOR.streams.items() if name.startswith("meter/mh-")}
    assert set(own) == {"mh-02", "mh-02b", "mh-05", "mh-05b"}
    kinds = (model.MysteryHit, model.MysteryArmed)
    for meter, drafts in own.items():
        at_table = [
            draft.payload
            for each in FLOOR.tables.values()
            for draft in each
            if isinstance(draft.payload, kinds) and draft.payload.meter == meter
        ]
        assert at_table == [draft.payload for draft in drafts if isinstance(draft.payload, kinds)]


def test_vigorish_is_taken_where_the_game_is_not_commission_free() -> None:
    taken = Counter[tuple[str, bool]]()
    for stream, drafts in FLOOR.tables.items():
        free = {book.settings["commission_free"] for book in books(drafts).values()} == {True}
        for draft in drafts:
            if isinstance(draft.payload, model.VigorishTaken):
                assert not free or (stream, draft.round_no) in FLOOR.labeled("PAY-VIG")
                taken[stream, free] += 1
    assert taken["table/pg-02", False] > 50
    assert taken["table/pg-04", False] > 50


def test_every_kind_of_wager_is_won_on_the_dice_and_by_a_tiger_9() -> None:
    won = Counter[str]()
    for stream, drafts in FLOOR.tables.items():
        for draft in drafts:
            if isinstance(draft.payload, model.WagerPaid) and (stream, draft.round_no) not in FLOOR.labeled():
                won[draft.payload.wager] += 1
    assert {"base", "tiger_9", "sum", "match", "beat_it", "fortune_bonus", "progressive", "mystery"} <= set(won)


@pytest.mark.parametrize("target", ["tiger_9", "full_house", "nothing"])
def test_a_dealer_has_a_tiger_9_to_order(target: str) -> None:
    table = PaiGowTable(0, 5, SIMULATION.specs(5)[0], {}, People(Random(1)), Random(2))
    table.open_day(0)
    plan = PaiGowPokerPlan(table, Random(3))
    assert plan.deal({"dealer": target})
    assert plan.dealer_pushes == (target == "tiger_9")


@pytest.mark.parametrize(("name", "other"), [("A-1", "B-5"), ("C-1", "D-5"), ("D-1", None), ("A-2", None)])
def test_configurations_that_differ_in_their_maximum_only(name: str, other: str | None) -> None:
    found = twin(chapter("pa", "645c").paytable("mystery", name))
    assert (found.name if found else None) == other


def test_more_tables_have_meters_of_their_own() -> None:
    names = {stream for stream, _ in simulate(2, 70, tables=10, games=(NAME,)).groups()}
    assert {f"table/pg-{number:02d}" for number in range(1, 11)} <= names
    assert {"meter/mh-pg-07", "meter/mh-pg-07b", "meter/mh-pg-10", "meter/mh-02"} <= names


def test_dice_are_changed_in_a_day_that_is_longer_than_they_may_be_used() -> None:
    """Players' shakers and wagers on the dice make rounds slow: the day at a table can pass 24 hours (§ 688a.2(c)(1)(i))."""
    table = PaiGowTable(0, 5, SIMULATION.specs(5)[2], {}, People(Random(1)), Random(2))
    table.open_day(0)
    first = table.dice_us
    table.wait(18 * HOUR_US)
    table.between_rounds()
    assert table.dice_us == first
    table.wait(HOUR_US)
    table.between_rounds()
    assert table.dice_us is not None
    assert table.dice_us > table.now_us - HOUR_US
