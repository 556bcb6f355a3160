"""Results next to the log: `rack verify`, `rack replay` and `rack checkpoint` on sound ones, and on what somebody altered."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from events.open import VERDICTS
from events.sqlite.results import SqliteResults
from rack.cli import main
from tests.contract.backends import SqliteTamper
from tests.faults.results import rechain
from tests.rack.commands.test_log_commands import TABLE
from tests.rack.commands.test_proof_commands import CommandRunner

OTHER_VERDICT = (
    'UPDATE records SET data = CAST(replace(replace(data, \'"verdict":"UPHELD"\', \'"verdict":"VOID"\'), '
    '\'"verdict":"UNDETERMINED"\', \'"verdict":"UPHELD"\') AS BLOB) WHERE kind = \'adjudications\''
)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandRunner:
    """A log with a key, judged."""
    desk = CommandRunner(tmp_path, capsys)
    desk.ingest()
    desk("keys", "new", desk.folder / "key", "--by", "chief")
    main(["replay", "--log", f"sqlite://{desk.folder}/floor.db"])
    capsys.readouterr()
    return desk


@pytest.fixture
def hand(desk: CommandRunner) -> SqliteTamper:
    return SqliteTamper(desk.folder / f"floor.db{VERDICTS}")


def again(desk: CommandRunner) -> Any:
    """Replay again, whatever the verdicts are; return the exit code, and what was said on stderr."""
    code = main(["replay", "--again", "--log", f"sqlite://{desk.folder}/floor.db"])
    return code, desk._capsys.readouterr().err


def stored(hand: SqliteTamper) -> list[Any]:
    return hand.execute("SELECT stream, place, kind, key, data, hash FROM records ORDER BY stream, place")


def test_sound_results_are_counted(desk: CommandRunner, hand: SqliteTamper) -> None:
    report = desk("verify", "--json")
    assert report["results"] == {"results": len(stored(hand)), "streams": 1, "stated": 0, "unchained": 0, "unread": 0}
    assert "no checkpoint states them" in desk("verify")
    desk("checkpoint", "--key", desk.folder / "key")
    assert desk("verify", "--json")["results"]["stated"] == len(stored(hand))
    desk("verify", "--verdicts")
    assert f"judged again: all {len(stored(hand))} result" in desk.out


def test_a_log_that_nobody_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = CommandRunner(tmp_path, capsys)
    desk.ingest()
    assert desk("verify", "--json")["results"]["results"] == 0
    desk("verify", "--verdicts", code=3)
    assert "there are no results next to the log; replay the log first" in desk.err


def test_an_altered_verdict_is_named_and_restored(desk: CommandRunner, hand: SqliteTamper) -> None:
    honest = stored(hand)
    hand.execute(OTHER_VERDICT)
    assert stored(hand) != honest
    report = desk("verify", "--json", code=4)
    assert (report["breaks"][0]["stream"], report["breaks"][0]["kind"]) == (TABLE, "result_changed")
    assert f"{TABLE} result {report['breaks'][0]['seq']}: " in report["failures"][0]
    assert "`rack replay --again` judges the stream again" in report["failures"][0]
    _, said = again(desk)
    assert f"{TABLE}: adjudications {TABLE}#1 is not what was stored: its bytes do not give the chain hash; all" in said
    assert "all were stored again (" in said
    assert stored(hand) == honest
    desk("verify", "--verdicts")


def test_a_rewritten_chain_is_named_by_judging_again_and_by_a_checkpoint(desk: CommandRunner, hand: SqliteTamper) -> None:
    desk("checkpoint", "--key", desk.folder / "key")
    hand.execute(OTHER_VERDICT)
    rechain(hand)
    report = desk("verify", "--json", "--verdicts", code=4)
    assert [each["kind"] for each in report["breaks"]] == ["results_replaced"]
    assert report["verdicts"]["differences"][0]["what"].startswith(("verdict: stored ", "due_", "undetermined: "))
    assert report["failures"][-1].startswith(f"judged again, {TABLE} result ")


def test_results_that_a_checkpoint_states_are_missed(desk: CommandRunner, hand: SqliteTamper) -> None:
    desk("checkpoint", "--key", desk.folder / "key")
    hand.path.unlink()
    report = desk("verify", "--json", code=4)
    assert [each["kind"] for each in report["breaks"]] == ["result_missing"]
    again(desk)
    desk("verify", "--verdicts")


def test_a_checkpoint_states_no_results_that_contradict_an_earlier_one(desk: CommandRunner, hand: SqliteTamper) -> None:
    desk("checkpoint", "--key", desk.folder / "key")
    hand.execute(OTHER_VERDICT)
    rechain(hand)
    desk("checkpoint", "--key", desk.folder / "key", code=4)
    assert "these results were not stated" in desk.err
    desk("verify", code=4)
    desk("checkpoint", "--key", desk.folder / "key", "--results-anew")
    assert desk("verify", "--json")["checkpoints"] == 3


def test_altered_positions_count_for_nothing(desk: CommandRunner, hand: SqliteTamper) -> None:
    hand.execute("UPDATE positions SET seq = seq + 1")
    report = desk("verify", "--json", code=4)
    assert {(each["stream"], each["kind"]) for each in report["breaks"]} >= {(TABLE, "position_changed")}
    honest = stored(hand)
    desk._capsys.readouterr()
    main(["replay", "--log", f"sqlite://{desk.folder}/floor.db"])
    assert "do not fit their digest" in desk._capsys.readouterr().err
    assert stored(hand) == honest
    desk("verify", "--verdicts")


def test_an_unreadable_result_is_an_integrity_failure(desk: CommandRunner, hand: SqliteTamper) -> None:
    hand.execute("UPDATE records SET data = x'5b' WHERE kind = 'adjudications'")
    rechain(hand)
    desk("replay")  # which reads on, and no result that it stored before
    desk("warehouse", "build", "--warehouse", desk.folder / "w", code=4)
    assert f"the stored adjudications {TABLE}#" in desk.err
    assert "Traceback" not in desk.err
    again(desk)
    desk("verify", "--verdicts")


def test_a_damaged_file_is_named(desk: CommandRunner, hand: SqliteTamper) -> None:
    hand.path.write_bytes(b"no database" * 100)
    report = desk("verify", "--json", code=4)
    assert [(each["stream"], each["kind"]) for each in report["breaks"]] == [("results", "result_unreadable")]


def test_a_store_from_before_chains_is_judged_again_and_chained(desk: CommandRunner, hand: SqliteTamper) -> None:
    honest = stored(hand)
    for column in ("stream", "place", "hash"):
        hand.execute("DROP INDEX IF EXISTS records_by_place")
        hand.execute(f"ALTER TABLE records DROP COLUMN {column}")
    for column in ("hash", "digest"):
        hand.execute(f"ALTER TABLE positions DROP COLUMN {column}")
    hand.execute("DROP TABLE chains; DROP TABLE discarded")
    assert "from before results were chained: nothing shows whether they were changed" in desk("verify")
    main(["replay", "--log", f"sqlite://{desk.folder}/floor.db"])
    assert "their chains begin now, and every round is judged again" in desk._capsys.readouterr().err
    assert stored(hand) == honest
    desk("verify", "--verdicts")


def test_a_second_replayer_is_refused(desk: CommandRunner, hand: SqliteTamper) -> None:
    with contextlib.closing(SqliteResults(hand.path)):
        desk("replay", code=3)
        assert "another replayer is at work" in desk.err
        desk("verify")
