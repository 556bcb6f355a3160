"""Three stored days of every game, and what each round of them is judged to: what a change of the program changes is seen.

`days.jsonl.xz` has the events of a simulated floor as they were recorded. `made_once` made it, and it is never made again: the
simulation may change, a record does not. `days.verdicts` has a line for each round. Above them is a line for each time that
they changed: the digest of all lines, and the line under *Rules* in CHANGELOG.md that says why. After a change that is meant,
add that line to the changelog, and then

    python -m tests.upgrade.days "the beginning of that line"
"""

import lzma
import re
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from events.log.contract import Record
from events.log.hash_chain import genesis, link
from events.vocabulary.envelope import RawEnvelope
from replay.findings import Adjudication, Finding
from replay.run.replayer import MemoryResults, adjudications, findings, replay
from tests.replay.tables import LOG_ID, PROPERTY, MemoryLog

HERE = Path(__file__).parent
STORED, VERDICTS = HERE / "days.jsonl.xz", HERE / "days.verdicts"
CHANGELOG = HERE.parents[1] / "CHANGELOG.md"
SEED, ROUNDS, DAYS = 33, 40, 3


class StoredLog(MemoryLog):
    """The log of the stored days."""

    def __init__(self) -> None:
        super().__init__([])
        envelope = msgspec.json.Decoder(RawEnvelope)
        for data in lzma.decompress(STORED.read_bytes()).splitlines():
            read = envelope.decode(data)
            before = self.records.setdefault(read.stream, [])
            last = before[-1].hash if before else genesis(LOG_ID, PROPERTY, read.stream)
            before.append(Record(read.stream, read.seq, data, link(last, data)))
            self.all.append(before[-1])


@cache
def results_of() -> MemoryResults:
    """Judge the stored days, once."""
    results = MemoryResults()
    summary = replay(StoredLog(), results)
    assert not summary.integrity, summary.integrity
    return results


def judged_rounds() -> list[Adjudication]:
    """Return the verdicts of this program."""
    return adjudications(results_of())


def judged() -> list[str]:
    """Return a line for each round of the stored days, and for each finding that is of none, as this program judges them."""
    results = results_of()
    lines = [f"{each.stream}#{each.round_no} {each.verdict} {_digest(each)}{_found(each.findings)}" for each in judged_rounds()]
    outside = [each for each in findings(results) if each.round_no is None]
    return sorted([*lines, *(f"{each.stream}{_found([each])}" for each in outside)])


def _found(found: Sequence[Finding]) -> str:
    return "".join(f"; {each.line()} ({each.cite})" for each in found)


def _digest(made: Adjudication) -> str:
    """Return a digest of every amount and section in a verdict, not of its wording."""
    settled = [
        (
            each.seat,
            each.wager,
            each.number,
            each.paytable,
            each.staked_cents,
            each.due_cents,
            each.done_cents,
            each.line,
            each.cite,
        )
        for each in made.settlements
    ]
    proved = [(each.evidence, each.severity, each.difference_cents) for each in made.findings]
    return sha256(msgspec.json.encode((made.chapter, made.edition, len(made.undetermined), settled, proved))).hexdigest()[:12]


def stored() -> tuple[list[tuple[str, str]], list[str]]:
    """Return the digests of the stored lines with what each change was for, and the lines."""
    lines = VERDICTS.read_text(encoding="utf-8").splitlines()
    changes = [line.removeprefix("# ").split(" ", 1) for line in lines if line.startswith("# ")]
    return [(digest, why) for digest, why in changes], [line for line in lines if not line.startswith("# ")]


def digest_of(lines: Sequence[str]) -> str:
    """Return the digest that the lines are under."""
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def rules_lines(changelog: str) -> list[str]:
    """Return the lines under *Rules* of every version, each without its bullet and in one line."""
    parts = re.findall(r"^### Rules\n(.*?)(?=^##|\Z)", changelog, re.M | re.S)
    return [" ".join(each.split()) for part in parts for each in re.split(r"^- ", part, flags=re.M) if each.strip()]


def is_a_rule(why: str) -> bool:
    """Whether a line under *Rules* begins like this."""
    return len(why) > 20 and any(each.startswith(why) for each in rules_lines(CHANGELOG.read_text(encoding="utf-8")))


def made_once() -> None:
    """Make the stored days."""
    from floor.day import gaming_day
    from rulebook.catalogue import GAMES
    from tests.whatif.simulated_log import SimulatedLog

    made = SimulatedLog(gaming_day.simulate(SEED, ROUNDS, games=list(GAMES), days=DAYS).groups())
    STORED.write_bytes(lzma.compress(b"\n".join(each.data for each in made.all), preset=9 | lzma.PRESET_EXTREME))


def main(words: Sequence[str]) -> int:
    """Store what this program judges, with why it is other than before."""
    if len(words) != 1 or (VERDICTS.exists() and not is_a_rule(words[0])):
        sys.stderr.write("name the beginning of the line under Rules in CHANGELOG.md that says what changed\n")
        return 2
    if not STORED.exists():
        made_once()
    changes, lines = stored()[0] if VERDICTS.exists() else [], judged()
    changes += [(digest_of(lines), words[0])]
    VERDICTS.write_text("\n".join([*(f"# {digest} {why}" for digest, why in changes), *lines]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
