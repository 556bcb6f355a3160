"""Corrections of an entry, for every kind of statement: what is stored leads to a verdict as certain as before, or is refused."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from desk.review.desk import Desk, ReviewRefused
from desk.review.observations import confirm, correct, mark_unreadable, open_observation, unveil
from desk.review.observed_table import ObservedTable, Selected, drawn, verdict_of, work_of
from desk.transcript_entry import Observer, add_to_entry, correct_line, enter_transcript
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from events.vocabulary.places import PLACES
from replay.findings import Adjudication
from replay.run.replayer import replay
from replay.transcript.transcript import Script, parse
from replay.transcript.words import TranscriptError
from replay.transcript.write import WRITERS, statement
from tests.desk.people import PEOPLE
from tests.golden.rounds import read_cases, round_files
from tests.replay.tables import DAY, DESK_US, PAID, Table, append

OF_A_ROUND = {
    kind.TYPE for kind in WRITERS if "observed" in PLACES[kind.TYPE] and kind not in (model.RoundClosed, model.MysteryHit)
}
"""The kinds of statements that an entry can have; its end is no statement of its own."""
OPENINGS = {"rules_filed", "round_opened", "dealer_tapped_in"}
"""What a transcript has of the table that an entry keeps in its first line."""
BY = {"by": "s.lee", "reason": "seen again"}


def observer(table: str) -> Observer:
    return Observer(table=table, day=DAY, by="m.ortiz", basis="video", camera="cam-4")


COVER_CARD = """\
rules pa-686a
shuffle manual
wager seat=2 ante 10.00
deal_order seat2=8c
wager seat=2 over 10.00
cover_card reached seat=2
deal_order dealer=9c
"""
"""Golden rounds have this statement only where a second round follows."""


def every_kind() -> Iterator[tuple[Script, str, set[str]]]:
    """Yield rounds, most of them golden, that together have every kind of statement; each with its text and what it is for."""
    left, seen = set(OF_A_ROUND), set[str]()
    cases = [(path, case.transcript) for path in round_files() for case in read_cases(path)]
    for path, text in [(round_files()[0], COVER_CARD), *cases]:
        words = {" ".join(re.sub(r"[=\d].*", "", line).split()[:2]) for line in text.split("\n")}
        if not left or words <= seen or re.search(r"^(round|table|day|shift|device|equipment|deck) ", text, re.M):
            continue
        (script, *others) = parse(text, "case", lambda name, at=path: (at.parent / name).read_text())
        kinds = {each.payload.TYPE for each in script.events}
        of_table = {each for each in kinds if "observed" not in PLACES[each]} - OPENINGS
        if others or of_table:
            continue
        seen |= words
        if kinds & left:
            yield script, "\n".join(line for line in text.split("\n") if not line.startswith("rules")), kinds & left
        left -= kinds
    assert not left, f"no round that can be entered has {sorted(left)}"


@pytest.fixture
def desk(log: SqliteLog, results: SqliteResults) -> Desk:
    return Desk(log, results, persons=PEOPLE, clock=lambda: DESK_US)


def judged(desk: Desk, log: SqliteLog, results: SqliteResults, key: str) -> Adjudication:
    replay(log, results)
    found = verdict_of(desk.results, key)
    assert found is not None
    return found


def said(found: Adjudication) -> tuple[str, list[str], tuple[str, ...]]:
    return found.verdict, [each.line() for each in found.findings], found.undetermined


@pytest.mark.slow
def test_a_line_of_any_kind_is_struck_and_added_and_the_verdict_is_the_same(
    desk: Desk, log: SqliteLog, results: SqliteResults
) -> None:
    cases = list(every_kind())
    tables = []
    for number, (script, _, _) in enumerate(cases):
        table = Table(f"table/t-{number}", words=None)
        table.say(script.rules, source="pit")
        tables.append(table)
    append(log, *tables)
    for number, (_, text, _) in enumerate(cases):
        list(enter_transcript(desk, text, "case", lambda name: "", observer(f"t-{number}")))
    replay(log, results)
    before = {number: verdict_of(results, f"observed/t-{number}#1") for number in range(len(cases))}
    done = set()
    for number, (_, _, kinds) in enumerate(cases):
        table = f"t-{number}"
        for seq, event in list(ObservedTable(log, table).round(1).counts.items()):
            if event is None or event.TYPE not in kinds or event.TYPE in done:
                continue
            done.add(event.TYPE)
            line = statement(event)
            assert line is not None
            with pytest.raises(ReviewRefused, match=r"says so already|one line replaces a line"):
                correct_line(desk, table, seq, line, **BY)
            end = log.head(f"observed/{table}").seq
            for wrong in (f"{line} nonsense=", "nonsense", "rules pa-688a", "round 2", "close", "deck d-1 received jokers=1", ""):
                with pytest.raises((TranscriptError, ReviewRefused)):
                    correct_line(desk, table, seq, wrong, **BY)
                with pytest.raises((TranscriptError, ReviewRefused)):
                    add_to_entry(desk, table, 1, wrong, **BY)
            assert log.head(f"observed/{table}").seq == end
            counts = ObservedTable(log, table).round(1).counts
            earlier = [each for each in list(counts)[: list(counts).index(seq)] if counts[each] is not None]
            correct(desk, table, seq, None, **BY)
            add_to_entry(desk, table, 1, line, after=earlier[-1], **BY)
    assert done == OF_A_ROUND
    replay(log, results)
    for number, (_, text, _) in enumerate(cases):
        first, now = before[number], verdict_of(results, f"observed/t-{number}#1")
        assert first is not None
        assert now is not None
        assert said(now) == said(first), text


FORGOTTEN = PAID.replace("pay     seat=3 base 25.00\n", "")


def house(log: SqliteLog) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)


def enter(desk: Desk, text: str, **changes: Any) -> int:
    by = observer("fu-01")._replace(**({"order_seen": False} | changes))
    (entered,) = enter_transcript(desk, text, "hand", lambda name: "", by)
    return entered.round_no


@pytest.mark.parametrize("order_seen", [True, False])
def test_a_forgotten_line_is_added_under_the_same_number(
    desk: Desk, log: SqliteLog, results: SqliteResults, order_seen: bool
) -> None:
    house(log)
    number = enter(desk, FORGOTTEN, order_seen=order_seen)
    key = f"observed/fu-01#{number}"
    assert said(judged(desk, log, results, key))[1] == ["PAY-MISSED seat=3 wager=base -25.00"]
    after = None
    if order_seen:
        with pytest.raises(ReviewRefused, match="name the line after which"):
            add_to_entry(desk, "fu-01", number, "pay seat=3 base 25.00", **BY)
        counts = ObservedTable(log, "fu-01").round(number).counts
        after = next(seq for seq, each in counts.items() if isinstance(each, model.WagerTaken)) - 1
    entered = add_to_entry(desk, "fu-01", number, "pay seat=3 base 25.00", after=after, **BY)
    assert said(judged(desk, log, results, key))[:2] == ("UPHELD", [])
    added = next(seq for seq, each in entered.lines.items() if isinstance(each.payload, model.EntryLineAdded))
    assert isinstance(entered.counts[added], model.WagerPaid)
    correct_line(desk, "fu-01", added, "pay seat=3 base 30.00", **BY)
    assert said(judged(desk, log, results, key))[1] == ["PAY-OVER seat=3 wager=base +5.00"]
    correct(desk, "fu-01", added, None, **BY)
    assert said(judged(desk, log, results, key))[1] == ["PAY-MISSED seat=3 wager=base -25.00"]


@pytest.mark.parametrize(
    ("day", "at", "ahead_ms", "why"),
    [
        (DAY, "-0:01", None, ""),
        (DAY, "+0:01", None, ""),
        (DAY, "+0:02", None, " has not come: by this machine's clock it is "),
        (DAY, "+0:02", 120_000, ""),
        (DAY, "+23:58", None, " has not come: "),
        ("2026-03-02", "-0:01", None, "gaming day 2026-03-02 has not begun: it is 2026-03-01 now"),
    ],
)
def test_a_round_that_was_not_played_yet_is_refused(
    desk: Desk, log: SqliteLog, day: str, at: str, ahead_ms: int | None, why: str
) -> None:
    """The times that a line states, by the property's clock, or by the video's if it is known how far that one is ahead."""
    house(log)
    office = Table("property/main")
    office.say(model.PropertyConfigured(currency="EUR", gaming_day_cutover="06:00", name="x", time_zone="America/New_York"))
    append(log, office)
    hours, minutes = map(int, at[1:].split(":"))
    away = timedelta(hours=hours, minutes=minutes) * (-1 if at[0] == "-" else 1)
    then = datetime.fromtimestamp(DESK_US / 1e6, UTC) + away
    text = f"round 1\nat {then:%Y-%m-%dT%H:%M:%S}Z\nwager seat=3 base 25.00\ntake seat=3 base 25.00\n"
    entered = enter_transcript(desk, text, "text", str, observer("fu-01")._replace(day=day, clock_offset_ms=ahead_ms))
    if not why:
        assert [each.round_no for each in entered] == [1]
    else:
        with pytest.raises(ReviewRefused, match=why):
            list(entered)
        assert "observed/fu-01" not in log.streams()


def test_what_an_added_line_covers_is_covered(desk: Desk, log: SqliteLog, results: SqliteResults) -> None:
    house(log)
    number = enter(desk, PAID)
    before = set(ObservedTable(log, "fu-01").round(number).header.observed)
    entered = add_to_entry(desk, "fu-01", number, "stub 32", **BY)
    assert set(entered.header.observed) == before | {"stub"}
    assert "LOG-CORRECTION" not in str(said(judged(desk, log, results, f"observed/fu-01#{number}")))


def test_an_audit_is_blind_and_what_was_seen_early_is_of_the_next_round(desk: Desk, log: SqliteLog) -> None:
    house(log)
    opened = open_observation(desk, "fu-01", **audit())
    first = enter(desk, PAID, observation="o-1", by="m.ortiz")
    unveil(desk, "fu-01", observation="o-1", by="m.ortiz")
    second = enter(desk, f"{PAID}# again", observation="o-1", by="s.lee")
    third = enter(desk, PAID.replace("25.00", "30.00"), observation="o-1", by="m.ortiz")
    rounds = ObservedTable(log, "fu-01").rounds
    assert [rounds[each].is_unveiled for each in (first, second, third)] == [False, False, True]
    assert opened.seed is not None


def audit(**changes: Any) -> dict[str, Any]:
    frame = {"frame_from_us": DESK_US, "frame_to_us": DESK_US + 3_600_000_000, "frame_rounds": None}
    named = {"by": "m.ortiz", "purpose": "dealer_audit", "selection": "random", "dealer": "d-7", "planned": 4}
    return {**frame, **named, **changes}


def test_the_work_of_an_observation_names_what_is_done_unreadable_and_to_do(desk: Desk, log: SqliteLog) -> None:
    house(log)
    opened = open_observation(desk, "fu-01", **audit(purpose="game_audit", dealer=None))
    first, second, third, fourth = drawn(opened)
    number = enter(desk, PAID, observation="o-1")
    mark_unreadable(desk, "fu-01", observation="o-1", selected=second, by="s.lee", reason="glare")
    for again in (second, first + 1):
        with pytest.raises(ReviewRefused, match=r"cannot be read|was not drawn"):
            mark_unreadable(desk, "fu-01", observation="o-1", selected=again, by="s.lee", reason="glare")
    state = ObservedTable(log, "fu-01")
    assert work_of(state, state.observation("o-1")) == [
        Selected(at=first, round_no=number),
        Selected(at=second, unreadable="glare"),
        Selected(at=third),
        Selected(at=fourth),
    ]
    systematic = open_observation(desk, "fu-01", **audit(selection="systematic", planned=2))
    enter(desk, PAID, observation=systematic.observation)
    state = ObservedTable(log, "fu-01")
    work = work_of(state, state.observation(systematic.observation))
    assert [(each.at, each.round_no) for each in work] == [(None, 2), (None, None)]


def test_a_second_person_confirms_what_was_added_too(desk: Desk, log: SqliteLog) -> None:
    house(log)
    number = enter(desk, FORGOTTEN)
    add_to_entry(desk, "fu-01", number, "pay seat=3 base 25.00", **BY)
    assert confirm(desk, "fu-01", number, by="s.lee").confirmed_by == ["s.lee"]
