"""The replay of a log: resumable anywhere, repeatable, honest about corrections, gaps and broken streams."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events import model
from events.log import Record, ResultStore
from events.seal import link
from events.sqlite_log import SqliteLog
from events.sqlite_results import SqliteResults
from games.rulebook import parse_submission
from replay import replayer
from replay.findings import Adjudication, digest
from replay.replayer import (
    KINDS,
    MemoryResults,
    Replay,
    adjudications,
    findings,
    follow,
    ledger,
    replay,
    resolve_time,
)
from tests.contract.backends import SqliteTamper
from tests.replay.streams import METER, eventful, fill, meter, paid, taken
from tests.replay.tables import PAID, PROPERTY, SECOND_US, START_US, UNPAID, MemoryLog, Table, append, filed, rules_text

MISSED = "PAY-MISSED seat=3 wager=base -25.00"
Stored = dict[str, list[tuple[str, bytes]]]


def stored(results: ResultStore) -> Stored:
    """Return everything that is stored, of each stream in its order."""
    return {kind: list(results.results(kind)) for kind in KINDS}


def by_stream(results: ResultStore) -> dict[str, list[tuple[str, str, bytes]]]:
    """Return what is stored of each stream, in its order."""
    found: dict[str, list[tuple[str, str, bytes]]] = {}
    for kind in KINDS:
        for key, data in results.results(kind):
            stream = key.partition("#")[0] if kind != "findings" else msgspec.json.decode(data)["stream"]
            found.setdefault(stream, []).append((kind, key, data))
    return found


def verdicts(results: ResultStore) -> list[tuple[int, int, str]]:
    """Return (round, revision, verdict) of everything that was ever said."""
    said = [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]
    return [(each.round_no, each.revision, each.verdict) for each in said]


def one_run(*tables: Table) -> MemoryResults:
    results = MemoryResults()
    replay(MemoryLog(tables), results)
    return results


@functools.cache
def eventful_at_once() -> tuple[Table, Stored]:
    table = eventful()
    return table, stored(one_run(table))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    ticks = iter(range(START_US, START_US + 10_000 * SECOND_US, SECOND_US))
    log = SqliteLog(tmp_path / "floor.db", property_id=PROPERTY, create=True, clock=lambda: next(ticks))
    yield log
    log.close()


@pytest.fixture
def results(tmp_path: Path) -> Iterator[SqliteResults]:
    results = SqliteResults(tmp_path / "floor.db.verdicts")
    yield results
    results.close()


# ------------------------------------------------------------------------------------- taken up again, and repeated


def test_taken_up_after_any_number_of_events_a_replay_ends_with_the_same_bytes() -> None:
    table, whole = eventful_at_once()
    log = MemoryLog([table])
    for cut in range(1, table.last):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        replay(log, results)
        assert stored(results) == whole, f"cut after event {cut} ({table.payload(cut).TYPE})"


def test_committed_after_every_event_a_replay_ends_with_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    table, whole = eventful_at_once()
    monkeypatch.setattr(replayer, "COMMIT_EVERY", 1)
    results = MemoryResults()
    replay(MemoryLog([table], batch=1), results)
    assert stored(results) == whole


def test_resumed_after_every_single_event() -> None:
    table, whole = eventful_at_once()
    log, results = MemoryLog([table]), MemoryResults()
    for seq in range(1, table.last + 1):
        replay(log, results, as_of={table.stream: seq})
    assert stored(results) == whole


def test_the_same_from_a_file(log: SqliteLog, results: SqliteResults) -> None:
    table, whole = eventful_at_once()
    append(log, table)
    assert replay(log, results).events == table.last
    renamed = [(key, msgspec.json.decode(data)) for key, data in stored(results)["adjudications"]]
    assert renamed == [(key, msgspec.json.decode(data)) for key, data in whole["adjudications"]]
    assert stored(results) == whole


def test_replaying_twice_changes_nothing(log: SqliteLog, results: SqliteResults) -> None:
    append(log, eventful(), meter())
    first = replay(log, results)
    before = stored(results)
    again = replay(log, results)
    assert (again.events, again.rounds, again.changed) == (0, 0, 0)
    assert stored(results) == before
    assert (again.findings, again.verdicts) == (first.findings, first.verdicts)


def test_another_engine_reads_everything_again_and_says_nothing_that_was_said(
    log: SqliteLog, results: SqliteResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(log, eventful(), meter())
    replay(log, results)
    before = stored(results)
    monkeypatch.setattr(replayer, "engine", lambda: "0+another")
    again = replay(log, results)
    assert again.events == log.head("table/fu-01").seq + log.head(METER).seq
    assert again.changed == 0
    assert stored(results) == before
    assert results.positions("0+another") == {"table/fu-01": log.head("table/fu-01").seq, METER: log.head(METER).seq}


def test_another_engine_that_concludes_otherwise_supersedes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts are new revisions; nothing that was said in between is said again."""
    table = Table()
    table.play(1, UNPAID)
    table.play(2, PAID)
    table.say(paid(), 1)
    results = MemoryResults()
    log = MemoryLog([table])
    replay(log, results)
    results.reset()
    monkeypatch.setattr("replay.stream.rulebook", lambda toml: parse_submission(rules_text("pa-688a max=20.00")))
    replay(log, results)
    assert verdicts(results) == [
        (1, 1, "VARIANCE"), (2, 1, "UPHELD"), (1, 2, "UPHELD"), (1, 3, "VARIANCE"), (2, 2, "VARIANCE"),
    ]  # fmt: skip
    newest = {each.round_no: each for each in adjudications(results)}
    assert newest[1].supersedes is not None
    assert [each.as_of for each in newest.values()] == [{table.stream: table.last}] * 2


def test_thrown_away_snapshots_are_made_again(log: SqliteLog, results: SqliteResults) -> None:
    append(log, eventful(), meter())
    replay(log, results)
    before = stored(results)
    results.reset()
    assert replay(log, results).changed == 0
    assert stored(results) == before


def test_a_restart_reads_only_what_is_new(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)
    assert replay(log, results).events == table.last
    done = table.last
    table.play(2, UNPAID)
    append(log, table, after={table.stream: done})
    summary = replay(log, results)
    assert (summary.events, summary.rounds, summary.changed) == (table.last - done, 1, 1)
    assert verdicts(results) == [(1, 1, "UPHELD"), (2, 1, "VARIANCE")]


def test_a_replay_cut_within_a_round_goes_on_within_it(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    played = table.play(1, PAID)
    append(log, table)
    replay(log, results, as_of={table.stream: played["hand_set"]})
    assert verdicts(results) == []
    summary = replay(log, results)
    assert (summary.events, verdicts(results)) == (table.last - played["hand_set"], [(1, 1, "UPHELD")])


def test_a_stream_that_begins_later_is_replayed_like_any_other(results: SqliteResults) -> None:
    first, second = Table(), Table("table/fu-02")
    first.play(1, UNPAID)
    second.play(1, UNPAID)
    second.say(paid(), 1)
    replay(MemoryLog([first]), results)
    replay(MemoryLog([first, second]), results)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 1, "VARIANCE"), (1, 2, "UPHELD")]


@given(order=st.permutations([0] * 12 + [1] * 23 + [2] * 5), batch=st.integers(1, 40))
@settings(max_examples=60)
def test_how_streams_interleave_never_matters(order: list[int], batch: int) -> None:
    first, second, third = Table(), Table("table/fu-02"), meter()
    first.play(1, UNPAID)
    second.play(1, UNPAID)
    second.say(paid(), 1)
    second.play(2, PAID.replace("close\n", ""))
    assert [first.last, second.last, third.last] == [12, 23, 5]
    results = MemoryResults()
    replay(MemoryLog([first, second, third], order, batch), results)
    apart = [by_stream(one_run(each)) for each in (first, second, third)]
    assert by_stream(results) == {stream: said for each in apart for stream, said in each.items()}


# ------------------------------------------------------------------------------------------- corrections and late facts


def test_a_correction_supersedes_and_withdraws() -> None:
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    wrong = table.say(taken(400, seat=1), 1)
    table.say(model.RoundClosed(by="d-7"), 1)
    table.correct(wrong, paid(source="inventory"))
    results = one_run(table)
    first, second = [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]
    assert [each.line() for each in first.findings] == ["PAY-TAKEN seat=1 wager=base -4.00", MISSED]
    assert [each.line() for each in second.findings] == ["PAY-ORDER seat=3"]
    assert (second.verdict, second.revision, second.as_of) == ("VARIANCE", 2, {table.stream: table.last})
    assert (first.supersedes, second.supersedes) == (None, digest(first))
    assert set(second.withdrawn) == {each.id for each in first.findings}
    assert {each.id for each in findings(results)} == {each.id for each in second.findings}


def test_a_finding_withdrawn_and_made_again_stands() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    table.say(paid(), 1)
    slip = table.last
    table.correct(slip, None)
    results = one_run(table)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UPHELD"), (1, 3, "VARIANCE")]
    assert [each.line() for each in findings(results)] == [MISSED]
    assert played["round_closed"] < slip


def test_a_correction_of_the_rules_judges_every_round_again() -> None:
    table = Table()
    for number in range(1, 8):
        table.play(number, PAID)
    table.correct(2, filed("pa-688a max=20.00"))
    results = one_run(table)
    assert verdicts(results)[:7] == [(number, 1, "UPHELD") for number in range(1, 8)]
    assert verdicts(results)[7:] == [(number, 2, "VARIANCE") for number in range(1, 8)]
    assert {each.line() for each in findings(results)} == {"WAGER-LIMIT seat=3 wager=base"}


def test_a_second_correction_after_the_stream_was_folded_again() -> None:
    table = Table()
    table.play(1, PAID)
    table.correct(2, filed("pa-688a max=20.00"))
    table.correct(2, filed("pa-688a max=30.00"))
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (1, 2, "VARIANCE"), (1, 3, "UPHELD")]


def test_a_correction_that_is_itself_withdrawn_does_not_count() -> None:
    table = Table()
    played = table.play(1, PAID)
    wrong = table.correct(played["wager_paid"], paid(cents=2000))
    table.correct(wrong, None)
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (1, 2, "VARIANCE"), (1, 3, "UPHELD")]


def test_a_slip_many_rounds_later_reaches_its_round() -> None:
    table = Table()
    table.play(1, UNPAID)
    for number in range(2, 12):
        table.play(number, PAID)
    table.say(paid(), 1)
    results = one_run(table)
    assert verdicts(results)[-1] == (1, 2, "UPHELD")
    assert findings(results) == []


def test_a_gap_filled_many_rounds_later_is_none() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    lost = table.next()
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=lost + 1)
    for number in range(2, 12):
        table.play(number, PAID)
    table.say(model.LightSeen(seat=3), 1, source_seq=lost)
    results = one_run(table)
    assert verdicts(results)[0] == (1, 1, "UNDETERMINED")
    assert verdicts(results)[-1] == (1, 2, "UPHELD")
    assert findings(results) == []


# ------------------------------------------------------------------------------------------------ as of, and what if


def test_as_of_gives_the_verdict_before_a_correction() -> None:
    table = Table()
    played = table.play(1, PAID)
    correction = table.correct(played["wager_paid"], paid(cents=2000))
    log, results = MemoryLog([table]), one_run(table)
    then = MemoryResults()
    replay(log, then, as_of={table.stream: correction - 1})
    assert stored(then)["adjudications"] == stored(results)["adjudications"][:1]
    now = MemoryResults()
    replay(log, now, as_of={table.stream: correction})
    assert stored(now) == stored(results)


def test_as_of_leaves_out_streams_that_it_does_not_name() -> None:
    first, second = Table(), Table("table/fu-02")
    first.play(1, PAID)
    second.play(1, UNPAID)
    results = MemoryResults()
    summary = replay(MemoryLog([first, second]), results, as_of={second.stream: second.last})
    assert (summary.verdicts, summary.events) == ({"VARIANCE": 1}, second.last)


def test_as_of_a_time_goes_by_when_events_were_recorded(log: SqliteLog) -> None:
    """The devices' clocks say nothing here: the slip names a time long before it was recorded."""
    table = Table()
    table.play(1, UNPAID)
    append(log, table)
    done = table.last
    asked_us = START_US
    table.say(paid(), 1, at_us=START_US)
    append(log, table, after={table.stream: done})
    assert resolve_time(log, asked_us) == {table.stream: done}
    assert resolve_time(log, asked_us - 1) == {table.stream: 0}
    results = MemoryResults()
    replay(log, results, as_of=resolve_time(log, asked_us))
    assert verdicts(results) == [(1, 1, "VARIANCE")]
    replay(log, results, as_of=resolve_time(log, asked_us + SECOND_US))
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UPHELD")]


def test_as_of_a_time_in_a_broken_stream_goes_to_the_break(log: SqliteLog, tmp_path: Path) -> None:
    """The replay then meets it there, and names it; the other streams are judged."""
    first, second = Table(), Table("table/fu-02")
    first.play(1, PAID)
    second.play(1, PAID)
    append(log, first, second)
    tamper = SqliteTamper(tmp_path / "floor.db")
    tamper.replace(first.stream, 5, tamper.data(first.stream, 5).replace(b"table", b"tablE"))
    assert resolve_time(log, START_US + 100 * SECOND_US) == {first.stream: 5, second.stream: second.last}
    summary = replay(log, MemoryResults(), as_of=resolve_time(log, START_US + 100 * SECOND_US))
    assert (len(summary.integrity), summary.verdicts) == (1, {"UPHELD": 1})


def test_what_other_rules_would_have_led_to() -> None:
    table = Table()
    table.play(1, PAID)
    results = MemoryResults()
    summary = replay(MemoryLog([table]), results, rules=parse_submission(rules_text("pa-688a max=20.00")))
    assert summary.findings == {"WAGER-LIMIT": 1}


# ------------------------------------------------------------------------------------------------------- rules in force


def test_rules_that_take_effect_later_are_not_in_force() -> None:
    """§ 601a.2; the contract *Rules in force*: the last filed whose effective gaming day has come."""
    table = Table()
    table.say(filed("pa-688a max=20.00 effective=2026-03-02"), source="pit")
    table.play(1, PAID)
    table.say(model.GamingDayOpened(gaming_day="2026-03-02"), source="pit")
    table.play(2, PAID)
    first, second = adjudications(one_run(table))
    assert (first.verdict, second.verdict) == ("UPHELD", "VARIANCE")
    assert first.rules_digest == parse_submission(rules_text()).digest
    assert second.rules_digest != first.rules_digest
    assert (first.gaming_day, second.gaming_day) == ("2026-03-01", "2026-03-02")


def test_no_rules_no_verdict() -> None:
    table = Table(words=None)
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert (only.verdict, only.rules_digest, only.settlements) == ("UNDETERMINED", "", ())
    assert only.undetermined == ("no rules submission is in force at this table",)


def test_rules_that_are_refused_are_no_rules() -> None:
    table = Table(words=None)
    table.say(msgspec.structs.replace(filed(), toml='chapter = "nowhere"'), source="pit")
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert only.verdict == "UNDETERMINED"
    assert "nowhere" in only.undetermined[0]


# ------------------------------------------------------------------------------------------------------ broken streams


def test_a_broken_stream_stops_and_the_others_go_on(log: SqliteLog, results: SqliteResults, tmp_path: Path) -> None:
    broken, whole = Table(), Table("table/fu-02")
    broken.play(1, PAID)
    at = broken.play(2, UNPAID)["wager_taken"]
    whole.play(1, UNPAID)
    whole.play(2, PAID)
    append(log, broken, whole)
    tamper = SqliteTamper(tmp_path / "floor.db")
    tamper.replace(broken.stream, at, tamper.data(broken.stream, at).replace(b'"table"', b'"tablE"'))
    summary = replay(log, results)
    assert len(summary.integrity) == 1
    assert summary.integrity[0].startswith(f"LOG-SEAL {broken.stream} event {at}:")
    said = [(each.stream, each.round_no) for each in adjudications(results)]
    assert said == [(broken.stream, 1), (whole.stream, 1), (whole.stream, 2)]
    assert replay(log, results).integrity == summary.integrity


def test_a_missing_event_is_a_gap(log: SqliteLog, results: SqliteResults, tmp_path: Path) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)
    SqliteTamper(tmp_path / "floor.db").remove(table.stream, 5)
    (problem,) = replay(log, results).integrity
    assert problem.startswith(f"LOG-GAP {table.stream} event 5: expected event 5, found 6")
    assert adjudications(results) == []


def test_a_record_that_cannot_be_read_keeps_its_place_and_stops_its_stream(
    log: SqliteLog, results: SqliteResults, tmp_path: Path
) -> None:
    """Its chain holds; a version of the program that knows the event goes on from there."""
    newer, other = Table(), Table("table/fu-02")
    newer.play(1, PAID)
    at = newer.play(2, UNPAID)["round_opened"]
    other.play(1, PAID)
    append(log, newer, other)
    tamper = SqliteTamper(tmp_path / "floor.db")
    data = tamper.data(newer.stream, at)
    tamper.replace(newer.stream, at, data.replace(b'"version":1', b'"version":9'))
    tamper.rechain(newer.stream, at)
    summary = replay(log, results)
    assert len(summary.integrity) == 1
    assert summary.integrity[0].startswith(f"LOG-UNREADABLE {newer.stream} event {at}:")
    assert "round_opened" in summary.integrity[0]
    assert [(each.stream, each.round_no) for each in adjudications(results)] == [(newer.stream, 1), (other.stream, 1)]
    tamper.replace(newer.stream, at, data)
    tamper.rechain(newer.stream, at)
    assert replay(log, results).verdicts == {"UPHELD": 2, "VARIANCE": 1}


def test_a_stream_broken_where_it_was_read_already_cannot_be_folded_again() -> None:
    """What was said stands; the streams beside it go on; the next replay meets the break again."""
    table, other = Table(), Table("table/fu-02")
    table.play(1, UNPAID)
    table.say(paid(), 1)
    done = table.last
    table.correct(2, filed("pa-688a max=20.00"))
    other.play(1, PAID)
    log, results = MemoryLog([table, other]), MemoryResults()
    replay(log, results, as_of={table.stream: done})
    log.broken = {table.stream: table.last - 1}
    said = stored(results)["adjudications"]
    for _ in range(2):
        summary = replay(log, results)
        assert summary.integrity == [f"LOG-SEAL {table.stream} event {done}: the bytes do not give the recorded hash"]
        assert stored(results)["adjudications"][: len(said)] == said
        assert verdicts(results)[len(said) :] == [(1, 1, "UPHELD")]


def test_another_engine_that_can_read_less_lets_stand_what_was_said() -> None:
    table = Table()
    table.play(1, UNPAID)
    table.say(paid(), 1)
    log, results = MemoryLog([table]), MemoryResults()
    replay(log, results)
    results.reset()
    log.broken = {table.stream: table.last}
    assert len(replay(log, results).integrity) == 1
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UPHELD")]


def test_as_of_a_time_bytes_that_are_no_event_are_met_too() -> None:
    table = Table()
    log = MemoryLog([table])
    first = log.records[table.stream][0]
    log.records[table.stream].append(Record(table.stream, 3, b"{}", link(first.hash, b"{}")))
    assert resolve_time(log, START_US + SECOND_US) == {table.stream: 3}


# ---------------------------------------------------------------------------------------------------------- accounting


def accounts(*tables: Table) -> list[tuple[str, str, int, str]]:
    return [(each.kind, each.gaming_day, each.amount_cents, each.reference) for each in ledger(one_run(*tables))]


def test_the_ledger_takes_every_amount_and_the_drop_names_its_day() -> None:
    """D27; counts made later name their day in the payload."""
    table = Table()
    table.say(model.InventoryCounted(kind="opener", amount_cents=1_000_000, by="d-1", verified_by="f-1"))
    table.say(fill(500_000))
    table.say(model.CreditSent(amount_cents=200_000, slip="c-1", by="cage"))
    table.say(model.BuyIn(seat=3, patron="p-3", amount_cents=30_000, form="cash"))
    table.say(model.MarkerIssued(seat=3, patron="p-3", amount_cents=100_000, document="m-1"))
    table.say(model.DropCounted(gaming_day="2026-02-28", box="b-1", amount_cents=90_000, by="count"))
    table.say(model.InventoryCounted(kind="closer", amount_cents=1_100_000, by="d-1", verified_by=None))
    assert accounts(table) == [
        ("opener", "2026-03-01", 1_000_000, ""), ("fill", "2026-03-01", 500_000, "f-1"),
        ("credit", "2026-03-01", 200_000, "c-1"), ("buy_in", "2026-03-01", 30_000, "cash"),
        ("marker", "2026-03-01", 100_000, "m-1"), ("drop", "2026-02-28", 90_000, "b-1"),
        ("closer", "2026-03-01", 1_100_000, ""),
    ]  # fmt: skip


@pytest.mark.parametrize("in_round", [False, True])
def test_the_ledger_follows_corrections(in_round: bool) -> None:
    table = Table()
    round_no = None
    if in_round:
        table.play(1, PAID.replace("close\n", ""))
        round_no = 1
    first, second = table.say(fill(500_000), round_no), table.say(fill(700_000), round_no)
    third = table.say(model.LightSeen(seat=3), round_no)
    table.say(model.RoundClosed(by="d-7"), round_no)
    table.correct(first, fill(50_000))
    table.correct(second, None)
    table.correct(third, fill(1_000))
    assert accounts(table) == [
        ("fill", "2026-03-01", 50_000, "f-1"), ("fill", "2026-03-01", 0, "withdrawn"),
        ("fill", "2026-03-01", 1_000, "f-1"),
    ]  # fmt: skip


def test_streams_of_the_property_and_of_reviews_lead_to_nothing() -> None:
    office, review = Table("property/main"), Table("review/fu-01")
    office.say(
        model.PropertyConfigured(
            name="Bellwether", time_zone="America/New_York", gaming_day_cutover="06:00", currency="USD"
        )
    )
    results = MemoryResults()
    log = MemoryLog([office, review])
    assert replay(log, results).events == 3
    assert stored(results) == {"adjudications": [], "findings": [], "ledger": []}
    assert replay(log, results).events == 0
    results.reset()
    assert replay(log, results).events == 3


# --------------------------------------------------------------------------------------------------------- the loop


def test_progress_and_summary() -> None:
    table = eventful()
    seen: list[tuple[int, int]] = []
    summary = replay(MemoryLog([table]), MemoryResults(), progress=lambda events, rounds: seen.append((events, rounds)))
    assert seen[-1] == (summary.events, summary.rounds)
    assert summary.events == table.last
    assert summary.changed >= len(adjudications(one_run(table)))


def test_following_a_log_commits_after_every_batch(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)
    following = follow(log, results, wait_s=0.01)
    assert next(following).rounds == 1
    done = table.last
    table.play(2, UNPAID)
    append(log, table, after={table.stream: done})
    while next(following).rounds < 2:
        pass
    assert verdicts(results) == [(1, 1, "UPHELD"), (2, 1, "VARIANCE")]
    table.say(paid(), 1)
    append(log, table, after={table.stream: table.last - 1})
    while len(verdicts(results)) < 3:
        next(following)
    assert verdicts(results)[2] == (1, 2, "VARIANCE")
    following.close()  # type: ignore[attr-defined]


def test_a_commit_without_news_stores_nothing() -> None:
    results = MemoryResults()
    run = Replay(MemoryLog([]), results)
    run.commit()
    assert results.positions("any") == {}
    results.close()
