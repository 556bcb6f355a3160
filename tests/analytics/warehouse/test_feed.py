"""Pieces come into a warehouse to what a build from nothing holds, and nothing else is read for them."""

import os
import random
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from analytics.warehouse.digests import Sums, computed_digests
from analytics.warehouse.feed import RESULTS_READ_AGAIN, build_warehouse
from analytics.warehouse.generations import Seal, Seals
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import simulate
from rack.opening import log_at, results_at
from replay.run.replayer import replay
from tests.counting import Counting
from trial.property_folder import PROPERTY

Groups = list[tuple[str, Sequence[Draft]]]
GAMES = ("face_up_pai_gow", "player_dealer", "fortune_asia")


@pytest.fixture(scope="module")
def day() -> Groups:
    """Rounds with every kind of fault and correction, over two gaming days."""
    return list(simulate(19, 60, games=GAMES).groups())


def rows(path: Path) -> dict[tuple[str, str], Any]:
    """Return the digest of every table, but of those that say how the file was built."""
    with closing(duckdb.connect(str(path), read_only=True)) as db:
        found = computed_digests(db, "main")
    return {place: each for place, each in found.items() if place[0] not in ("generation", "sources")}


class Floor:
    """A log on disk that grows, judged and brought into a warehouse after each piece."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.address, self.path, self.anew = f"sqlite://{folder}/floor.db", folder / "w", folder / "anew"

    def grow(self, groups: Groups, *, judge: bool = True) -> None:
        with closing(log_at(self.address, create=True, property_id=PROPERTY)) as log:
            log.append_groups(groups)
            if judge:
                with closing(results_at(self.address)) as results:
                    replay(log, results)

    def build(self, path: Path, **options: Any) -> tuple[bool, dict[str, str]]:
        broken: dict[str, str] = {}
        with (
            closing(log_at(self.address, read_only=True, check_heads=False)) as log,
            closing(results_at(self.address, read_only=True)) as results,
        ):
            return build_warehouse(path, log, results, broken=broken, **options), broken


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_pieces_of_any_size_come_to_what_a_build_from_nothing_holds(tmp_path: Path, day: Groups, seed: int) -> None:
    """A piece may end within a round, and events may come in before they are judged."""
    chosen, floor = random.Random(seed), Floor(tmp_path)
    cuts = sorted(chosen.sample(range(1, len(day)), 6))
    for number, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(day)], strict=True)):
        floor.grow(day[first:last], judge=number == 0 or last == len(day) or chosen.random() < 0.7)
        assert floor.build(floor.path) == (True, {})
        assert floor.build(floor.path) == (False, {})
    floor.build(floor.anew)
    assert rows(floor.path) == rows(floor.anew)


@pytest.mark.slow
def test_results_that_begin_again_take_the_place_of_the_old(tmp_path: Path, day: Groups) -> None:
    """An earlier copy of the results is put in place: the log is the same, and less of it is judged."""
    floor, verdicts = Floor(tmp_path), tmp_path / "floor.db.verdicts"
    floor.grow(day[:60])
    shutil.copy(verdicts, tmp_path / "earlier")
    floor.grow(day[60:120])
    floor.build(floor.path)
    os.replace(tmp_path / "earlier", verdicts)
    assert floor.build(floor.path) == (True, {})
    floor.build(floor.anew)
    assert rows(floor.path) == rows(floor.anew)


@pytest.mark.slow
def test_what_comes_after_a_result_that_was_altered_is_left_out_and_named(tmp_path: Path, day: Groups) -> None:
    floor = Floor(tmp_path)
    floor.grow(day[:60])
    floor.build(floor.path)
    before = rows(floor.path)
    floor.grow(day[60:100])
    with closing(sqlite3.connect(tmp_path / "floor.db.verdicts")) as store, store:
        changed = "CAST(replace(CAST(data AS TEXT), 'UPHELD', 'VOID') AS BLOB)"
        store.execute(f"UPDATE records SET data = {changed} WHERE kind = 'adjudications'")
    built, broken = floor.build(floor.path)
    assert built
    assert broken
    assert {code.split()[0] for code in broken.values()} == {"LOG-SEAL"}
    judged = ("stg_adjudications", "")
    assert rows(floor.path)[judged].rows - before[judged].rows < 40


def refreshed(folder: Path, groups: Groups, more: Groups) -> Counting:
    """Return what a build reads after some more was appended and judged."""
    floor = Floor(folder)
    floor.grow(groups)
    floor.build(floor.path)
    floor.grow(more)
    with closing(log_at(floor.address, read_only=True)) as log, closing(results_at(floor.address, read_only=True)) as results:
        counted, of_log = Counting(results), Counting(log)
        assert build_warehouse(floor.path, of_log, counted)
    counted.events_read, counted.bytes_read = of_log.events_read, counted.bytes_read + of_log.bytes_read
    return counted


@pytest.mark.nightly
def test_a_build_after_one_more_round_reads_that_round_and_no_more_with_more_history(tmp_path: Path, day: Groups) -> None:
    """Next to the new round: a bounded number of results that are read again in turn, and where each stream went on."""
    table = day[-1][0]
    of_table = [at for at, (stream, drafts) in enumerate(day) if stream == table and any(each.round_no for each in drafts)]
    for name, at in (("short", of_table[len(of_table) // 4]), ("whole", of_table[-1])):
        read = refreshed(tmp_path / name, day[:at], [day[at]])
        streams = len({stream for stream, _ in day}) + 3
        assert read.events_read <= len(day[at][1]) + streams + RESULTS_READ_AGAIN * 110
        assert read.results_read <= 60 + 3 * RESULTS_READ_AGAIN
        assert read.bytes_read <= 600 * read.events_read + 8_000 * read.results_read


ALTERED = (
    "UPDATE round_events SET payload = '{}' WHERE type = 'cards_dealt'",
    "DELETE FROM round_events WHERE type = 'wager_paid'",
    "UPDATE stg_settlements SET done_cents = coalesce(due_cents, 0) + 100",
    "UPDATE fct_rounds SET verdict = 'UPHELD', overpaid_cents = 1",
)


def alter_and_seal(path: Path, change: str) -> None:
    """Change rows of a file, and make its digests and its seal fit them."""
    with closing(duckdb.connect(str(path))) as db:
        db.execute(change)
        Sums(computed_digests(db, "main")).write(db)
    found = path.stat()
    placed = Seal(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    path.with_name(f".{path.name}.seals").write_bytes(msgspec.json.encode(Seals(placed, None)))


@pytest.mark.nightly
@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("changes", [ALTERED[::2], ALTERED[1::2]], ids=["loaded and settled", "lost and summed"])
def test_rows_that_neither_digests_nor_seal_betray_are_put_right_in_turn(tmp_path: Path, changes: Sequence[str]) -> None:
    """Each build reads some results of one table again; file in place and spare trade places, and each comes to every table."""
    floor, two = Floor(tmp_path), ("table/fu-01", "table/fu-02")
    day = list(simulate(7, 16, games=("face_up_pai_gow",)).groups())
    day = [group for group in day if not group[0].startswith("table/") or group[0] in two]
    later = [group for group in day if group[0] in two][-8:]
    floor.grow([group for group in day if group not in later])
    floor.build(floor.path)
    alter_and_seal(floor.path, "; ".join(changes))
    for group in later:
        floor.grow([group])
        assert floor.build(floor.path) == (True, {})
    floor.build(floor.anew)
    assert rows(floor.path) == rows(floor.anew)
