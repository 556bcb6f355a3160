"""One stream on its way to verdicts: folds its records, adjudicates, and knows what has been said before.

The law of this file: a worker turns records into results (kind, key, bytes) and can be put aside and taken up again at
any record. It reads nothing and stores nothing; `replayer.py` does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from events.errors import EventError, IntegrityError, UndecodableEvent
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read, read_all
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.upcast import upcast
from games.rulebook.rulebook import Rulebook, RulesRefused, parse_submission
from replay.findings import Adjudication, Finding, LedgerEntry, LedgerKind, digest, to_bytes
from replay.fold.corrections import Known
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import LEDGER_EVENTS, TableState
from replay.rules.meters import MeterFold, MeterState
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.engine import engine

Result = tuple[str, str, bytes]
Earlier = Callable[[str, str], bytes | None]
"""Gives the last result stored under (kind, key), or null."""

WITHDRAWN = "the record of the round was withdrawn: a correction says that it was never opened"

RUN = 256
"""Events of a stream that are read at once: few enough to stay in the processor's cache until they are folded."""

encode = msgspec.msgpack.encode


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that a later revision no longer makes; published under the finding's id."""

    id: str
    stream: str
    round_no: int | None
    withdrawn: bool = True


class Snapshot(msgspec.Struct, kw_only=True):
    """Where a worker can be taken up: the state at rest, and the records folded since."""

    table: TableState | None
    meter: MeterState | None
    since: list[bytes]


@functools.lru_cache(maxsize=256)
def rulebook(toml: str) -> Rulebook | str:
    """Return the rules that a filed text makes, or why it is refused."""
    try:
        return parse_submission(toml, source="rules_filed")
    except RulesRefused as error:
        return str(error)


def rules_in_force(round_: Round) -> Rulebook | str:
    """Return the rules that a round was played by: the last filed whose day had come; or why there are none.

    What is filed of a chapter that never was in force does not come into force by that (D14).
    """
    why = "no rules submission is in force at this table"
    for filed in round_.before.rules_filed(round_.gaming_day):
        book = rulebook(filed.toml)
        if isinstance(book, str) or book.chapter.in_force:
            return book
        why = f"the rules on file are of {book.chapter.key}, which never was in force: they serve what-if replays only"
    return why


def current(event: ReadEnvelope[model.Event]) -> ReadEnvelope[model.Event]:
    """Return an event with its payload in its current version. Raises `EventError` where there is no way there."""
    payload = upcast(event.payload)
    return event if payload is event.payload else msgspec.structs.replace(event, payload=payload)


class StreamWorker:
    """Turns one stream's records into results; `stale` says that something reached back further than what is at hand.

    While `withheld` is not null, the stream is being folded again (see `refold.py`): what differs from the verdicts
    stored before is held back there until `finish`, for only the last word on a round counts; `opened` then has the
    numbers of all rounds that were opened. Rounds up to `judged_to` were judged by this worker; on rounds up to `said_to`
    there may be a verdict of the worker before it.
    """

    def __init__(
        self, stream: str, earlier: Earlier, snapshot: bytes | None = None, rules: Rulebook | None = None
    ) -> None:
        self.stream, self.earlier, self.rules = stream, earlier, rules
        self.rounds, self.seq, self.judged_to, self.said_to = 0, 0, 0, 0
        self.known: Known | None = None
        self.pending_revisions: dict[str, Adjudication] | None = None
        self.judging = True
        self.opened: set[int] | None = None
        self.needs_refold = False
        self.table: TableFold | None = None
        self.meter: MeterFold | None = None
        self._rest: bytes = b""
        self._since: list[bytes] = []
        loaded = msgspec.msgpack.decode(snapshot, type=Snapshot) if snapshot is not None else None
        if stream.startswith("table/"):
            self.table = TableFold(stream, loaded.table if loaded is not None else None)
            self.judged_to = self.table.state.last_round_no
        elif stream.startswith("meter/"):
            self.meter = MeterFold(stream, loaded.meter if loaded is not None else None)
        self._keep_rest()
        for data in loaded.since if loaded is not None else ():
            self.take(Record(stream, 0, data, b""))
        self.rounds = 0

    def take(self, record: Record) -> Sequence[Result]:
        """Fold one record and return what it leads to. Raises `UndecodableEvent`: the stream stops there."""
        try:
            event = read(record.data)
            event = current(event)
        except EventError as error:
            raise UndecodableEvent(self.stream, record.seq, str(error)) from error
        if record.seq and (event.seq != record.seq or event.stream != self.stream):
            raise UndecodableEvent(self.stream, record.seq, f"the record calls itself {event.stream} event {event.seq}")
        return self._fold(record.data, event)

    def take_run(self, records: Sequence[Record], say: Callable[[Result], None]) -> int:
        """Fold records in a row and say what they lead to, as `take` does, but faster.

        Return how many were taken: all, or those as far as the one that made this worker stale (of which nothing is said).
        Raises `UndecodableEvent` after all that stand before.
        """
        every = [record.data for record in records]
        events = read_all(every)
        if events is None or not self._are_in_place(records, events):
            for number, record in enumerate(records, 1):
                results = self.take(record)
                if self.needs_refold:
                    return number
                for result in results:
                    say(result)
            return len(records)
        at, table = 0, self.table
        while at < len(events):
            if table is not None:
                start, at = at, table.take_quiet(events, at)
                if at > start:
                    self._since += every[start:at]
                    self.seq = events[at - 1].seq
                    continue
            event = events[at]
            results = self._fold(every[at], event)
            at += 1
            if self.needs_refold:
                break
            for result in results:
                say(result)
        return at

    def _are_in_place(self, records: Sequence[Record], events: Sequence[ReadEnvelope[model.Event]]) -> bool:
        """Whether the events call themselves what the log calls them."""
        in_order = [event.seq for event in events] == [record.seq for record in records]
        return in_order and {event.stream for event in events} == {self.stream}

    def _fold(self, data: bytes, event: ReadEnvelope[model.Event]) -> Sequence[Result]:
        self.seq = event.seq
        corrected = self.known is not None and event.seq in self.known
        results = self._ledger(event) if corrected or event.payload.KIND in LEDGER_EVENTS else []
        if self.meter is not None:
            results += [("findings", each.id, to_bytes(each)) for each in self.meter.apply(event)]
            self.needs_refold = self.meter.needs_refold
            return results
        fold = self.table
        if fold is None:
            return results
        was_open = fold.open
        for round_ in fold.apply(event):
            results += self.judge(round_) if self.judging else []
        if self.opened is not None and fold.open is not None and fold.open is not was_open:
            self.opened.add(fold.open.round_no)
        self.needs_refold = fold.needs_refold
        if fold.open is None and fold.at_rest and (was_open is not None or not self._since):
            self._keep_rest()
        else:
            self._since.append(data)
        return results

    def snapshot(self) -> bytes:
        """Return where this worker can be taken up."""
        if self.meter is not None:
            return encode(Snapshot(table=None, meter=self.meter.state, since=[]))
        table = msgspec.msgpack.decode(self._rest, type=TableState) if self._rest else None
        return encode(Snapshot(table=table, meter=None, since=self._since))

    def _keep_rest(self) -> None:
        self._rest = encode(self.table.state) if self.table is not None else b""
        self._since = []

    def correct(self, known: Known, refused: Mapping[int, str], keep: Collection[int]) -> None:
        """Before the first record: fold with these corrections in their places, without those that are refused (and why),
        and keep these rounds at hand.
        """
        self.known, self.pending_revisions = known, {}
        if self.table is not None:
            self.table.known, self.table.refused, self.table.keep = known, refused, keep
        elif self.meter is not None:
            self.meter.known, self.meter.refused = known, refused

    def finish(self) -> list[Result]:
        """After the last record: return what differs from the verdicts stored before, and go on as any other worker."""
        pending_revisions, self.known, self.pending_revisions, self.needs_refold = (
            self.pending_revisions or {},
            None,
            None,
            False,
        )
        if self.table is not None:
            self.table.known, self.table.keep, self.table.needs_refold = None, (), False
        elif self.meter is not None:
            self.meter.known, self.meter.needs_refold = None, False
        results: list[Result] = []
        for key, said in pending_revisions.items():
            before = self._standing(key)
            if before is not None and before.as_of[self.stream] > self.seq:
                continue  # it was said with more of the stream in hand than can be read now
            results += self._results(key, msgspec.structs.replace(said, as_of={self.stream: self.seq}))
        return results

    def withdraw(self, rounds: Iterable[int]) -> list[Result]:
        """Withdraw the verdicts on rounds that were never opened, as the record says by now."""
        results: list[Result] = []
        for number in sorted(rounds):
            key = f"{self.stream}#{number}"
            before = self._standing(key)
            if before is None or before.undetermined == (WITHDRAWN,) or before.as_of[self.stream] > self.seq:
                continue
            said = msgspec.structs.replace(
                before,
                verdict="UNDETERMINED",
                undetermined=(WITHDRAWN,),
                findings=(),
                settlements=(),
                as_of={self.stream: self.seq},
                engine=engine(),
            )
            results += self._results(key, _revised(said, before))
        return results

    def _standing(self, key: str) -> Adjudication | None:
        stored = self.earlier("adjudications", key)
        return msgspec.json.decode(stored, type=Adjudication) if stored is not None else None

    def _ledger(self, event: ReadEnvelope[model.Event]) -> list[Result]:
        entry = ledger_entry(event)
        if self.known is not None and event.seq in self.known:
            instead, old = self.known[event.seq], entry
            entry = ledger_entry(msgspec.structs.replace(event, payload=instead[1])) if instead is not None else None
            if entry is None and old is not None:
                entry = msgspec.structs.replace(old, amount_cents=0, reference="withdrawn")
        return [("ledger", f"{self.stream}#{event.seq}", to_bytes(entry))] if entry is not None else []

    def judge(self, round_: Round) -> list[Result]:
        """Adjudicate a round; where that differs from what was said before, return the new revision."""
        first_time = round_.round_no > self.judged_to
        self.rounds += first_time
        self.judged_to = max(self.judged_to, round_.round_no)
        instead = self.rules is not None and round_.before.game in ("", self.rules.game)
        book = self.rules if instead and self.rules is not None else rules_in_force(round_)
        if isinstance(book, str):
            conclusion = Conclusion(verdict="UNDETERMINED", undetermined=(book,), findings=(), settlements=())
        else:
            conclusion = adjudicate(round_, book)
            round_.forget()  # what rules worked out is not kept with the rounds at hand
        key = f"{self.stream}#{round_.round_no}"
        judged = not first_time or round_.round_no <= self.said_to or self.pending_revisions is not None
        before = self._standing(key) if judged else None
        said = _adjudication(round_, book if isinstance(book, Rulebook) else None, conclusion, self.seq)
        if before is not None:
            if _same(before, said):
                if self.pending_revisions is not None:
                    self.pending_revisions.pop(key, None)
                return []
            said = _revised(said, before)
        if self.pending_revisions is not None:
            self.pending_revisions[key] = said
            return []
        return self._results(key, said)

    def _results(self, key: str, said: Adjudication) -> list[Result]:
        results: list[Result] = [("adjudications", key, to_bytes(said))]
        results += [("findings", each.id, to_bytes(each)) for each in said.findings]
        results += [withdrawal(each, self.stream, said.round_no) for each in said.withdrawn]
        return results


def withdrawal(finding_id: str, stream: str, round_no: int | None) -> Result:
    """Return the result that withdraws a finding."""
    return "findings", finding_id, encode_json(Withdrawn(id=finding_id, stream=stream, round_no=round_no))


encode_json = msgspec.json.Encoder(order="sorted").encode


def _revised(said: Adjudication, before: Adjudication) -> Adjudication:
    """Return what is said now as the next revision of what was said before."""
    gone = tuple(sorted({each.id for each in before.findings} - {each.id for each in said.findings}))
    return msgspec.structs.replace(said, revision=before.revision + 1, supersedes=digest(before), withdrawn=gone)


def _same(before: Adjudication, said: Adjudication) -> bool:
    """Whether a new conclusion says what was said before; when and by which judge makes no difference."""
    neutral = msgspec.structs.replace(
        before, revision=1, supersedes=None, withdrawn=(), as_of=said.as_of, engine=said.engine, last_seq=said.last_seq
    )
    return neutral == said


def _adjudication(round_: Round, book: Rulebook | None, conclusion: Conclusion, seq: int) -> Adjudication:
    before, last = round_.before, round_.last_seq
    return Adjudication(
        stream=round_.stream,
        round_no=round_.round_no,
        revision=1,
        supersedes=None,
        as_of={round_.stream: seq},
        engine=engine(),
        rules_digest=book.digest if book else "",
        submission=book.name if book else "",
        game=book.game if book else before.game,
        chapter=book.chapter.key if book else "",
        gaming_day=round_.gaming_day,
        shift=before.shift,
        dealer=before.dealer,
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


def ledger_entry(event: ReadEnvelope[model.Event]) -> LedgerEntry | None:
    """Return the accounting entry that an event of a table makes, or null (D27)."""
    match event.payload:
        case model.InventoryCounted(kind=kind, amount_cents=cents):
            return _entry(event, kind, cents, "")
        case model.FillReceived(amount_cents=cents, slip=slip):
            return _entry(event, "fill", cents, slip)
        case model.CreditSent(amount_cents=cents, slip=slip):
            return _entry(event, "credit", cents, slip)
        case model.DropCounted(gaming_day=day, amount_cents=cents, box=box):
            return msgspec.structs.replace(_entry(event, "drop", cents, box), gaming_day=day)
        case model.BuyIn(amount_cents=cents, form=form):
            return _entry(event, "buy_in", cents, form)
        case model.MarkerIssued(amount_cents=cents, document=document):
            return _entry(event, "marker", cents, document)
        case _:
            return None


def _entry(event: ReadEnvelope[model.Event], kind: LedgerKind, cents: int, reference: str) -> LedgerEntry:
    return LedgerEntry(
        stream=event.stream,
        seq=event.seq,
        gaming_day=event.gaming_day,
        kind=kind,
        amount_cents=cents,
        reference=reference,
    )


def runs_of(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield records some at a time. Where one cannot be read, what came before it is yielded, then the error raised."""
    left, more = iter(records), True
    while more:
        run: list[Record] = []
        broken: IntegrityError | None = None
        try:
            run.extend(islice(left, RUN))
        except IntegrityError as error:
            broken = error
        if run:
            yield run
        if broken is not None:
            raise broken
        more = bool(run)


def current_findings(results: Iterable[tuple[str, bytes]]) -> list[Finding]:
    """Return the findings that stand, from the stored findings in order: the last word on each id counts."""
    standing: dict[str, Finding] = {}
    for key, data in results:
        if b'"withdrawn":true' in data and msgspec.json.decode(data).get("withdrawn"):
            standing.pop(key, None)
        else:
            standing[key] = msgspec.json.decode(data, type=Finding)
    return list(standing.values())
