"""What `docs/alarms.md` promises to whoever writes settings or a receiver holds."""

import json
import threading
from collections.abc import Iterator
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from desk.alarms.alarm import Message, to_body, trial_message
from desk.alarms.outbox import DAY_US, LONGEST_WAIT_US
from desk.alarms.schema import SCHEMA_PATH, schema
from desk.alarms.settings import read_settings
from desk.alarms.webhook import Webhook
from tests.desk.alarms.receiving import SECRET, SECRET_LINE

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "alarms.md").read_text("utf-8")
NOW_S = 1_772_399_640


def test_the_schema_is_that_of_the_messages() -> None:
    assert (ROOT / SCHEMA_PATH).read_text("utf-8") == schema()


def test_a_message_has_every_field_of_the_schema() -> None:
    fields = json.loads(schema())["$defs"]
    told = json.loads(to_body(trial_message("k", None)))
    assert sorted(told) == sorted(fields["Message"]["required"])
    assert sorted(told["alarm"]) == sorted(fields["Alarm"]["required"])
    assert msgspec.json.decode(to_body(trial_message("k", None)), type=Message) == trial_message("k", None)


def test_the_settings_shown_are_read(tmp_path: Path) -> None:
    file = tmp_path / "alarms.toml"
    file.touch(0o600)
    file.write_text((EXAMPLES / "alarms.toml").read_text("utf-8"))
    assert list(read_settings(file).receiver) == ["desk", "shift-mail"]


def test_the_times_told_are_those_kept() -> None:
    assert (LONGEST_WAIT_US, DAY_US) == (15 * 60 * 1_000_000, 24 * 3_600 * 1_000_000)
    assert "up to 15 minutes, for a day" in PAGE


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[dict[str, Any], str]]:
    """The receiver of the page, serving, and its address."""
    monkeypatch.chdir(tmp_path)
    Path("desk.secret").write_text(SECRET_LINE + "\n")
    names: dict[str, Any] = {"__name__": "shown"}
    exec((EXAMPLES / "alarm_receiver.py").read_text("utf-8"), names)
    server = HTTPServer(("127.0.0.1", 0), names["Alarms"])
    names["Alarms"].log_message = lambda *_: None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield names, f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_receiver_shown_takes_each_key_once_and_nothing_forged_or_old(
    shown: tuple[dict[str, Any], str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names, url = shown
    monkeypatch.setattr(names["time"], "time", lambda: NOW_S)
    body = to_body(trial_message("k", None))
    ours, forged = (Webhook(url, [secret], timeout_s=30) for secret in (SECRET, b"x" * 32))
    said = [ours.send("k", body, NOW_S + at).said for at in (0, 300, -300, 301, -301)]
    assert said == ["204", "204", "204", "401", "401"]
    assert forged.send("k", body, NOW_S).said == "401"
    assert capsys.readouterr().out == "test test A test of alarms\n"
