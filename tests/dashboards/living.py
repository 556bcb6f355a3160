"""A floor with a log: what is reviewed is written to it, what is appended to it shows on the pages."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dashboards.run import LOG_VARIABLE, PERSONS_VARIABLE, WAREHOUSE_VARIABLE
from events.open import open_log, open_results
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import RulesFiled
from rack.cli import main
from replay.run.replayer import follow
from tests.desk.people import register_people
from tests.device_lines import as_lines
from trial.property_folder import PERSONS

RULES = "rules   pa-688a ace_high_bonus=1\ntable   fu-01\n"
SHORT = """
round   {number}
wager   seat=3 base 25.00  ace_high_bonus 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
pay     seat=3 ace_high_bonus 100.00
close
"""
"""Seat 3 has ace high against the dealer's ace high with the joker: 20 to 1, and was paid 10 to 1 (§ 688a.12(b))."""


@dataclass(frozen=True)
class Living:
    """Where a floor's log and warehouse are."""

    log: str
    warehouse: Path

    def rack(self, *words: str, code: int) -> None:
        """Run the command line on this log."""
        assert main([*words, "--log", self.log, "--quiet"]) == code

    def play(self, rounds: Sequence[int]) -> None:
        """Append rounds to the log, each with the bonus paid short, and judge them."""
        transcript = self.warehouse.with_name("rounds.txt")
        transcript.write_text(RULES + "".join(SHORT.format(number=number) for number in rounds))
        self.rack("ingest", str(as_lines(transcript)), "--property", "bellwether", code=0)
        self.rack("replay", code=1)

    def pay_short(self, number: int, *, closes: bool = False) -> None:
        """Append a round up to the bonus that is paid short, and advise on it as a replay that follows the log does.

        It is still open; `closes`: what is missing of it is appended, and it is judged.
        """
        transcript = self.warehouse.with_name("open.txt")
        transcript.write_text(RULES + SHORT.format(number=number))
        lines = as_lines(transcript)
        if not closes:
            *begun, _ = lines.read_bytes().splitlines(keepends=True)
            lines.write_bytes(b"".join(begun))
        self.rack("ingest", str(lines), "--property", "bellwether", code=0)
        with closing(open_log(self.log, read_only=True)) as log, closing(open_results(self.log)) as results:
            following = follow(log, results, wait_s=0.01)
            next(following)
            following.close()

    def build(self) -> None:
        """Build the warehouse again."""
        self.rack("replay", "--warehouse", str(self.warehouse), code=1)

    def serve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the pages of this process show this floor."""
        monkeypatch.setenv(LOG_VARIABLE, self.log)
        monkeypatch.setenv(WAREHOUSE_VARIABLE, str(self.warehouse))
        monkeypatch.setenv(PERSONS_VARIABLE, str(self.warehouse.with_name(PERSONS)))


def make(folder: Path, rounds: Sequence[int] = (1, 2)) -> Living:
    """Make a floor with one table, its rounds paid short; the same floor is played once in a process, then copied."""
    for name, content in _files(tuple(rounds)).items():
        (folder / name).write_bytes(content)
    register_people(folder)
    return _at(folder)


@cache
def _files(rounds: tuple[int, ...]) -> dict[str, bytes]:
    """Play a floor; return the files of its log and its warehouse. What belongs to who had them open is left out."""
    with TemporaryDirectory() as folder:
        floor = _at(Path(folder))
        floor.play(rounds)
        floor.build()
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if not path.name.endswith(("-shm", ".lock"))}


def _at(folder: Path) -> Living:
    return Living(f"sqlite://{folder.resolve()}/floor.db", folder / "warehouse.duckdb")


def file_rules(floor: Living, effective: str) -> None:
    """File for the table what is in force there once more, from a later gaming day on."""
    with closing(open_log(floor.log)) as log:
        filed = next(
            payload for record in log.read("table/fu-01") if isinstance(payload := decode(record.data).payload, RulesFiled)
        )
        toml = filed.toml.replace(f"effective_gaming_day = {filed.effective_gaming_day}", f"effective_gaming_day = {effective}")
        later = RulesFiled(
            effective_gaming_day=effective, sha256=sha256(toml.encode()).hexdigest(), submission="pa-688a-later", toml=toml
        )
        draft = Draft(event_id="f" * 32, source="rules", source_seq=1, occurred_at_us=0, round_no=None, payload=later)
        log.append("table/fu-01", log.head("table/fu-01").seq + 1, [draft])


def cut_the_tail(floor: Living) -> None:
    """Take away the last stored event of the table, as a lost disk block or a hand could."""
    with closing(sqlite3.connect(floor.warehouse.with_name("floor.db"))) as database, database:
        database.execute("DROP TRIGGER IF EXISTS events_stay")
        database.execute("DELETE FROM events WHERE pos = (SELECT max(pos) FROM events WHERE stream = 'table/fu-01')")


def change_a_byte(floor: Living, seq: int) -> None:
    """Change a byte of a stored event of the table, as somebody with access to the file could."""
    with closing(sqlite3.connect(floor.warehouse.with_name("floor.db"))) as database, database:
        database.execute("DROP TRIGGER IF EXISTS events_keep")
        (data,) = database.execute("SELECT data FROM events WHERE stream = 'table/fu-01' AND seq = ?", [seq]).fetchone()
        database.execute(
            "UPDATE events SET data = ? WHERE stream = 'table/fu-01' AND seq = ?", [data.replace(b"s", b"t", 1), seq]
        )
