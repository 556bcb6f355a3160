"""`rack warehouse`: a build reads what is new only, and again changes nothing; export; columns."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.warehouse import MODELS, reading, stamp
from events.vocabulary.codec import decode
from rack.cli import main
from rack.opening import desk, log_at, results_at
from replay.run.replayer import findings
from tests.analytics.warehouse.test_extending import contents
from tests.contract.backends import in_rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--rounds", "60", "--out", str(out), "--quiet"]) in (0, 1)
    return out


def log_of(folder: Path) -> str:
    return f"sqlite://{folder}/floor.db"


@pytest.mark.slow
def test_building_again_without_anything_new_leaves_the_file_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "warehouse.duckdb"
    before = stamp(path)
    assert main(["warehouse", "build", "--log", log_of(folder), "--warehouse", str(path)]) == 0
    assert "no new events or results; generation 1: 60 rounds" in capsys.readouterr().out
    assert stamp(path) == before
    assert main(["warehouse", "build", "--log", log_of(folder), "--warehouse", str(path), "--anew", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["built"], said["generation"], said["rounds"]) == (True, 2, 60)
    assert stamp(path) != before


@pytest.mark.slow
def test_what_was_reviewed_since_comes_in_and_only_that_is_read(folder: Path, tmp_path: Path) -> None:
    """A build that extends, after a note on a finding, holds what a build from nothing holds."""
    path, anew = tmp_path / "w", tmp_path / "anew"
    log, results = log_at(log_of(folder), read_only=True, check_heads=False), results_at(log_of(folder), read_only=True)
    assert build_warehouse(path, log, results)
    first = findings(results)[0]
    log.close()
    with desk(log_of(folder)) as open_desk:
        open_desk.note(first.id, note="seen on camera 4", by="s.lee")
    log = log_at(log_of(folder), read_only=True, check_heads=False)
    assert build_warehouse(path, log, results)
    assert build_warehouse(anew, log, results)
    assert not build_warehouse(path, log, results)
    log.close()
    results.close()
    with reading(path) as one, reading(anew) as other:
        assert contents(one, "stg_reviews")[0][0] == first.id
        for model in MODELS:
            assert contents(one, model) == contents(other, model), model


def break_the_chain(address: str, stream: str, seq: int) -> None:
    """Change a byte of a stored event, as somebody with access to the file could."""
    in_rows(Path(address.removeprefix("sqlite://")))
    with closing(sqlite3.connect(address.removeprefix("sqlite://"))) as database, database:
        where = "stream = ? AND seq = ?"
        ((data,),) = database.execute(f"SELECT data FROM events WHERE {where}", (stream, seq))
        database.execute(f"UPDATE events SET data = ? WHERE {where}", (data.replace(b"s", b"t", 1), stream, seq))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("stream", ["table/fu-01", "property/main"])
def test_a_broken_stream_is_taken_as_far_as_it_stands_and_named_and_the_others_whole(
    stream: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("floor.db", "floor.db.verdicts"):
        with closing(sqlite3.connect(folder / name)) as one, closing(sqlite3.connect(tmp_path / name)) as other:
            one.backup(other)
    whole, some, address = tmp_path / "whole", tmp_path / "some", f"sqlite://{tmp_path}/floor.db"
    assert main(["warehouse", "build", "--log", address, "--warehouse", str(whole)]) == 0
    break_the_chain(address, stream, 2)
    capsys.readouterr()
    assert main(["warehouse", "build", "--log", address, "--warehouse", str(some), "--json"]) == 4
    out, err = capsys.readouterr()
    assert err.startswith(f"LOG-SEAL {stream} event 2: ")
    assert json.loads(out)["integrity"] == [err.rstrip("\n")]
    with reading(whole) as one, reading(some) as other:
        rounds = [[row[:4] for row in contents(each, "fct_rounds")] for each in (one, other)]
        assert rounds[0] == rounds[1] != [], "verdicts are kept beside the log"
        kept = [row for row in contents(one, "round_events") if row[0] != stream]
        assert [row for row in contents(other, "round_events") if row[0] != stream] == kept != []


@pytest.mark.slow
def test_a_replay_of_a_broken_log_judges_the_others_builds_their_warehouse_and_says_so(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(folder / "floor.db")) as one, closing(sqlite3.connect(tmp_path / "floor.db")) as other:
        one.backup(other)
    address, path = f"sqlite://{tmp_path}/floor.db", tmp_path / "w"
    break_the_chain(address, "table/fu-01", 2)
    assert main(["replay", "--log", address, "--warehouse", str(path), "--json"]) == 4
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert said["integrity"] == [err.rstrip("\n")]
    assert said["rounds"] > 0
    with reading(path) as db:
        streams = {row[0] for row in contents(db, "fct_rounds")}
    assert "table/fu-02" in streams
    assert "table/fu-01" not in streams


def table_of(folder: Path) -> str:
    """Return the first of the tables."""
    with desk(log_of(folder), read_only=True) as at:
        return next(stream for stream in at.log.streams() if stream.startswith("table/")).partition("/")[2]


def custody(address: str) -> list[tuple[str, int | None, str, str]]:
    """Return who took what away, of every table."""
    with desk(address, read_only=True) as at:
        tables = [stream.partition("/")[2] for stream in at.log.streams() if stream.startswith("review/")]
        return [(table, each.round_no, each.by, each.says) for table in tables for each in at.review(table).custody]


def test_an_export_is_on_record_at_every_table_before_it_is_there(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--warehouse", str(folder / "warehouse.duckdb"), "--by", "a.chen", "--reason", "monthly report"]
    out = tmp_path / "out"
    assert main(["warehouse", "export", *at, "--out", str(out), "--format", "csv", "--tables", "fct_rounds", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["files"] == {str(out / "fct_rounds.csv"): 60}
    assert said["digest"] == sha256((out / "SHA256SUMS").read_bytes()).hexdigest()
    taken = custody(log_of(folder))
    assert [table for table, *_ in taken] == said["tables"] != []
    for _, round_no, by, says in taken:
        assert (round_no, by) == (None, "a.chen")
        assert says == f"exported the table as csv (SHA-256 {said['digest']}): monthly report"


def test_an_export_that_cannot_be_put_on_record_leaves_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No log is named; the log is another one; who asks has no name; a writer of the log keeps its turn."""
    monkeypatch.delenv("RACK_LOG", raising=False)
    warehouse, out = tmp_path / "alone.duckdb", tmp_path / "out"
    warehouse.write_bytes((folder / "warehouse.duckdb").read_bytes())
    words = ["warehouse", "export", "--warehouse", str(warehouse), "--out", str(out), "--tables", "fct_rounds"]
    before = custody(log_of(folder))

    def refused(*more: str, code: int, said: str) -> None:
        assert main([*words, *more]) == code
        assert said in capsys.readouterr().err
        assert list(out.iterdir()) == []
        assert custody(log_of(folder)) == before

    refused(code=2, said="name the log with --log")
    refused("--log", log_of(folder), "--by", "A. Chen", code=2, said="nothing was written")
    other = f"sqlite://{tmp_path}/other.db"
    day = tmp_path / "day.jsonl"
    assert main(["simulate", "--out", str(day), "--rounds", "6", "--quiet"]) == 0
    assert main(["ingest", str(day), "--log", other, "--property", "bellwether", "--quiet"]) == 0
    capsys.readouterr()
    refused("--log", other, code=2, said="the export is of")
    monkeypatch.setattr("events.log.turn.TURN_WAIT_S", 0.1)
    with closing(log_at(log_of(folder))) as log, log.turn():
        refused("--log", log_of(folder), code=3, said="is being written by process")


def test_a_proof_is_on_record_too(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = ["--log", log_of(folder), "--by", "a.chen"]
    table = table_of(folder)
    with desk(log_of(folder), read_only=True) as at:
        found = [(each.seq, decode(each.data).round_no) for each in at.log.read(f"table/{table}")]
    first = next(seq for seq, number in found if number == 1)
    assert main(["prove", table, "1", str(first), *log, "--reason", "for the court", "--out", str(tmp_path / "proof")]) == 0
    digest = sha256((tmp_path / "proof").read_bytes()).hexdigest()
    proofs = [(where, number) for where, number, _, says in custody(log_of(folder)) if digest in says]
    assert proofs == [(table, 1), (table, None)]  # event 1 opens the table, and is of no round
    capsys.readouterr()


def test_an_archive_that_is_handed_out_is_on_record_and_a_back_up_is_not(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = ["--log", log_of(folder)], tmp_path / "archive"
    before = custody(log_of(folder))
    assert main(["archive", *log, "--out", str(out), "--running"]) == 0
    assert custody(log_of(folder)) == before
    capsys.readouterr()
    assert main(["archive", *log, "--out", str(out), "--for", "the regulator", "--by", "a.chen", "--json"]) == 0
    digest = json.loads(capsys.readouterr().out)["digest"]
    taken = custody(log_of(folder))
    assert taken != before
    assert {each[3] for each in taken if each not in before} == {
        f"exported the table as archive (SHA-256 {digest}): archive for the regulator"
    }
    of_archive = ["1", "--log", f"archive://{out}", "--out", str(tmp_path / "proof")]
    assert main(["prove", table_of(folder), *of_archive]) == 0
    assert "an archive is read-only" in capsys.readouterr().err
    assert main(["archive", "--restore", str(out), "--log", f"sqlite://{tmp_path}/new.db", "--for", "x"]) == 2


@pytest.mark.slow
def test_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--warehouse", str(folder / "warehouse.duckdb")]
    assert main(["warehouse", "columns", *at]) == 0
    assert "fct_rounds" in capsys.readouterr().out
    assert main(["warehouse", "columns", *at, "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert "\n## fct_rounds\n" in printed
    assert "| `hold_percent` | DOUBLE |" in printed


@pytest.mark.parametrize(
    ("given", "said"), [([], "needs --out"), (["--out", "x", "--tables", "no"], "no table 'no'; the warehouse has")]
)
def test_what_cannot_be_exported(
    folder: Path, given: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["warehouse", "export", "--warehouse", str(folder / "warehouse.duckdb"), *given]) == 2
    assert said in capsys.readouterr().err
