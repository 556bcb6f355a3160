"""Metrics say what the log holds, and that it cannot be read where it cannot; the alerts ask for metrics that exist."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry

from analytics.metrics import PER_STREAM
from desk.review.desk import Desk
from events.kafka.development.broker import free_ports
from rack.cli import main
from rack.commands.analysis.metrics import metrics_of
from rack.opening import desk
from tests.counting import Counting
from tests.dashboards import living
from tests.dashboards.living import Living

ROOT = Path(__file__).parents[2]


@pytest.fixture
def floor(tmp_path: Path) -> Living:
    return living.make(tmp_path)


def metrics(address: str) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(metrics_of(address))
    return {
        "/".join([sample.name, *sample.labels.values()]): sample.value
        for family in registry.collect()
        for sample in family.samples
    }


def test_what_a_log_holds_and_what_waits(floor: Living) -> None:
    said = metrics(floor.log)
    assert said["rack_log_readable"] == 1
    assert said["rack_events/table/fu-01"] > 20
    assert said["rack_unjudged_events/table/fu-01"] == 0
    assert said["rack_stream_broken/table/fu-01"] == 0
    assert abs(said["rack_last_event_timestamp_seconds/table/fu-01"] - time.time()) < 86_400
    assert said["rack_incidents_waiting/high/open"] == 2
    assert said["rack_quarantined"] == 0
    assert "rack_checkpoint_timestamp_seconds" not in said  # nothing was signed


def test_a_scrape_reads_what_is_new_alone(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every stream its last event; of findings and reviews what came since the last scrape."""
    opened = list[tuple[Counting, Counting]]()

    @contextmanager
    def counted(*place: Any, **options: Any) -> Iterator[Desk]:
        with desk(*place, **options) as inner:
            inner.log, inner.results = Counting(inner.log), Counting(inner.results, whole=not opened)
            opened.append((inner.log, inner.results))
            yield inner

    def scraped() -> tuple[int, int]:
        at._read_at = float("-inf")
        list(at.collect())
        return opened[-1][0].events_read, opened[-1][1].results_read

    monkeypatch.setattr("rack.opening.desk", counted)
    at = metrics_of(floor.log)
    scraped()
    events, results = scraped()
    assert results == 0
    floor.play([3])
    assert scraped() == (events, 3), "the last result that was read, a verdict and its finding"
    floor.play([4, 5, 6])
    assert scraped() == (events, 7)


def test_what_was_not_judged_yet_and_what_was_refused(floor: Living, tmp_path: Path) -> None:
    day = tmp_path / "more.jsonl"
    day.write_text('{"stream":"table/fu-01","smudged":1}\n')
    floor.rack("ingest", str(day), code=1)
    said = metrics(floor.log)
    assert (said["rack_unjudged_events/table/fu-01"], said["rack_quarantined"]) == (1, 1)


def test_a_finding_that_was_disposed_of_waits_no_more(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["review", "list", "--log", floor.log, "--json"]) == 1
    first = json.loads(capsys.readouterr().out)[0]["finding"]["id"]
    by = ["--by", "m.ortiz", "--reason", "looked at"]
    assert main(["review", "resolve", first, "--disposition", "false_alarm", *by, "--log", floor.log]) == 0
    assert metrics(floor.log)["rack_incidents_waiting/high/open"] == 1


def test_how_far_the_log_is_signed(floor: Living, tmp_path: Path) -> None:
    key = str(tmp_path / "seal.key")
    floor.rack("keys", "new", key, "--by", "it-1", code=0)
    floor.rack("checkpoint", "--key", key, code=0)
    said = metrics(floor.log)
    assert said["rack_checkpoints_sound"] == 1
    assert abs(said["rack_checkpoint_timestamp_seconds"] - time.time()) < 86_400
    assert said["rack_checkpoint_events"] == sum(value for name, value in said.items() if name.startswith("rack_events/"))


def test_a_log_that_cannot_be_read_is_said_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"sqlite://{tmp_path}/gone.db"
    assert set(metrics(address)) == {"rack_log_readable", "rack_read_seconds"}
    assert metrics(address)["rack_log_readable"] == 0
    assert main(["metrics", "--once", "--log", address]) == 1


def test_a_log_whose_end_is_lost_is_broken(floor: Living, tmp_path: Path) -> None:
    import sqlite3

    with closing(sqlite3.connect(tmp_path / "floor.db")) as db, db:
        for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f'DROP TRIGGER "{trigger}"')
        db.execute("DELETE FROM events WHERE rowid = (SELECT max(rowid) FROM events)")
    said = metrics(floor.log)
    assert said.get("rack_log_readable") == 0 or any(
        value for name, value in said.items() if name.startswith("rack_stream_broken")
    )


def test_it_is_served_on_this_machine_only_and_ends_when_told(floor: Living) -> None:
    (port,) = free_ports(1)
    command = [sys.executable, "-c", "import sys; from rack.cli import main; sys.exit(main())"]
    process = subprocess.Popen([*command, "metrics", "--log", floor.log, "--port", str(port)], cwd=ROOT, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        assert b"127.0.0.1" in process.stderr.readline()
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            assert b'rack_events{stream="table/fu-01"}' in answer.read()
    finally:
        process.terminate()
        assert process.wait(timeout=30) == 0
        process.stderr.close()


def test_the_alerts_and_the_guide_name_metrics_that_exist(floor: Living) -> None:
    """Every name of the alerts is served, and every metric is in the operator's guide."""
    source = (ROOT / "analytics" / "metrics.py").read_text()
    there = {name for name, *_ in PER_STREAM} | set(re.findall(r'GaugeMetricFamily\(\s*"(rack_[a-z_]+)"', source))
    there |= {f"{name}_total" for name in re.findall(r'CounterMetricFamily\(\s*"(rack_[a-z_]+)"', source)}
    gateway = (ROOT / "intake" / "gateway" / "telemetry.py").read_text()
    there |= {f"{name}_total" for name in re.findall(r'Counter\(\s*"(rack_[a-z_]+)"', gateway)}
    there |= set(re.findall(r'(?:Gauge|Histogram|Summary)\(\s*"(rack_[a-z_]+)"', gateway))
    alerts = (ROOT / "deploy" / "prometheus" / "alerts.yml").read_text()
    assert set(re.findall(r"rack_[a-z_]+", alerts)) <= there
    guide = (ROOT / "docs" / "operator-guide.md").read_text()
    assert set(re.findall(r"`(rack_[a-z_]+)`", guide)) == there
