"""What is judged of a round of which a device's message was lost, or contradicts another (D26, D402, D404)."""

from collections.abc import Sequence

import msgspec
import pytest

from events.vocabulary import model
from replay.fold import device_reports, lost_state
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import adjudicate
from replay.run.replayer import adjudications
from tests.replay.fold.test_corrections import in_all_ways, one_run
from tests.replay.tables import PAID, SECOND_US, START_US, Table, filed, lines, said


def test_a_stack_whose_event_was_lost_was_not_dealt_out_of_order() -> None:
    """Seven stacks clockwise, of which one never arrived: nothing is found, and that something may be wrong is told."""
    table = Table()
    stacks = "seat5=Ad Tc 9s 7h 6h 5c 3s  seat6=Qc Jd Ts 8d 7d 5s 2h  dealer=Kh Kd Jc 9h 8c 5d 3c  seat1=Ks Qh Td 9c 6s 4h 2d"
    table.play(1, f"wager seat=5 base 25.00\ndeal_order {stacks}\n")
    del table.drafts[next(at for at, draft in enumerate(table.drafts) if getattr(draft.payload, "to", "") == 6)]
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.open is not None
    conclusion = adjudicate(fold.open, table.book)
    assert (conclusion.verdict, lines(conclusion)) == ("UNDETERMINED", ["LOG-SOURCE-GAP"])
    assert "DEAL-ORDER: evidence was lost that may say otherwise" in conclusion.undetermined


def test_what_a_device_said_twice_and_otherwise_proves_nothing() -> None:
    """Seat 3's payment came a second time under its number, as another amount: which of the two was paid is not known."""
    table = Table()
    paid = table.payload(table.play(1, PAID.split("take ")[0])["wager_paid"])
    table.say(msgspec.structs.replace(paid, winnings_cents=25000), 1, source_seq=table.next() - 1)
    table.say(model.WagerTaken(seat=1, bettor="seat-1", wager="base", number=None, amount_cents=1000, reason="lost"), 1)
    table.say(model.RoundClosed(by="d-7"), 1)
    ((_, conclusion),) = table.verdicts()
    assert (conclusion.verdict, lines(conclusion)) == ("UNDETERMINED", ["LOG-SOURCE-REPEAT"])


def test_a_wager_whose_event_was_lost_is_not_owed_nothing() -> None:
    """Seat 3 is paid, and that it wagered never arrived: what is due there is not known."""
    table = Table()
    table.play(1, PAID)
    placed = (model.WagerPlaced, 3)
    del table.drafts[
        next(at for at, draft in enumerate(table.drafts) if (type(draft.payload), getattr(draft.payload, "seat", 0)) == placed)
    ]
    ((_, conclusion),) = table.verdicts()
    assert conclusion.verdict == "UNDETERMINED"
    assert [(each.seat, each.due_cents) for each in conclusion.settlements] == [(1, None), (3, None)]


def test_a_meter_is_not_compared_across_a_round_of_which_evidence_was_lost() -> None:
    """Each wager adds 0.28; the second of round 2 never arrived, and round 3 follows from it."""
    table = Table(words="pa-688a progressive=1")
    for number, readings in enumerate((("20000.28",), ("20000.56", "20000.84"), ("20001.12",)), 1):
        accepted = "\n".join(
            f"accepted seat={seat} 1.00 meter={reading}" for seat, reading in zip((3, 1), readings, strict=False)
        )
        optional = "progressive 1.00" if len(readings) > 1 else ""
        table.play(
            number,
            PAID.replace("base 25.00\n", "base 25.00 progressive 1.00\n", 1).replace(
                "base 10.00\n", f"base 10.00 {optional}\n{accepted}\nlock accepted={len(readings)} collected={len(readings)}\n", 1
            ),
        )
    said_by_meter = [at for at, draft in enumerate(table.drafts) if isinstance(draft.payload, model.ProgressiveAccepted)]
    del table.drafts[said_by_meter[2]]
    assert said(table) == [(1, "UPHELD", []), (2, "UNDETERMINED", ["LOG-SOURCE-GAP"]), (3, "UPHELD", [])]


BEFORE = filed("pa-688a effective=2026-01-05")
Step = int | str | model.Event | tuple[str, model.Event | None]


def judged_after(steps: Sequence[Step]) -> dict[int, tuple[str, str, str]]:
    """The verdict, the dealer and the rules of each round, after the steps of a table at which `pit` files rules.

    A step is the number of a round, an event of `pit`, or one of another device; `lost` or None: its next number is skipped.
    `late`: the message that was lost first comes now.
    """
    table, lost = Table(words=None), list[tuple[str, int, int]]()
    table.say(BEFORE, source="pit")
    for step in steps:
        device, event = step if isinstance(step, tuple) else ("pit", step)
        if isinstance(event, int):
            table.play(event, PAID)
        elif event is None or isinstance(event, str):
            lost.append((device, table.skip(device), START_US + table.last * SECOND_US + 1))
        else:
            source, number, at_us = lost.pop(0) if device == "late" else (device, None, None)
            table.say(event, source=source, source_seq=number, at_us=at_us)
    results = adjudications(in_all_ways(table))
    return {each.round_no or 0: (each.verdict, each.dealer, each.rules_digest) for each in results}


def rules_of(words: str) -> model.RulesFiled:
    return filed(f"pa-688a {words}")


SHIFT = model.ShiftChanged(shift="swing")
OLD, NEW = BEFORE, rules_of("ace_high_bonus=2 effective=2026-03-02")
AGAIN = rules_of("ace_high_bonus=1 effective=2026-03-02")
TODAY, TOMORROW = (model.GamingDayOpened(gaming_day=f"2026-03-0{number}") for number in (1, 2))
KNOWN, DOUBT = "UPHELD", "UNDETERMINED"
FILINGS: list[tuple[str, list[Step], dict[int, tuple[str, model.RulesFiled]]]] = [
    (
        "a filing was lost: until the device files again, no rules are certain",
        [1, SHIFT, "lost", SHIFT, 2, 3, TOMORROW, 4, AGAIN, 5],
        {1: (KNOWN, OLD), 2: (DOUBT, OLD), 3: (DOUBT, OLD), 4: (DOUBT, OLD), 5: (KNOWN, AGAIN)},
    ),
    (
        "the rounds since the device was last heard may have had the new rules",
        [1, "lost", SHIFT, 2],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD)},
    ),
    (
        "the filing that shows the gap counts after what is missing",
        ["lost", rules_of("fortune_bonus=1"), 1, 2],
        {1: (DOUBT, rules_of("fortune_bonus=1")), 2: (KNOWN, rules_of("fortune_bonus=1"))},
    ),
    (
        "a filing for a day that has not come ends no doubt before that day",
        ["lost", SHIFT, NEW, 1, 2, TOMORROW, 3],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD), 3: (KNOWN, NEW)},
    ),
    (
        "a device that never filed has no filing to lose",
        [("floor", SHIFT), 1, ("floor", SHIFT), ("floor", None), ("floor", SHIFT), 2, 3],
        {1: (KNOWN, OLD), 2: (DOUBT, OLD), 3: (KNOWN, OLD)},
    ),
    (
        "the office's filing ends it",
        ["lost", SHIFT, ("filing-m-ortiz", rules_of("fortune_bonus=1")), 1, 2],
        {1: (DOUBT, rules_of("fortune_bonus=1")), 2: (KNOWN, rules_of("fortune_bonus=1"))},
    ),
    (
        "where the office files, a device's messages are none that file rules",
        [("filing-m-ortiz", rules_of("fortune_bonus=1")), "lost", SHIFT, 1, 2],
        {1: (DOUBT, rules_of("fortune_bonus=1")), 2: (KNOWN, rules_of("fortune_bonus=1"))},
    ),
    (
        "another message was missing, and comes late",
        ["lost", SHIFT, 1, 2, 3, 4, 5, 6, ("late", SHIFT)],
        dict.fromkeys(range(1, 7), (KNOWN, OLD)),
    ),
    (
        "d1201 the filing comes late: which of the rounds since had it is not known",
        [1, SHIFT, "lost", SHIFT, 2, 3, 4, 5, 6, 7, ("late", rules_of("fortune_bonus=1")), 8],
        {1: (KNOWN, OLD), **dict.fromkeys(range(2, 8), (DOUBT, OLD)), 8: (KNOWN, rules_of("fortune_bonus=1"))},
    ),
    (
        "d1201 it comes late, after one that was filed after it",
        [SHIFT, "lost", SHIFT, 1, rules_of("fortune_bonus=2"), 2, ("late", rules_of("fortune_bonus=1")), 3],
        {1: (DOUBT, OLD), 2: (DOUBT, rules_of("fortune_bonus=2")), 3: (DOUBT, rules_of("fortune_bonus=1"))},
    ),
    (
        "one of two missing messages comes late: the other may be another filing",
        [SHIFT, "lost", "lost", SHIFT, 1, 2, ("late", rules_of("fortune_bonus=1")), 3],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD), 3: (DOUBT, rules_of("fortune_bonus=1"))},
    ),
    (
        "the first filing of a device was lost; others filed before, and it files later",
        [("new", SHIFT), ("new", None), ("new", SHIFT), 1, 2, ("new", rules_of("fortune_bonus=1")), 3],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD), 3: (KNOWN, rules_of("fortune_bonus=1"))},
    ),
    (
        "a gaming day was lost: a filing for it may be in force",
        [NEW, ("clock", TODAY), ("clock", None), ("clock", SHIFT), 1, 2, ("clock", TOMORROW), 3],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD), 3: (KNOWN, NEW)},
    ),
    (
        "it comes late: which of the rounds since were of that day is not known",
        [NEW, ("clock", TODAY), ("clock", None), ("clock", SHIFT), 1, 2, ("late", TOMORROW), 3],
        {1: (DOUBT, OLD), 2: (DOUBT, OLD), 3: (KNOWN, NEW)},
    ),
    (
        "a gaming day was lost, and no filing waits for a later one",
        [("clock", TODAY), ("clock", None), ("clock", SHIFT), 1, 2],
        {1: (DOUBT, OLD), 2: (KNOWN, OLD)},
    ),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("steps", "expected"), [row[1:] for row in FILINGS], ids=[row[0] for row in FILINGS])
@pytest.mark.parametrize("marks", [lost_state.MOST_MARKS, 1], ids=["", "one mark after a filing"])
def test_d1191_rules_that_a_lost_message_may_have_filed(
    steps: list[Step], expected: dict[int, tuple[str, model.RulesFiled]], marks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lost_state, device_reports):
        monkeypatch.setattr(module, "MOST_MARKS", marks)
    found = {number: (verdict, rules) for number, (verdict, _, rules) in judged_after(steps).items()}
    assert found == {number: (verdict, rules.sha256) for number, (verdict, rules) in expected.items()}


@pytest.mark.nightly
def test_d1191_a_device_that_files_and_loses_a_message_a_round_leaves_few_marks() -> None:
    """All of them come late but one: then which rules are in force is not known, as before, and known with the last one."""
    table = Table(words=None)
    table.say(BEFORE, source="pit")
    lost = []
    for number in range(1, 13):
        lost.append(table.skip("pit"))
        table.say(SHIFT, source="pit")
        table.play(number, PAID)
    table.play(13, PAID)
    table.say(NEW, source="pit")  # of a day that has not come
    table.play(14, PAID)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert sum(not filed.toml for filed in fold.state.rules) == lost_state.MOST_MARKS
    for number in lost:
        results = adjudications(one_run(table))
        assert [each.verdict for each in results if each.round_no == 13] == [DOUBT]
        table.say(SHIFT, source="pit", source_seq=number)
    assert {each.verdict for each in adjudications(one_run(table))} == {KNOWN}


ANNA, BEN = model.DealerTappedIn(dealer="d-1"), model.DealerTappedIn(dealer="d-2")
DEALERS: list[tuple[str, list[Step], dict[int, str]]] = [
    ("a dealer may have come unseen, until one is reported", [ANNA, "lost", SHIFT, 1, 2, BEN, 3], {1: "", 2: "", 3: "d-2"}),
    ("another device reports dealers", [("floor", ANNA), "lost", SHIFT, 1], {1: "d-1"}),
    ("it was another message", [ANNA, "lost", SHIFT, 1, 2, ("late", SHIFT), 3], {1: "d-1", 2: "d-1", 3: "d-1"}),
    ("d1201 it was the dealer", [ANNA, "lost", SHIFT, 1, 2, ("late", BEN), 3, ANNA, 4], {1: "", 2: "", 3: "", 4: "d-1"}),
    ("d1201 another came in between", [ANNA, "lost", SHIFT, 1, ANNA, 2, ("late", BEN), 3], {1: "", 2: "", 3: ""}),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("steps", "dealers"), [row[1:] for row in DEALERS], ids=[row[0] for row in DEALERS])
def test_d1191_a_dealer_whom_a_lost_message_may_have_relieved_is_not_named(steps: list[Step], dealers: dict[int, str]) -> None:
    assert {number: dealer for number, (_, dealer, _) in judged_after(steps).items()} == dealers


BEGINNINGS = [
    ("number 2", {"pit": 1, "table": 2}, True),
    ("as many are missing as the stream has events", {"pit": 1, "table": 3}, True),
    ("more are missing", {"pit": 1, "table": 4}, False),
    ("number 50,001", {"pit": 1, "table": 50_001}, False),
    ("a log that begins in the middle of every device's life", {"pit": 7_001, "table": 2}, False),
    ("number 1", {"pit": 1, "table": 1}, False),
    ("a person's numbers", {"pit": 1, "pit-m-ortiz": 2}, False),
]


@pytest.mark.parametrize(("firsts", "is_gap"), [row[1:] for row in BEGINNINGS], ids=[row[0] for row in BEGINNINGS])
def test_d1192_messages_before_the_first_of_a_device_are_missing_if_it_counted_from_the_stream_on(
    firsts: dict[str, int], is_gap: bool
) -> None:
    table = Table()
    for device, first in firsts.items():
        if device == "pit":
            table.drafts = [msgspec.structs.replace(each, source_seq=first + at) for at, each in enumerate(table.drafts)]
        else:
            table.say(SHIFT, source=device, source_seq=first)
    table.play(1, PAID)
    table.play(2, PAID)
    found = [code for number, _, codes in said(table) for code in codes]
    assert found == ["LOG-SOURCE-GAP"] * is_gap
    assert [verdict for _, verdict, _ in said(table)] == [DOUBT if is_gap else KNOWN, KNOWN]


def test_d1192_a_device_that_comes_on_a_later_day_may_have_counted_before() -> None:
    table = Table()
    table.say(TODAY)
    table.play(1, PAID)
    table.say(TOMORROW)
    table.say(SHIFT, source="shoe", source_seq=2)
    table.play(2, PAID)
    assert said(table) == [(1, KNOWN, []), (2, KNOWN, [])]


@pytest.mark.nightly
def test_d1192_the_message_before_the_first_of_a_device_may_be_of_every_round_until_then() -> None:
    table = Table()
    for number in range(1, 7):
        table.play(number, PAID)
    table.say(SHIFT, source="shoe", source_seq=2)
    table.play(7, PAID)
    assert {each.verdict for each in adjudications(in_all_ways(table))} == {DOUBT}
    table.say(SHIFT, source="shoe", source_seq=1)
    assert {each.verdict for each in adjudications(in_all_ways(table))} == {KNOWN}
