"""`rack live` as it is run: rounds are judged and planted faults found while it runs, and it ends in order."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from rack.cli import main
from rack.opening import log_at, results_at
from replay.run.replayer import adjudications, findings
from tests.faults.gateway import free_port
from tests.kafka_broker import new_address
from tests.rack.live.test_supervision import runs, until
from trial.live.log import judge_rest, make_log, prepare
from trial.live.parts import LiveSite
from trial.live.simulated_floor import ACCOUNT, Account, turns

WAIT_LIMIT_S = 240.0
GAME = "face_up_pai_gow"


@contextmanager
def live(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`rack live` at high speed, once its pages are up, and their address."""
    command = [sys.executable, "-m", "rack.cli", "live", "--out", "floor", "--speed", "30", "--games", GAME]
    command += ["--port", str(free_port()), "--gateway-port", str(free_port()), "--json", *arguments]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            said = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield process, json.loads(said)["url"]
        finally:
            process.kill()


def environment() -> Mapping[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}


def parts(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in children.split()]


def await_findings(address: str) -> None:
    """Wait until rounds were judged and faults found, while it runs."""
    deadline = time.monotonic() + WAIT_LIMIT_S
    with closing(results_at(address, read_only=True)) as results:
        while len(adjudications(results)) < 20 or not findings(results):
            assert time.monotonic() < deadline, "no finding came"
            time.sleep(0.2)


def check_stored(address: str, folder: Path) -> None:
    """Everything that was answered is in the log, which verifies."""
    account = json.loads((folder / "floor" / "floor.json").read_bytes())
    assert account["ends"]
    with closing(log_at(address, read_only=True)) as log:
        for stream, end in account["ends"].items():
            assert log.head(stream).seq == end, stream
    assert main(["verify", "--log", address, "--key", str(folder / "floor" / "demo.key.pub")]) == 0


def check_lives(address: str, folder: Path, *arguments: str) -> None:
    with live(folder, *arguments) as (process, url):
        with closing(HTTPConnection(url.removeprefix("http://"), timeout=WAIT_LIMIT_S)) as pages:
            pages.request("GET", "/")
            assert pages.getresponse().status == 200
        await_findings(address)
        children = parts(process)
        for _ in range(2):  # to a group of processes a signal often comes twice at once
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        said = process.communicate(timeout=WAIT_LIMIT_S)[1]
        assert process.returncode == 0, said
    assert not any(map(runs, children))
    account = json.loads((folder / "floor" / "floor.json").read_bytes())
    planted = len(account["planted"])
    assert planted
    assert f"{planted} found; 0 false alarms" in said, said
    check_stored(address, folder)


@pytest.mark.slow
@pytest.mark.parametrize(("whole", "left_out"), [(False, 1), (True, 0)])
def test_a_floor_ended_between_a_round_and_its_correction_raises_no_false_alarm(
    tmp_path: Path, whole: bool, left_out: int
) -> None:
    """A slip that a message still to come puts right is no fault of the round, and no error of who found it."""
    address = prepare(tmp_path / "floor", None)
    site = LiveSite(
        out=tmp_path / "floor",
        log=address,
        games=["player_dealer"],
        gateway_port=0,
        pages_port=0,
        start_us=1_773_500_400_000_000,
        speed=1.0,
        seed=3,
    )
    make_log(site)
    played = list(islice(turns(site.start_us, site.seed, site.games), 3))
    groups = [(stream, drafts) for turn in played for stream, drafts in turn.groups if stream != "property/main"]
    place = next(
        (number, at)
        for number, (_, drafts) in enumerate(groups)
        for at, draft in enumerate(drafts)
        if draft.payload.TYPE == "event_corrected"
    )
    stream, drafts = groups[place[0]]
    unfinished = set() if whole else {(stream, drafts[place[1]].round_no or 0)}
    if not whole:
        groups[place[0]] = (stream, drafts[: place[1]])
    with closing(log_at(address)) as log:
        log.append_groups(groups)
    labels = [label for turn in played for label in turn.labels]
    account = Account({"stored": 1}, {}, labels, labels, unfinished)
    (site.out / ACCOUNT).write_bytes(msgspec.json.encode(account))
    day = judge_rest(site)
    assert (list(day.false_alarms), day.left_out, list(day.missed)) == ([], left_out, [])
    assert ("1 round not over" in day.summary) is not whole
    with site.results() as results:
        assert any(each.round_no == 2 for each in findings(results)) is not whole, "the correction decides"


@pytest.mark.nightly  # as the next one, but for the store, which the one after it has
@pytest.mark.slow
def test_a_floor_is_judged_while_it_plays_and_ends_in_order(tmp_path: Path) -> None:
    check_lives(f"sqlite://{tmp_path}/floor/floor.db", tmp_path)


@pytest.mark.nightly
@pytest.mark.kafka
@pytest.mark.slow
def test_a_floor_is_judged_while_it_plays_on_kafka(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the high-water files lie in the working folder
    address = new_address()
    check_lives(address, tmp_path, "--log", address)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_log_is_whole_when_it_is_killed_and_no_part_stays(tmp_path: Path) -> None:
    address = f"sqlite://{tmp_path}/floor/floor.db"
    with live(tmp_path) as (process, _):
        await_findings(address)
        children = parts(process)
        process.kill()
        until(lambda: not any(map(runs, children)))
    with closing(results_at(address, read_only=True)) as results:
        assert adjudications(results)
    check_stored(address, tmp_path)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_part_that_dies_ends_the_others_and_is_named(tmp_path: Path) -> None:
    with live(tmp_path) as (process, _):
        children = parts(process)
        gateway = next(pid for pid in children if b"gateway" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"))
        os.kill(gateway, signal.SIGKILL)
        said = process.communicate(timeout=WAIT_LIMIT_S)[1]
        assert process.returncode == 3
    assert "gateway ended by itself with SIGKILL" in said
    assert not any(map(runs, children))


@pytest.mark.nightly
@pytest.mark.slow
def test_ctrl_c_twice_ends_it_at_once(tmp_path: Path) -> None:
    with live(tmp_path) as (process, _):
        children = parts(process)
        os.kill(children[0], signal.SIGSTOP)  # a floor that does not end
        process.send_signal(signal.SIGINT)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_LIMIT_S)
        assert process.returncode == 130
    assert not any(map(runs, children))


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        assert main(["live", "--out", str(tmp_path / "floor"), "--gateway-port", str(port)]) == 3
    assert f"port {port} on 127.0.0.1 is taken; choose another with --gateway-port" in capsys.readouterr().err
    assert not (tmp_path / "floor").exists()


def test_two_ports_that_are_one_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = str(free_port())
    assert main(["live", "--out", str(tmp_path), "--port", port, "--gateway-port", port]) == 2
    assert "name the same port" in capsys.readouterr().err


@pytest.mark.slow
def test_a_log_that_holds_events_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports = ["--port", str(free_port()), "--gateway-port", str(free_port())]
    main(["demo", "--rounds", "5", "--out", str(tmp_path / "demo"), "--quiet"])
    address = f"sqlite://{tmp_path}/demo/floor.db"
    before = (tmp_path / "demo" / "floor.db").read_bytes()
    assert main(["live", "--out", str(tmp_path / "floor"), "--log", address, *ports]) == 2
    assert "already holds events" in capsys.readouterr().err
    assert (tmp_path / "demo" / "floor.db").read_bytes() == before


@pytest.mark.parametrize("speed", ["0", "-1", "1001", "nan", "fast"])
def test_a_speed_that_is_none_is_refused(speed: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["live", "--speed", speed])
    assert ended.value.code == 2
