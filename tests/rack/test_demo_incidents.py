"""Every fault that a demo plants comes out as exactly one incident, in all games."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from events.sqlite.results import SqliteResults
from rack.cli import main
from replay.incidents import incidents_in
from replay.run.replayer import findings


@pytest.mark.slow
def test_every_planted_fault_of_a_demo_is_one_incident(tmp_path: Path) -> None:
    assert main(["demo", "--games", "all", "--rounds", "240", "--seed", "4711", "--out", str(tmp_path), "--quiet"]) == 0
    results = SqliteResults(tmp_path / "floor.db.verdicts")
    try:
        incidents = incidents_in(findings(results))
    finally:
        results.close()
    planted = Counter(
        (label["stream"], label["round_no"]) for label in json.loads((tmp_path / "labels.json").read_text())["planted"]
    )
    assert Counter((each.cause.stream, each.cause.round_no) for each in incidents) == planted
    assert json.loads((tmp_path / "demo.json").read_text())["incidents"] == planted.total()
    assert any(len(each.findings) > 5 for each in incidents)
