"""Over/Under on a table's stream: what lies between rounds, what reaches into later rounds, and what clocks contradict.

Annex A, rulemaking 125-223, Chapter 686a. Single rounds are in `games/over_under/rounds/686a`.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.vocabulary import model
from replay.fold.shoe_state import ShoeState
from replay.fold.table_fold import TableFold
from replay.fold.table_state import TableState
from replay.run.stream_worker import StreamWorker
from replay.transcript.transcript import judge
from rulebook.chapters.chapters import SUBMISSIONS
from tests.golden.rounds import read_cases, round_files
from tests.replay.tables import Table, records, said

WORDS = "pa-686a bonus=yes"
ROUND = """
covers shuffle deal settlement
wager   seat=1 ante 10.00
deal    seat1=Tc
wager   seat=1 over 10.00
deal    seat1=9d 8h
pay     seat=1 ante 10.00
pay     seat=1 over 10.00
close
"""
"""10+9+8 = 27: over wins. Shuffle, deal and settlement are covered."""


def over_under(words: str = WORDS) -> Table:
    return Table("table/ou-01", words)


def shuffled(method: Any = "automated", deck: str = "d-1") -> model.CardsShuffled:
    return model.CardsShuffled(deck=deck, method=method, count=None)


def judged(text: str, words: str = WORDS) -> Any:
    (only,) = judge(f"rules {words}\nround 1\n{text}", "over_under.txt")
    return only.conclusion


def findings(table: Table) -> dict[int, list[str]]:
    return {number: found for number, _, found in said(table)}


# --------------------------------------------------------------------------------------------------- between the rounds


@pytest.mark.parametrize(("burns", "found"), [(True, []), (False, ["DEAL-BURN"])])
def test_686a_7_c_a_shoe_begun_between_two_rounds(burns: bool, found: list[str]) -> None:
    table = over_under()
    table.play(1, ROUND)
    table.say(shuffled())
    if burns:
        table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(2, ROUND)
    assert findings(table) == {1: [], 2: found}


def test_686a_7_c_the_burn_card_of_the_shoe_before_does_not_count() -> None:
    table = over_under()
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, ROUND)
    table.say(shuffled())
    table.play(2, ROUND)
    assert findings(table) == {1: [], 2: ["DEAL-BURN"]}


@pytest.mark.parametrize(("depth", "found"), [(78, []), (77, ["DEAL-COVER"])])
def test_686a_5_d_a_cover_card_placed_between_two_rounds(depth: int, found: list[str]) -> None:
    table = over_under()
    table.play(1, ROUND)
    table.say(shuffled())
    table.say(model.CoverCardPlaced(depth=depth, counted_from="bottom"))
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(2, ROUND)
    table.play(3, ROUND)
    assert findings(table) == {1: [], 2: found, 3: []}


@pytest.mark.parametrize(("reshuffled", "found"), [(True, []), (False, ["DEAL-COVER"])])
def test_686a_7_d_after_the_cover_card_a_shuffle_between_the_rounds(reshuffled: bool, found: list[str]) -> None:
    table = over_under()
    table.play(1, ROUND.replace("deal    seat1=9d", "cover_card reached seat=1\ndeal    seat1=9d"))
    if reshuffled:
        table.say(shuffled())
        table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(2, ROUND)
    table.play(3, ROUND)
    assert findings(table) == {1: [], 2: found, 3: found}


def test_d130_a_round_that_does_not_cover_the_shuffle_may_have_had_one() -> None:
    """Neither the cover card nor the copies dealt before it mean anything any more."""
    table = over_under()
    table.play(1, ROUND.replace("deal    seat1=9d", "cover_card reached seat=1\ndeal    seat1=9d"))
    table.play(2, ROUND.replace("shuffle ", ""))
    table.play(3, ROUND)
    assert findings(table) == {1: [], 2: [], 3: []}


@pytest.mark.parametrize(
    ("between", "verdict", "found"),
    [
        ([], "VARIANCE", ["WAGER-MIDSHOE seat=1 wager=ante"]),
        ([shuffled(), model.CardBurned(card=None, reason="new_shoe")], "UPHELD", []),
        ([shuffled(deck="b-2")], "VARIANCE", ["WAGER-MIDSHOE seat=1 wager=ante"]),
    ],
    ids=["no reshuffle", "reshuffle", "the other batch"],
)
def test_686a_6_b_a_patron_barred_between_two_rounds(between: list[model.Event], verdict: str, found: list[str]) -> None:
    table = over_under()
    table.play(1, ROUND)
    table.say(model.PatronBarred(patron="seat-1", reason="mid-shoe entry"))
    for event in between:
        table.say(event)
    table.play(2, ROUND)
    assert said(table)[1] == (2, verdict, found)


def test_686a_6_b_the_finding_names_that_the_house_may_have_let_the_patron_in() -> None:
    table = over_under()
    table.play(1, ROUND)
    table.say(model.PatronBarred(patron="seat-1", reason="mid-shoe entry"))
    table.play(2, ROUND)
    ((_, _), (_, second)) = table.verdicts()
    assert "686a.6(b)(1)" in second.findings[0].other_reading


def test_686a_6_b_a_bar_that_outlasts_an_uncovered_round_cannot_be_told() -> None:
    table = over_under()
    table.play(1, ROUND)
    table.say(model.PatronBarred(patron="seat-4", reason="mid-shoe entry"))
    table.play(2, ROUND.replace("shuffle ", ""))
    table.play(3, ROUND.replace("seat=1", "seat=4").replace("seat1", "seat4"))
    assert said(table)[2] == (3, "UNDETERMINED", [])


# ------------------------------------------------------------------------------------------ what reaches into later rounds


def seven_kings(table: Table) -> dict[str, int]:
    """Six kings of hearts leave the shoe in round 1, one in round 2."""
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    first = table.play(
        1,
        "covers shuffle\nwager seat=1 ante 10.00\nwager seat=2 ante 10.00\ndeal seat1=Kh seat2=Kh\n"
        "wager seat=1 over 10.00\nwager seat=2 over 10.00\ndeal seat1=Kh Kh\ndeal seat2=Kh Kh",
    )
    table.play(2, ROUND.replace("Tc", "Kh"))
    return first


def test_686a_3_a_the_seventh_copy_from_a_shoe() -> None:
    table = over_under()
    seven_kings(table)
    assert findings(table) == {1: [], 2: ["DEAL-DECK"]}
    ((_, _), (_, second)) = table.verdicts()
    assert second.findings[0].observed == "Kh for the 7th time since the shuffle"
    assert second.findings[0].cite == "Annex A, rulemaking 125-223, § 686a.3(a)"


def test_a_corrected_card_of_an_earlier_round_has_the_stream_folded_again() -> None:
    table = over_under()
    dealt = seven_kings(table)["cards_dealt"]
    table.correct(dealt, msgspec.structs.replace(table.payload(dealt), cards=["Kh", "Qh"]), 1)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.needs_refold


def test_a_correction_that_leaves_the_shoe_as_it_was_does_not() -> None:
    table = over_under()
    first = table.play(1, ROUND)
    paid = first["wager_paid"]
    table.correct(paid, msgspec.structs.replace(table.payload(paid), winnings_cents=500), 1)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert not fold.needs_refold


def test_a_shoe_is_taken_up_again_where_it_was_put_aside() -> None:
    table = over_under()
    seven_kings(table)
    stored = records(table)
    whole: list[Any] = []
    worker = StreamWorker(table.stream, lambda kind, key: None)
    for record in stored:
        whole += worker.take(record)
    for cut in range(1, len(stored)):
        results: list[Any] = []
        first = StreamWorker(table.stream, lambda kind, key: None)
        for record in stored[:cut]:
            results += first.take(record)
        second = StreamWorker(table.stream, lambda kind, key: None, first.snapshot())
        for record in stored[cut:]:
            results += second.take(record)
        assert results == whole, cut


def test_a_game_of_one_deck_keeps_no_shoe() -> None:
    table, shoes = Table(words="pa-688a"), over_under()
    kept = []
    for each in (table, shoes):
        fold = TableFold(each.stream)
        list(each.fold(fold))
        kept.append(fold.state.shoe)
    assert kept == [None, ShoeState()]
    assert TableState().at_opening().shoe is None


# ------------------------------------------------------------------------------------------------- every golden round


@pytest.mark.parametrize("path", round_files("686a"), ids=lambda path: path.stem)
def test_every_citation_is_of_the_chapter(path: Path) -> None:
    for case in read_cases(path):
        for each in judge(case.transcript, case.title):
            conclusion = each.conclusion
            for cite in [*(found.cite for found in conclusion.findings), *(row.cite for row in conclusion.settlements)]:
                assert cite.startswith("Annex A, rulemaking 125-223, § 686a.") or cite == SUBMISSIONS, case.title
