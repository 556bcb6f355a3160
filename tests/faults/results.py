"""What somebody does to the results next to a log on one machine, to positions and snapshots, and two replayers at once."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from analytics.integrity import streams as stream_statuses
from desk.review.desk import Desk
from events.errors import SecondWriter, UnreadableResult
from events.log.contract import EventLog, Head, ResultStore
from events.log.result_chain import ResultChains, ResultPosition, position_digest
from events.proofs.verify import VerificationReport, verify
from events.proofs.verify_results import StoredState, check_results
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.engine import shared_engine
from replay.run.replayer import Replay, Summary, findings, standing
from replay.run.verdict_check import check_verdicts
from tests.contract.backends import SqliteTamper
from tests.faults.floor import LOG_ID, PROPERTY, expected, groups, said, tables
from tests.faults.table import demand, fault

ROUNDS = 4
RESULTS = ("result_changed", "result_missing", "result_unreadable", "results_replaced", "position_changed")
TABLE = tables(ROUNDS)[0].stream
RESTORED = "named with stream and place; `--again` brings the same bytes back and says so"


class Place(NamedTuple):
    """A log on this machine and the results next to it."""

    path: Path

    @property
    def verdicts(self) -> Path:
        return self.path.with_name(self.path.name + ".verdicts")

    def log(self, **options: bool) -> SqliteLog:
        return SqliteLog(self.path, property_id=PROPERTY, log_id=LOG_ID, **options)

    def hand(self) -> SqliteTamper:
        return SqliteTamper(self.verdicts)

    def append(self, some: Iterable[Any]) -> None:
        with closing(self.log(create=not self.path.exists())) as log:
            log.append_groups(list(some))

    def replay(self, *, again: bool = False) -> Summary:
        with closing(self.log(read_only=True)) as log, closing(SqliteResults(self.verdicts)) as results:
            return replayed(log, results, again=again)

    def verify(self) -> VerificationReport:
        with closing(self.log(read_only=True)) as log, closing(SqliteResults(self.verdicts, read_only=True)) as store:
            return verify(log, results=StoredState(store, store.positions(shared_engine()), store.misfits(shared_engine())))

    def judged_again(self) -> list[str]:
        with closing(self.log(read_only=True)) as log, closing(SqliteResults(self.verdicts, read_only=True)) as store:
            return check_verdicts(log, store).failures()

    def results(self) -> list[tuple[Any, ...]]:
        with closing(SqliteResults(self.verdicts, read_only=True)) as store:
            return sorted(store.stored())

    def copy(self, folder: Path) -> Place:
        folder.mkdir()
        for ending in ("", ".high-water", ".verdicts"):
            shutil.copyfile(f"{self.path}{ending}", folder / f"floor.db{ending}")
        return Place(folder / "floor.db")


def replayed(log: EventLog, results: ResultStore, *, again: bool = False) -> Summary:
    run = Replay(log, results, again=again)
    for _ in run.run():
        pass
    return run.summary


def whole(folder: Path, part: float = 1.0) -> Place:
    """Return a log with its first part judged."""
    place = Place(folder / "floor.db")
    place.append(groups(ROUNDS)[: int(len(groups(ROUNDS)) * part)])
    place.replay()
    return place


def must_be_named(report: VerificationReport, stream: str, what: str) -> None:
    named = [each.stream for each in report.breaks if each.kind in RESULTS]
    demand(stream in named, f"{what}: {stream} is not named, but {report.breaks}")
    demand(all(each.kind in RESULTS for each in report.breaks), f"{what}: the log is called broken: {report.breaks}")


def must_be_restored(place: Place, honest: list[tuple[Any, ...]], stream: str, what: str) -> None:
    told = place.replay(again=True).judged_again
    demand(any(line.startswith(f"{stream}:") for line in told), f"{what}: the program did not name {stream}: {told}")
    demand(place.results() == honest, f"{what}: other results than before")
    report = place.verify()
    demand(report.ok, f"{what}: still called broken: {report.breaks}")
    demand(not place.judged_again(), f"{what}: judged again, they differ still")


# -------------------------------------------------------------------------------------------------- results on one machine

Attack = Callable[[SqliteTamper, random.Random], str]
"""Alters results, and returns the stream that must be named."""


def _row(hand: SqliteTamper, rng: random.Random) -> tuple[int, str, bytes]:
    (pos, stream, data) = rng.choice(hand.execute("SELECT pos, stream, data FROM records"))
    return pos, stream, data


def _findings_gone(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("DELETE FROM records WHERE kind = 'findings'")
    return TABLE


def _one_gone(hand: SqliteTamper, rng: random.Random) -> str:
    pos, stream, _ = _row(hand, rng)
    hand.execute("DELETE FROM records WHERE pos = ?", pos)
    return stream


def _end_gone(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("DELETE FROM records WHERE stream = ? AND place > ?", TABLE, rng.randrange(4))
    return TABLE


def _stream_gone(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("DELETE FROM records WHERE stream = ?", TABLE)
    return TABLE


def _upheld(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("UPDATE records SET data = CAST(replace(data, 'VARIANCE', 'UPHELD') AS BLOB) WHERE kind = 'adjudications'")
    return TABLE


def _other_amount(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("UPDATE records SET data = CAST(replace(data, '\"difference_cents\":-', '\"difference_cents\":-9') AS BLOB)")
    return TABLE


def _other_key(hand: SqliteTamper, rng: random.Random) -> str:
    hand.execute("UPDATE records SET key = ? WHERE kind = 'adjudications' AND key = ?", f"{TABLE}#99", f"{TABLE}#1")
    return TABLE


def _flipped(hand: SqliteTamper, rng: random.Random) -> str:
    pos, stream, data = _row(hand, rng)
    altered = bytearray(data)
    altered[rng.randrange(len(altered))] ^= 1 << rng.randrange(8)
    hand.execute("UPDATE records SET data = ? WHERE pos = ?", bytes(altered), pos)
    return stream


def _swapped(hand: SqliteTamper, rng: random.Random) -> str:
    (one,), (other,) = hand.execute("SELECT pos FROM records WHERE stream = ? ORDER BY pos LIMIT 2", TABLE)
    for before, after in ((one, -1), (other, one), (-1, other)):
        hand.execute("UPDATE records SET pos = ? WHERE pos = ?", after, before)
    return TABLE


def _elsewhere(hand: SqliteTamper, rng: random.Random) -> str:
    pos, stream, _ = _row(hand, rng)
    hand.execute("UPDATE records SET stream = 'table/no-01' WHERE pos = ?", pos)
    return stream


REMOVALS: tuple[Attack, ...] = (_findings_gone, _one_gone, _end_gone, _stream_gone)
ALTERATIONS: tuple[Attack, ...] = (_upheld, _other_amount, _other_key, _flipped, _swapped, _elsewhere)


def _attacked(folder: Path, times: int, attacks: tuple[Attack, ...]) -> int:
    original = whole(folder)
    honest = original.results()
    for turn in range(times):
        place, attack = original.copy(folder / str(turn)), attacks[turn % len(attacks)]
        stream = attack(place.hand(), random.Random(turn))
        must_be_named(place.verify(), stream, attack.__name__)
        must_be_restored(place, honest, stream, attack.__name__)
    return times


@fault(
    "results",
    "results removed",
    how="all findings; any result; the end of a chain; all of a stream, deleted in the store",
    held=RESTORED,
    quick=4,
    often=60,
)
def removed(folder: Path, times: int) -> int:
    return _attacked(folder, times, REMOVALS)


@fault(
    "results",
    "a result altered",
    how="verdicts, amounts, keys, any bit; two exchanged; one put among those of another stream",
    held=RESTORED,
    quick=6,
    often=90,
)
def altered(folder: Path, times: int) -> int:
    return _attacked(folder, times, ALTERATIONS)


def rechain(hand: SqliteTamper) -> None:
    """Compute all places, hashes and heads again, as whoever knows the format can."""
    chains = ResultChains()
    for pos, kind, key, data in hand.execute("SELECT pos, kind, key, data FROM records ORDER BY pos"):
        made = chains.extend(kind, key, data)
        sql = "UPDATE records SET stream = ?, place = ?, hash = ? WHERE pos = ?"
        hand.execute(sql, made.stream, made.place, made.hash, pos)
    hand.execute("DELETE FROM chains")
    for stream, head in chains.heads.items():
        hand.execute("INSERT INTO chains VALUES (?, ?, ?)", stream, head.seq, head.hash)


@fault(
    "results",
    "results altered and their chain computed anew",
    how="removed or altered, then every place, hash and head made to fit",
    held="named where a checkpoint states their head, and by `rack verify --verdicts`; `--again` brings the same bytes back",
    quick=3,
    often=40,
)
def rechained(folder: Path, times: int) -> int:
    original = whole(folder)
    honest = original.results()
    with closing(SqliteResults(original.verdicts, read_only=True)) as store:
        stated = {stream: [head] for stream, head in store.chain_heads().items()}
    attacks = (_findings_gone, _upheld, _end_gone, _other_amount)
    for turn in range(times):
        place, attack = original.copy(folder / str(turn)), attacks[turn % len(attacks)]
        attack(place.hand(), random.Random(turn))
        rechain(place.hand())
        with closing(SqliteResults(place.verdicts, read_only=True)) as store:
            named = {each.stream for each in check_results(StoredState(store), stated).faults}
        demand(TABLE in named, f"{attack.__name__}: the checkpoint's statement is contradicted, named is {named}")
        lines = place.judged_again()
        demand(any(TABLE in line for line in lines), f"{attack.__name__}: judging again names {lines}")
        place.replay(again=True)
        demand(not place.judged_again(), f"{attack.__name__}: judged again, they differ still")
        with closing(SqliteResults(place.verdicts, read_only=True)) as store:
            for kind, records in expected(ROUNDS).items():
                demand(said(store)[kind] == records, f"{attack.__name__}: other {kind} than before")
        if attack is not _findings_gone and attack is not _end_gone:  # what is only missing comes at the end
            demand(place.results() == honest, f"{attack.__name__}: another chain than before")
    return times


@fault(
    "results",
    "a stored result that cannot be read",
    how="rubbish, no object, an object of other fields in the place of each kind",
    held="an integrity error that names the result, never a traceback; " + RESTORED,
    quick=4,
    often=24,
)
def unreadable(folder: Path, times: int) -> int:
    original = whole(folder)
    honest = original.results()
    for turn in range(times):
        place = original.copy(folder / str(turn))
        kind = ("adjudications", "findings")[turn % 2]
        rubbish = (b"\xff\xfe", b"[1]", b'{"code":7}', b"")[turn % 4]
        place.hand().execute("UPDATE records SET data = ? WHERE kind = ?", rubbish, kind)
        must_be_named(place.verify(), TABLE, kind)
        with closing(SqliteResults(place.verdicts, read_only=True)) as store:
            try:
                standing(store, Summary()) if kind == "adjudications" else findings(store)
                demand(False, f"{kind}: rubbish was read")
            except UnreadableResult as error:
                demand(kind in str(error), f"{kind}: said was {error}")
        must_be_restored(place, honest, TABLE, kind)
    return times


# ---------------------------------------------------------------------------------------------- positions and snapshots


def _other_rules(image: bytes, rng: random.Random) -> bytes:
    """The highest wager is a dollar: rules that no one filed."""
    return image.replace(b'max = "100000.00"', b'max = "000001.00"')


def _any_bit(image: bytes, rng: random.Random) -> bytes:
    altered_image = bytearray(image)
    altered_image[rng.randrange(len(image))] ^= 1 << rng.randrange(8)
    return bytes(altered_image)


def _cut(image: bytes, rng: random.Random) -> bytes:
    return image[: rng.randrange(len(image))]


SNAPSHOTS = (_other_rules, _any_bit, _cut)


@fault(
    "results",
    "a snapshot altered",
    how="the rules in it, any bit, cut off; an earlier snapshot, or another table's, put in its place",
    held="thrown away and said; everything is judged again by the rules that were filed: the same bytes",
    quick=5,
    often=60,
)
def snapshots(folder: Path, times: int) -> int:
    for name in ("earlier", "half"):
        (folder / name).mkdir()
    earlier = whole(folder / "earlier", 0.25)
    old = dict(earlier.hand().execute("SELECT stream, data FROM snapshots"))
    original = whole(folder / "half", 0.5)
    images = dict(original.hand().execute("SELECT stream, data FROM snapshots"))
    for turn in range(times):
        place, rng = original.copy(folder / str(turn)), random.Random(turn)
        if turn % 5 < 3:
            image = SNAPSHOTS[turn % 5](images[TABLE], rng)
        else:
            image = old[TABLE] if turn % 5 == 3 else images[tables(ROUNDS)[1].stream]
        place.hand().execute("UPDATE snapshots SET data = ? WHERE stream = ?", image, TABLE)
        _goes_on(place, f"snapshot {turn % 5}")
    return times


def _goes_on(place: Place, what: str) -> None:
    """What does not fit is named, counted as unjudged, thrown away and said; the verdicts are those of an undisturbed run."""
    must_be_named(place.verify(), TABLE, what)
    place.append(groups(ROUNDS)[len(groups(ROUNDS)) // 2 :])
    with closing(place.log(read_only=True)) as log, closing(SqliteResults(place.verdicts, read_only=True)) as store:
        lag = {each.name: each.lag for each in stream_statuses(Desk(log, store))}
        demand(lag[TABLE] == log.head(TABLE).seq, f"{what}: {lag[TABLE]} events are called unjudged")
    told = place.replay().judged_again
    demand(any(line.startswith(f"{TABLE}:") for line in told), f"{what}: nothing was said: {told}")
    with closing(SqliteResults(place.verdicts, read_only=True)) as store:
        for kind, records in expected(ROUNDS).items():
            demand(said(store)[kind] == records, f"{what}: {kind} differ from those of the run without faults")
    demand(place.verify().ok and not place.judged_again(), f"{what}: still called broken")


@fault(
    "results",
    "a position raised",
    how="by one event, to the end, far past it; lowered; with the chain hash that the log has there",
    held="thrown away and said; later rounds are judged, and counted as unjudged until then",
    quick=4,
    often=40,
)
def positions(folder: Path, times: int) -> int:
    original = whole(folder, 0.5)
    end = {table.stream: table.last for table in tables(ROUNDS)}[TABLE]
    for turn in range(times):
        place = original.copy(folder / str(turn))
        ((seq,),) = place.hand().execute("SELECT seq FROM positions WHERE stream = ?", TABLE)
        to = (seq + 1, end, 2**53 - 1, seq - 1)[turn % 4]
        place.hand().execute("UPDATE positions SET seq = ? WHERE stream = ?", to, TABLE)
        _goes_on(place, f"position {seq} made {to}")
    return times


@fault(
    "results",
    "a position or snapshot forged with its digest",
    how="by turns a position raised past the end of a round, with the log's own chain hash, and other rules in the snapshot; the "
    "digest made to fit",
    held="`rack verify --verdicts` names the first difference; `--again` brings the right results",
    quick=2,
    often=20,
)
def forged_state(folder: Path, times: int) -> int:
    original = whole(folder, 0.5)
    original.append(groups(ROUNDS)[len(groups(ROUNDS)) // 2 :])
    with closing(original.log(read_only=True)) as log:
        heads = {record.seq: record.hash for record in log.read(TABLE)}
    sql = "SELECT seq, data FROM positions JOIN snapshots USING (engine, stream) WHERE stream = ?"
    ((seq, image),) = original.hand().execute(sql, TABLE)
    for turn in range(times):
        place, rng = original.copy(folder / str(turn)), random.Random(turn)
        to, forged_image = rng.randrange(max(heads) - 3, max(heads) + 1), image
        if turn % 2:
            to, forged_image = seq, _other_rules(image, rng)
        forge_state(place.hand(), Head(to, heads[to]), forged_image)
        place.replay()
        demand(any(TABLE in line for line in place.judged_again()), f"state {turn}: judging again names nothing")
        place.replay(again=True)
        demand(not place.judged_again(), f"state {turn}: judged again, they differ still")
        with closing(SqliteResults(place.verdicts, read_only=True)) as store:
            demand(said(store) == expected(ROUNDS), f"state {turn}: other results than those of the run without faults")
    return times


def forge_state(hand: SqliteTamper, head: Head, image: bytes) -> None:
    digest = position_digest(shared_engine(), TABLE, ResultPosition(head, image))
    hand.execute("UPDATE snapshots SET data = ? WHERE stream = ?", image, TABLE)
    sql = "UPDATE positions SET seq = ?, hash = ?, digest = ? WHERE stream = ?"
    hand.execute(sql, head.seq, head.hash, digest, TABLE)


@fault(
    "results",
    "a second replayer on one machine",
    how="started while the first is at work, before and after its commits",
    held="refused with a sentence that names the first; every revision is stored once",
    quick=1,
    often=10,
)
def second(folder: Path, times: int) -> int:
    for turn in range(times):
        (folder / str(turn)).mkdir()
        place = Place(folder / str(turn) / "floor.db")
        place.append(groups(ROUNDS))
        with closing(place.log(read_only=True)) as log, closing(SqliteResults(place.verdicts)) as first:
            run = Replay(log, first)
            for _ in run.run():
                try:
                    SqliteResults(place.verdicts).close()
                    demand(False, "a second replayer was let in")
                except SecondWriter as refused:
                    demand("another replayer" in str(refused), f"said was {refused}")
            demand(said(first) == expected(ROUNDS), "other results than those of the run without faults")
        place.replay()
    return times
