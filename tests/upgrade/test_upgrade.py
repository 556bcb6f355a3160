"""What the first release candidate left on its machine opens, verifies and goes on; packets verify in both directions.

`make.py` made what is kept, with that program's own code. The old program verifies with the libraries that are installed now.
"""

import contextlib
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from analytics.warehouse.warehouse import reading
from events.open import open_log, open_results
from rack.cli import main
from replay.findings import Adjudication
from replay.run.replayer import adjudications
from tests.desk.alarms.receiving import receiver
from tests.upgrade.make import ALARMS, AMENDED_DAY, HERE, PACKETS, TABLE, House

GAMES = {"dj_wild", "face_up_pai_gow", "fortune_asia", "over_under", "pai_gow_poker", "player_dealer"}
_OLD_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from rack.cli import main; sys.exit(main(sys.argv[1:]))"


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(HERE / name) as kept:
        kept.extractall(folder, filter="fully_trusted")
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> House:
    """The house as the old program left it; tests only read it."""
    return House(unpacked("house.tar.xz", tmp_path_factory.mktemp("kept")))


@pytest.fixture(scope="module")
def continued(tmp_path_factory: pytest.TempPathFactory) -> House:
    """The house after the present program played a round, judged it, signed, and made packets."""
    house = House(unpacked("house.tar.xz", tmp_path_factory.mktemp("continued")))
    house.play(5, AMENDED_DAY)
    house.rack("replay", "--warehouse", house.folder / "warehouse.duckdb", code=1)
    house.rack("checkpoint", "--key", house.folder / "demo.key")
    for name, (table, number) in {**PACKETS, "new": (TABLE, 5)}.items():
        made_by = ("--key", house.folder / "demo.key", "--by", "m.ortiz", "--reason", "upgrade drill")
        house.rack("dispute", table, number, *made_by, "--out", house.folder / "now" / name)
    return house


def standing(house: House) -> dict[tuple[str, int | None], Adjudication]:
    with contextlib.closing(open_results(house.address, read_only=True)) as results:
        return {(each.stream, each.round_no): each for each in adjudications(results)}


def test_what_is_kept_covers_what_it_should(kept: House) -> None:
    verdicts = standing(kept)
    assert {each.game for each in verdicts.values()} == GAMES
    assert verdicts[f"table/{TABLE}", 4].edition == 2
    assert (f"observed/{TABLE}", 1) in verdicts
    with contextlib.closing(open_log(kept.address, read_only=True)) as log:
        types = {json.loads(record.data)["type"] for stream in log.streams() for record in log.read(stream)}
    assert {"event_corrected", "chapter_published", "round_observed", "case_opened", "dispute_closed"} <= types
    assert verdicts[f"table/{TABLE}", 2].verdict == "UPHELD", "its late message came"


def test_log_results_and_checkpoints_verify(kept: House) -> None:
    kept.rack("verify", "--key", kept.folder / "demo.key.pub")


def test_a_case_and_its_history_are_read(kept: House, capsys: pytest.CaptureFixture[str]) -> None:
    kept.rack("case", "show", f"{TABLE}-c1")
    assert "the video shows ace high" in capsys.readouterr().out


@pytest.mark.slow
def test_the_log_goes_on_and_verifies_with_what_was_there(kept: House, continued: House) -> None:
    continued.rack("verify", "--verdicts", "--key", continued.folder / "demo.key.pub")
    before, after = standing(kept), standing(continued)
    assert after.keys() - before.keys() == {(f"table/{TABLE}", 5)}
    assert {key: after[key].verdict for key in before} == {key: each.verdict for key, each in before.items()}


def test_the_warehouse_is_fed_on(continued: House) -> None:
    with reading(continued.folder / "warehouse.duckdb") as warehouse:
        rounds = warehouse.execute("SELECT round_no FROM fct_rounds WHERE table_id = ?", [TABLE]).fetchall()
    assert {1, 2, 3, 4, 5} <= {number for (number,) in rounds}


def test_what_was_to_be_sent_is_sent(tmp_path: Path) -> None:
    house = House(unpacked("house.tar.xz", tmp_path))
    with receiver() as there:
        (house.folder / "alarms.toml").write_text(ALARMS.replace("http://127.0.0.1:9/alarms", there.url))
        house.rack("alerts", "send", "--once")
        assert there.got


def test_packets_of_the_old_program_verify(kept: House) -> None:
    packets = sorted((kept.folder / "packets").rglob("*.json"))
    assert len(packets) == len(PACKETS)
    for packet in packets:
        assert main(["verify", str(packet), "--key", str(kept.folder / "demo.key.pub")]) == 0, packet


@pytest.mark.slow
def test_packets_of_this_program_verify_with_the_old_one(continued: House, tmp_path: Path) -> None:
    program = unpacked("verifier.tar.xz", tmp_path)
    packets = sorted((continued.folder / "now").rglob("*.json"))
    assert len(packets) == len(PACKETS) + 1
    for packet in packets:
        words = ["verify", packet, "--key", continued.folder / "demo.key.pub"]
        run = subprocess.run([sys.executable, "-I", "-c", _OLD_PROGRAM, program, *words], capture_output=True, text=True)
        assert (run.returncode, "the same verdict" in run.stdout) == (0, True), run.stdout + run.stderr
