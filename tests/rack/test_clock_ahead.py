"""A clock that stepped into the future once: every command says so, and the alerts do not wait for that time (D841)."""

import json
import re
import time
from pathlib import Path

import pytest
import yaml

from events.log.clock import AHEAD_US
from rack.cli import main
from tests.contract.backends import SqliteTamper
from tests.dashboards.living import RULES, SHORT
from tests.device_lines import as_lines
from tests.rack.test_metrics import metrics

ROOT = Path(__file__).parents[2]
TABLE, HOUR_US = "table/fu-01", 3_600_000_000


class Floor:
    """A log that was written and signed while the clock ran ahead, and again after it was set right."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch, self.rounds = folder, monkeypatch, 0
        self.address = f"sqlite://{folder}/floor.db"
        self.offset_us = 0
        real = time.time_ns
        monkeypatch.setattr("time.time_ns", lambda: real() + 1_000 * self.offset_us)

    def __call__(self, *words: object, code: int = 0) -> None:
        assert main([*map(str, words), "--log", self.address]) == code

    def play(self) -> None:
        self.rounds += 1
        (self.folder / "rounds.txt").write_text(RULES + "".join(SHORT.format(number=n + 1) for n in range(self.rounds)))
        self("ingest", as_lines(self.folder / "rounds.txt"), "--property", "bellwether")

    def sign(self) -> None:
        if not (self.folder / "key").exists():
            self("keys", "new", self.folder / "key", "--by", "chief")
        self("checkpoint", "--key", self.folder / "key", "--seconds", "60")


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Floor:
    return Floor(tmp_path, monkeypatch)


def test_verify_names_the_first_event_and_checkpoint_of_the_future(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    floor.play()
    floor.sign()
    first = SqliteTamper(floor.folder / "floor.db")
    ends = max(seq for seq in range(1, 60) if _there(first, seq))
    floor.offset_us = HOUR_US
    floor.play()
    floor.sign()
    floor.offset_us = 0
    floor.play()
    floor.sign()
    capsys.readouterr()
    floor("verify", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["ok"]
    named = {each["stream"]: each["seq"] for each in said["future"]}
    assert named[TABLE] == ends + 1
    assert named["checkpoints"] > 1
    floor("verify")
    assert "THE LOG'S CLOCK IS AHEAD" in capsys.readouterr().out
    floor("verify", "--since", "--json")
    assert {each["stream"] for each in json.loads(capsys.readouterr().out)["future"]} >= {TABLE, "checkpoints"}


def _there(hand: SqliteTamper, seq: int) -> bool:
    try:
        return bool(hand.data(TABLE, seq))
    except (TypeError, LookupError):
        return False


@pytest.mark.parametrize("words", [("replay",), ("ingest",), ("checkpoint",)], ids=lambda words: words[0])
def test_whoever_writes_judges_or_signs_says_so(floor: Floor, words: tuple[str], capsys: pytest.CaptureFixture[str]) -> None:
    floor.play()
    floor.sign()
    floor.offset_us = HOUR_US
    floor.play()
    floor.sign()
    floor.offset_us = 0
    capsys.readouterr()
    {"replay": lambda: floor("replay", code=1), "ingest": floor.play, "checkpoint": floor.sign}[words[0]]()
    assert "THE LOG'S CLOCK IS AHEAD" in capsys.readouterr().err


@pytest.mark.parametrize(("offset_us", "ahead"), [(0, False), (AHEAD_US - 5_000_000, False), (AHEAD_US + 5_000_000, True)])
def test_clocks_may_differ_by_a_minute(floor: Floor, offset_us: int, ahead: bool, capsys: pytest.CaptureFixture[str]) -> None:
    floor.offset_us = offset_us
    floor.play()
    floor.sign()
    floor.offset_us = 0
    capsys.readouterr()
    floor("verify", "--json")
    assert bool(json.loads(capsys.readouterr().out)["future"]) is ahead


def fires(alert: str, said: dict[str, float], now_s: float) -> bool:
    """Evaluate an alert that compares metrics, or a metric and a number, joined by `or`."""
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
    (expression,) = [each["expr"] for each in rules if each["alert"] == alert]
    for term in expression.split(" or "):
        left, right = (_value(side, said, now_s) for side in term.split(" > "))
        if left is not None and right is not None and left > right:
            return True
    return False


def _value(side: str, said: dict[str, float], now_s: float) -> float | None:
    if side == "time()":
        return now_s
    return float(side) if re.fullmatch(r"[0-9.]+", side) else said.get(side)


def test_an_overdue_checkpoint_of_the_future_is_told_by_its_age(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    from prometheus_client import CollectorRegistry

    from analytics import metrics as served
    from rack.commands.analysis.metrics import metrics_of

    floor.play()
    floor("replay", code=1)
    floor.offset_us = HOUR_US
    floor.sign()
    floor.offset_us = 0
    monkeypatch.setattr(served, "FRESH_S", -1.0)
    registry, at = CollectorRegistry(), metrics_of(floor.address)
    registry.register(at)

    def said() -> dict[str, float]:
        return {sample.name: sample.value for family in registry.collect() for sample in family.samples}

    now = said()
    assert now["rack_clock_ahead_seconds"] > 3_500
    assert fires("RackClockAhead", now, time.time())
    assert not fires("RackCheckpointMissing", now, time.time())
    later = time.monotonic() + 61
    monkeypatch.setattr(served.time, "monotonic", lambda: later)
    assert fires("RackCheckpointMissing", said(), time.time())


def test_a_checkpoint_of_now_is_told_by_its_own_time(floor: Floor) -> None:
    floor.play()
    floor("replay", code=1)
    floor.sign()
    said = metrics(floor.address)
    assert said["rack_checkpoint_age_seconds"] < 30
    assert said["rack_clock_ahead_seconds"] < 1
    assert not fires("RackClockAhead", said, time.time())
    assert not fires("RackCheckpointMissing", said, time.time())
    assert fires("RackCheckpointMissing", said, time.time() + 61)


def test_the_health_page_says_so(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK_WAREHOUSE", str(floor.folder / "none.duckdb"))  # a page that is imported is drawn
    from dashboards.pages.health import _of_log
    from rack.opening import desk

    for offset_us, state in ((0, "ok"), (HOUR_US, "act")):
        floor.offset_us = offset_us
        floor.play()
        floor("replay", code=1)
        floor.offset_us = 0
        with desk(floor.address, read_only=True) as at:
            assert _of_log(at)[0].state == state
