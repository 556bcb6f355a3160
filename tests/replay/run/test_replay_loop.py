"""The loop of a replay: broken streams stop alone, the ledger follows its corrections, a log can be followed."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.errors import BrokenSeal
from events.log.contract import Head, Record
from events.log.hash_chain import link
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from replay.run.engine import shared_engine
from replay.run.replayer import MemoryResults, Replay, Summary, adjudications, follow, ledger, replay, resolve_time
from tests.contract.backends import SqliteTamper
from tests.replay.stored import one_run, stored, verdicts
from tests.replay.streams import eventful, fill, paid
from tests.replay.tables import PAID, SECOND_US, START_US, UNPAID, MemoryLog, Table, append, filed

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


class Unreadable(MemoryLog):
    """A log whose store cannot be read past a place, whatever is left out."""

    def __init__(self, tables: Sequence[Table]) -> None:
        super().__init__(tables)
        self.asked = 0

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        self.asked += 1
        assert self.asked < 10, "asked for the same again and again"
        yield self.all[:3]
        raise BrokenSeal("kafka", 0, "stored bytes fail Kafka's checksum")


@pytest.mark.parametrize("wait_s", [None, 0.01])
def test_a_store_that_cannot_be_read_past_a_place_ends_the_replay(wait_s: float | None) -> None:
    """A break that comes again though its stream is left out is raised; it used to be met again for ever."""
    table = Table()
    table.play(1, PAID)
    log, results = Unreadable([table]), MemoryResults()
    with pytest.raises(BrokenSeal, match="checksum"):
        for _ in Replay(log, results).run(wait_s=wait_s):
            pass
    assert log.asked == 2
    assert {stream: head.seq for stream, head in results.positions("any").items()} == {table.stream: 3}, (
        "what was judged before is kept"
    )


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
    """What was said remains; the streams next to it go on; the next replay meets the break again."""
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
        ("opener", "2026-03-01", 1_000_000, ""),
        ("fill", "2026-03-01", 500_000, "f-1"),
        ("credit", "2026-03-01", 200_000, "c-1"),
        ("buy_in", "2026-03-01", 30_000, "cash"),
        ("marker", "2026-03-01", 100_000, "m-1"),
        ("drop", "2026-02-28", 90_000, "b-1"),
        ("closer", "2026-03-01", 1_100_000, ""),
    ]


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
        ("fill", "2026-03-01", 50_000, "f-1"),
        ("fill", "2026-03-01", 0, "withdrawn"),
        ("fill", "2026-03-01", 1_000, "f-1"),
    ]


def test_streams_of_the_property_and_of_reviews_lead_to_nothing() -> None:
    office, review = Table("property/main"), Table("review/fu-01")
    office.say(
        model.PropertyConfigured(name="Bellwether", time_zone="America/New_York", gaming_day_cutover="06:00", currency="USD")
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


def play_on(log: SqliteLog, table: Table, following: Iterator[Summary], rounds: int) -> None:
    """Append an unpaid second round of a table, and follow until this many rounds are judged."""
    done = table.last
    table.play(2, UNPAID)
    append(log, table, after={table.stream: done})
    while next(following).rounds < rounds:
        pass


def test_following_a_log_commits_after_every_batch(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)
    following = follow(log, results, wait_s=0.01)
    assert next(following).rounds == 1
    play_on(log, table, following, rounds=2)
    assert verdicts(results) == [(1, 1, "UPHELD"), (2, 1, "VARIANCE")]
    table.say(paid(), 1)
    append(log, table, after={table.stream: table.last - 1})
    while len(verdicts(results)) < 3:
        next(following)
    assert verdicts(results)[2] == (1, 2, "VARIANCE")
    following.close()


def test_a_commit_stores_the_streams_that_went_on(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A floor of 40 tables would store 40 snapshots with each message of one."""
    committed: list[set[str]] = []
    commit = MemoryResults.commit

    def noting(self: MemoryResults, engine: str, positions: Mapping[str, Head], *rest: Any, **more: Any) -> None:
        committed.append({*positions})
        commit(self, engine, positions, *rest, **more)

    monkeypatch.setattr(MemoryResults, "commit", noting)
    table, other, results = Table(), Table("table/fu-02"), MemoryResults()
    table.play(1, PAID)
    other.play(1, PAID)
    append(log, table, other)
    following = follow(log, results, wait_s=0.01)
    assert next(following).rounds == 2
    play_on(log, table, following, rounds=3)
    following.close()
    assert [each for each in committed if each] == [{table.stream, other.stream}, {table.stream}]
    assert sorted(verdicts(results)) == sorted(verdicts(one_run(table, other)))
    positions = {stream: head.seq for stream, head in results.positions(shared_engine()).items()}
    assert positions == {table.stream: table.last, other.stream: other.last}


def test_a_commit_without_news_stores_nothing() -> None:
    results = MemoryResults()
    run = Replay(MemoryLog([]), results)
    run.commit()
    assert results.positions("any") == {}
    results.close()


@pytest.mark.parametrize("toml", ["a = " + "9" * 5_000, "a = " + "[" * 5_000, 'chapter = ["pa-686a"]', "a = 1\n" * 30_000])
def test_rules_that_nobody_can_read_stop_no_replay(toml: str) -> None:
    table, other = Table(), Table("table/fu-02")
    digest = sha256(toml.encode()).hexdigest()
    table.say(model.RulesFiled(submission="r-1", effective_gaming_day="2025-01-01", toml=toml, sha256=digest), source="pit")
    table.play(1, PAID)
    other.play(1, PAID)
    assert sorted(verdicts(one_run(table, other))) == [(1, 1, "UNDETERMINED"), (1, 1, "UPHELD")]
