"""Observed rounds made by hand: a stream `observed/<table>` next to the table's own, stored or folded."""

from hashlib import sha256

import msgspec

from events.vocabulary import model
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.transcript.transcript import parse
from tests.replay.tables import DAY, START_US, MemoryLog, Table, rules_text

ENTERED = "2026-03-05"
"""The gaming day on which the rounds are entered, days after they were played."""


class Observed(Table):
    """What one person entered of rounds of a table."""

    def __init__(self, table: Table, by: str = "m.ortiz") -> None:
        super().__init__(table.stream.replace("table/", "observed/"), words=None, day=ENTERED)
        self.table, self.by, self.words = table, by, table.words

    def enter(self, round_no: int, text: str, last: type[model.Event] | None = None, **header: object) -> int:
        """Enter a round as transcribed; returns the number of its `round_observed`."""
        (script,) = parse(f"rules {self.words}\nround {round_no}\n{text}", "entered")
        opening = next(each.payload for each in script.events if isinstance(each.payload, model.RoundOpened))
        assert isinstance(opening, model.RoundOpened)
        filing = 2
        toml = rules_text(self.words)
        observed = model.RoundObserved(
            basis="video",
            by=self.by,
            camera="cam-4",
            clock_offset_ms=None,
            dealer="d-7",
            deck=None,
            observation=None,
            observed=opening.observed,
            order_seen=True,
            played_from_us=START_US,
            played_gaming_day=DAY,
            played_to_us=None,
            rules=model.PinnedRules(seq=filing, sha256=sha256(toml.encode()).hexdigest()),
            same_as=None,
        )
        seq = self.say(msgspec.structs.replace(observed, **header), round_no, source="observer-m-ortiz")
        if last:  # typed out of the usual order
            script = msgspec.structs.replace(
                script, events=tuple(sorted(script.events, key=lambda each: isinstance(each.payload, last)))
            )
        inside = False
        for each in script.events:
            if isinstance(each.payload, model.RoundOpened):
                inside = True
            elif inside:
                self.say(each.payload, round_no, source="observer-m-ortiz")
        return seq


def judged(*tables: Table, results: MemoryResults | None = None) -> dict[str, Adjudication]:
    """Return the verdicts in force by their keys."""
    results = results if results is not None else MemoryResults()
    replay(MemoryLog(tables), results)
    return {f"{each.stream}#{each.round_no}": each for each in adjudications(results)}


def lines(adjudication: Adjudication) -> list[str]:
    return [each.line() for each in adjudication.findings]
