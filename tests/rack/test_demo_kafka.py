"""The same demo on a real broker: the same findings and verdicts, to the byte."""

import json
from pathlib import Path

import pytest

from events.open import open_results
from rack.cli import main
from tests.kafka_broker import new_address

pytestmark = pytest.mark.kafka

ROUNDS = 60


def concluded(address: str) -> dict[str, list[tuple[str, bytes]]]:
    results = open_results(address, read_only=True)
    try:
        return {kind: sorted(results.results(kind)) for kind in ("findings", "adjudications", "ledger")}
    finally:
        results.close()


def test_the_same_demo_on_kafka(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)  # the high-water files lie in the working folder
    kafka, sqlite = new_address(), f"sqlite://{tmp_path}/a/floor.db"
    codes = [
        main(["demo", "--rounds", str(ROUNDS), "--out", "a", "--json"]),
        main(["demo", "--rounds", str(ROUNDS), "--out", "b", "--log", kafka, "--json"]),
    ]
    assert codes[0] == codes[1]
    reports = [json.loads((tmp_path / out / "demo.json").read_text()) for out in ("a", "b")]
    own = {"events_per_s", "rounds_per_s", "seconds", "log", "out"}
    first, second = ({key: value for key, value in report.items() if key not in own} for report in reports)
    assert first == second
    assert concluded(sqlite) == concluded(kafka)
    capsys.readouterr()
    assert main(["verify", "--log", kafka, "--json"]) == 0
    verified = json.loads(capsys.readouterr().out)
    assert (verified["events"], verified["checkpoints"]) == (first["events"], 1)
    assert main(["demo", "--rounds", "5", "--out", "c", "--log", kafka]) == 2
    assert "already holds events" in capsys.readouterr().err
