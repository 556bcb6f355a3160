"""What somebody does to stored or served records, and what devices and networks do to reports on their way."""

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from events.log.contract import Record
from events.log.hash_chain import genesis, link
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary.envelope import Draft
from events.vocabulary.model import IntakeRefused
from intake.appending import append_lines
from intake.lines import line_of, read_line
from replay.run.replayer import MemoryResults, Replay
from tests.contract.backends import SqliteTamper
from tests.faults.floor import LOG_ID, PROPERTY, check, expected, groups, judge, said, tables
from tests.faults.table import demand, fault

DAY_US = 86_400_000_000
ROUNDS = 2

Damage = Callable[[SqliteTamper, str, int, random.Random], int]
"""Damages a stream at a number, and returns the number that must be named."""


def _log(path: Path, **options: bool) -> SqliteLog:
    return SqliteLog(path, property_id=PROPERTY, log_id=LOG_ID, create=not options, **options)


def _each_record(folder: Path, times: int, damage: Damage, *, last: bool = True) -> int:
    """Damage each record in turn; the walk must name the stream and the number, and no other."""
    whole, done, rng = folder / "whole.db", 0, random.Random(11)
    log = _log(whole)
    log.append_groups(groups(ROUNDS))
    log.close()
    places = [(table.stream, seq) for table in tables(ROUNDS) for seq in range(1, table.last + last)]
    for stream, seq in places if times >= len(places) else rng.sample(places, times):
        path = folder / "damaged.db"
        shutil.copyfile(whole, path)
        shutil.copyfile(f"{whole}.high-water", f"{path}.high-water")
        named = damage(SqliteTamper(path), stream, seq, rng)
        reader = _log(path, read_only=True, check_heads=False)
        try:
            found = {(each.stream, each.seq) for each in verify(reader).breaks}
            demand(found == {(stream, named)}, f"{stream} event {seq} was damaged, reported was {found}")
            _judged_apart(reader, stream)
        finally:
            reader.close()
        done += 1
    return done


def _judged_apart(log: SqliteLog, broken: str) -> None:
    """The broken stream is named and judged no further; what is said of the others is said to the byte."""
    results = MemoryResults()
    run = Replay(log, results)
    for _ in run.run():
        pass
    demand(len(run.summary.integrity) <= 1, f"more than one stream is called broken: {run.summary.integrity}")
    for kind, records in expected(ROUNDS).items():
        found = said(results)[kind]
        for key, data in records.items():
            mine = key.startswith(broken) or (kind == "findings" and broken.encode() in data[0])
            demand(found.get(key, data if mine else None) == data, f"{kind} {key} differs from the run without faults")


@fault(
    "tampering",
    "bit flipped",
    how="one bit of each record's bytes in turn, chosen by a seed",
    held="named: stream and number; other tables judged as ever",
    quick=15,
    often=400,
)
def flipped(folder: Path, times: int) -> int:
    def flip(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        data = bytearray(hand.data(stream, seq))
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        hand.replace(stream, seq, bytes(data))
        return seq

    done = 0
    for turn in range(max(1, min(times // 50, 8))):
        place = folder / str(turn)
        place.mkdir()
        done += _each_record(place, times, flip)
    return done


@fault(
    "tampering",
    "record removed",
    how="each record but the last of its stream in turn",
    held="named: stream and number; other tables judged as ever",
    quick=10,
    often=500,
)
def removed(folder: Path, times: int) -> int:
    def remove(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        hand.remove(stream, seq)
        return seq

    return _each_record(folder, times, remove, last=False)


@fault(
    "tampering",
    "record inserted",
    how="the bytes of another event put before each record, those after it moved up",
    held="named: stream and number; other tables judged as ever",
    quick=10,
    often=500,
)
def inserted(folder: Path, times: int) -> int:
    def insert(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        data, hash_ = hand.data(stream, seq), bytes(32)
        hand.execute("UPDATE events SET seq = -seq WHERE stream = ? AND seq >= ?", stream, seq)
        hand.execute("UPDATE events SET seq = 1 - seq WHERE stream = ? AND seq < 0", stream)
        hand.execute("INSERT INTO events (stream, seq, data, hash) VALUES (?, ?, ?, ?)", stream, seq, data, hash_)
        return seq

    return _each_record(folder, times, insert)


@fault(
    "tampering",
    "records swapped",
    how="each record and the next change places",
    held="named: stream and number; other tables judged as ever",
    quick=10,
    often=500,
)
def swapped(folder: Path, times: int) -> int:
    def swap(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        hand.swap(stream, seq, seq + 1)
        return seq

    return _each_record(folder, times, swap, last=False)


@fault(
    "tampering",
    "stream truncated",
    how="everything after each record removed",
    held="named: stream and first number that is gone, by the mark",
    quick=10,
    often=500,
)
def truncated(folder: Path, times: int) -> int:
    def cut(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        hand.cut(stream, seq)
        return seq + 1

    return _each_record(folder, times, cut, last=False)


@fault(
    "tampering",
    "record forged and the chain computed anew",
    how="a payload changed, every later hash made to fit",
    held="named by the mark: the chain is not the one that was acknowledged",
    quick=10,
    often=500,
)
def forged(folder: Path, times: int) -> int:
    def forge(hand: SqliteTamper, stream: str, seq: int, rng: random.Random) -> int:
        data = hand.data(stream, seq)
        hand.replace(stream, seq, data.replace(b'"source_seq":', b'"source_seq":9', 1))
        hand.rechain(stream, max(seq, 2))
        return next(table.last for table in tables(ROUNDS) if table.stream == stream)

    whole, done, rng = folder / "whole.db", 0, random.Random(11)
    log = _log(whole)
    log.append_groups(groups(ROUNDS))
    log.close()
    places = [(table.stream, seq) for table in tables(ROUNDS) for seq in range(2, table.last + 1)]
    for stream, seq in places if times >= len(places) else rng.sample(places, times):
        path = folder / "damaged.db"
        shutil.copyfile(whole, path)
        shutil.copyfile(f"{whole}.high-water", f"{path}.high-water")
        named = forge(SqliteTamper(path), stream, seq, rng)
        reader = _log(path, read_only=True, check_heads=False)
        try:
            found = [(each.stream, each.seq) for each in verify(reader).breaks]
            demand((stream, named) in found or (stream, seq) in found, f"{stream} {seq} was forged: {found}")
            demand({each for each, _ in found} == {stream}, f"another stream is called broken: {found}")
        finally:
            reader.close()
        done += 1
    return done


# -------------------------------------------------------------------------------------------------- reports on their way


def _delivered(folder: Path, lines: Sequence[bytes], clock: Iterator[int] | None = None) -> SqliteLog:
    options = {"clock": lambda: next(clock)} if clock is not None else {}
    log = SqliteLog(folder / "floor.db", property_id=PROPERTY, log_id=LOG_ID, create=True, **options)
    for line in lines:
        for _ in append_lines(log, [read_line(line, "line")]):
            pass
    return log


def _lines() -> list[bytes]:
    return [line_of(stream, draft) for stream, drafts in groups(ROUNDS) for draft in drafts]


def _turns(folder: Path, times: int) -> Iterator[tuple[Path, random.Random]]:
    for turn in range(times):
        place = folder / str(turn)
        place.mkdir()
        yield place, random.Random(turn)
        shutil.rmtree(place)


@fault(
    "delivery",
    "duplicates",
    how="each line comes again, up to four times, at any later moment",
    held="each event once, findings the same bytes",
    quick=5,
    often=60,
)
def duplicated(folder: Path, times: int) -> int:
    for place, rng in _turns(folder, times):
        arrivals = [(at, line) for at, line in enumerate(_lines())]
        arrivals += [(at + rng.uniform(0, 40), line) for at, line in arrivals for _ in range(rng.randint(0, 4))]
        log = _delivered(place, [line for _, line in sorted(arrivals, key=lambda pair: pair[0])])
        check(log, rounds=ROUNDS)
        log.close()
    return times


@fault(
    "delivery",
    "stale deliveries",
    how="everything is handed in again from the start after any line, also after reopening",
    held="each event once, findings the same bytes",
    quick=5,
    often=100,
)
def stale(folder: Path, times: int) -> int:
    for place, rng in _turns(folder, times):
        lines = _lines()
        log = _delivered(place, lines[: rng.randint(1, len(lines))])
        log.close()
        log = _delivered(place, lines)
        check(log, rounds=ROUNDS)
        log.close()
    return times


@fault(
    "delivery",
    "reordered between tables",
    how="the lines of the tables interleaved in any order, each table's in its own",
    held="findings the same bytes, whatever the order",
    quick=5,
    often=60,
)
def reordered(folder: Path, times: int) -> int:
    for place, rng in _turns(folder, times):
        left = [[line_of(table.stream, draft) for draft in table.drafts] for table in tables(ROUNDS)]
        lines = []
        while any(left):
            lines.append(rng.choice([each for each in left if each]).pop(0))
        log = _delivered(place, lines)
        check(log, rounds=ROUNDS)
        log.close()
    return times


@fault(
    "delivery",
    "reordered within a table",
    how="lines of one table overtake each other by up to three places",
    held="named LOG-SOURCE-… or UNDETERMINED, or the same verdict; the other table's findings the same bytes",
    quick=5,
    often=60,
)
def overtaken(folder: Path, times: int) -> int:
    table, other = tables(ROUNDS)
    for place, rng in _turns(folder, times):
        drafts = list(enumerate(table.drafts))
        first, rest = drafts[:2], drafts[2:]
        rest.sort(key=lambda pair: pair[0] + rng.choice((0, 0, 0, 3.5)))
        lines = [line_of(table.stream, draft) for _, draft in first + rest]
        log = _delivered(place, lines + [line_of(other.stream, draft) for draft in other.drafts])
        found = judge(log)
        demand(verify(log).ok, "a log of lines out of order is called broken")
        moved = [number for number, _ in rest] != sorted(number for number, _ in rest)
        for key, data in expected(ROUNDS)["adjudications"].items():
            demand(key in found["adjudications"], f"{key} was not judged")
            latest = msgspec.json.decode(found["adjudications"][key][-1])
            if key.startswith(other.stream):
                demand(found["adjudications"][key] == data, f"{key} differs though its lines came in order")
            elif not moved:
                demand(found["adjudications"][key] == data, f"{key} differs though nothing was moved")
            else:
                plain = msgspec.json.decode(data[-1])
                doubt = latest["verdict"] in ("UNDETERMINED", plain["verdict"]) or latest["findings"]
                demand(bool(doubt), f"{key} is {latest['verdict']} without a word on the order")
        log.close()
    return times


# ------------------------------------------------------------------------------------------------------------- clocks


@fault(
    "clocks",
    "the log's clock days off, or running back",
    how="the appender's clock jumps by up to ± 3 days between groups",
    held="recorded times never decrease, findings the same bytes",
    quick=5,
    often=60,
)
def appender_clock(folder: Path, times: int) -> int:
    for place, rng in _turns(folder, times):

        def clock(rng: random.Random = rng) -> Iterator[int]:
            now = 1_773_500_000_000_000
            while True:
                now = max(0, now + rng.choice((1, 10**6, -5 * 10**6, 3 * DAY_US, -3 * DAY_US)))
                yield now

        log = _delivered(place, _lines(), clock())
        check(log, rounds=ROUNDS)
        for table in tables(ROUNDS):
            at = [msgspec.json.decode(record.data)["recorded_at_us"] for record in log.read(table.stream)]
            demand(at == sorted(at), "recorded times decrease")
        log.close()
    return times


@fault(
    "clocks",
    "a device's clock days off, or running back",
    how="a table's clock ± 3 days off, or 3 days back at some events",
    held="the clock is named (LOG-CLOCK); all other findings the same, or UNDETERMINED",
    quick=5,
    often=100,
)
def device_clock(folder: Path, times: int) -> int:
    def plain(record: bytes) -> tuple[str, list[str]]:
        stated = msgspec.json.decode(record)
        return stated["verdict"], sorted(each["code"] for each in stated["findings"] if each["code"] != "LOG-CLOCK")

    for place, rng in _turns(folder, times):
        lines, back = [], rng.random() < 0.5
        off = rng.choice((3 * DAY_US, -3 * DAY_US))
        for stream, drafts in groups(ROUNDS):
            for draft in drafts:
                shift = off if not back or rng.random() < 0.3 else 0
                lines.append(line_of(stream, _shifted(draft, shift)))
        log = _delivered(place, lines)
        demand(verify(log).ok, "a log with odd clocks is called broken")
        found = judge(log)
        for key, data in expected(ROUNDS)["adjudications"].items():
            demand(key in found["adjudications"], f"{key} was not judged")
            now, then = plain(found["adjudications"][key][-1]), plain(data[-1])
            demand(now[1] == then[1] or now[0] == "UNDETERMINED", f"{key}: {then} became {now}")
        log.close()
    return times


def _shifted(draft: Draft, us: int) -> Draft:
    return msgspec.structs.replace(draft, occurred_at_us=draft.occurred_at_us + us)


# ------------------------------------------------------------------------------------------------------------- poison


@fault(
    "poison",
    "a line of an unknown version, or of rubbish",
    how="a line of one table is replaced, each in turn",
    held="bytes in quarantine, a notice in its place, that round UNDETERMINED, the other table's findings the same bytes",
    quick=8,
    often=300,
)
def poisoned(folder: Path, times: int) -> int:
    table, other = tables(ROUNDS)
    places = list(range(2, table.last))
    for place, rng in _turns(folder, min(times, 2 * len(places))):
        at = places[int(place.name) % len(places)]
        line = line_of(table.stream, table.drafts[at])
        unknown = line.replace(b'"version":1', b'"version":99')
        bad = rng.choice((unknown, line[: len(line) // 2] + b"\xff\xfe" + line[len(line) // 2 :], line[:-9]))
        lines = [line_of(table.stream, draft) for draft in table.drafts]
        lines[at] = bad
        log = _delivered(place, lines + [line_of(other.stream, draft) for draft in other.drafts])
        demand(verify(log).ok, "a log with refused lines is called broken")
        demand([entry.data for entry in log.quarantined()] == [bad], "the refused bytes are not in quarantine")
        notice = msgspec.json.decode(list(log.read(table.stream))[at].data)
        demand(notice["type"] == IntakeRefused.TYPE, "the notice does not stand in the line's place")
        found = judge(log)
        round_no = table.drafts[at].round_no
        for key, data in expected(ROUNDS)["adjudications"].items():
            if key.startswith(other.stream):
                demand(found["adjudications"][key] == data, f"{key} differs though its table was not touched")
            elif round_no is not None and key.endswith(f"#{round_no}") and key in found["adjudications"]:
                verdict = msgspec.json.decode(found["adjudications"][key][-1])["verdict"]
                demand(verdict == "UNDETERMINED", f"{key} with a line missing is {verdict}")
        log.close()
    return min(times, 2 * len(places))


@fault(
    "poison",
    "a stored record that cannot be decoded",
    how="rubbish or an unknown version, its chain right, at each number",
    held="that stream stops there and says so; the other table's findings the same bytes",
    quick=8,
    often=60,
)
def undecodable(folder: Path, times: int) -> int:
    table, other = tables(ROUNDS)
    count = min(times, table.last)
    for place, rng in _turns(folder, count):
        log = _log(place / "floor.db")
        log.append_groups(groups(ROUNDS))
        records = list(log.read(table.stream))
        log.close()
        seq = 1 + int(place.name) * table.last // count
        bad = rng.choice((b"rubbish", records[seq - 1].data.replace(b'"version":1', b'"version":99'), b"[" * 5000))
        _store(place / "floor.db", records, seq, bad)
        reader = _log(place / "floor.db", read_only=True, check_heads=False)
        results = MemoryResults()
        run = Replay(reader, results)
        for _ in run.run():
            pass
        reader.close()
        said_ = " ".join(run.summary.integrity)
        demand(
            len(run.summary.integrity) == 1 and f"{table.stream} event {seq}" in said_,
            f"event {seq} cannot be decoded, said was {said_}",
        )
        for key, data in expected(ROUNDS)["adjudications"].items():
            if key.startswith(other.stream):
                demand(said(results)["adjudications"].get(key) == data, f"{key} differs")
    return count


def _store(path: Path, records: Sequence[Record], seq: int, data: bytes) -> None:
    hand = SqliteTamper(path)
    hand.replace(records[0].stream, seq, data)
    if seq > 1:
        hand.rechain(records[0].stream, seq)
        return
    first = link(genesis(LOG_ID, PROPERTY, records[0].stream), data)
    hand.execute("UPDATE events SET hash = ? WHERE stream = ? AND seq = 1", first, records[0].stream)
    hand.rechain(records[0].stream, 2)
