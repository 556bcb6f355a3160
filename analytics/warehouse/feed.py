"""Feeds the warehouse: adjudications and ledger from the results, each round's events and the property from the log.

Invariant: only new records are read, by position: events after the warehouse's last, results after their place in the chain. A
broken stream is read up to the damage, and named; the others are read whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from analytics.warehouse import loading
from analytics.warehouse.extending import Earlier, build_news, earlier, extend
from analytics.warehouse.loading import News, StreamMark, TableRows
from analytics.warehouse.observation_results import observed_rows
from analytics.warehouse.warehouse import PropertyFacts, ReviewTimes, TableEvent
from desk.review.desk import Desk
from desk.review.state import FindingReview, TableReview
from events.errors import IntegrityError, UndecodableEvent
from events.log.contract import ChainedResult, EventLog, Head, Record, ResultStore
from events.log.result_chain import ResultChains
from events.vocabulary.envelope import RawEnvelope
from events.vocabulary.model import (
    CardsShuffled,
    ChapterPublished,
    DeviceCovered,
    DeviceFailed,
    DeviceRestored,
    DiceReceived,
    EventCorrected,
    PropertyConfigured,
    RulesFiled,
    TableOpened,
)
from replay.findings import Adjudication, Finding, LedgerEntry, read_result

TABLE_EVENT_TYPES = tuple(
    each.TYPE
    for each in (
        CardsShuffled,
        ChapterPublished,
        DeviceCovered,
        DeviceFailed,
        DeviceRestored,
        DiceReceived,
        EventCorrected,
        RulesFiled,
        TableOpened,
    )
)

EVENTS_AT_A_TIME = 10_000
"""Events held as Python objects at a time."""
RESULTS_AT_A_TIME = 1_000
"""Results held as Python objects at a time."""
RESULTS_READ_AGAIN = 30
"""Results of one table that a build reads again in turn, with the events of their rounds."""
TURNS_OF_A_FILE = 2
"""File in place and spare trade places, so that every other turn is a file's: among an even number of tables, by turns alone, it
would never come to half of them."""

Broken = dict[str, str]
"""Stream → the code and the words of what is broken there; file and table → what was changed in the warehouse."""

_envelope = msgspec.json.Decoder(RawEnvelope)


def build_warehouse(path: Path, log: EventLog, results: ResultStore, *, anew: bool = False, broken: Broken | None = None) -> bool:
    """Update the warehouse at `path` from log and results; return whether there was anything to do.

    Existing content is kept and only the rest is read, unless `anew`, or the file is of another program or log, or was changed. A
    repeated build without news leaves the file unchanged. `broken` receives streams that broke off, and changed parts of the
    file.
    """
    broken = {} if broken is None else broken
    known = None if anew else earlier(path, log.log_id)
    feed = Feed(log, results, broken)
    facts = feed.facts(known)
    if known is not None:
        broken |= {f"{path} {place}": _altered(path, *place) for place in known.altered}
    if known is None or known.altered or known.facts.time_zone != facts.time_zone or not feed.continues(known):
        build_news(path, feed.read, facts)
        return True
    if not feed.anything_past(known):
        return False
    extend(path, feed.read, facts)
    return True


def _altered(path: Path, table: str, stream: str) -> str:
    of_stream = f" of {stream}" if stream else ""
    return f"{path}: rows of {table}{of_stream} were changed after they were built; they were built again from log and results"


class Feed:
    """Reads a log and its results beyond a warehouse's content. `broken` receives streams that break off."""

    def __init__(self, log: EventLog, results: ResultStore, broken: Broken) -> None:
        self.log, self.results, self._broken = log, results, broken
        self._marks: dict[str, StreamMark] = {}
        self._numbers = count()
        self._facts = PropertyFacts(log_id=log.log_id)

    def facts(self, known: Earlier | None) -> PropertyFacts:
        """Return the property's facts from the newest `property_configured`, or the defaults."""
        facts = PropertyFacts(log_id=self.log.log_id) if known is None else known.facts
        for stream in self._streams("property"):
            self._marks[stream] = StreamMark() if known is None else known.marks.get(stream, StreamMark())
            for envelope, record in self._read(stream, self._marks[stream].events):
                self._note(stream, events=record.seq, head=record.hash.hex())
                if envelope.type == PropertyConfigured.TYPE:
                    configured = msgspec.json.decode(envelope.payload)
                    facts = PropertyFacts(
                        name=configured["name"],
                        time_zone=configured["time_zone"],
                        currency=configured["currency"],
                        log_id=self.log.log_id,
                    )
        self._facts = facts
        return facts

    def continues(self, known: Earlier) -> bool:
        """Return whether log and results still have the records at which the file stopped."""
        if not self.results.chain_heads() and next(self.results.stored(), None) is not None:
            return False  # of a time before there were chains: nothing tells what is new
        for stream, mark in known.marks.items():
            if mark.events and self._hash_at(stream, mark.events) not in (mark.head, ""):
                return False
        return True

    def _hash_at(self, stream: str, seq: int) -> str:
        """Return the chain hash at a number of a stream; empty if it cannot be read."""
        head = self.log.head(stream)
        if head.seq <= seq:
            return head.hash.hex() if head.seq == seq else "ends before"
        try:
            return "".join(record.hash.hex() for record in self.log.read(stream, seq, seq))
        except IntegrityError as error:
            self._is_broken(error)
            return ""

    def anything_past(self, known: Earlier) -> bool:
        """Return whether log or results have anything beyond the file."""
        heads, marks = self.results.chain_heads(), known.marks
        return any(
            self.log.head(stream).seq > marks.get(stream, StreamMark()).events
            for stream in self._streams("table", "review", "property", "observed")
        ) or any(
            heads.get(stream, NO_RESULTS) != _end_of(marks.get(stream, StreamMark())) for stream in heads.keys() | marks.keys()
        )

    def read(self, known: Earlier) -> Iterator[News]:
        """Yield the news for a file with this content: events before results, since results depend on events."""
        self._marks = {**known.marks, **self._marks}
        ends = self.results.chain_heads()
        yield from self._events()
        for stream in self._streams("review"):
            yield from self._reviews(stream)
        yield from self._results(known, ends)
        for stream in self._streams("observed"):
            yield from self._observed(stream, known)
        if known.turn and ends:
            yield self._again(sorted(ends)[known.turn // TURNS_OF_A_FILE % len(ends)])
        yield News(rows=[], marks=self._marks)

    # ---------------------------------------------------------------------------------------------------------- the log

    def _streams(self, *kinds: str) -> list[str]:
        return [stream for stream in self.log.streams() if stream.partition("/")[0] in kinds]

    def _note(self, stream: str, **fields: Any) -> None:
        self._marks[stream] = msgspec.structs.replace(self._marks.get(stream, StreamMark()), **fields)

    def _is_broken(self, error: IntegrityError) -> None:
        self._broken.setdefault(error.stream, f"{error.code} {error}")

    def _read(self, stream: str, after: int, last: int | None = None) -> Iterator[tuple[RawEnvelope, Record]]:
        """Yield a stream's events after a number, up to any damage."""
        seq = after
        try:
            for record in self.log.read(stream, after + 1, last):
                seq = record.seq
                yield _envelope.decode(record.data), record
        except IntegrityError as error:
            self._is_broken(error)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._is_broken(UndecodableEvent(stream, seq, str(error)))

    def _events(self) -> Iterator[News]:
        """Yield the new events of tables: the events of rounds, and the events that change the meaning of later ones."""
        grown = {stream: self._marks.get(stream, StreamMark()).events for stream in self._streams("table")}
        grown = {stream: after for stream, after in grown.items() if self.log.head(stream).seq > after}
        pairs = (pair for stream, after in grown.items() for pair in self._read(stream, after))
        for some in loading.chunks(pairs, EVENTS_AT_A_TIME):
            for record in {record.stream: record for _, record in some}.values():
                self._note(record.stream, events=record.seq, head=record.hash.hex())
            yield News(rows=_event_frames(some))

    def _reviews(self, stream: str) -> Iterator[News]:
        """Yield the review state of each reviewed finding of a table, if there are new reviews."""
        head = self.log.head(stream)
        if head.seq <= self._marks.get(stream, StreamMark()).events:
            return
        review = TableReview(stream)
        try:
            for record in self.log.read(stream):
                review.add(record)
                self._note(stream, events=record.seq, head=record.hash.hex())
        except IntegrityError as error:
            self._is_broken(error)
        yield News(rows=[loading.review_frame(map(_reviewed, review.findings.values()))])

    def _observed(self, stream: str, known: Earlier) -> Iterator[News]:
        """Yield all observations of a table, if there are new ones or new verdicts on them."""
        head, before = self.log.head(stream), known.marks.get(stream, StreamMark())
        if head.seq <= before.events and _end_of(before) == _end_of(self._marks.get(stream, StreamMark())):
            return
        try:
            rounds, observations = observed_rows(Desk(self.log, self.results), stream.partition("/")[2])
        except IntegrityError as error:
            self._is_broken(error)
            return
        self._note(stream, events=head.seq, head=head.hash.hex())
        yield News(rows=loading.observed_frames(rounds, observations))

    # ------------------------------------------------------------------------------------------------------- the results

    def _results(self, known: Earlier, ends: Mapping[str, Head]) -> Iterator[News]:
        """Yield the new results, then the findings outside rounds."""
        if known.marks:
            begun_again = frozenset(stream for stream, mark in known.marks.items() if self._has_begun_again(stream, ends))
            if begun_again:
                yield News(rows=[], begun_again=begun_again)
            grown = [stream for stream in sorted(ends) if ends[stream] != _end_of(self._marks.get(stream, StreamMark()))]
            found: Iterator[ChainedResult] = (each for stream in grown for each in self._past(stream))
        else:
            found = self._sound(self.results.stored(), ResultChains())
        outside: dict[str, dict[str, None]] = {}
        touched: set[str] = set()
        for some in loading.chunks(found, RESULTS_AT_A_TIME):
            judged = {each.key for each in some if each.kind == "adjudications"}
            for each in some:
                self._note(each.stream, results=each.place, results_head=each.hash.hex())
                if _is_observed(each.stream):
                    continue
                touched.add(each.stream)
                if each.kind == "findings":
                    place = read_result("findings", each.key, each.data, _Place)
                    if place.round_no is None or f"{place.stream}#{place.round_no}" not in judged:
                        outside.setdefault(each.stream, {})[each.key] = None
            yield News(rows=self._frames(some))
        yield self._findings_outside({stream: known.outside.get(stream, ()) for stream in touched}, outside)

    def _findings_outside(self, before: Mapping[str, Iterable[str]], new: Mapping[str, Iterable[str]]) -> News:
        """Return the findings outside rounds, of the streams that had or have any."""
        rows, streams = [], set()
        for stream, known in sorted(before.items()):
            ids = dict.fromkeys([*known, *new.get(stream, ())])
            standing = [finding for finding in map(self._outside, ids) if finding is not None]
            if known or standing:
                rows.append(loading.outside_frame(standing))
                streams.add(stream)
        return News(rows=rows, findings_outside=frozenset(streams))

    def _has_begun_again(self, stream: str, ends: Mapping[str, Head]) -> bool:
        """Return whether a stream's results have restarted; then all are new."""
        mark, end = self._marks[stream], ends.get(stream, NO_RESULTS)
        if not mark.results or end == _end_of(mark):
            return False
        found = NO_RESULTS
        if end.seq >= mark.results:
            for each in self.results.stored(stream, mark.results - 1):
                found = Head(each.place, each.hash)
                break
        if found == _end_of(mark):
            return False
        self._note(stream, results=0, results_head="", again=0)
        return True

    def _past(self, stream: str) -> Iterator[ChainedResult]:
        """Yield a stream's results after the last one read."""
        mark = self._marks.get(stream, StreamMark())
        chains = ResultChains({stream: _end_of(mark)} if mark.results else {})
        return self._sound(self.results.stored(stream, mark.results), chains)

    def _sound(self, stored: Iterator[ChainedResult], chains: ResultChains) -> Iterator[ChainedResult]:
        """Yield results as long as they continue their chains."""
        for each in stored:
            if chains.take(each):
                head = chains.head(each.stream)
                yield each._replace(place=head.seq, hash=head.hash)
            elif each.stream in chains.broken:
                self._is_broken(chains.broken[each.stream])

    def _frames(self, some: list[ChainedResult]) -> list[TableRows]:
        verdicts = [read_result(each.kind, each.key, each.data, Adjudication) for each in _of_kind(some, "adjudications")]
        entries = [read_result(each.kind, each.key, each.data, LedgerEntry) for each in _of_kind(some, "ledger")]
        return [
            *loading.adjudication_frames(verdicts, self._numbers, self._facts.time_zone),
            loading.ledger_frame(entries, self._numbers),
        ]

    def _outside(self, finding_id: str) -> Finding | None:
        """Return a finding in force outside judged rounds, else None."""
        data = self.results.latest("findings", finding_id)
        if data is None or read_result("findings", finding_id, data, _Place).withdrawn is True:
            return None
        finding = read_result("findings", finding_id, data, Finding)
        key = f"{finding.stream}#{finding.round_no}"
        is_judged = finding.round_no is not None and self.results.latest("adjudications", key) is not None
        return None if is_judged else finding

    def _again(self, stream: str) -> News:
        """Return some earlier results of a stream in turn, which eventually repairs what seal and digests do not show."""
        mark = self._marks.get(stream, StreamMark())
        before, again = mark.again, list[ChainedResult]()
        chains: ResultChains | None = None
        for each in self.results.stored(stream, max(0, before - 1)):
            if chains is None and before:
                chains = ResultChains({stream: Head(each.place, each.hash)})
                continue
            chains = chains or ResultChains()
            if len(again) == RESULTS_READ_AGAIN or each.place > mark.results or not chains.take(each):
                break
            again.append(each)
        self._note(stream, again=again[-1].place if len(again) == RESULTS_READ_AGAIN else 0)
        newest = [each for each in again if self.results.latest(each.kind, each.key) == each.data]
        verdicts = [read_result(each.kind, each.key, each.data, Adjudication) for each in _of_kind(newest, "adjudications")]
        whole = [each for each in verdicts if each.last_seq <= mark.events and each.stream.startswith("table/")]
        events = [pair for each in whole for pair in self._read(stream, each.first_seq - 1, each.last_seq)]
        return News(
            rows=[*self._frames(newest), *(_event_frames(events) if events else ())],
            again=tuple((stream, each.first_seq, each.last_seq) for each in whole) if stream not in self._broken else (),
        )


class _Place(msgspec.Struct):
    """A finding's round, and whether it was withdrawn."""

    stream: str
    round_no: int | None
    withdrawn: Any = False


def _is_observed(stream: str) -> bool:
    """Return whether a stream is of observations: no figure of the table counts it."""
    return stream.startswith("observed/")


NO_RESULTS = Head(0, b"")


def _end_of(mark: StreamMark) -> Head:
    """Return the last result read."""
    return Head(mark.results, bytes.fromhex(mark.results_head))


def _of_kind(results: list[ChainedResult], kind: str) -> list[ChainedResult]:
    return [each for each in results if each.kind == kind and not _is_observed(each.stream)]


def _event_frames(pairs: list[tuple[RawEnvelope, Record]]) -> list[TableRows]:
    """Return the events of rounds, and the events that change the meaning of later ones, as rows."""
    table_events = [
        TableEvent(
            stream=record.stream,
            seq=record.seq,
            type=envelope.type,
            payload=bytes(envelope.payload).decode(),
            event_id=envelope.event_id,
        )
        for envelope, record in pairs
        if envelope.type in TABLE_EVENT_TYPES
    ]
    rows = [event_row(*pair) for pair in pairs if pair[0].round_no is not None]
    return [loading.event_frame(rows), loading.table_event_frame(table_events)]


def _reviewed(finding: FindingReview) -> ReviewTimes:
    standing = finding.resolution
    settled = [each.at_us for each in finding.history if standing is not None and each.seq == standing.seq]
    return ReviewTimes(
        finding_id=finding.finding_id,
        state=finding.state,
        assigned_to=finding.assigned_to,
        disposition=standing.disposition if standing else None,
        amount_cents=standing.amount_cents if standing else None,
        first_at_us=finding.history[0].at_us,
        settled_at_us=settled[0] if settled else None,
    )


def event_row(envelope: RawEnvelope, record: Record) -> tuple[Any, ...]:
    """Return an event as a row of `ROUND_EVENTS`."""
    return (
        record.stream,
        envelope.round_no,
        record.seq,
        envelope.event_id,
        envelope.type,
        envelope.occurred_at_us,
        envelope.source,
        bytes(envelope.payload).decode(),
        record.hash.hex(),
    )
