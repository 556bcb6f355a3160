"""Batch replay says what event replay says, byte for byte: over every planted fault of every game, and of odd streams."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from events.errors import IntegrityError
from events.log.contract import Record
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day import gaming_day
from replay.columns.batch import BatchTally, judged_results, replay_batch
from replay.columns.catalogue import games_in_columns
from replay.columns.round_table import FAR_BACK, MANIFEST, VERSION, RoundTable, TableError, build
from replay.columns.row_groups import LocalEngine
from replay.columns.table_check import differences
from replay.run.replayer import MemoryResults, Summary, Tally, replay
from tests.replay.streams import eventful, fill, paid
from tests.replay.tables import UNPAID, MemoryLog, Table, records_of_drafts

pytestmark = pytest.mark.kernels

KINDS = ("adjudications", "findings", "ledger")


class SimulatedLog(MemoryLog):
    """The log of a simulated day, in memory."""

    def __init__(self, groups: Iterable[tuple[str, Sequence[Draft]]]) -> None:
        super().__init__([])
        streams: dict[str, list[Draft]] = {}
        for stream, drafts in groups:
            streams.setdefault(stream, []).extend(drafts)
        self.records: dict[str, list[Record]] = {
            stream: records_of_drafts(stream, without_repeats(drafts)) for stream, drafts in streams.items()
        }
        self.all = [record for records in self.records.values() for record in records]


def without_repeats(drafts: Sequence[Draft]) -> list[Draft]:
    """What a log keeps: messages that a device sent twice are dropped."""
    return list({draft.event_id: draft for draft in drafts}.values())


def said(log: MemoryLog, folder: Path) -> dict[str, list[tuple[str, bytes]]]:
    """Build the table and replay by it; compare everything with a replay event by event, and return it."""
    single, batch = MemoryResults(), MemoryResults()
    expected = replay(log, single)
    build(log, folder)
    summary = replay_batch(log, batch, RoundTable(folder), LocalEngine())
    found = {kind: sorted(batch.results(kind)) for kind in KINDS}
    assert found == {kind: sorted(single.results(kind)) for kind in KINDS}
    assert batch.positions("") == single.positions("")
    assert batch.snapshots("") == single.snapshots("")
    assert (summary.findings, summary.verdicts) == (expected.findings, expected.verdicts)
    assert (summary.rounds, summary.events, summary.changed) == (expected.rounds, expected.events, expected.changed)
    return found


DAYS = {
    "face_up_pai_gow": (800, 200),
    "player_dealer": (320, 60),
    "pai_gow_poker": (320, 60),
    "dj_wild": (320, 60),
    "fortune_asia": (320, 60),
    "over_under": (400, 200),
}
"""Of each screened game: the rounds of a day in which every fault is planted, and how many at least are upheld in columns."""


@pytest.mark.parametrize("game", DAYS)
def test_every_planted_fault(game: str, tmp_path: Path) -> None:
    """A day with every fault planted: all that event replay finds, and most rounds in order upheld in columns."""
    rounds, least = DAYS[game]
    day = gaming_day.simulate(11, rounds, games=[game])
    log = SimulatedLog(day.groups())
    found = said(log, tmp_path)
    codes = {json.loads(data)["code"] for _, data in found["findings"] if b'"code"' in data}
    assert {label.code for label in day.labels} <= codes | {"LOG-SOURCE-REPEAT"}
    table, tally = RoundTable(tmp_path), BatchTally()
    results = list(judged_results(log, table, LocalEngine(), tally, with_adjudications=False))
    assert tally.upheld > least
    assert tally.upheld + tally.event_replayed == sum(entry.rounds for entry in table.manifest.files)
    told = {key for kind, key, _ in results if kind == "adjudications"}
    upheld = [json.loads(data) for key, data in found["adjudications"] if key not in told]
    of_rows = [each for each in upheld if each["stream"] in table.manifest.heads]
    assert len(of_rows) == tally.upheld
    assert {each["verdict"] for each in of_rows} == {"UPHELD"}


def test_every_game_is_judged_in_columns() -> None:
    assert {game.name for game in games_in_columns()} == set(SIMULATIONS) == set(DAYS)


def test_a_stream_in_which_much_happens(tmp_path: Path) -> None:
    """Corrections that reach far back: the stream has no rows, the others have."""
    plain = Table("table/fu-02")
    for number in range(1, 4):
        plain.play(number, UNPAID)
    said(MemoryLog([eventful(), plain]), tmp_path)
    manifest = RoundTable(tmp_path).manifest
    assert manifest.event_replay == {"table/fu-01": FAR_BACK}
    assert set(manifest.heads) == {"table/fu-02"}


def test_what_comes_late_is_told_with_its_round(tmp_path: Path) -> None:
    """A slip after the close, in the next round and between rounds; a gap filled later; a round that was never closed."""
    table = Table()
    table.say(fill(500_000))
    table.play(1, UNPAID)
    table.play(2, UNPAID.replace("close\n", ""))
    table.say(paid(), 1)
    table.play(3, UNPAID)
    table.say(paid(), 2)
    table.say(paid(), 3)
    table.play(4, UNPAID)
    table.play(5, UNPAID.replace("close\n", ""))
    said(MemoryLog([table]), tmp_path)


def test_an_open_round_is_taken_up_by_the_next_replay(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    table.play(2, UNPAID.replace("close\n", ""))
    results = MemoryResults()
    build(MemoryLog([table]), tmp_path)
    replay_batch(MemoryLog([table]), results, RoundTable(tmp_path), LocalEngine())
    table.say(paid(), 2)
    table.play(3, UNPAID)
    replay(MemoryLog([table]), results)
    whole = MemoryResults()
    replay(MemoryLog([table]), whole)
    assert dict(results.results("adjudications")) == dict(whole.results("adjudications"))


def test_what_was_appended_since_the_table_was_made_is_replayed(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    table.play(2, UNPAID)
    results = MemoryResults()
    summary = replay_batch(MemoryLog([table]), results, RoundTable(tmp_path), LocalEngine())
    assert summary.rounds == 2
    assert [key for key, _ in results.results("adjudications")] == ["table/fu-01#1", "table/fu-01#2"]


def test_a_broken_stream_has_no_rows(tmp_path: Path) -> None:
    table, whole = Table(), Table("table/fu-02")
    for each in (table, whole):
        each.play(1, UNPAID)
        each.play(2, UNPAID)
    log = MemoryLog([table, whole])
    log.broken["table/fu-01"] = 20
    manifest = build(log, tmp_path)
    assert list(manifest.heads) == ["table/fu-02"]
    assert "the bytes do not give the recorded hash" in manifest.event_replay["table/fu-01"]
    summary = replay_batch(log, MemoryResults(), RoundTable(tmp_path), LocalEngine())
    assert len(summary.integrity) == 1


def test_a_break_in_the_log_that_is_met_while_a_round_is_told(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    log = MemoryLog([table])
    build(log, tmp_path)
    log.broken["table/fu-01"] = 5
    with pytest.raises(IntegrityError):
        replay_batch(log, MemoryResults(), RoundTable(tmp_path), LocalEngine())


def test_a_batch_goes_into_new_results_only(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    log, results = MemoryLog([table]), MemoryResults()
    build(log, tmp_path)
    replay(log, results)
    with pytest.raises(TableError, match="hold verdicts already"):
        replay_batch(log, results, RoundTable(tmp_path), LocalEngine())


def test_a_batch_that_was_interrupted_is_run_again(tmp_path: Path) -> None:
    """Verdicts without positions: what it said already is said again, and dropped as a repeat."""
    table = Table()
    for number in range(1, 4):
        table.play(number, UNPAID)
    log, results = MemoryLog([table]), MemoryResults()
    build(log, tmp_path)
    first = next(judged_results(log, RoundTable(tmp_path), LocalEngine(), BatchTally()))
    results.commit("", {}, {}, [first])
    replay_batch(log, results, RoundTable(tmp_path), LocalEngine())
    keys = [key for key, _ in results.results("adjudications")]
    assert keys == [f"table/fu-01#{number}" for number in range(1, 4)]


def test_a_round_upheld_in_columns_that_is_revised_later_is_counted_once() -> None:
    tally = Tally()
    tally.upheld = 2
    tally.add([("adjudications", "table/fu-01#1", b'{"verdict":"VARIANCE","revision":2}')])
    tally.add([("adjudications", "table/fu-01#1", b'{"verdict":"UNDETERMINED","revision":3}')])
    tally.add([("adjudications", "table/fu-01#9", b'{"verdict":"UPHELD","revision":1}')])
    assert tally.into(Summary()).verdicts == {"UNDETERMINED": 1, "UPHELD": 2}


# ------------------------------------------------------------------------------------------------------- the table itself


def test_a_table_is_of_its_log(tmp_path: Path) -> None:
    table, other = Table(), Table()
    table.play(1, UNPAID)
    other.play(1, UNPAID.replace("25.00", "30.00"))
    build(MemoryLog([table]), tmp_path)
    with pytest.raises(TableError, match="is not the one the table was made from"):
        RoundTable(tmp_path).must_be_of(MemoryLog([other]))
    log = MemoryLog([table])
    log.log_id = "7f" * 16
    with pytest.raises(TableError, match="was made from log"):
        RoundTable(tmp_path).must_be_of(log)


def test_a_table_of_another_version_is_refused(tmp_path: Path) -> None:
    build(MemoryLog([Table()]), tmp_path)
    manifest = tmp_path / MANIFEST
    assert f'"version": {VERSION}' in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(f'"version": {VERSION}', f'"version": {VERSION - 1}'))
    with pytest.raises(TableError, match=f"version {VERSION - 1}, expected {VERSION}: .* make the table again"):
        RoundTable(tmp_path)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(TableError, match="holds no round table; name another folder"):
        build(MemoryLog([Table()]), tmp_path)
    with pytest.raises(TableError, match="`rack rounds --out"):
        RoundTable(tmp_path)


def test_a_table_made_again_replaces_the_files_it_no_longer_names(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    (before,) = tmp_path.glob("rounds/*/*/*.parquet")
    table.play(2, UNPAID)
    build(MemoryLog([table]), tmp_path)
    (after,) = tmp_path.glob("rounds/*/*/*.parquet")
    assert before != after
    assert differences(MemoryLog([table]), tmp_path) == []


def test_a_table_up_to_where_it_was_made_is_as_the_log_gives_it(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    table.play(2, UNPAID)
    assert differences(MemoryLog([table]), tmp_path) == []


def test_an_edited_table_is_found(tmp_path: Path) -> None:
    """A file that is not what the manifest names; and one to which the manifest was fitted."""
    table = Table()
    table.play(1, UNPAID)
    log = MemoryLog([table])
    build(log, tmp_path)
    (file,) = tmp_path.glob("rounds/*/*/*.parquet")
    whole = file.read_bytes()
    file.write_bytes(whole[:-20] + bytes(20))
    with pytest.raises(TableError, match="is not what the manifest names"):
        RoundTable(tmp_path).paths()
    assert ["is not what the manifest names" in each.what for each in differences(log, tmp_path)] == [True]
    rounds = pq.read_table(io.BytesIO(whole))
    later = pa.array([at + 1 for at in rounds.column("closed_at_us").to_pylist()], pa.int64())
    at = rounds.schema.get_field_index("closed_at_us")
    pq.write_table(rounds.set_column(at, rounds.schema.field(at), later), file)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["files"][0]["sha256"] = sha256(file.read_bytes()).hexdigest()
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert [each.what for each in differences(log, tmp_path)] == [
        "table/fu-01 round 1: closed_at_us not what the log gives"
    ]


def test_rules_that_are_not_those_of_the_digest(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    (text,) = (tmp_path / "rules").iterdir()
    text.write_text(text.read_text() + "# more")
    with pytest.raises(TableError, match="is not the text of that digest"):
        RoundTable(tmp_path).rules()
