"""`rack gateway` and `rack devices` as they are run: who is let in, the desk at work next to them, and the end."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from intake.lines import line_of
from rack.cli import main
from tests.contract.drafts import TABLE, Drafts
from tests.desk.people import register_people
from tests.faults.gateway import await_answer, free_port

ROOT = Path(__file__).resolve().parents[4]
WAIT_LIMIT_S = 60.0


@contextmanager
def gateway(*arguments: object, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "rack.cli", "gateway", "--listen", f"127.0.0.1:{port}", *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def ended(process: subprocess.Popen[bytes]) -> str:
    """End a gateway as a supervisor does, and return what it said."""
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=WAIT_LIMIT_S)[1].decode()
    assert process.returncode == 0, said
    return said


def hand_in(port: int, *lines: bytes, **headers: str) -> tuple[int, list[str]]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_LIMIT_S)) as connection:
        connection.request("POST", "/v1/events", b"\n".join(lines), {"Content-Type": "application/x-ndjson", **headers})
        response = connection.getresponse()
        said = response.read()
        return response.status, [json.loads(line)["status"] for line in said.splitlines()] if response.status == 200 else []


@pytest.mark.slow
def test_the_desk_works_while_events_come_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--rounds", "40", "--out", str(tmp_path), "--quiet"])
    register_people(tmp_path)
    capsys.readouterr()
    address, port = f"sqlite://{tmp_path}/floor.db", free_port()
    main(["review", "list", "--log", address, "--json"])
    finding = json.loads(capsys.readouterr().out)[0]["finding"]
    table, drafts = finding["stream"].partition("/")[2], Drafts()
    proof = ["prove", table, "3", "--log", address, "--out", str(tmp_path / "proof"), "--by", "m.ortiz", "--reason", "asked for"]
    with gateway("--log", address, "--no-auth", port=port) as running:
        await_answer(port)
        assert hand_in(port, line_of(TABLE, drafts.day())) == (200, ["stored"])
        for command in (
            ["review", "note", finding["id"], "--by", "m.ortiz", "--reason", "looked at it", "--log", address],
            proof,
            ["checkpoint", "--log", address, "--key", str(tmp_path / "demo.key")],
        ):
            assert main([*command, "--quiet"]) == 0, capsys.readouterr().err
            assert hand_in(port, line_of(TABLE, drafts.wager())) == (200, ["stored"])
        said = ended(running)
        assert "gateway stopped" in said
        assert said.count('"status":200') == 4
    log = SqliteLog(tmp_path / "floor.db", read_only=True)
    assert log.head(TABLE).seq == 4
    assert any(b'"type":"finding_noted"' in record.data for record in log.read(f"review/{table}"))
    log.close()
    capsys.readouterr()
    assert main(["verify", "--log", address, "--key", str(tmp_path / "demo.key.pub"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]


def test_devices_are_added_listed_and_revoked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register, port, drafts = tmp_path / "devices.toml", free_port(), Drafts()
    assert main(["devices", "add", "table-07", "--devices", str(register)]) == 0
    token = capsys.readouterr().out.strip()
    credentials = {"Authorization": f"Bearer {token}"}
    options = ["--log", f"sqlite://{tmp_path}/floor.db", "--property", "bellwether", "--devices", register]
    with gateway(*options, port=port) as running:
        await_answer(port)
        assert hand_in(port, line_of(TABLE, drafts.day()))[0] == 401
        assert hand_in(port, line_of(TABLE, drafts.day()), **credentials) == (200, ["stored"])
        assert main(["devices", "revoke", "table-07", "--devices", str(register)]) == 0
        assert hand_in(port, line_of(TABLE, drafts.day()), **credentials)[0] == 401
        assert token.partition(".")[2] not in ended(running)
    capsys.readouterr()
    assert main(["devices", "list", "--devices", str(register), "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["device"], listed["sources"], bool(listed["revoked"])) == ("table-07", ["table-07"], True)
    assert "token" not in str(listed)


def test_a_device_speaks_its_profile_through_the_gateway(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiles = ROOT / "docs" / "profiles"
    sample = (profiles / "jackpot-controller.csv").read_bytes()
    assert main(["devices", "check", str(profiles / "jackpot-controller.toml"), str(profiles / "jackpot-controller.csv")]) == 0
    register, port = tmp_path / "devices.toml", free_port()
    profile = os.path.relpath(profiles / "jackpot-controller.toml", tmp_path)
    capsys.readouterr()
    main(["devices", "add", "jackpot", "--source", "controller", "--profile", profile, "--devices", str(register)])
    token = capsys.readouterr().out.strip()
    options = ["--log", f"sqlite://{tmp_path}/floor.db", "--property", "bellwether", "--devices", register]
    with gateway(*options, port=port) as running:
        await_answer(port)
        credentials = {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"}
        status, answers = hand_in(port, sample.rstrip(), **credentials)
        assert (status, set(answers), len(answers)) == (200, {"stored"}, sample.count(b"\n") - 1)
        assert set(hand_in(port, sample.rstrip(), **credentials)[1]) == {"duplicate"}
        assert hand_in(port, sample, Authorization=f"Bearer {token}")[0] == 415
        ended(running)


def test_a_file_in_a_vendors_words_is_ingested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiles, log = ROOT / "docs" / "profiles", f"sqlite:{tmp_path}/floor.db"
    sample = profiles / "jackpot-controller.csv"
    options = ["--profile", str(profiles / "jackpot-controller.toml"), "--log", log, "--property", "bellwether", "--json"]
    messages = len(sample.read_text().splitlines()) - 1
    assert main(["ingest", str(sample), *options]) == 0
    assert json.loads(capsys.readouterr().out)["appended"] == messages
    assert main(["ingest", str(sample), *options]) == 0
    assert json.loads(capsys.readouterr().out)["duplicates"] == messages
    bad = tmp_path / "bad.csv"
    bad.write_text("2026-04-06T10:00:00Z,m-01,1,BELL,,,,,,,,,,\n")
    assert main(["ingest", str(bad), *options]) == 1
    said = capsys.readouterr()
    assert f"{bad}:1" in said.err
    assert "which the profile does not map" in said.err
    assert main(["ingest", str(sample), "--office", *options]) == 2


def test_the_documented_first_events_are_answered_as_the_document_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "integrating-a-device.md").read_text("utf-8")
    shown = re.findall(r"--data-binary @- <<'EOF'\n(.*?)\nEOF\n(.*?)\n```", page, re.DOTALL)
    assert len(shown) == 2
    port = free_port()
    with gateway("--log", f"sqlite:{tmp_path}/trial.db", "--property", "trial", "--no-auth", port=port) as running:
        await_answer(port)
        for body, expected in shown:
            with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_LIMIT_S)) as connection:
                connection.request("POST", "/v1/events", body.encode(), {"Content-Type": "application/x-ndjson"})
                said = connection.getresponse().read().decode().rstrip("\n")
            assert re.sub(r'"sha256":"[0-9a-f]{64}"', '"sha256":"…"', said) == expected
        ended(running)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--devices FILE"),
        (["--no-auth", "--listen", "0.0.0.0:8600"], "lets everybody in"),
        (["--devices", "DEVICES", "--listen", "0.0.0.0:8600"], "in clear"),
        (["--devices", "DEVICES", "--tls-cert", "x.pem"], "both --tls-cert and --tls-key"),
        (["--no-auth", "--listen", "floor.example:8600"], "an IP address and a port"),
        (["--no-auth", "--listen", "127.0.0.1"], "an IP address and a port"),
        (["--devices", "DEVICES"], "no register of devices"),
    ],
)
def test_what_would_let_strangers_in_is_refused(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(tmp_path / "devices.toml") if each == "DEVICES" else each for each in arguments]
    log = f"sqlite://{tmp_path}/floor.db"
    assert main(["gateway", "--log", log, "--property", "bellwether", *given]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "floor.db").exists()


def test_an_address_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from intake.gateway.server import listen

    with listen("127.0.0.1", 0) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        options = ["--log", f"sqlite://{tmp_path}/floor.db", "--property", "bellwether", "--no-auth", "--listen", address]
        assert main(["gateway", *options]) == 3
    assert address in capsys.readouterr().err


def test_with_tls_the_token_does_not_cross_in_clear(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(made, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl to make a certificate with")
    port = free_port()
    options = ["--log", f"sqlite://{tmp_path}/floor.db", "--property", "bellwether", "--no-auth"]
    with gateway(*options, "--tls-cert", certificate, "--tls-key", key, port=port) as running:
        assert running.stderr is not None
        assert b"https://" in running.stderr.readline()
        context = ssl.create_default_context(cafile=str(certificate))
        with closing(HTTPSConnection("127.0.0.1", port, timeout=WAIT_LIMIT_S, context=context)) as connection:
            connection.request("GET", "/healthz")
            assert connection.getresponse().status == 200
        ended(running)
    assert main(["gateway", *options, "--tls-cert", str(key), "--tls-key", str(key), "--listen", f"127.0.0.1:{port}"]) == 3
    assert "PEM" in capsys.readouterr().err
