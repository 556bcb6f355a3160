"""Compares the stored results of a stream, record by record, with those of judging it again.

The idea: folding a stream from its first event gives the same results, byte for byte and in the same order under each key, as
following it with any interruptions. So the stored results under a key must be the first of the new ones. If an earlier engine
judged part of the stream, the bytes differ, since an adjudication names its engine: then the conclusions in force are compared.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec

from events.log.contract import MAX_SEQ, ChainedResult, Head, Record, ResultStore
from events.log.foreign import NO_FOREIGN_RECORDS, ForeignReport
from events.log.runs import runs_of
from replay.findings import Adjudication
from replay.run.held import NOTHING_HELD, HeldVerdicts, held_in, is_own
from replay.run.positions import ReplaySource, Resumption
from replay.run.stream_worker import WITHDRAWN, Result


class StreamLog:
    """One stream of a log, in the form that a replay reads."""

    def __init__(self, log: ReplaySource, stream: str) -> None:
        self._log, self._stream = log, stream

    def head(self, stream: str) -> Head:
        """Return the end of the stream."""
        return self._log.head(stream)

    def acknowledged(self) -> dict[str, Head]:
        """Return the high-water mark."""
        return self._log.acknowledged()

    def streams(self) -> list[str]:
        """Return the one stream."""
        return [self._stream]

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield records, as the log does."""
        return self._log.read(stream, from_seq, to_seq)

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield the records of the stream beyond a number, in batches."""
        position = after.get(self._stream, 0)
        if position < MAX_SEQ:
            yield from runs_of(self._log.read(self._stream, position + 1))

    def passed_over(self) -> ForeignReport:
        """Return nothing: a reader of the whole log is told."""
        return NO_FOREIGN_RECORDS


class ResultDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between a stored result and judging again, also if only one of the two has the result.

    `place` is its place in the chain of the stream's results; 0 if it is not stored.
    """

    stream: str
    place: int
    kind: str
    key: str
    what: str

    def line(self) -> str:
        """Return the difference in one line."""
        where = f"result {self.place}" if self.place else "results"
        return f"{self.stream} {where}: {self.kind} {self.key}: {self.what}"


class StreamComparison(msgspec.Struct, kw_only=True):
    """A comparison of one stream: how many results were compared, how many differ, and the first of these.

    `missing` are results that are not stored. `mixed`: an earlier engine judged a part, and conclusions were compared.
    `held` is how many verdicts of an earlier engine were left out. `judged_to` is the last event that a stored adjudication
    takes into account.
    """

    compared: int = 0
    differences: int = 0
    first: ResultDifference | None = None
    missing: list[Result] = []
    mixed: bool = False
    held: int = 0
    judged_to: int = 0

    def additions(self) -> str:
        """Return the missing results in words; empty if there are none."""
        if not self.missing:
            return ""
        kind, key, _ = self.missing[0]
        many = "1 result was" if len(self.missing) == 1 else f"{len(self.missing):,} results were"
        return f"{many} missing and restored, the first {kind} {key}"

    def add(self, difference: Callable[[], ResultDifference]) -> None:
        """Count a difference; the first is described."""
        self.differences += 1
        if self.first is None:
            self.first = difference()


class _Heading(msgspec.Struct):
    engine: str
    as_of: dict[str, int]


_heading = msgspec.json.Decoder(_Heading)
_adjudication = msgspec.json.Decoder(Adjudication)


def compare(
    stream: str, results: ResultStore, fresh: ResultStore, engines: Collection[str], held: HeldVerdicts = NOTHING_HELD
) -> StreamComparison:
    """Compare a stream's stored results with new ones of these engines. Results of others, `held`, are only counted."""
    expected: dict[tuple[str, str], list[bytes]] = {}
    for made in fresh.stored():
        expected.setdefault((made.kind, made.key), []).append(sha256(made.data).digest())
    found, stored = StreamComparison(mixed=bool(held.to)), dict[tuple[str, str], int]()
    for each in of_stream(results, stream):
        name = each.kind, each.key
        number = stored[name] = stored.get(name, 0) + 1
        found.compared += 1
        heading = _read_heading(each)
        if heading is not None:
            found.mixed |= heading.engine not in engines
            found.judged_to = max(found.judged_to, heading.as_of.get(stream, 0))
        digests = expected.get(name, [])
        if digests[number - 1 : number] != [sha256(each.data).digest()]:
            found.add(partial(_difference, each, fresh, number))
    if found.mixed:
        return _compare_conclusions(stream, results, fresh, found, stored.keys() | expected.keys(), held)
    count: dict[tuple[str, str], int] = {}
    for made in fresh.stored():
        name = made.kind, made.key
        count[name] = count.get(name, 0) + 1
        if count[name] > stored.get(name, 0):
            found.missing.append((made.kind, made.key, made.data))
    return found


def judged_by_another(results: ResultStore, stream: str, is_ours: Callable[[str], bool]) -> bool:
    """Whether an adjudication that is stored of a stream names an engine that is not one's own."""
    headings = (_read_heading(each) for each in of_stream(results, stream))
    return any(heading is not None and not is_ours(heading.engine) for heading in headings)


def held_to(found: Resumption, results: ResultStore, reached: Mapping[str, int], stream: str) -> int:
    """Return the event up to which the verdicts of a stream are held; 0 if this program's engines judged all of it.

    The findings of a meter name no engine: they are an earlier program's unless this one continued the meter's state.
    """
    if stream in found.snapshots:
        held = held_in(found.snapshots[stream])
        return held.to if held.are_held else 0
    is_sound = stream not in found.misfits
    if stream.startswith("meter/"):
        return reached.get(stream, 0) if is_sound else 0
    if not judged_by_another(results, stream, is_own):
        return 0
    return (reached.get(stream, 0) if is_sound else 0) or judged_to(results, stream)


def judged_to(results: ResultStore, stream: str) -> int:
    """Return the last event of a stream that a stored adjudication of it takes into account; 0 if none exists."""
    headings = (_read_heading(each) for each in of_stream(results, stream))
    return max((heading.as_of.get(stream, 0) for heading in headings if heading is not None), default=0)


def of_stream(results: ResultStore, stream: str) -> Iterator[ChainedResult]:
    """Yield the stored results of one stream."""
    return (each for each in results.stored(stream) if each.stream == stream)


def _read_heading(each: ChainedResult) -> _Heading | None:
    """Return engine and reach of an adjudication; None for other results, and for bytes that cannot be read as one."""
    if each.kind != "adjudications":
        return None
    try:
        return _heading.decode(each.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _compare_conclusions(
    stream: str,
    results: ResultStore,
    fresh: ResultStore,
    found: StreamComparison,
    names: Iterable[tuple[str, str]],
    held: HeldVerdicts,
) -> StreamComparison:
    """Compare the latest record for each key, regardless of engine; for adjudications, only the conclusion."""
    found = StreamComparison(compared=found.compared, mixed=True, judged_to=found.judged_to)
    rounds = set[int | None]()
    for kind, key in sorted(names):  # adjudications come first
        stored, made = results.latest(kind, key), fresh.latest(kind, key)
        if held.are_held and _is_held(stream, kind, key, (stored, made), held, rounds):
            found.held += kind == "adjudications"
        elif _conclusion(kind, stored) != _conclusion(kind, made):
            found.add(partial(_difference_in_force, stream, results, kind, key, _what(stored, made)))
    return found


class _About(msgspec.Struct):
    """The fields of a result that say whether it is held."""

    engine: str = ""
    round_no: int | None = None
    evidence: tuple[int, ...] = ()


_about = msgspec.json.Decoder(_About)


def _is_held(
    stream: str, kind: str, key: str, both: tuple[bytes | None, ...], held: HeldVerdicts, rounds: set[int | None]
) -> bool:
    """Whether a result is an earlier engine's, or of a round that one judged; `rounds` takes these."""
    if kind == "ledger":
        return False
    try:
        about = [_about.decode(data) for data in both if data is not None]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    if kind == "adjudications":
        if both[0] is None or is_own(about[0].engine):
            return False
        rounds.add(about[0].round_no)
        return True
    if stream.startswith("meter/"):
        return max((max(each.evidence, default=0) for each in about), default=0) <= held.to
    return any(each.round_no in rounds for each in about)


def _difference_in_force(stream: str, results: ResultStore, kind: str, key: str, what: str) -> ResultDifference:
    places = [each.place for each in of_stream(results, stream) if (each.kind, each.key) == (kind, key)]
    return ResultDifference(stream=stream, place=max(places, default=0), kind=kind, key=key, what=what)


def _conclusion(kind: str, data: bytes | None) -> Any:
    """Return a result's conclusion without its history (bytes that cannot be read, as they are); None if not in force."""
    if data is None:
        return None
    try:
        if kind == "adjudications":
            made = _adjudication.decode(data)
            if made.undetermined == (WITHDRAWN,):
                return None
            return msgspec.structs.replace(
                made, revision=1, supersedes=None, withdrawn=(), as_of={}, engine="", last_seq=0, adopted=0
            )
        values = msgspec.json.decode(data)
        if kind == "findings" and isinstance(values, dict):
            values.pop("adopted", None)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return data
    withdrawn = kind == "findings" and isinstance(values, dict) and values.get("withdrawn") is True
    return None if withdrawn else values


def _difference(each: ChainedResult, fresh: ResultStore, number: int) -> ResultDifference:
    """Describe how a record differs from the fresh one of the same number under its key."""
    records = [made.data for made in fresh.stored() if (made.kind, made.key) == (each.kind, each.key)]
    what = _what(each.data, records[number - 1] if number <= len(records) else None)
    return ResultDifference(stream=each.stream, place=max(each.place, 0), kind=each.kind, key=each.key, what=what)


def _what(stored: bytes | None, made: bytes | None) -> str:
    """Return how a stored result differs from the one of judging again."""
    if made is None:
        return "judging again does not lead to this result"
    if stored is None:
        return "judging again leads to this result; it is not stored"
    try:
        was, now = msgspec.json.decode(stored), msgspec.json.decode(made)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"the stored bytes cannot be read ({error})"
    if isinstance(was, dict) and isinstance(now, dict):
        for name in sorted(was.keys() | now.keys()):
            if was.get(name) != now.get(name):
                return f"{name}: stored {_short(was.get(name))}, judged again {_short(now.get(name))}"
    at = next((n for n, (a, b) in enumerate(zip(stored, made, strict=False)) if a != b), min(len(stored), len(made)))
    return f"the bytes differ from byte {at + 1} on"


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:80]}…"
