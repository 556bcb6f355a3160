"""`rack demo`, `simulate`, `replay` and the warehouse on one small floor."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

from analytics.warehouse.feed import Feed
from analytics.warehouse.floor_data import generation
from analytics.warehouse.warehouse import reading
from dashboards.sign_in.trial import PEOPLE
from desk.keys import SOURCE as KEYS_SOURCE
from desk.review import persons
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import SELDOM, simulate
from floor.faults.comparison import compare
from rack.cli import main
from rack.opening import log_at, results_at
from rack.settings import DEMO_SEED
from replay.run import replayer
from replay.run.memory_results import MemoryResults
from tests.contract.backends import in_rows
from tests.rack.shown_rounds import round_events
from tests.whatif.simulated_log import SimulatedLog
from trial.audit import hold_audit
from trial.demo import STAFF, prepare, register_staff
from trial.property_folder import PERSONS, PROPERTY, TrialRefused, demo_log

ROUNDS = 60
KEYS = {
    "events", "rounds", "findings", "planted", "found", "missed", "false_alarms", "legitimate", "overpaid_cents",
    "underpaid_cents", "events_per_s", "rounds_per_s",
}  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a demo ran; `exit` is its exit code."""
    out = tmp_path_factory.mktemp("demo")
    code = main(["demo", "--rounds", str(ROUNDS), "--out", str(out), "--quiet"])
    (out / "exit").write_text(str(code))
    return out


@pytest.fixture(scope="module")
def report(demo: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((demo / "demo.json").read_text())
    return said


@pytest.fixture
def address(demo: Path) -> str:
    return f"sqlite://{demo}/floor.db"


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_everybody_of_the_trial_login_is_registered_in_a_demo_with_the_same_role() -> None:
    named = {f"{person}@{PROPERTY}.example": role for person, (_, role) in STAFF.items()}
    assert named == {account: role for account, role in PEOPLE.items() if role}


def test_the_report_has_its_keys(report: dict[str, Any]) -> None:
    assert report.keys() >= KEYS
    assert report["rounds"] == ROUNDS
    assert report["events"] > ROUNDS * 30


def test_everything_planted_is_found_and_nothing_else(demo: Path, report: dict[str, Any]) -> None:
    assert (report["missed_faults"], report["false_alarm_findings"]) == ([], [])
    assert (report["missed"], report["false_alarms"], report["integrity"]) == (0, 0, [])
    assert report["found"] == report["planted"]
    assert (demo / "exit").read_text() == "0"


@pytest.mark.slow
def test_an_audit_finds_what_was_planted_in_it_and_nothing_else(demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path / "demo")
    address = f"sqlite://{tmp_path}/demo/floor.db"
    register_staff(tmp_path)
    with closing(log_at(address)) as log, closing(results_at(address)) as results:
        audit = hold_audit(log, results, persons.read(tmp_path / PERSONS), 5, by="m.ortiz")
    assert (audit.comparison.perfect, audit.comparison.planted) == (True, {"PAY-OVER": 1, "PAY-UNDER": 2})
    assert (audit.result.entered, audit.result.wrong, audit.result.basis) == (20, 3, "sampled")
    assert audit.result.sentence.startswith("3 of 20: between ")


def test_the_labels_are_kept_apart(demo: Path, report: dict[str, Any]) -> None:
    labels = json.loads((demo / "labels.json").read_text())
    assert len(labels["planted"]) == sum(report["planted"].values())


def test_verify_finds_the_log_whole(address: str, report: dict[str, Any], capsys) -> None:
    demo = Path(address.removeprefix("sqlite://")).parent
    assert main(["verify", "--log", address, "--key", str(demo / "demo.key.pub"), "--json"]) == 0
    verified = said(capsys)
    assert verified["events"] == verified["signed"]["events"] == report["events"], "the checkpoint covers everything"
    assert (verified["checkpoints"], verified["first_break"]) == (1, None)
    results = verified["results"]
    assert results["stated"] == results["results"] > 0, "and every result"
    assert verified["tables"] > 0


def test_a_second_replay_changes_nothing(address: str, report: dict[str, Any], capsys) -> None:
    code = main(["replay", "--log", address, "--json"])
    summary = said(capsys)
    assert (summary["events"], summary["rounds"], summary["changed"]) == (0, 0, 0)
    assert summary["findings"] == report["findings"]
    assert code == (1 if report["findings"] else 0)


def test_the_whole_log_judged_again_says_the_same(address: str, report: dict[str, Any], capsys) -> None:
    main(["replay", "--log", address, "--again", "--json"])
    summary = said(capsys)
    assert (summary["events"], summary["rounds"], summary["changed"]) == (report["events"], report["rounds"], 0)
    assert summary["findings"] == report["findings"]
    assert main(["replay", "--log", address, "--again", "--as-of", "1990-01-01T00:00:00Z"]) == 2


def test_as_of_an_event_that_is_not_there_yet_is_refused(address: str, capsys) -> None:
    assert main(["replay", "--log", address, "--as-of", "table/fu-01=99999999"]) == 2
    assert "--as-of table/fu-01=99999999: the stream ends at event " in capsys.readouterr().err


def test_as_of_an_earlier_event_judges_what_the_log_held_then(address: str, capsys) -> None:
    main(["verify", "--log", address, "--json"])
    stream = next(stream for stream in said(capsys)["streams"] if stream.startswith("table/"))
    main(["replay", "--log", address, "--as-of", f"{stream}=300", "--json"])
    assert said(capsys)["events"] == 300
    main(["replay", "--log", address, "--as-of", "1990-01-01T00:00:00Z", "--json"])
    assert said(capsys)["events"] == 0
    assert main(["replay", "--log", address, "--as-of", "table/nowhere=1"]) == 2
    assert "the log has no such stream" in capsys.readouterr().err


def test_what_other_rules_would_have_led_to(address: str, tmp_path: Path, capsys) -> None:
    from rulebook.chapters.rulebook import simple_submission

    (tmp_path / "rules.toml").write_text(simple_submission(paytables={"ace_high_bonus": "2"}))
    assert main(["replay", "--log", address, "--rules", str(tmp_path / "rules.toml"), "--json"]) == 1
    assert said(capsys)["rounds"] >= ROUNDS
    assert main(["replay", "--log", address, "--rules", str(tmp_path / "rules.toml"), "--follow"]) == 2


@pytest.mark.slow
def test_the_warehouse_of_a_replay_is_that_of_the_demo(demo: Path, address: str, tmp_path: Path) -> None:
    import duckdb

    main(["replay", "--log", address, "--warehouse", str(tmp_path / "w.duckdb"), "--quiet"])
    rows = []
    for path in (demo / "warehouse.duckdb", tmp_path / "w.duckdb"):
        with duckdb.connect(str(path), read_only=True) as db:
            rows.append(db.execute("SELECT * FROM fct_rounds ORDER BY ALL").fetchall())
    assert rows[0] == rows[1]
    assert len(rows[0]) == ROUNDS


@pytest.mark.slow
def test_simulate_and_ingest_give_the_demos_log(demo: Path, report: dict[str, Any], tmp_path: Path, capsys) -> None:
    day = tmp_path / "day.jsonl"
    assert main(["simulate", "--rounds", str(ROUNDS), "--out", str(day), "--json"]) == 0
    written = said(capsys)
    assert written["planted"] == sum(report["planted"].values())
    address = f"sqlite://{tmp_path}/floor.db"
    assert main(["ingest", written["office"], "--office", "--log", address, "--property", "bellwether", "--json"]) == 0
    stated = said(capsys)
    assert main(["ingest", written["out"], "--log", address, "--json"]) == 0
    taken = said(capsys)
    published = 1  # the demo's key
    assert stated["appended"] + taken["appended"] + published == report["events"]
    assert (stated["lines"] + taken["lines"], stated["refused"] + taken["refused"]) == (written["events"], [])
    main(["replay", "--log", address, "--json"])
    assert said(capsys)["findings"] == report["findings"]
    assert drafts_of(address) == drafts_of(f"sqlite://{demo}/floor.db")


def drafts_of(address: str) -> dict[str, list[Draft]]:
    """What was reported to each stream of a log, in order, but for the keys that were published."""
    with closing(log_at(address, read_only=True)) as log:
        told = {stream: [decode(record.data).draft() for record in log.read(stream)] for stream in log.streams()}
    return {stream: [each for each in drafts if each.source != KEYS_SOURCE] for stream, drafts in told.items()}


def test_simulate_into_no_folder(tmp_path: Path, capsys) -> None:
    assert main(["simulate", "--out", str(tmp_path / "nowhere" / "day.jsonl")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_what_feeds_the_warehouse(demo: Path) -> None:
    from events.sqlite.log import SqliteLog

    log = SqliteLog(demo / "floor.db", read_only=True)
    facts = Feed(log, MemoryResults(), {}).facts(None)
    assert (facts.currency, bool(facts.name), "/" in facts.time_zone) == ("USD", True, True)
    pieces = list(round_events(log))
    assert len({(piece.stream, piece.round_no) for piece in pieces}) == ROUNDS
    event = pieces[0].events[0]
    assert json.loads(event["payload"])
    assert len(event["hash"]) == 64
    log.close()


def test_a_demo_replaces_a_demo_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "demo folder"
    first = prepare(out, None)
    assert first == f"sqlite://{tmp_path}/demo%20folder/floor.db"
    (out / "floor.db").write_text("a demo's log")
    (out / "floor.db.high-water").write_text("")
    assert prepare(out, None) == first
    assert sorted(path.name for path in out.iterdir()) == ["demo.json"]
    (out / "demo.json").unlink()
    (out / "floor.db").write_text("somebody's log")
    with pytest.raises(TrialRefused, match="is not the log of a demo"):
        prepare(out, None)
    assert (out / "floor.db").read_text() == "somebody's log"


def test_a_demo_under_way_is_not_removed(tmp_path: Path) -> None:
    from events.errors import SecondWriter
    from events.open import open_log

    log = open_log(prepare(tmp_path, None), create=True, property_id="bellwether")
    with pytest.raises(SecondWriter):
        prepare(tmp_path, None)
    log.close()
    prepare(tmp_path, None)
    assert not (tmp_path / "floor.db").exists()


@pytest.mark.parametrize("way", [shutil.copytree, shutil.move])
def test_a_folder_that_was_copied_or_moved_works_on_its_own_log(demo: Path, tmp_path: Path, way: Any) -> None:
    original = shutil.copytree(demo, tmp_path / "original")
    place = tmp_path / "a place#2"
    way(str(original), str(place))
    assert demo_log(place) == f"sqlite://{quote(str(place))}/floor.db"
    with closing(log_at(demo_log(place) or "", read_only=True)) as log:
        assert log.streams()


def test_a_report_of_an_earlier_version_names_the_log_in_its_own_folder(demo: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(demo, tmp_path / "copy")
    report = json.loads((copy / "demo.json").read_text())
    (copy / "demo.json").write_text(json.dumps({**report, "log": f"sqlite://{demo}/floor.db"}))
    assert demo_log(copy) == f"sqlite://{copy}/floor.db"
    for elsewhere in ("kafka://broker:9092/demo", "sqlite:///srv/other.db"):
        (copy / "demo.json").write_text(json.dumps({**report, "log": elsewhere}))
        assert demo_log(copy) == elsewhere
    (copy / "demo.json").unlink()
    assert demo_log(copy) is None


@pytest.mark.parametrize("content", [b"", bytes(512), b"[1, 2]", b'{"log": 7}', b'{"seed": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_report_is_named(demo: Path, tmp_path: Path, capsys, content: bytes) -> None:
    copy = shutil.copytree(demo, tmp_path / "copy")
    (copy / "demo.json").write_bytes(content)
    assert main(["dashboard", "--out", str(copy)]) == 3
    assert f"{copy}/demo.json is not the report of a demo" in capsys.readouterr().err


def test_a_demo_on_a_log_that_holds_events_is_refused(address: str, tmp_path: Path, capsys) -> None:
    assert main(["demo", "--rounds", "5", "--out", str(tmp_path / "other"), "--log", address]) == 2
    assert "already holds events" in capsys.readouterr().err


def test_dashboard_without_a_warehouse(tmp_path: Path, capsys) -> None:
    assert main(["dashboard", "--read-only", "--out", str(tmp_path)]) == 2
    assert "no warehouse; run `rack replay --log ADDR --warehouse" in capsys.readouterr().err
    log = f"sqlite://{tmp_path}/floor.db"
    assert main(["dashboard", "--read-only", "--out", str(tmp_path), "--log", log]) == 2
    said = capsys.readouterr().err
    assert f"run `rack replay --log {log} --warehouse" in said
    assert "rack demo" not in said


def test_dashboard_serves_the_warehouse(demo: Path, monkeypatch, capsys) -> None:
    served: list[list[str]] = []

    class Done:
        returncode = 0

    monkeypatch.setattr("subprocess.run", lambda command, check, env: served.append(command) or Done())
    assert main(["dashboard", "--out", str(demo), "--port", "9001"]) == 0  # a demo's patrons are no one: no login, no flag
    assert any(str(demo / "warehouse.duckdb") in word for word in served[0])
    assert f"RACK_LOG=sqlite://{demo.resolve()}/floor.db" in served[0]
    assert "http://127.0.0.1:9001" in capsys.readouterr().err
    Done.returncode = 1
    assert main(["dashboard", "--read-only", "--out", str(demo)]) == 3
    assert "if port 8501 is in use" in capsys.readouterr().err


def test_the_dashboards_secrets_go_by_the_environment_only(demo: Path, monkeypatch) -> None:
    served: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        "subprocess.run", lambda command, check, env: served.append((command, env)) or SimpleNamespace(returncode=0)
    )
    monkeypatch.setenv("RACK_KAFKA_PASSWORD", "a-secret")
    warehouse = str(demo / "warehouse.duckdb")
    assert main(["dashboard", "--read-only", "--warehouse", warehouse, "--log", "kafka://broker:9092/floor"]) == 0
    ((command, environment),) = served
    assert "RACK_LOG=kafka://broker:9092/floor" in command
    assert not any("a-secret" in word for word in command)
    assert json.loads(environment["RACK_LOG_OPTIONS"]) == {"security": {"sasl_plain_password": "a-secret"}}


@pytest.mark.slow
def test_a_replay_that_follows_builds_the_warehouse_as_it_goes(address: str, tmp_path: Path, monkeypatch) -> None:
    follow = replayer.follow

    def follow_until_built(log, results, **options):
        until_s = time.monotonic() + 60
        for summary in follow(log, results, wait_s=0.01, **options):
            yield summary
            if (tmp_path / "w.duckdb").is_file():
                raise KeyboardInterrupt
            assert time.monotonic() < until_s

    monkeypatch.setattr(replayer, "follow", follow_until_built)
    main(["replay", "--log", address, "--follow", "--warehouse", str(tmp_path / "w.duckdb"), "--quiet"])
    with reading(tmp_path / "w.duckdb") as db:
        assert generation(db).rounds == ROUNDS


def test_what_ends_a_build_ends_the_replay_that_follows(address: str, tmp_path: Path, capsys) -> None:
    """The build runs next to the judging; that it cannot write is said as without `--follow`."""
    (tmp_path / "file").touch()
    command = ["replay", "--log", address, "--warehouse", str(tmp_path / "file" / "w.duckdb"), "--quiet"]
    alone = main(command), capsys.readouterr().err
    followed = main([*command, "--follow"]), capsys.readouterr().err
    assert followed == alone
    assert alone[0] == 3


# ------------------------------------------------------------------------------------------------------------- rack round


def a_round(address: str, capsys) -> tuple[str, int]:
    main(["verify", "--log", address, "--json"])
    return next(stream for stream in said(capsys)["streams"] if stream.startswith("table/")).partition("/")[2], 3


def test_a_recorded_round_as_a_transcript_with_its_verdict(address: str, capsys) -> None:
    table, number = a_round(address, capsys)
    code = main(["round", table, str(number), "--log", address, "--json"])
    judged = said(capsys)
    assert (judged["stream"], judged["round_no"]) == (f"table/{table}", number)
    assert code == (1 if judged["findings"] else 0)
    assert [event["seq"] for event in judged["events"]] == sorted(event["seq"] for event in judged["events"])
    assert {"round_opened", "cards_dealt"} <= {event["type"] for event in judged["events"]}
    main(["round", table, str(number), "--log", address])
    text = capsys.readouterr().out
    assert f"round {number} deck=" in text
    assert f"\n{judged['verdict']}: " in text
    assert text.startswith(judged["transcript"].rstrip("\n"))


def test_a_corrected_round_shows_what_counts_and_what_stood_there(demo: Path, tmp_path: Path, capsys) -> None:
    """Who had wagered is corrected to what the video shows; the round is shown with it, and the record is untouched."""
    log = tmp_path / "floor.db"
    for name in demo.glob("floor.db*"):
        if name.suffix != ".lock":
            (tmp_path / name.name).write_bytes(name.read_bytes())
    address = f"sqlite:///{log}"
    table, number = a_round(address, capsys)
    main(["round", table, str(number), "--log", address, "--json"])
    wager = next(event for event in said(capsys)["events"] if event["type"] == "wager_placed")
    opened = log_at(address, read_only=True)
    stored = next(decode(record.data) for record in opened.read(f"table/{table}") if record.seq == wager["seq"])
    opened.close()
    replacement = {"payload": wager["payload"] | {"bettor": "p-video"}, "round_no": number, "type": "wager_placed", "version": 1}
    line = {
        "event_id": "0" * 31 + "1",
        "occurred_at_us": wager["occurred_at_us"],
        "round_no": None,
        "source": "surveillance",
        "source_seq": 1,
        "stream": f"table/{table}",
        "type": "event_corrected",
        "version": 1,
        "payload": {
            "by": "s-1",
            "reason": "seen on video",
            "replacement": replacement,
            "supersedes_event_id": stored.event_id,
            "supersedes_seq": wager["seq"],
        },
    }
    (tmp_path / "correction.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["ingest", str(tmp_path / "correction.jsonl"), "--log", address]) == 0
    capsys.readouterr()
    main(["round", table, str(number), "--log", address, "--json"])
    shown = said(capsys)
    event = next(each for each in shown["events"] if each["seq"] == wager["seq"])
    assert event["payload"] == wager["payload"]
    assert event["corrected_by"]
    lines = shown["transcript"].splitlines()
    said_before = f"# event {wager['seq']} was: {event['sentence']}"
    at = next(index for index, each in enumerate(lines) if each.startswith(said_before))
    assert lines[at].endswith(f"; corrected by event {event['corrected_by']} (s-1: seen on video)")
    assert any(each.startswith(f"wager seat={wager['payload']['seat']} bettor=p-video ") for each in lines[at:])


def test_a_round_that_is_not_there(address: str, capsys) -> None:
    table, _ = a_round(address, capsys)
    assert main(["round", table, "9999", "--log", address]) == 2
    assert "has no round 9999; it has rounds 1 to" in capsys.readouterr().err
    assert main(["round", "nowhere", "1", "--log", address]) == 2
    assert f"has no table 'nowhere'; it has {table}" in capsys.readouterr().err


def test_a_break_hides_later_rounds_and_not_earlier_ones(demo: Path, tmp_path: Path, capsys) -> None:
    for file in demo.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    address = f"sqlite://{tmp_path}/floor.db"
    table, number = a_round(address, capsys)
    main(["round", table, str(number + 1), "--log", address, "--json"])
    next_round = said(capsys)["events"]
    in_rows(tmp_path / "floor.db")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        place = (f"table/{table}", next_round[2]["seq"])
        assert database.execute("DELETE FROM events WHERE stream = ? AND seq = ?", place).rowcount == 1
    assert main(["round", table, str(number), "--log", address]) in (0, 1)
    assert "later in this stream: LOG-GAP" in capsys.readouterr().err
    assert main(["round", table, str(number + 5), "--log", address]) == 4
    assert f"rack: table/{table} event {place[1]}: expected event" in capsys.readouterr().err
    for file in tmp_path.glob("floor.db.verdicts*"):
        file.unlink()  # what was judged before the break would stand
    capsys.readouterr()
    assert main(["replay", "--log", address]) == 4
    assert capsys.readouterr().err.count("LOG-GAP") == 1


def test_a_replay_that_goes_on_from_its_position_names_a_lost_tail(demo: Path, tmp_path: Path, capsys) -> None:
    for file in demo.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    address = f"sqlite://{tmp_path}/floor.db"
    table, _ = a_round(address, capsys)
    in_rows(tmp_path / "floor.db")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        stream = f"table/{table}"
        last = "SELECT max(seq) FROM events WHERE stream = ?"
        database.execute(f"DELETE FROM events WHERE stream = ? AND seq = ({last})", (stream, stream))
    assert main(["replay", "--log", address, "--json"]) == 4
    assert f"LOG-GAP {stream} event" in capsys.readouterr().err


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "rounds", "codes"),
    [
        ("fortune_asia", 300, 60),
        ("player_dealer", 300, 40),
        ("pai_gow_poker", 1100, 69),
        ("over_under", 300, 38),
        ("dj_wild", 900, 40),
    ],
)
def test_everything_planted_at_one_game_is_found_and_nothing_else(game: str, rounds: int, codes: int) -> None:
    """This many rounds of the demo's day plant every code whose time can come, in the tables' streams and the meters'."""
    day, results = simulate(DEMO_SEED, rounds, games=(game,), rare_every=SELDOM), MemoryResults()
    summary = replayer.replay(SimulatedLog(day.groups()), results)
    compared = compare(day.labels, replayer.findings(results))
    assert (compared.missed, compared.false_alarms, list(summary.integrity)) == ((), (), [])
    assert len(compared.planted) >= codes
