"""Every fault that a demo plants comes out as exactly one incident, in all games."""

import json
from collections import Counter
from pathlib import Path

import pytest

from events.sqlite.results import SqliteResults
from replay.incidents import incidents_in
from replay.run.replayer import findings


@pytest.mark.nightly
@pytest.mark.xdist_group("demo of all")
def test_every_planted_fault_of_a_demo_is_one_incident(demo_of_all: Path) -> None:
    results = SqliteResults(demo_of_all / "floor.db.verdicts", read_only=True)
    try:
        every = list(incidents_in(findings(results)))
    finally:
        results.close()
    # what was audited has a test of its own
    incidents = [each for each in every if not each.cause.stream.startswith("observed/")]
    planted = Counter(
        (label["stream"], label["round_no"]) for label in json.loads((demo_of_all / "labels.json").read_text())["planted"]
    )
    assert Counter((each.cause.stream, each.cause.round_no) for each in incidents) == planted
    assert json.loads((demo_of_all / "demo.json").read_text())["incidents"] == planted.total()
    assert any(len(each.findings) > 5 for each in incidents)
