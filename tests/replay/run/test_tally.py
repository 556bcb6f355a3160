"""What is in force is counted with the results, as a count of all results would have it; and a replay that goes on reads none."""

import random
from pathlib import Path

import pytest

from events.open import open_log, open_results
from floor.day.gaming_day import simulate
from replay.run.replayer import Replay, Summary, replay, standing
from replay.run.tally import StreamTally, kept, total
from tests.counting import Counting


def test_a_result_counts_in_the_place_of_the_one_before() -> None:
    tally, key = StreamTally(), "table/a#1"
    upheld, void = b'{"verdict":"UPHELD","revision":1}', b'{"verdict":"VOID","revision":2}'
    tally.add(("adjudications", key, upheld), None)
    tally.add(("adjudications", "table/a#2", upheld), None)
    tally.add(("adjudications", key, void), upheld)
    finding, gone = b'{"code":"PAY-OVER","stream":"table/a"}', b'{"withdrawn":true,"stream":"table/a"}'
    tally.add(("findings", "f", finding), None)
    assert total([tally]) == StreamTally({"UPHELD": 1, "VOID": 1}, {"PAY-OVER": 1})
    tally.add(("findings", "f", gone), finding)
    tally.add(("ledger", "table/a#9", b"{}"), None)
    assert total([tally]) == StreamTally({"UPHELD": 1, "VOID": 1}, {})


@pytest.mark.parametrize("seed", [3, 4])
def test_a_replay_in_pieces_counts_what_all_results_come_to(tmp_path: Path, seed: int) -> None:
    """Pieces end anywhere; late corrections revise verdicts and withdraw findings."""
    groups, chosen = list(simulate(seed, 40).groups()), random.Random(seed)
    chosen_events = [(stream, draft) for stream, drafts in groups for draft in drafts]
    log, results = open_log(f"sqlite://{tmp_path}/a.db", create=True, property_id="p"), None
    cuts = sorted(chosen.sample(range(1, len(chosen_events)), 8))
    for first, last in zip([0, *cuts], [*cuts, len(chosen_events)], strict=True):
        log.append_groups([(stream, [draft]) for stream, draft in chosen_events[first:last]])
        results = open_results(f"sqlite://{tmp_path}/a.db")
        said, counted = replay(log, results), standing(results, Summary())
        assert (said.verdicts, said.findings) == (counted.verdicts, counted.findings)
        again, of_log = Counting(results), Counting(log)
        said = replay(of_log, again)
        assert (said.verdicts, said.findings) == (counted.verdicts, counted.findings)
        assert (again.results_read, of_log.events_read) == (0, 0)
        results.close()
    log.close()


def test_where_nobody_counted_all_is_counted_once(tmp_path: Path) -> None:
    """Snapshots of an earlier version have no counts."""
    address = f"sqlite://{tmp_path}/a.db"
    log, results = open_log(address, create=True, property_id="p"), open_results(address)
    log.append_groups(list(simulate(5, 20).groups()))
    run = Replay(log, results)
    for _ in run.run():
        pass
    for worker in run._workers.values():
        worker.tally = None
    results.commit(run.engine, run.positions, {stream: run._workers[stream].snapshot() for stream in run.positions}, [])
    counted = standing(results, Summary())
    assert None in [kept(each) for each in results.snapshots(run.engine).values()]
    first, second = Counting(results, whole=True), Counting(results)
    for store in (first, second):
        said = replay(log, store)
        assert (said.verdicts, said.findings) == (counted.verdicts, counted.findings)
    assert first.results_read > 0
    assert second.results_read == 0
    results.close()
    log.close()
