"""The round table: of its log and version, whole, with rows of every game; what it cannot hold it says."""

import io
import json
import os
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from floor.day import gaming_day
from replay.run.replayer import MemoryResults, replay
from rulebook.catalogue import GAMES
from tests.replay.streams import eventful, paid
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table
from tests.whatif.simulated_log import SimulatedLog
from whatif.round_table import FAR_BACK, MANIFEST, VERSION, RoundTable, TableError, build, steady
from whatif.row_replayer import RowReplayer
from whatif.table_check import differences


def test_a_stream_that_was_corrected_far_back_has_no_rows(tmp_path: Path) -> None:
    plain = Table("table/fu-02")
    for number in range(1, 4):
        plain.play(number, UNPAID)
    manifest = build(MemoryLog([eventful(), plain]), tmp_path)
    assert manifest.event_replay == {"table/fu-01": FAR_BACK}
    assert set(manifest.heads) == {"table/fu-02"}


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


def test_a_table_of_another_engine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says was due may not be what this version says."""
    table = Table()
    table.play(1, UNPAID)
    log = MemoryLog([table])
    build(log, tmp_path)
    RoundTable(tmp_path).must_be_of(log)
    monkeypatch.setattr("replay.run.engine._digest", lambda *_: "another")
    with pytest.raises(TableError, match="which may settle rounds otherwise; make the table again"):
        RoundTable(tmp_path).must_be_of(log)


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
        RoundTable(tmp_path).paths("face_up_pai_gow")
    assert ["is not what the manifest names" in each.what for each in differences(log, tmp_path)] == [True]
    rounds = pq.read_table(io.BytesIO(whole))
    later = pa.array([at + 1 for at in rounds.column("closed_at_us").to_pylist()], pa.int64())
    at = rounds.schema.get_field_index("closed_at_us")
    pq.write_table(rounds.set_column(at, rounds.schema.field(at), later), file)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["files"][0]["sha256"] = sha256(file.read_bytes()).hexdigest()
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert [each.what for each in differences(log, tmp_path)] == ["table/fu-01 round 1: closed_at_us not what the log gives"]


@pytest.mark.parametrize("after", [2, 4])
def test_a_correction_that_does_not_count_is_replayed_with_the_round_it_names(after: int, tmp_path: Path) -> None:
    """It names an event by an id that is not its own, which shows only if that event is at hand."""
    table, steps = Table(), {}
    for number in range(1, 7):
        steps[number] = table.play(number, PAID)
        if number == after:
            table.correct(steps[after - 1]["wager_paid"], paid(cents=2000), event_id="ff" * 16)
    log, results = MemoryLog([table]), MemoryResults()
    manifest = build(log, tmp_path)
    replay(log, results)
    (path,) = RoundTable(tmp_path).paths("face_up_pai_gow")
    replayer = RowReplayer(log, RoundTable(tmp_path).rules())
    rows = [row for row in pq.read_table(path).to_pylist() if row["until_seq"]]
    found = {key: data for row in rows for kind, key, data in replayer.replay(row) if kind == "adjudications"}
    assert manifest.event_replay == {}
    assert found.keys() == {f"{table.stream}#{number}" for number in range(1, 7)}
    assert found == dict(results.results("adjudications"))


@pytest.mark.slow
def test_of_an_honest_floor_at_most_a_twentieth_goes_to_event_replay(tmp_path: Path) -> None:
    """Of all games; and no round of them for a patron who sits down, a deck's first round, or a second box."""
    floor = gaming_day.simulate(7, 100, games=tuple(GAMES), plant=False)
    manifest = build(SimulatedLog(floor.groups()), tmp_path)
    assert manifest.event_replay == {}
    rounds, ineligible = sum(entry.rounds for entry in manifest.files), RoundTable(tmp_path).ineligible()
    assert rounds >= 100 * len(GAMES)
    assert 0 < sum(ineligible.values()) <= rounds / 20, ineligible


def test_a_reader_keeps_the_table_that_it_began_with(tmp_path: Path) -> None:
    """Whatever is written meanwhile; and nothing of the reader is left."""
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    with steady(tmp_path) as reading:
        table.play(2, UNPAID)
        build(MemoryLog([table]), tmp_path)
        (entry,) = reading.manifest.files
        assert not (tmp_path / entry.path).exists()
        assert pq.read_table(reading.path(entry)).column("round_no").to_pylist() == [1]
        assert list(reading.rules()) == reading.manifest.rules
    with steady(tmp_path) as reading:
        (entry,) = reading.manifest.files
        assert pq.read_table(reading.path(entry)).column("round_no").to_pylist() == [1, 2]
        (tmp_path / entry.path).write_bytes(b"other")
        with pytest.raises(TableError, match=rf"^{tmp_path}/{entry.path} is not what the manifest names"):
            reading.path(entry)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "rounds", "rules"]


def test_a_reader_whose_table_was_replaced_before_it_had_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    link = os.link

    def written_meanwhile(old: Path, new: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        table.play(2, UNPAID)
        build(MemoryLog([table]), tmp_path)
        link(old, new)

    monkeypatch.setattr(os, "link", written_meanwhile)
    with steady(tmp_path) as reading:
        (entry,) = reading.manifest.files
        assert entry.rounds == 2
        reading.path(entry)


def test_rules_that_are_not_those_of_the_digest(tmp_path: Path) -> None:
    table = Table()
    table.play(1, UNPAID)
    build(MemoryLog([table]), tmp_path)
    (text,) = (tmp_path / "rules").iterdir()
    text.write_text(text.read_text() + "# more")
    with pytest.raises(TableError, match="is not the text of that digest"):
        RoundTable(tmp_path).rules()
