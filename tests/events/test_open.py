"""Addresses of logs."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from events.errors import LogUnavailable
from events.open import open_log, open_results, parse_address


def test_a_log_and_its_results_on_one_machine(tmp_path: Path) -> None:
    address = f"sqlite://{tmp_path}/a%20b.db"
    with pytest.raises(LogUnavailable, match=r"no log at .*/a b\.db"):
        open_log(address)
    log = open_log(address, create=True, property_id="bellwether")
    results = open_results(address)
    assert (log.property_id, results.positions("x")) == ("bellwether", {})
    results.close()
    log.close()
    assert {path.name for path in tmp_path.iterdir()} >= {"a b.db", "a b.db.verdicts"}
    open_log(address, read_only=True).close()


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_log("sqlite:floor.db", create=True, property_id="bellwether").close()
    assert (tmp_path / "floor.db").is_file()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "floor.db",
        "/floor.db",
        "sqlite:",
        "sqlite:///",
        "sqlite://host/floor.db",
        "kafka://host",
        "kafka:///prefix",
        "postgres://host/floor",
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    for open_ in (open_log, open_results):
        with pytest.raises(LogUnavailable, match="no address of a log"):
            open_(address)


def test_kafka_is_imported_when_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, dict[str, Any]]] = []
    module = ModuleType("events.kafka.log")
    for name in ("KafkaLog", "KafkaResults"):
        setattr(module, name, lambda address, **options: given.append((address, options)))
    monkeypatch.setitem(sys.modules, "events.kafka.log", module)
    open_log("kafka://broker:9092/bellwether", read_only=True)
    open_results("kafka://broker:9092/bellwether")
    assert given == [("kafka://broker:9092/bellwether", {"read_only": True}), ("kafka://broker:9092/bellwether", {})]
    assert parse_address("kafka://broker:9092/bellwether/") == ("kafka", "broker:9092/bellwether")


def test_no_backend_is_imported_before_it_is_named() -> None:
    script = "import sys, events.open; print(*sorted({'apsw', 'kafka'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
