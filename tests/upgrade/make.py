"""What a release left on its machine, kept as test data: `python -m tests.upgrade.make` with that release's own code.

It writes `house.tar.xz` (a log of all games with everything beside it, and dispute packets) and `verifier.tar.xz` (the release's
modules that verify a packet). Neither is made again when the code changes: it is what an older program wrote. The keys in it
are made here, for tests alone; they sign nothing else.
"""

import contextlib
import io
import json
import lzma
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import discard_rack
from events.open import open_log, open_results
from rack.cli import main
from replay.run.engine import deciding_files
from replay.run.replayer import findings
from tests.dashboards.living import RULES, SHORT
from tests.desk.alarms.receiving import SECRET_LINE
from tests.device_lines import as_lines

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SEED = 33
TABLE = "fu-50"
"""The table whose rounds are written here; the others are those of the demo."""
FIRST_DAY, AMENDED_DAY = "2026-03-02", "2026-03-03"
AMENDMENT = f"""
jurisdiction = "pa"
chapter = "688a"
edition = 2
effective = {AMENDED_DAY}
published = "56 Pa.B. 1"
cite = "56 Pa.B. 1"
[[line]]
wager = "ace_high_bonus"
paytable = "1"
hand = "both_ace_high"
odds = "25:1"
"""
ALARMS = """
form = "discard-rack alarms 1"
[receiver.desk]
url = "http://127.0.0.1:9/alarms"
plain_http = true
secret_file = "desk.secret"
[role]
pit-boss = ["desk"]
[[route]]
to = "pit-boss"
"""
"""The receiver never answers: what is to be sent stays in the outbox."""

PACKETS = {"variance": (TABLE, 1), "edition": (TABLE, 4), "observed": (f"observed/{TABLE}", 1)}
"""The rounds of the packets, by what they show."""

_WHAT_VERIFIES = """
import sys
from rack.cli import main
codes = [main(["verify", file, "--key", sys.argv[1]]) for file in sys.argv[2:]]
files = sorted({module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)})
print("LOADED", *files, sep="\\n")
sys.exit(max(codes))
"""


class House:
    """A property in a folder, worked by commands alone."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, f"sqlite://{folder}/floor.db"

    def rack(self, *words: object, code: int = 0) -> None:
        """Run a command on the house's log."""
        got = main([*map(str, words), "--log", self.address])
        assert got == code, f"{words}: exit {got}"

    def play(self, number: int, day: str, paid: str = "100.00", leave_out: int | None = None) -> bytes:
        """Hand a round in as its devices do, without one line if so asked; return that line."""
        text = RULES.replace("fu-01", TABLE) + f"day     {day}\n" + SHORT.format(number=number)
        transcript = self.folder / "round.txt"
        transcript.write_text(text.replace("ace_high_bonus 100.00", f"ace_high_bonus {paid}"))
        lines = as_lines(transcript).read_bytes().splitlines(keepends=True)
        if day == AMENDED_DAY:  # the office filed: no device files rules here any more
            lines = [line for line in lines if b"rules_filed" not in line]
        late = b"" if leave_out is None else lines.pop(leave_out)
        self.hand_in(b"".join(lines))
        transcript.unlink()
        return late

    def hand_in(self, lines: bytes) -> None:
        """Append lines of devices."""
        path = self.folder / "round.jsonl"
        path.write_bytes(lines)
        self.rack("ingest", path)
        path.unlink()

    def correct(self, number: int, wager: dict[str, Any]) -> None:
        """Correct who made a wager."""
        replacement = {"payload": wager["payload"] | {"bettor": "p-video"}, "round_no": number, "type": "wager_placed"}
        payload = {
            "by": "m-ortiz",
            "reason": "seen on video",
            "replacement": replacement | {"version": 1},
            "supersedes_event_id": wager["event_id"],
            "supersedes_seq": wager["seq"],
        }
        line = {"event_id": f"{SEED:032x}", "occurred_at_us": wager["occurred_at_us"], "round_no": None}
        line |= {"source": "surveillance", "source_seq": 1, "stream": f"table/{TABLE}", "type": "event_corrected"}
        self.hand_in(json.dumps(line | {"version": 1, "payload": payload}).encode() + b"\n")

    def observe(self) -> None:
        """Enter a round as a person saw it on video."""
        path = self.folder / "seen.txt"
        path.write_text(RULES.replace("fu-01", TABLE) + SHORT.format(number=1))
        who = ("--observer", "m.ortiz", "--camera", "cam-4", "--table", TABLE, "--day", FIRST_DAY)
        self.rack("ingest", path, *who)
        path.unlink()


def wager_of(house: House, number: int) -> dict[str, Any]:
    """Return the first wager of a round, as stored."""
    with contextlib.closing(open_log(house.address, read_only=True)) as log:
        events = [json.loads(record.data) | {"seq": record.seq} for record in log.read(f"table/{TABLE}")]
    return next(each for each in events if each["type"] == "wager_placed" and each["round_no"] == number)


def make(folder: Path) -> House:
    """Play the house: all games, a late message, a correction, an edition, an observed round, a case, packets, an outbox."""
    house = House(folder)
    words = ["demo", "--games", "all", "--rounds", "2", "--seed", str(SEED), "--out", str(folder), "--quiet"]
    assert main(words) == 0
    house.play(1, FIRST_DAY)
    late = house.play(2, FIRST_DAY, "200.00", leave_out=-2)
    house.rack("replay", code=1)
    house.play(3, FIRST_DAY, "200.00")
    house.hand_in(late)
    house.correct(3, wager_of(house, 3))
    amendment = folder / "edition-2.toml"
    amendment.write_text(AMENDMENT)
    for person in ("office.one", "office.two"):
        house.rack("review", "register", person, "--name", person, "--role", "compliance")
    house.rack("rules", "amend", amendment, "--by", "office.one", "--signed-by", "office.two")
    house.play(4, AMENDED_DAY, "200.00")
    house.observe()
    house.rack("replay", "--warehouse", folder / "warehouse.duckdb", code=1)
    house.rack("case", "open", TABLE, 1, "--by", "m.ortiz", "--claim", "the bonus was short", "--seat", 3)
    with contextlib.closing(open_results(house.address, read_only=True)) as results:
        owed = next(each.id for each in findings(results) if (each.stream, each.round_no) == (f"table/{TABLE}", 1))
    paid = ("--disposition", "confirmed_paid_patron", "--amount", "100.00", "--reason", "the video shows ace high")
    house.rack("review", "resolve", owed, "--by", "m.ortiz", *paid)
    house.rack("review", "sign", owed, "--by", "s.lee", "--reason", "seen")
    reason = ("--outcome", "for_patron", "--reason", "the video shows ace high")
    house.rack("case", "decide", f"{TABLE}-c1", "--by", "m.ortiz", *reason)
    (folder / "desk.secret").touch(0o600)
    (folder / "desk.secret").write_text(SECRET_LINE)
    (folder / "alarms.toml").write_text(ALARMS)
    house.rack("alerts", "send", "--once", "--past", code=1)
    house.rack("checkpoint", "--key", folder / "demo.key")
    for name, (table, number) in PACKETS.items():
        made_by = ("--key", folder / "demo.key", "--by", "m.ortiz", "--reason", "upgrade drill")
        house.rack("dispute", table, number, *made_by, "--out", folder / "packets" / name)
    return house


def pack(target: Path, folder: Path, files: list[Path]) -> None:
    """Write files of a folder as a compressed tar whose bytes depend on theirs alone."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(files):
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            info.size, info.mode = path.stat().st_size, path.stat().st_mode & 0o700
            with path.open("rb") as content:
                tar.addfile(info, content)
    target.write_bytes(lzma.compress(raw.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def main_program() -> None:
    """Make both files."""
    assert discard_rack.__version__ == "1.0.0rc1", "this keeps what the first release candidate wrote"
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "house"
        make(folder)
        packets = [folder / "demo.key.pub", *sorted((folder / "packets").rglob("*.json"))]
        loaded = subprocess.run(
            [sys.executable, "-c", _WHAT_VERIFIES, *packets], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.partition("LOADED\n")[2]
        sources = [Path(line) for line in loaded.splitlines() if Path(line).is_relative_to(ROOT)]
        modules = [path for path in sources if ".venv" not in path.parts]
        judged_by = [ROOT / name for name in deciding_files(ROOT)]  # all of them are in the engine's name
        rooms = ROOT.glob("*/__init__.py")  # the program looks whether all of them are there
        pack(HERE / "verifier.tar.xz", ROOT, sorted({*modules, *judged_by, *rooms}))
        unneeded = ("*.lock", "*-shm", "packets/**/*.html", "packets/**/*.pdf", ".*.spare", "labels.json")
        for path in [found for pattern in unneeded for found in folder.glob(pattern)]:
            path.unlink()
        pack(HERE / "house.tar.xz", folder, [path for path in folder.rglob("*") if path.is_file()])


if __name__ == "__main__":
    main_program()
