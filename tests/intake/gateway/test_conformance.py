"""The conformance kit: a gateway keeps what it promises, and one that does not is found out."""

from pathlib import Path
from typing import Any

import pytest

from events.sqlite.log import SqliteLog
from intake.appending import LineOutcome
from intake.devices import add_device
from intake.errors import IntakeError
from intake.gateway import app, messages
from intake.gateway.conformance import Kit
from tests.intake.gateway.conftest import Served, opening, serving


def broken(kit: Kit) -> list[str]:
    return [outcome.promise for outcome in kit.run() if outcome.instead is not None]


def test_the_gateway_keeps_its_promises(gateway: Served) -> None:
    kit = Kit(f"http://127.0.0.1:{gateway.port}", "conform", None)
    assert [outcome.instead for outcome in kit.run()] == [None] * 11


def test_the_gateway_with_devices_keeps_its_promises(path: Path, tmp_path: Path) -> None:
    devices = tmp_path / "devices.toml"
    token = add_device(devices, "conform", ["conform"], None, "2026-11-23T08:00:00Z")
    with serving(opening(path), devices) as served:
        kit = Kit(f"http://127.0.0.1:{served.port}", "conform", token)
        assert [outcome.instead for outcome in kit.run()] == [None] * 13
        log = SqliteLog(path, read_only=True)
        assert log.streams() == [kit.stream]
        log.close()


def test_a_gateway_that_forgets_repeats_is_found_out(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    real = messages._answer

    def answer(number: int, outcome: LineOutcome) -> Any:
        return real(number, LineOutcome(outcome.stream, outcome.seq or 1, outcome.refused))

    monkeypatch.setattr(messages, "_answer", answer)
    found = broken(Kit(f"http://127.0.0.1:{gateway.port}", "conform", None))
    assert "The same event handed in again is a duplicate." in found


def test_a_gateway_without_a_limit_is_found_out(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BODY", 1 << 40)
    monkeypatch.setattr(app, "BODY_S", 0.05)
    found = broken(Kit(f"http://127.0.0.1:{gateway.port}", "conform", None))
    assert found == ["A body that is too large is refused with 413."]


def test_where_nobody_listens_every_promise_is_broken() -> None:
    assert len(broken(Kit("http://127.0.0.1:1", "conform", None))) == 11
    with pytest.raises(IntakeError, match="address of a gateway"):
        Kit("127.0.0.1:8600", "conform", None)
