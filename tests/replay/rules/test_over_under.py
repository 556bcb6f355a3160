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
from replay.transcript.transcript import judge, parse
from rulebook.chapters.chapters import SUBMISSIONS
from tests.golden.rounds import read_cases, round_files
from tests.replay.tables import SECOND_US, START_US, Table, lines, records, said

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

TWO_BATCHES = "".join(
    f"deck {deck} received back={back}\ndeck {deck} inspected verified=f-1\ndeck {deck} spread\ndeck {deck} washed\n"
    f"deck {deck} in_play\n"
    for deck, back in (("b1", "red"), ("b2", "blue"))
)


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


# ------------------------------------------------------------------------------------------------------- two clocks, D132


def two_clocks(before: str, first: model.Event, second: model.Event, after: str) -> list[tuple[str, list[str]]]:
    """Judge a round in which two devices report two events, by clocks that agree with their order, and that do not."""
    found = []
    for apart in (SECOND_US, -SECOND_US):
        table = over_under()
        table.play(1, "covers deal settlement\n" + before)
        at_us = START_US + 100 * SECOND_US
        table.say(first, 1, source="camera", at_us=at_us)
        table.say(second, 1, source="shoe", at_us=at_us + apart)
        for event in parsed(after):
            table.say(event, 1, source="late", at_us=at_us + 2 * SECOND_US)
        table.say(model.RoundClosed(by="d-7"), 1, source="late", at_us=at_us + 3 * SECOND_US)
        ((_, conclusion),) = table.verdicts()
        found.append((conclusion.verdict, [*lines(conclusion), *conclusion.undetermined]))
    return found


def parsed(text: str) -> list[model.Event]:
    (script,) = parse(f"rules {WORDS}\nround 1\n{text}", "after")
    return [each.payload for each in script.events if not isinstance(each.payload, model.RulesFiled | model.RoundOpened)]


ANTES = "wager seat=1 ante 10.00\nwager seat=4 ante 10.00\nburn ??\ndeal seat1=Tc seat4=2d\n"
ENDED = "take seat=1 ante 10.00 surrendered\ntake seat=4 ante 10.00 surrendered"
ONE, FOUR = model.Surrendered(seat=1), model.Surrendered(seat=4)
TWO_CARDS = model.CardsDealt(to=1, cards=["9d", "8h"], face_up=True)
TWO_MORE = model.CardsDealt(to=4, cards=["3c", "5h"], face_up=True)


def taken(seat: int) -> model.WagerTaken:
    return model.WagerTaken(seat=seat, bettor=f"seat-{seat}", wager="bonus", number=None, amount_cents=500, reason="lost")


@pytest.mark.parametrize(
    ("before", "first", "second", "after", "finding", "doubt"),
    [
        (
            ANTES,
            FOUR,
            ONE,
            f"deal seat1=9d 8h\ndeal seat4=3c 5h\n{ENDED}",
            "PLAY-ORDER seat=1",
            "seat 1: the clocks contradict the order of its decision and what came before it",
        ),
        (
            ANTES + "surrender seat=4\n",
            TWO_CARDS,
            ONE,
            f"deal seat4=3c 5h\n{ENDED}",
            "WAGER-SURRENDER seat=1",
            "seat 1: the clocks contradict the order of the surrender and the cards",
        ),
        (
            ANTES + "surrender seat=1\nsurrender seat=4\ndeal seat1=9d 8h\n",
            TWO_MORE,
            model.WagerHandled(seat=1, wager="ante"),
            ENDED,
            "WAGER-TOUCHED seat=1 wager=ante",
            None,
        ),
        (
            "wager seat=1 ante 10.00\nburn ??\n",
            model.CardsDealt(to=1, cards=["Tc"], face_up=True),
            model.WagerHandled(seat=1, wager="ante"),
            "surrender seat=1\ndeal seat1=9d 8h\ntake seat=1 ante 10.00 surrendered",
            "WAGER-TOUCHED seat=1 wager=ante",
            "seat 1 ante: the clocks contradict the order of the handling and the end of the wager's time",
        ),
        (
            "wager seat=1 bonus 5.00\nwager seat=4 bonus 5.00\n" + ANTES + "surrender seat=1\nsurrender seat=4\n"
            "deal seat1=9d 8h\ndeal seat4=3c 9h\n",
            taken(4),
            taken(1),
            ENDED,
            "PAY-ORDER seat=1",
            "seat 1: the clocks contradict the order of its settlement",
        ),
    ],
    ids=["PLAY-ORDER", "WAGER-SURRENDER", "no contradiction", "WAGER-TOUCHED", "PAY-ORDER"],
)
def test_d132_a_finding_that_rests_on_two_clocks(
    before: str, first: model.Event, second: model.Event, after: str, finding: str, doubt: str | None
) -> None:
    (verdict, certain), (_, contradicted) = two_clocks(before, first, second, after)
    assert finding in certain
    assert verdict == "VARIANCE"
    assert (finding in contradicted) is (doubt is None)
    assert doubt is None or doubt in contradicted


def test_d132_a_burn_card_by_another_clock() -> None:
    table = over_under()
    table.say(shuffled())
    opened = model.RoundOpened(deck="d-1", observed=["deal"])
    table.say(opened, 1)
    at_us = START_US + 100 * SECOND_US
    table.say(model.CardsDealt(to=1, cards=["Tc"], face_up=True), 1, source="shoe", at_us=at_us)
    table.say(model.CardBurned(card=None, reason="new_shoe"), 1, source="camera", at_us=at_us - SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + SECOND_US)
    ((_, conclusion),) = table.verdicts()
    assert "DEAL-BURN" not in lines(conclusion)
    assert "the clocks contradict the order of the burn card and the card dealt next" in conclusion.undetermined


def test_a_late_wager_by_another_clock_names_the_end_of_its_time() -> None:
    table = over_under()
    table.say(model.RoundOpened(deck="d-1", observed=[]), 1)
    at_us = START_US + 100 * SECOND_US
    table.say(model.CardsDealt(to=1, cards=["Tc"], face_up=True), 1, source="shoe", at_us=at_us)
    ante: Any = parsed("wager seat=1 ante 10.00")[0]
    table.say(ante, 1, source="camera", at_us=at_us - SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + SECOND_US)
    ((_, conclusion),) = table.verdicts()
    assert "seat 1 ante: the clocks contradict the order of the wager and the end of its time" in conclusion.undetermined


# ---------------------------------------------------------------------------------------------------- why it is not told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("wager seat=1 ante 10.00\ndeal seat1=9d\ndeal seat1=9c 9h", "what seat 1 decided and placed is not on record"),
        ("wager seat=1 ante 10.00\ndeal seat1=9d", "seat 1 holds 1 card, by the record"),
        (
            "wager seat=1 ante 10.00\ndeal seat1=9d\nwager seat=1 over 10.00\ndeal seat1=9c ??",
            "the cards of seat 1 were not all read",
        ),
        ("wager seat=1 ante 10.00\ndeal seat1=Jk\nwager seat=1 over 10.00\ndeal seat1=9c 9h", "a card of seat 1 has no value"),
        ("wager seat=1 trips 10.00\ndeal seat1=9d 9c 9h", "the wager is not offered"),
        ("wager seat=1 ante 10.00\ndeal seat1=9d 9c 9h\nelect seat=1 void", "there is no ground on record"),
        ("wager seat=1 ante 10.00\ndeal seat1=9d\nvoid round", "for which the chapter has no ground"),
    ],
)
def test_d26_what_cannot_be_told_says_why(text: str, reason: str) -> None:
    assert any(reason in each for each in judged(text).undetermined)


def test_686a_9_d_with_two_batches_a_failure_may_have_been_the_others() -> None:
    shoe = "shuffle automated deck=b1\ndevice shuffler jam\ndevice shuffler restored\n"
    (one,) = judge(f"rules {WORDS}\n{TWO_BATCHES}round 1 deck=b1\n{shoe}{ROUND}burn ??\n", "t")
    assert "DEAL-DEVICE" not in lines(one.conclusion)
    assert "which of the batches it was shuffling is not on record" in " ".join(one.conclusion.undetermined)


@pytest.mark.parametrize(("deck", "found"), [("b1", ["DEAL-SHUFFLE"]), ("b2", [])])
def test_686a_5_g_the_batch_in_the_shuffler_did_not_lie_idle(deck: str, found: list[str]) -> None:
    """b1 was dealt, b2 shuffled meanwhile; everybody left, b1 was spread and washed."""
    idle = "left seat=1 p-1\ndeck b1 spread face_down\ndeck b1 washed\nseated seat=1 p-2\n"
    first = f"round 1 deck=b1\nshuffle automated deck=b1\nburn ??\n{ROUND}shuffle automated deck=b2\n"
    text = f"rules {WORDS}\n{TWO_BATCHES}seated seat=1 p-1\n{first}{idle}round 2 deck={deck}\nburn ??\n{ROUND}"
    (_, second) = judge(text, "idle")
    assert lines(second.conclusion) == found


# ------------------------------------------------------------------------------------------------- every golden round


@pytest.mark.parametrize("path", round_files("686a"), ids=lambda path: path.stem)
def test_every_citation_is_of_the_chapter(path: Path) -> None:
    for case in read_cases(path):
        for each in judge(case.transcript, case.title):
            conclusion = each.conclusion
            for cite in [*(found.cite for found in conclusion.findings), *(row.cite for row in conclusion.settlements)]:
                assert cite.startswith("Annex A, rulemaking 125-223, § 686a.") or cite == SUBMISSIONS, case.title
