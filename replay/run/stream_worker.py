"""The worker of one stream: folds its records, adjudicates its rounds, and revises the verdicts stored before.

Invariant: a worker turns records into results (kind, key, bytes), at any record it can stop; `replayer.py` reads and stores.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter
from typing import Any

import msgspec

from events.errors import EventError, UndecodableEvent
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read, read_all
from events.vocabulary.envelope import RawEnvelope, ReadEnvelope
from events.vocabulary.upcast import upcast
from replay.findings import Adjudication, Finding, is_same, read_result, revision_of, to_bytes
from replay.fold.corrections import Replacements
from replay.fold.observed_fold import ObservedEntry, ObservedFold
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import RulesOnFile, TableState
from replay.rules.meters import MeterFold, MeterState
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.engine import digest_for, engine_for, engine_of, game_of, games_on_file
from replay.run.held import NOTHING_HELD, HeldVerdicts, VerdictKeeper
from replay.run.late_events import LateEvents, is_late
from replay.run.ledger import corrected_entry
from replay.run.observed_entries import Elsewhere, comparison, misfit, no_other_streams, numbered, pinned_rules, with_differences
from replay.run.rest_points import RestPoint, RestPoints
from replay.run.round_keeper import RoundTaker
from replay.run.tally import StreamTally
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission

Result = tuple[str, str, bytes]
LatestResult = Callable[[str, str], bytes | None]
"""Returns the last result stored under (kind, key), or None."""

EVIDENCE_KEPT = 20_000
"""Rounds of a stream whose verdicts from a refold are kept in memory."""

WITHDRAWN = "the record of the round was withdrawn: a correction says that it was never opened"

encode = msgspec.msgpack.encode
_raw = msgspec.json.Decoder(RawEnvelope)
_NUMBER = attrgetter("round_no")


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that a later revision no longer makes; published under the finding's id."""

    id: str
    stream: str
    round_no: int | None
    withdrawn: bool = True


class Snapshot(msgspec.Struct, kw_only=True):
    """The state for resuming a worker: the table without an open round, the records folded since, the results in force.

    `rest_seq` is the number of the event after which the state was that; 0 if that is the beginning, or not known. `inherited_to`
    as of the worker. `observed_to` is the last observed round entered whole, `editions` the amendments published in a stream of
    such rounds. `judges` are the games that the stream is of, each with the digest of what judges it, `held` the verdicts that
    are an earlier engine's.
    """

    table: TableState | None = None
    meter: MeterState | None = None
    since: list[bytes] = []
    tally: StreamTally | None = None
    rest_seq: int = 0
    inherited_to: int = 0
    observed_to: int = 0
    editions: tuple[str, ...] = ()
    judges: dict[str, str] = {}
    held: HeldVerdicts = NOTHING_HELD


@functools.lru_cache(maxsize=256)
def rulebook(toml: str, day: str = "", published: tuple[str, ...] = ()) -> Rulebook | str:
    """Return the rules of a filed text on a gaming day, with these published amendments; or why it is refused."""
    try:
        return parse_submission(toml, "rules_filed", day, published)
    except (RulesRefused, ValueError) as error:
        return str(error)


def rules_in_force(round_: Round) -> Rulebook | str:
    """Return the rules of a round: the last filing whose day had come; or why there are none.

    Filing under a chapter that was never in force does not put it in force (D14).
    """
    why = "no rules submission is in force at this table"
    for filed in round_.before.rules_filed(round_.gaming_day):
        book = rulebook(filed.toml, round_.gaming_day, round_.before.editions)
        if isinstance(book, str) or book.chapter.in_force:
            return book
        why = f"the rules on file are of {book.chapter.key}, which never was in force: they serve what-if replays only"
    return why


def current(event: ReadEnvelope[model.Event]) -> ReadEnvelope[model.Event]:
    """Return an event with its payload in its current version. Raises `EventError` if it cannot be converted."""
    payload = upcast(event.payload)
    return event if payload is event.payload else msgspec.structs.replace(event, payload=payload)


class StreamWorker:
    """Turns one stream's records into results. `needs_refold`: a record concerns an earlier round than those at hand.

    While `pending_revisions` is not None, the stream is being folded again (see `refold.py`): what differs from the verdicts
    stored before is collected there until `finish`, for only the last verdict on a round counts; `opened_rounds` then has the
    numbers of all rounds that were opened. This worker judged the rounds up to `judged_to`; the worker before it may have stored
    verdicts on rounds up to `inherited_to`. `rounds` counts the rounds judged for the first time. `seq` is the number of the last
    record taken, `chain` the log's chain hash there. `tally` counts what is in force of what this stream's workers stored (None:
    no one has counted), and is kept where it is stored. `elsewhere` reads the events of other streams that an observed round
    names. `taker` takes the rounds too as they are judged, `keeper` says during a refold which verdicts remain unjudged,
    `rest_points` are the states from which a refold can begin. `late` is what came late and is not taken in yet.
    """

    taker: RoundTaker | None = None
    keeper: VerdictKeeper | None = None
    rest_points: RestPoints | None = None
    elsewhere: Elsewhere = staticmethod(no_other_streams)

    def __init__(self, stream: str, latest: LatestResult, snapshot: bytes | None = None, rules: Rulebook | None = None) -> None:
        self.stream, self.latest, self.rules = stream, latest, rules
        self.rounds, self.seq, self.judged_to, self.inherited_to = 0, 0, 0, 0
        self.chain = b""
        self.replacements: Replacements | None = None
        self.pending_revisions: dict[str, Adjudication] | None = None
        self._confirmed: dict[str, tuple[Finding, ...]] = {}
        self._waiting_first: set[int] = set()
        self._judged_here: set[str] = set()
        self.refold_evidence: dict[str, bytes] = {}
        self.judging = True
        self.opened_rounds: set[int] | None = None
        self.late = LateEvents()
        self.needs_refold = False
        self.table: TableFold | None = None
        self.meter: MeterFold | None = None
        self.observed: ObservedFold | None = None
        self._state_at_rest, self._rest_seq = b"", 0
        self._records_since: list[bytes] = []
        resumed = msgspec.msgpack.decode(snapshot, type=Snapshot) if snapshot is not None else Snapshot()
        self.tally, self.held, self.games_entered = resumed.tally, resumed.held, set(resumed.judges)
        if stream.startswith("table/"):
            self.table = TableFold(stream, resumed.table)
            self.judged_to = self.table.state.last_round_no
        elif stream.startswith("meter/"):
            self.meter = MeterFold(stream, resumed.meter)
        elif stream.startswith("observed/"):
            self.observed = ObservedFold(stream, resumed.observed_to)
            self.observed.editions = resumed.editions
            self.judged_to = self.observed.last_round_no
        self._keep_rest()
        self._rest_seq, self.inherited_to = resumed.rest_seq, resumed.inherited_to
        for data in resumed.since:
            self.take(Record(stream, 0, data, b""))
        self.rounds, self.late = 0, LateEvents()  # what came late was taken in before it was stored

    @classmethod
    def at(cls, point: RestPoint, stream: str, latest: LatestResult) -> "StreamWorker":
        """Return a worker of a table's stream that goes on after a rest point."""
        table = msgspec.msgpack.decode(point.state, type=TableState)
        worker = cls(stream, latest, encode(Snapshot(table=table, rest_seq=point.seq)))
        worker.seq = point.seq
        return worker

    def keep_rest_points(self, points: RestPoints) -> None:
        """Add to these rest points from now on, and the point from which this worker was resumed, if it is valid."""
        self.rest_points = points
        if self._rest_seq and not self.needs_refold:
            points.add(self._rest_seq, self._state_at_rest)

    def take(self, record: Record) -> Sequence[Result]:
        """Fold one record and return the results. Raises `UndecodableEvent`: the stream stops there."""
        try:
            event = read(record.data)
            event = current(event)
        except EventError as error:
            raise UndecodableEvent(self.stream, record.seq, str(error)) from error
        if record.seq and (event.seq != record.seq or event.stream != self.stream):
            raise UndecodableEvent(self.stream, record.seq, f"the record calls itself {event.stream} event {event.seq}")
        self.chain = record.hash
        results = self.take_in() if self._ends_late(event) else []
        return [*results, *self._fold((record.data,), (event,), 0)[1]]

    def take_run(self, records: Sequence[Record], publish: Callable[[Result], None]) -> int:
        """Fold records in a row and publish the results, as `take` does, but faster.

        Return how many were taken. A worker that judges stops after the first record that needs a refold, and publishes no result
        of that record. Raises `UndecodableEvent` after all records before. If something came late with the last record, the next
        one, or `take_in`, takes it in.
        """
        data = [record.data for record in records]
        events = read_all(data)
        if events is None or not self._are_in_place(records, events):
            for number, record in enumerate(records, 1):
                results = self.take(record)
                if self._is_stopped:
                    return number
                for result in results:
                    publish(result)
            return len(records)
        taken, until = 0, events
        while taken < len(events):
            if self._ends_late(events[taken]):
                for result in self.take_in():
                    publish(result)
            if not self.late.is_waiting or self.pending_revisions is not None:
                until = events
            elif until is events or taken == len(until):  # what ended the wait, as it seemed before, does not end it
                end = next((at for at in range(taken, len(events)) if self._ends_late(events[at])), len(events))
                until = events[:end]
            taken, results = self._fold(data, until, taken)
            if self._is_stopped:
                break
            for result in results:
                publish(result)
        self.chain = records[taken - 1].hash
        return taken

    @property
    def _is_stopped(self) -> bool:
        """Whether later records must wait for a refold: a scout does not judge, and in a refold everything is at hand."""
        return self.needs_refold and self.judging and self.pending_revisions is None

    def _are_in_place(self, records: Sequence[Record], events: Sequence[ReadEnvelope[model.Event]]) -> bool:
        """Whether the events' own streams and numbers are those of the log."""
        in_order = [event.seq for event in events] == [record.seq for record in records]
        return in_order and {event.stream for event in events} == {self.stream}

    def _fold(
        self, data: Sequence[bytes], events: Sequence[ReadEnvelope[model.Event]], start: int
    ) -> tuple[int, Sequence[Result]]:
        """Return the index after the first event from `start` (`data` as stored) that can give results, and these results."""
        if self.table is not None:
            return self._fold_table(self.table, data, events, start)
        event = events[start]
        self.seq = event.seq
        results = self._ledger(event)
        if self.meter is not None:
            results += [("findings", finding.id, to_bytes(finding)) for finding in self.meter.apply(event)]
            self.needs_refold = self.meter.needs_refold
            self.late.add(event.recorded_at_us, event.seq, is_late(event.type, event.round_no, None, 0))
        elif self.observed is not None:
            results += self._take_observed(self.observed, event, data[start])
        return start + 1, results

    def _take_observed(self, fold: ObservedFold, event: ReadEnvelope[model.Event], data: bytes) -> list[Result]:
        results: list[Result] = []
        for entry in fold.apply(event):
            if self.judging:
                results += self._judge_entry(entry)
        self.needs_refold = fold.needs_refold
        self.late.add(event.recorded_at_us, event.seq, is_late(event.type, event.round_no, None, 0))
        if self.opened_rounds is not None and isinstance(event.payload, model.RoundObserved):
            self.opened_rounds.add(event.round_no or 0)
        self._records_since = [] if fold.open is None else [*self._records_since, data]
        return results

    def _judge_entry(self, entry: ObservedEntry) -> list[Result]:
        """Judge an observed round by the filing that it pins."""
        filed = pinned_rules(entry, self.elsewhere)
        editions = self.observed.editions if self.observed is not None else ()
        round_, numbers = entry.round(filed if isinstance(filed, RulesOnFile) else None, editions)
        self.games_entered |= games_on_file(round_.before)
        book = filed if isinstance(filed, str) else rules_in_force(round_)
        if isinstance(book, str):
            return self._conclude(round_, book, misfit(entry, book))
        if self.rules is not None and self.rules.game == book.game:
            book = self.rules
        differences = comparison(entry, round_, self.elsewhere)
        conclusion = with_differences(numbered(adjudicate(round_, book), numbers), entry, differences, book.digest)
        return self._conclude(round_, book, conclusion)

    def _fold_table(
        self, fold: TableFold, data: Sequence[bytes], events: Sequence[ReadEnvelope[model.Event]], start: int
    ) -> tuple[int, Sequence[Result]]:
        open_before, last_before = fold.open, fold.state.last_round_no
        end, rounds = fold.advance(events, start)
        event = events[end - 1]
        late = is_late(event.type, event.round_no, open_before, last_before)
        self.seq = event.seq
        results = self._ledger(event)
        self.late.add(event.recorded_at_us, event.seq, late or fold.needs_refold)
        for round_ in sorted(rounds, key=_NUMBER) if self.judging else ():
            if self._can_wait(round_, fold):
                self.late.rounds[round_.round_no] = round_
                self._waiting_first |= {round_.round_no} if round_.round_no > self.judged_to else set()
                self.judged_to = max(self.judged_to, round_.round_no)
            else:
                results += self.judge(round_)
        if self.opened_rounds is not None and fold.open is not None and fold.open is not open_before:
            self.opened_rounds.add(fold.open.round_no)
        self.needs_refold = fold.needs_refold
        if fold.open is None and fold.at_rest and (open_before is not None or not self._records_since):
            self._keep_rest()
        else:
            self._records_since += data[start:end]
        return end, results

    def _ends_late(self, event: ReadEnvelope[Any]) -> bool:
        """Whether late events are applied before this event; in a refold they are applied after the last."""
        return self.late.is_waiting and self.pending_revisions is None and self.late_ends_with(event)

    def late_ends_with(self, event: ReadEnvelope[Any]) -> bool:
        """Return whether waiting late events are applied before this event, the next after the last one read."""
        open_, last = (self.table.open, self.table.state.last_round_no) if self.table is not None else (None, 0)
        late = is_late(event.type, event.round_no, open_, last)
        return self.late.end_with(event.type, event.recorded_at_us, late)

    def late_ends_before(self, record: Record) -> bool:
        """Return the same for a record not yet read; late events are applied before an unreadable one."""
        try:
            return self.late_ends_with(_raw.decode(record.data))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return True

    def _can_wait(self, round_: Round, fold: TableFold) -> bool:
        """Whether a round waits for all that late events changed, to be judged together; in a refold, if more follow."""
        changed = round_.round_no <= self.judged_to
        if self.pending_revisions is not None:
            return changed or round_.round_no in fold.rounds_to_keep
        return changed and self.late.is_waiting

    def take_in(self) -> list[Result]:
        """Judge again, once, the rounds with late events; return the verdicts that differ from those before."""
        return [result for round_ in sorted(self.late.pop(), key=_NUMBER) for result in self.judge(round_)]

    def snapshot(self) -> bytes:
        """Return the snapshot from which this worker can be resumed."""
        judges = {game: digest_for(game) for game in sorted(self._games())}
        made = Snapshot(tally=self.tally, judges=judges, held=self.held)
        if self.meter is not None:
            made.meter = self.meter.state
        elif self.observed is not None:
            made.since, made.observed_to = self._records_since, self.observed.last_round_no
            made.editions = self.observed.editions
        else:
            if self._state_at_rest:
                made.table = msgspec.msgpack.decode(self._state_at_rest, type=TableState)
            made.since, made.rest_seq, made.inherited_to = self._records_since, self._rest_seq, self.inherited_to
        return encode(made)

    def _games(self) -> set[str]:
        """The games of the stream: their engines decide which results this worker holds and has stored."""
        games = {self.rules.game} if self.rules is not None else set[str]()
        if self.meter is not None:
            return games | {game_of(key) for key in self.meter.state.chapters}
        return games | (games_on_file(self.table.state) if self.table is not None else self.games_entered)

    def _keep_rest(self) -> None:
        self._state_at_rest = encode(self.table.state) if self.table is not None else b""
        self._rest_seq, self._records_since = self.seq, []
        is_waiting = self.needs_refold or (self.late.is_waiting and self.pending_revisions is None)
        if self.rest_points is not None and not is_waiting:
            self.rest_points.add(self._rest_seq, self._state_at_rest)
        if self.taker is not None:
            self.taker.at_rest(self._state_at_rest, self.seq)

    def correct(self, replacements: Replacements, objections: Mapping[int, str], rounds_to_keep: Collection[int]) -> None:
        """Set, before the first record, the corrections in force, the objections to the others, and rounds to keep at hand."""
        self.replacements, self.pending_revisions, self._confirmed = replacements, {}, {}
        self._judged_here.clear()
        if self.table is not None:
            self.table.replacements, self.table.objections = replacements, objections
            self.table.rounds_to_keep = rounds_to_keep
        for fold in (self.meter, self.observed):
            if fold is not None:
                fold.replacements, fold.objections = replacements, objections

    def finish(self) -> list[Result]:
        """Return, after the last record, the results that differ from those stored before; go on as any other worker.

        This includes findings of verdicts in force: they are also stored separately, and may be missing there.
        """
        self.take_in()
        if self.observed is not None:
            entries = self.observed.entries()
            self.opened_rounds = {entry.round_no for entry in entries}
            for entry in entries:
                self._judge_entry(entry)
        revisions, confirmed = self.pending_revisions or {}, self._confirmed
        self.replacements, self.pending_revisions, self.needs_refold, self._confirmed = None, None, False, {}
        self.keeper = None
        if self.table is not None:
            self.table.replacements, self.table.rounds_to_keep, self.table.needs_refold = None, (), False
            self.table.moved, self.table.late_of, self.table.missed_rounds = {}, {}, set()
            self.table.drop_rounds()
        elif self.meter is not None:
            self.meter.replacements, self.meter.needs_refold = None, False
        results: list[Result] = []
        for key, revision in sorted(revisions.items(), key=lambda item: item[1].round_no):
            stored = self._stored(key)
            if stored is not None and stored.as_of[self.stream] > self.seq:
                continue  # it was published with more of the stream at hand than can be read now
            results += self._results(key, msgspec.structs.replace(revision, as_of={self.stream: self.seq}))
        for findings in confirmed.values():
            results += [("findings", finding.id, to_bytes(finding)) for finding in findings]
        return results

    def withdraw(self, rounds: Iterable[int]) -> list[Result]:
        """Withdraw the verdicts on rounds that, by the corrections in force, were never opened."""
        results: list[Result] = []
        for number in sorted(rounds):
            key = f"{self.stream}#{number}"
            stored = self._stored(key)
            if stored is None or stored.undetermined == (WITHDRAWN,) or stored.as_of[self.stream] > self.seq:
                continue
            revision = msgspec.structs.replace(
                stored,
                verdict="UNDETERMINED",
                undetermined=(WITHDRAWN,),
                findings=(),
                settlements=(),
                as_of={self.stream: self.seq},
                engine=engine_of(stored.game),
            )
            results += self._results(key, revision_of(stored, revision))
        return results

    def _stored(self, key: str) -> Adjudication | None:
        data = self.latest("adjudications", key)
        return read_result("adjudications", key, data, Adjudication) if data is not None else None

    def _ledger(self, event: ReadEnvelope[model.Event]) -> list[Result]:
        entry = corrected_entry(event, self.replacements)
        return [("ledger", f"{self.stream}#{event.seq}", to_bytes(entry))] if entry is not None else []

    def judge(self, round_: Round) -> list[Result]:
        """Adjudicate a round; if the verdict differs from the stored one, return the new revision.

        A second record under a number that was played is not judged: it would take the place of the first one's verdict (D780).
        """
        if round_.is_repeat:
            return []
        is_what_if = self.rules is not None and round_.before.game in ("", self.rules.game)
        book = self.rules if is_what_if and self.rules is not None else rules_in_force(round_)
        return self._conclude(round_, book)

    def _conclude(self, round_: Round, book: Rulebook | str, conclusion: Conclusion | None = None) -> list[Result]:
        """Return the verdict on a round if it differs from the stored one; `conclusion`, if given, is used instead of judging."""
        is_first = round_.round_no > self.judged_to or round_.round_no in self._waiting_first
        self._waiting_first.discard(round_.round_no)
        self.judged_to = max(self.judged_to, round_.round_no)
        key = f"{self.stream}#{round_.round_no}"
        if self._remains(key, round_, book):
            return []
        self.rounds += is_first
        if self.pending_revisions is None:
            self.refold_evidence.pop(key, None)
        elif conclusion is None and self._is_as_judged(key, round_, book):
            return []
        if conclusion is not None:
            pass
        elif isinstance(book, str):
            conclusion = Conclusion(verdict="UNDETERMINED", undetermined=(book,), findings=(), settlements=())
        else:
            conclusion = adjudicate(round_, book)
        if self.taker is not None:
            self.taker.take(round_, book, self.seq)
        round_.forget()  # what rules worked out is not kept with the rounds at hand
        may_be_stored = not is_first or round_.round_no <= self.inherited_to or self.pending_revisions is not None
        stored = self._stored(key) if may_be_stored else None
        adjudication = _adjudication(round_, book if isinstance(book, Rulebook) else None, conclusion, self.seq)
        if stored is not None:
            if is_same(stored, adjudication):
                if self.pending_revisions is not None:
                    self.pending_revisions.pop(key, None)
                    self._confirmed[key] = adjudication.findings
                return []
            adjudication = revision_of(stored, adjudication)
        if self.pending_revisions is not None:
            self.pending_revisions[key] = adjudication
            self._confirmed.pop(key, None)
            return []
        return self._results(key, adjudication)

    def _remains(self, key: str, round_: Round, book: Rulebook | str) -> bool:
        """Whether a stored verdict remains in a refold, whatever this engine would conclude."""
        stored = self._stored(key) if self.keeper is not None and self.pending_revisions is not None else None
        if stored is None or self.keeper is None or self.pending_revisions is None:
            return False
        if not self.keeper.keeps(key, stored, functools.partial(_evidence_digest, round_, book)):
            return False
        self.pending_revisions.pop(key, None)
        self._confirmed[key] = stored.findings
        return True

    def _is_as_judged(self, key: str, round_: Round, book: Rulebook | str) -> bool:
        """Whether this refold judged the same record of a round, or an earlier one did, so that its stored verdict remains."""
        evidence = _evidence_digest(round_, book)
        if self.refold_evidence.get(key) == evidence and (stored := self._stored(key)) is not None:
            if key not in self._judged_here and self.pending_revisions is not None:
                self.pending_revisions.pop(key, None)
                self._confirmed[key] = stored.findings
            return True
        self.refold_evidence[key] = evidence
        self._judged_here.add(key)
        if len(self.refold_evidence) > EVIDENCE_KEPT:
            del self.refold_evidence[next(iter(self.refold_evidence))]
        return False

    def _results(self, key: str, adjudication: Adjudication) -> list[Result]:
        results: list[Result] = [("adjudications", key, to_bytes(adjudication))]
        results += [("findings", finding.id, to_bytes(finding)) for finding in adjudication.findings]
        results += [withdrawal(id_, self.stream, adjudication.round_no) for id_ in adjudication.withdrawn]
        return results


def _evidence_digest(round_: Round, book: Rulebook | str) -> bytes:
    """Return a digest of everything that a verdict depends on: the record of a round, the table before it, and the rules."""
    faults = [
        (fault.kind, fault.seq, fault.detail, fault.missing, fault.round_no, fault.earlier) for fault in round_.record_faults
    ]
    before = msgspec.structs.replace(round_.before, sources={})
    closed = round_.closed.seq if round_.closed is not None else 0
    facts = [
        [(each.seq, each.at_us, each.source, each.payload) for each in part]
        for part in (round_.facts, round_.strays, round_.refusals)
    ]
    rules = book if isinstance(book, str) else (book.digest, book.chapter.edition_digest)
    return sha256(encode((round_.gaming_day, before, facts, faults, closed, rules))).digest()


def withdrawal(finding_id: str, stream: str, round_no: int | None) -> Result:
    """Return the result that withdraws a finding."""
    return "findings", finding_id, encode_json(Withdrawn(id=finding_id, stream=stream, round_no=round_no))


encode_json = msgspec.json.Encoder(order="sorted").encode


def _adjudication(round_: Round, book: Rulebook | None, conclusion: Conclusion, seq: int) -> Adjudication:
    before, last = round_.before, round_.last_seq
    return Adjudication(
        stream=round_.stream,
        round_no=round_.round_no,
        revision=1,
        supersedes=None,
        as_of={round_.stream: seq},
        engine=engine_for(round_, book),
        rules_digest=book.digest if book else "",
        submission=book.name if book else "",
        game=book.game if book else before.game,
        chapter=book.chapter.key if book else "",
        edition=book.chapter.edition if book else 1,
        edition_digest=book.chapter.edition_digest if book else "",
        gaming_day=round_.gaming_day,
        shift=before.shift,
        dealer=round_.dealer,
        opened_at_us=round_.opened.at_us,
        closed_at_us=round_.closed.at_us if round_.closed else round_.facts[-1].at_us,
        first_seq=round_.first_seq,
        last_seq=last,
        verdict=conclusion.verdict,
        undetermined=conclusion.undetermined,
        findings=conclusion.findings,
        withdrawn=(),
        settlements=conclusion.settlements,
    )
