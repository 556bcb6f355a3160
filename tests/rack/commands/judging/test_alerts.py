"""`rack alerts`: sending, what is on view, acknowledging, and what is refused."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics.metrics import of_alarms
from rack.cli import main
from rack.settings import outbox_of
from tests.desk.alarms.receiving import SECRET_LINE, Receiver, answer, receiver
from tests.rack.commands.judging.command_line import judged
from tests.rack.commands.judging.test_review_incidents import MISDEAL

SETTINGS = """
form = "discard-rack alarms 1"
[receiver.desk]
url = "{url}"
secret_file = "desk.secret"
[role]
pit-boss = ["desk"]
[[route]]
to = "pit-boss"
"""


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as served:
        yield served


@pytest.fixture
def address(tmp_path: Path, there: Receiver, capsys: pytest.CaptureFixture[str]) -> str:
    address = judged(tmp_path, MISDEAL, capsys)
    for name, text in (("alarms.toml", SETTINGS.format(url=there.url)), ("desk.secret", SECRET_LINE)):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text(text)
    return address


def rack(capsys: pytest.CaptureFixture[str], address: str, *words: str, code: int = 0) -> str:
    assert main(["alerts", *words, "--log", address]) == code
    said = capsys.readouterr()
    assert SECRET_LINE[6:] not in said.out + said.err
    return said.out + said.err


def value(capsys: pytest.CaptureFixture[str], address: str, *words: str, code: int = 0) -> Any:
    assert main(["alerts", *words, "--log", address, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_test_goes_to_every_receiver(address: str, there: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    assert rack(capsys, address, "test") == "desk: taken (204)\n"
    assert [each["what"] for each in there.got] == ["test"]
    there.behavior = answer(401)
    (said,) = value(capsys, address, "test", "--receiver", "desk", code=1)
    assert (said["receiver"], said["taken"], said["said"]) == ("desk", False, "401")
    assert "the settings have desk" in rack(capsys, address, "test", "--receiver", "pager", code=2)


def test_an_incident_goes_out_is_listed_and_acknowledged(
    address: str, there: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    there.behavior = answer(500)
    rack(capsys, address, "send", "--once", "--past", code=1)
    (waiting,) = value(capsys, address, "messages")
    assert (waiting["state"], waiting["tries"], waiting["said"], waiting["receiver"]) == ("waiting", 1, "500", "desk")
    (alarm,) = value(capsys, address, "list", code=1)
    assert alarm["acknowledged_by"] is None
    incident = alarm["alarm"]["incident"]
    said = rack(capsys, address, "acknowledge", incident[:8], "--by", "M.Ortiz", "--reason", "on my way")
    assert said == "event 2: m.ortiz acknowledged the alarm: on my way\n"
    (alarm,) = value(capsys, address, "list")
    assert alarm["acknowledged_by"] == "m.ortiz"
    assert "1 waiting, 0 delivered, 0 dead" in rack(capsys, address, "messages")
    (family,) = of_alarms(outbox_of(address))
    assert {sample.labels["state"]: sample.value for sample in family.samples} == {"waiting": 1, "delivered": 0, "dead": 0}
    assert value(capsys, address, "retry") == {"revived": 0}


def test_without_an_outbox_there_are_no_figures(address: str) -> None:
    assert list(of_alarms(outbox_of(address))) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("messages",), "there is no outbox; rack alerts send makes it"),
        (("test", "--settings", "nowhere.toml"), "nowhere.toml: there are no settings of alarms"),
        (("acknowledge", "0f0f", "--by", "m.ortiz", "--reason", "x"), "no single finding matches '0f0f'"),
    ],
)
def test_what_is_missing_is_named(address: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str) -> None:
    assert why in rack(capsys, address, *words, code=2)


def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.secret"
    assert main(["alerts", "secret", str(file)]) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    made = file.read_text()
    assert made.startswith("whsec_")
    assert made.strip() not in "".join(capsys.readouterr())
    assert main(["alerts", "secret", str(file)]) == 3
    assert file.read_text() == made


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_runs_until_it_is_told_to_stop(address: str, there: Receiver, number: signal.Signals) -> None:
    words = [sys.executable, "-m", "rack.cli", "alerts", "send", "--past", "--log", address]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=os.environ) as sender:
        while not there.got and sender.poll() is None:
            time.sleep(0.05)
        sender.send_signal(number)
        _, said = sender.communicate()
    assert sender.returncode == 0
    assert said.decode().endswith("stopped; undelivered messages wait in the outbox\n")
    assert len(there.taken) == 1
