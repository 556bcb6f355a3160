"""Counts of the verdicts and findings in force: for a whole run, in its summary, and of one stream, kept with its snapshot.

A stream's tally is part of the same transaction as its results, so that a resumed replay knows the findings in force without
reading stored results.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from events.log.contract import ResultStore
from events.log.foreign import ForeignReport
from events.log.result_chain import stream_of
from replay.findings import read_result

Result = tuple[str, str, bytes]


class _Heading(msgspec.Struct):
    """The fields of an adjudication or a finding that are read without reading it whole."""

    verdict: str = ""
    code: str = ""
    withdrawn: bool | list[str] = False


class StreamTally(msgspec.Struct):
    """The number of a stream's rounds by verdict, and of its findings in force by code.

    A result that another stream stored under the same key counts there, so a number may be negative here; the sums are right.
    """

    verdicts: dict[str, int] = msgspec.field(default_factory=dict)
    findings: dict[str, int] = msgspec.field(default_factory=dict)

    def add(self, result: Result, before: bytes | None) -> None:
        """Count a result, replacing the one before it under its key."""
        kind, key, data = result
        if before is not None:
            self._count(kind, key, before, -1)
        self._count(kind, key, data, 1)

    def _count(self, kind: str, key: str, data: bytes, change: int) -> None:
        if kind == "adjudications":
            word, counts = read_result(kind, key, data, _Heading).verdict, self.verdicts
        elif kind == "findings":
            heading = read_result(kind, key, data, _Heading)
            word, counts = "" if heading.withdrawn is True else heading.code, self.findings
        else:
            return
        if word:
            counts[word] = counts.get(word, 0) + change


class Tally:
    """The verdict of each round and the code of each finding in force, counted as results come."""

    def __init__(self) -> None:
        self._verdicts: dict[str, str] = {}
        self._codes: dict[str, str] = {}

    def add(self, results: Iterable[Result]) -> None:
        """Add results, in the order stored."""
        for kind, key, data in results:
            if kind == "adjudications":
                self._verdicts[key] = read_result(kind, key, data, _Heading).verdict
            elif kind == "findings":
                finding = read_result(kind, key, data, _Heading)
                self._codes.pop(key, None)
                if finding.withdrawn is not True:
                    self._codes[key] = finding.code

    def counts(self) -> StreamTally:
        """Return the counts in force."""
        return StreamTally(dict(Counter(self._verdicts.values())), dict(Counter(self._codes.values())))


def total(tallies: Iterable[StreamTally]) -> StreamTally:
    """Return the sums of several tallies, by name, without names whose sum is zero."""
    verdicts, findings = Counter[str](), Counter[str]()
    for each in tallies:
        verdicts.update(each.verdicts)
        findings.update(each.findings)
    return StreamTally(dict(sorted((+verdicts).items())), dict(sorted((+findings).items())))


def by_stream(results: Iterable[Result]) -> dict[str, StreamTally]:
    """Count results, in the order stored, by the stream that each is about."""
    tallies: dict[str, Tally] = {}
    for each in results:
        _, key, data = each
        tallies.setdefault(stream_of(key, data), Tally()).add([each])
    return {stream: tally.counts() for stream, tally in tallies.items()}


def kept(snapshot: bytes) -> StreamTally | None:
    """Return the tally in a snapshot; None if none exists."""
    return msgspec.msgpack.decode(snapshot, type=_Kept).tally


class _Kept(msgspec.Struct):
    """The fields of a snapshot that are read."""

    tally: StreamTally | None = None


class Summary(msgspec.Struct, kw_only=True):
    """What a replay did: events read, rounds judged, verdicts that are new or revised, the findings (by code) and verdicts in
    force, the faults of broken streams, the foreign records passed over, and the stored state and results that did not fit and
    were judged again: a sentence for each stream. `held` is the number of rounds whose verdict is an earlier engine's.
    """

    events: int = 0
    rounds: int = 0
    changed: int = 0
    findings: dict[str, int] = {}
    verdicts: dict[str, int] = {}
    integrity: list[str] = []
    foreign: ForeignReport = ForeignReport()
    judged_again: list[str] = []
    held: int = 0


def standing(results: ResultStore, summary: Summary) -> Summary:
    """Fill in the findings in force and the verdicts of the newest revisions."""
    tally = Tally()
    tally.add(stored_results(results))
    return filled(summary, total([tally.counts()]))


def stored_results(results: ResultStore) -> Iterator[Result]:
    """Yield the verdicts and findings that are stored."""
    for kind in ("adjudications", "findings"):
        yield from ((kind, key, data) for key, data in results.results(kind))


def filled(summary: Summary, tally: StreamTally) -> Summary:
    """Fill in what a tally counted."""
    summary.findings, summary.verdicts = tally.findings, tally.verdicts
    return summary


def may_revise(kind: str, data: bytes) -> bool:
    """Whether a result may replace an earlier one under its key; most adjudications are known not to."""
    return kind == "findings" or (kind == "adjudications" and b'"revision":1,' not in data)
