"""An amendment that a property publishes judges the rounds of its days: those to come, and those already judged."""

from hashlib import sha256
from typing import Any

import pytest

from events.vocabulary import model
from replay.run.replayer import MemoryResults, adjudications, replay
from rulebook.chapters.editions import amendment_from_words
from tests.replay.fold.test_corrections import in_all_ways
from tests.replay.observed import Observed, judged
from tests.replay.tables import MemoryLog, Table

FIRST, SECOND, THIRD = "2026-03-01", "2026-03-02", "2026-03-03"
ACE_HIGH = """
covers settlement
wager   seat=3 base 25.00  ace_high_bonus 10.00
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
return  seat=3 base 25.00
pay     seat=3 ace_high_bonus 200.00
close
"""
"""Both have ace high: 20 to 1 by paytable 1 (§ 688a.12(b)), 200.00."""
WORDS = "pa-688a ace_high_bonus=1"
SHORT = "PAY-UNDER seat=3 wager=ace_high_bonus -50.00"
"""What 25 to 1 makes of it."""


def amendment(day: str, odds: str = "25:1", edition: int = 2) -> model.ChapterPublished:
    words = ["pa-688a", str(edition), day, f"line=ace_high_bonus/1/both_ace_high/{odds}"]
    toml = amendment_from_words(words)
    return model.ChapterPublished(
        by="m-ortiz",
        chapter="pa-688a",
        edition=edition,
        effective_gaming_day=day,
        sha256=sha256(toml.encode()).hexdigest(),
        signed_by="s-kane",
        toml=toml,
    )


def publish(table: Table, day: str, **changes: Any) -> int:
    return table.say(amendment(day, **changes), source="filing-m-ortiz")


def a_table() -> Table:
    return Table(words=WORDS)


def play_days(table: Table, *days: str, since: int = 1) -> None:
    """Two rounds on each day."""
    for count, day in enumerate(days):
        if day != table.day or count:
            table.say(model.GamingDayOpened(gaming_day=day), source="pit")
        for number in (since + 2 * count, since + 2 * count + 1):
            table.play(number, ACE_HIGH)


def told(results: MemoryResults) -> list[tuple[int | None, int, int, list[str]]]:
    """Round, revision, edition and findings of each verdict in force."""
    return [
        (each.round_no, each.revision, each.edition, [found.line() for found in each.findings]) for each in adjudications(results)
    ]


def test_an_edition_published_beforehand_judges_from_its_day_on() -> None:
    table = a_table()
    publish(table, SECOND)
    play_days(table, FIRST, SECOND)
    assert told(in_all_ways(table)) == [(1, 1, 1, []), (2, 1, 1, []), (3, 1, 2, [SHORT]), (4, 1, 2, [SHORT])]


@pytest.mark.slow
def test_a_late_edition_judges_exactly_the_rounds_of_its_days_again() -> None:
    table = a_table()
    play_days(table, FIRST, SECOND, THIRD)
    publish(table, SECOND)
    assert told(in_all_ways(table)) == [
        (1, 1, 1, []), (2, 1, 1, []),
        (3, 2, 2, [SHORT]), (4, 2, 2, [SHORT]), (5, 2, 2, [SHORT]), (6, 2, 2, [SHORT]),
    ]  # fmt: skip


@pytest.mark.parametrize("day", [THIRD, "2027-01-01"])
def test_one_for_days_to_come_judges_nothing_again(day: str) -> None:
    table = a_table()
    play_days(table, FIRST, SECOND)
    publish(table, day)
    assert {(revision, edition) for _, revision, edition, _ in told(in_all_ways(table))} == {(1, 1)}


def test_one_that_is_published_within_a_round_of_its_day_judges_that_round() -> None:
    table = a_table()
    table.play(1, ACE_HIGH.replace("close\n", ""))
    publish(table, FIRST)
    table.say(model.RoundClosed(by="dealer"), 1)
    assert told(in_all_ways(table)) == [(1, 1, 2, [SHORT])]


@pytest.mark.slow
def test_two_late_editions_each_judge_their_days() -> None:
    table = a_table()
    play_days(table, FIRST, SECOND, THIRD)
    publish(table, SECOND)
    publish(table, THIRD, odds="20:1", edition=3)
    verdicts = [(number, edition, found) for number, _, edition, found in told(in_all_ways(table))]
    assert verdicts == [(1, 1, []), (2, 1, []), (3, 2, [SHORT]), (4, 2, [SHORT]), (5, 3, []), (6, 3, [])]


def test_a_verdict_as_of_an_earlier_event_is_the_earlier_one() -> None:
    table = a_table()
    play_days(table, FIRST)
    last = table.last
    publish(table, FIRST)
    results = MemoryResults()
    replay(MemoryLog([table]), results, as_of={table.stream: last})
    assert told(results) == [(1, 1, 1, []), (2, 1, 1, [])]


def test_the_first_edition_leaves_the_bytes_of_a_verdict_as_they_were() -> None:
    table = a_table()
    play_days(table, FIRST)
    results = in_all_ways(table)
    assert not any(b"edition" in data for _, data in results.results("adjudications"))


def test_an_observed_round_is_judged_by_the_edition_of_the_day_on_which_it_was_played() -> None:
    table = a_table()
    entries = Observed(table)
    entries.say(amendment(SECOND), source="filing-m-ortiz")
    entries.enter(1, ACE_HIGH)
    entries.enter(2, ACE_HIGH, played_gaming_day=SECOND)
    verdicts = judged(table, entries)
    found = [[each.line() for each in verdicts[f"observed/fu-01#{number}"].findings] for number in (1, 2)]
    assert found == [[], [SHORT]]


def test_an_edition_published_after_an_observed_round_was_entered_judges_it_again() -> None:
    table = a_table()
    entries = Observed(table)
    entries.enter(1, ACE_HIGH, played_gaming_day=SECOND)
    entries.say(amendment(SECOND), source="filing-m-ortiz")
    assert [each.line() for each in judged(table, entries)["observed/fu-01#1"].findings] == [SHORT]


def test_rules_that_do_not_fit_the_edition_in_force_judge_nothing_and_say_why() -> None:
    table = a_table()
    toml = amendment_from_words(["pa-688a", "2", SECOND, "strike=ace_high_bonus/1"])
    event = amendment(SECOND)
    import msgspec

    table.say(msgspec.structs.replace(event, toml=toml, sha256=sha256(toml.encode()).hexdigest()), source="filing-x")
    play_days(table, FIRST, SECOND)
    last = adjudications(in_all_ways(table))[-1]
    assert last.verdict == "UNDETERMINED"
    assert "wagers.ace_high_bonus.paytable: '1' is not one" in last.undetermined[0]
