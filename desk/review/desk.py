"""The desk at which findings and disputes are reviewed: the one writer of review events.

The command line and the pages both write through it: every event names its author and reason, events that contradict the state
are refused, and the caller gets an answer only after the event is in the log. `state.py` folds the state of a review; its names
are available here too.
"""

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal
from unicodedata import normalize
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from desk.review.contradiction import contradiction, owed_cents, shown, still_owed
from desk.review.desk_memory import DeskMemory, is_withdrawal
from desk.review.disputes import OBSERVED, Dispute, Entry, place_of, round_stream
from desk.review.persons import Person, Persons, ReviewRefused
from desk.review.state import SURVEILLANCE, SURVEILLANCE_STREAM, FindingReview, Resolution, TableReview, entry_of
from events.errors import AppendRefused, EventError, IntegrityError, LogUnavailable, WrongSequence
from events.log.clock import utc_now_us
from events.log.contract import EventLog, ResultStore
from events.open import open_log, open_results
from events.vocabulary import model
from events.vocabulary.card_numbers import hidden_in_text
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, PropertyConfigured
from replay.findings import Adjudication, Finding, read_result
from replay.narrative.reviews import DISPOSITIONS, INVESTIGATION_OUTCOMES, OUTCOMES
from replay.run.memory_results import MemoryResults
from replay.transcript.clock import UnreadableTime, clock_of

__all__ = ["Dispute", "Entry", "FindingReview", "Resolution", "ReviewRefused", "TableReview"]
"""Names of other files that are available here too, for the pages, which import few files of this room."""

SOURCE = "review"
LONGEST, LONGEST_CLAIM = 400, 4_000
"""Characters of a reason or a note at most, and of what a patron says."""
ATTEMPTS = 20
RecordKind = Literal["round", "packet", "findings", "table", "video"]


REFUSALS = (ReviewRefused, EventError, AppendRefused, LogUnavailable, IntegrityError)
"""The errors of a request that a desk does not carry out: each says why, and nothing was written."""


class ReviewedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and its review. `withdrawn`: a later verdict no longer makes the finding."""

    finding: Finding
    review: FindingReview
    withdrawn: bool

    @property
    def table(self) -> str:
        """The id of the stream's table (or meter); for an observed round, its place."""
        return place_of(self.finding.stream)


class Desk:
    """The review desk of a log's findings and disputes. Writing needs a log that is open for writing.

    Every method that writes returns the new entry in the log, and raises `ReviewRefused` if it does not fit, `EventError` if a
    value is invalid, and the log's errors. The acting person must be in the register `persons` and is recorded by id; views and
    exports are recorded for everyone.
    """

    def __init__(
        self, log: EventLog, results: ResultStore, *, persons: Persons | None = None, clock: Callable[[], int] | None = None
    ) -> None:
        self.log, self.results, self._persons = log, results, persons
        self._clock = clock or utc_now_us
        self.memory = DeskMemory()
        """The memory of earlier reads; a caller that often opens a desk may pass the same memory each time."""

    # ------------------------------------------------------------------------------------------------------- reading

    def now_us(self) -> int:
        """Return the time (UTC microseconds) of an action now."""
        return self._clock()

    def today(self) -> str:
        """Return the property's present gaming day; the UTC day if the property stated no cutover."""
        if self._configured is not None:
            with contextlib.suppress(ReviewRefused):  # a time zone that this machine does not know
                return gaming_day(self._clock(), self._configured)
        return datetime.fromtimestamp(self._clock() // 1_000_000, tz=UTC).date().isoformat()

    def must_be_past(self, at_us: int) -> None:
        """Raise `ReviewRefused` for a typed time of what happened that has not come, by more than clocks may differ (D1443)."""
        try:
            clock_of(self._configured).must_be_past(at_us, self._clock())
        except UnreadableTime as error:
            raise ReviewRefused(str(error)) from error

    def must_have_begun(self, gaming_day: str) -> None:
        """Raise `ReviewRefused` for a gaming day that has not begun at the property; of an unknown zone nothing is known."""
        if self._configured is not None and gaming_day > self.today():
            raise ReviewRefused(f"gaming day {gaming_day} has not begun: it is {self.today()} now")

    def must_know(self, table: str) -> None:
        """Raise `ReviewRefused` if the log has no such table, meter or place of observations."""
        if table != SURVEILLANCE and not {round_stream(table), f"meter/{table}"} & set(self.log.streams()):
            raise ReviewRefused(f"the log has no table {table!r}")

    def review(self, table: str) -> TableReview:
        """Return the state of the review of a table. Raises an `IntegrityError` if the stream is broken."""
        return self.memory.review(self.log, table)

    def cases(self, table: str | None = None, broken: dict[str, str] | None = None) -> list[ReviewedFinding]:
        """Return all findings ever made (of one table), withdrawn ones too, in the order first found.

        A broken review raises its `IntegrityError`. If `broken` is given, the review is named there instead (table → why), and
        the findings of its table are left out, since their state is unknown.

        Findings of rounds that a person entered are returned only if their place is named, and only of disputed rounds.
        """
        if table is not None and table.startswith(OBSERVED):
            return self._disputed(table)
        findings = self.memory.findings(self.results)
        names = dict.fromkeys(finding.stream.partition("/")[2] for finding, _ in findings.values())
        reviews: dict[str, TableReview] = {}
        for name in names if table is None else names.keys() & {table}:
            try:
                reviews[name] = self.review(name)
            except IntegrityError as error:
                if broken is None:
                    raise
                broken[name] = f"{error.code} {error}"
        return [
            ReviewedFinding(finding=finding, review=reviews[name].finding(key), withdrawn=withdrawn)
            for key, (finding, withdrawn) in findings.items()
            if (name := finding.stream.partition("/")[2]) in reviews
        ]

    def _disputed(self, place: str) -> list[ReviewedFinding]:
        """Return the findings in force of the disputed rounds entered at a place."""
        review = self.review(place)
        verdicts = [self._verdict(place, number) for number in {each.round_no for each in review.disputes.values()}]
        return [
            ReviewedFinding(finding=finding, review=review.finding(finding.id), withdrawn=False)
            for verdict in verdicts
            for finding in (() if verdict is None else verdict.findings)
        ]

    def _verdict(self, place: str, round_no: int | None) -> Adjudication | None:
        key = f"{round_stream(place)}#{round_no}"
        data = self.results.latest("adjudications", key)
        return None if data is None else read_result("adjudications", key, data, Adjudication)

    def case(self, finding_id: str) -> ReviewedFinding:
        """Return a finding by its id, or by the first digits of only one id. Raises `ReviewRefused`."""
        finding_id = finding_id.lower()
        data = self.results.latest("findings", finding_id)
        if data is not None and not is_withdrawal(finding_id, data):
            matches = {finding_id: (read_result("findings", finding_id, data, Finding), False)}
        else:
            matches = {
                key: match
                for key, match in self.memory.findings(self.results).items()
                if finding_id and key.startswith(finding_id)
            }
        if len(matches) != 1:
            more = (
                f"{len(matches)} findings begin like this: give more digits"
                if matches
                else "replay the log first, or look up its id"
            )
            raise ReviewRefused(f"no single finding matches {finding_id!r}; {more}")
        ((key, (finding, withdrawn)),) = matches.items()
        place = place_of(finding.stream)
        review = self.review(place)
        disputed = {each.round_no for each in review.disputes.values()}
        if place.startswith(OBSERVED) and finding.round_no not in disputed:
            raise ReviewRefused(
                f"finding {finding_id} is of {place} round {finding.round_no}, which a person entered and no one disputes: "
                f"`rack observe` corrects and confirms the entry, `rack case open {place} {finding.round_no}` opens a case"
            )
        return ReviewedFinding(finding=finding, review=review.finding(key), withdrawn=withdrawn)

    # ------------------------------------------------------------------------------------------------------- findings

    def assign(self, finding_id: str, *, to: str, by: str, reason: str) -> Entry:
        """Assign a finding to somebody."""
        case = self._open(finding_id, "assigned")
        return self._about(case, model.FindingAssigned, by=self.person(by).id, reason=reason, to=self.person(to).id)

    def note(self, finding_id: str, *, note: str, by: str) -> Entry:
        """Record a note about a finding, withdrawn or not."""
        return self._about(self.case(finding_id), model.FindingNoted, by=self.person(by).id, note=note)

    def acknowledge(self, finding_id: str, *, note: str, by: str) -> Entry:
        """Take charge of the alarm about a finding's incident, which ends its escalation."""
        case = self._open(finding_id, "acknowledged")
        return self._about(case, model.AlarmAcknowledged, by=self.person(by).id, note=note)

    def resolve(
        self,
        finding_id: str,
        *,
        disposition: str,
        by: str,
        reason: str,
        amount_cents: int | None = None,
        duplicate_of: str | None = None,
    ) -> Entry:
        """Dispose of a finding. One that moves money then waits for another person's signature (`sign`)."""
        if disposition not in DISPOSITIONS:
            raise ReviewRefused(f"{disposition!r} is no disposition: {', '.join(DISPOSITIONS)}")
        case = self._open(finding_id, "resolved")
        return self._about(
            case,
            model.FindingResolved,
            amount_cents=amount_cents,
            disposition=disposition,
            duplicate_of=self.case(duplicate_of).finding.id if duplicate_of is not None else None,
            by=self.person(by).id,
            reason=reason,
            signs=None,
        )

    def sign(self, finding_id: str, *, by: str, reason: str, amount_cents: int | None = None) -> Entry:
        """Add the second signature to a disposition that moves money; `amount_cents`, if given, must be its amount."""
        case = self._open(finding_id, "signed")
        first = case.review.resolution
        if first is None or case.review.state != "awaiting_signature":
            raise ReviewRefused(f"finding {finding_id} does not wait for a second signature")
        return self._about(
            case,
            model.FindingResolved,
            amount_cents=first.amount_cents if amount_cents is None else amount_cents,
            by=self.second_person(by, first.by).id,
            disposition=first.disposition,
            duplicate_of=first.duplicate_of,
            reason=reason,
            signs=first.seq,
        )

    def reopen(self, finding_id: str, *, by: str, reason: str) -> Entry:
        """Withdraw a disposition (or refuse the second signature): the finding is open again."""
        return self._about(self.case(finding_id), model.FindingReopened, by=self.person(by).id, reason=reason)

    def mark_video(
        self,
        table: str,
        round_no: int,
        *,
        camera: str,
        starts_us: int,
        ends_us: int,
        by: str,
        reason: str,
        finding_id: str | None = None,
        clock_offset_ms: int | None = None,
        digest: str | None = None,
    ) -> Entry:
        """Mark a clip of a round to be kept; times are UTC microseconds of the video's clock.

        That clock is `clock_offset_ms` ahead of the property's (None: unknown); `digest` is the SHA-256 of the clip's file.
        """
        case = self.case(finding_id) if finding_id is not None else None
        if case is not None and (case.table, case.finding.round_no) != (table, round_no):
            raise ReviewRefused(f"finding {finding_id} is not of table {table}, round {round_no}")
        return self.write(
            table,
            round_no,
            model.VideoMarked2,
            by=self.person(by).id,
            camera=camera,
            clock_offset_ms=clock_offset_ms,
            digest=digest,
            ends_us=ends_us,
            reason=reason,
            starts_us=starts_us,
            finding_id=case.finding.id if case is not None else None,
        )

    # ------------------------------------------------------------------------------------------- disputes and custody

    def open_dispute(
        self, table: str, round_no: int, *, dispute: str, claim: str, by: str, seat: int | None = None, patron: str | None = None
    ) -> Entry:
        """Open a patron's dispute of a round under its own id; `claim` is in the patron's words."""
        opened: dict[str, Any] = {"dispute": dispute, "patron": patron, "reason": claim, "seat": seat}
        return self.write(table, round_no, model.DisputeOpened, by=self.person(by).id, **opened)

    def close_dispute(
        self, table: str, *, dispute: str, outcome: str, by: str, reason: str, override: str | None = None
    ) -> Entry:
        """Close a dispute. A decision against the record needs a reason (`override`) and a second signature (D713).

        Raises `ReviewRefused` if money found owed is unpaid (D714).
        """
        if outcome not in OUTCOMES:
            raise ReviewRefused(f"{outcome!r} is no outcome of a dispute: {', '.join(OUTCOMES)}")
        before = self.review(table).disputes.get(dispute)
        if before is not None and before.outcome is None:
            self._must_not_contradict(table, before, outcome, override)
        return self.write(
            table,
            before.round_no if before is not None else None,
            model.DisputeClosed2,
            by=self.person(by).id,
            dispute=dispute,
            outcome=outcome,
            override=override,
            reason=reason,
            signs=None,
        )

    def sign_dispute(self, table: str, *, dispute: str, by: str, reason: str) -> Entry:
        """Add the second signature to a decision against the record; `reason` says what was checked."""
        before = self.review(table).disputes.get(dispute)
        first = None if before is None else before.pending
        if before is None or first is None:
            raise ReviewRefused(f"dispute {dispute} does not wait for a second signature")
        self._must_not_contradict(table, before, first.outcome, first.override)
        return self.write(
            table,
            before.round_no,
            model.DisputeClosed2,
            by=self.second_person(by, first.by).id,
            dispute=dispute,
            outcome=first.outcome,
            override=first.override,
            reason=reason,
            signs=first.seq,
        )

    def _must_not_contradict(self, table: str, dispute: Dispute, outcome: str, override: str | None) -> None:
        """Raise `ReviewRefused` if money is still owed, or a decision contradicts the record without a reason."""
        currency = "USD" if self._configured is None else self._configured.currency
        verdict, disposed = self._verdict(table, dispute.round_no), self.review(table).disposed
        cases = [each for each in self.cases(table) if each.finding.round_no == dispute.round_no and not each.withdrawn]
        findings = [each.finding for each in cases]
        if why := still_owed(owed_cents(findings, dispute.seat, disposed), dispute.seat, currency):
            raise ReviewRefused(why)
        against = contradiction(outcome, shown(verdict, dispute.seat, currency))
        if against and override is None:
            raise ReviewRefused(
                f"this goes against the record, which shows: {against} To decide {OUTCOMES[outcome].removeprefix('decided ')} "
                "all the same, say why against the record; a second person signs it"
            )
        if override is not None and not against:
            raise ReviewRefused("the record does not contradict this decision: leave out the reason against the record")

    def open_investigation(self, table: str, **figures: Any) -> Entry:
        """Open a written investigation of a table's hold; `figures` are the fields of `InvestigationOpened`."""
        figures["by"] = self.person(figures["by"]).id
        return self.write(table, None, model.InvestigationOpened, **figures)

    def close_investigation(self, table: str, *, investigation: str, outcome: str, by: str, reason: str) -> Entry:
        """Close an investigation; `reason` states its result."""
        if outcome not in INVESTIGATION_OUTCOMES:
            raise ReviewRefused(f"{outcome!r} is no outcome of an investigation: {', '.join(INVESTIGATION_OUTCOMES)}")
        closed = {"investigation": investigation, "outcome": outcome, "reason": reason}
        return self.write(table, None, model.InvestigationClosed, by=self.person(by).id, **closed)

    def viewed(self, table: str, round_no: int | None, *, what: RecordKind, by: str, reason: str) -> Entry:
        """Record that somebody viewed a record of a table (of one round; None: of the whole table)."""
        return self.write(table, round_no, model.RecordViewed, by=self._recorded(by), reason=reason, what=what)

    def exported(
        self, table: str, round_no: int | None, *, what: RecordKind, digest: str, form: str, by: str, reason: str
    ) -> Entry:
        """Record that a copy of a record leaves the system: its SHA-256 in hex (`digest`) and its `form` (json, csv)."""
        copied = {"digest": digest, "format": form, "reason": reason, "what": what}
        return self.write(table, round_no, model.RecordExported, by=self._recorded(by), **copied)

    # -------------------------------------------------------------------------------------------------------- writing

    def person(self, spelling: str) -> Person:
        """Return the registered person with a name, however it is spelled. Raises `ReviewRefused` if none exists."""
        if self._persons is None:
            raise ReviewRefused(
                "no register of persons is named, and only registered persons act; "
                "name its file with RACK_PERSONS (`rack review register` makes it)"
            )
        return self._persons.known(spelling)

    def second_person(self, spelling: str, first: str) -> Person:
        """Return the second signer. Raises `ReviewRefused` unless somebody else certainly signed first."""
        second = self.person(spelling)
        before = self._persons.find(first) if self._persons is not None else None
        if before is None:
            raise ReviewRefused(
                f"{first} signed first and is not registered, so that no one can tell whether {second.id} is another person; "
                "have the administrator register that name (as an id, or as an account of the person it belongs to), "
                "or reopen the finding"
            )
        if before.id == second.id:
            raise ReviewRefused(f"{second.id} has signed already; the second signature must be another person's")
        return second

    def _recorded(self, spelling: str) -> str:
        person = self._persons.find(spelling) if self._persons is not None else None
        return spelling if person is None else person.id

    def _open(self, finding_id: str, what: str) -> ReviewedFinding:
        case = self.case(finding_id)
        if case.withdrawn:
            raise ReviewRefused(f"finding {finding_id} was withdrawn by a later verdict: it can be noted or reopened, not {what}")
        return case

    def _about(self, case: ReviewedFinding, kind: type[Event], /, **fields: Any) -> Entry:
        return self.write(case.table, case.finding.round_no, kind, finding_id=case.finding.id, **fields)

    def write(self, table: str, round_no: int | None, kind: type[Event], /, **fields: Any) -> Entry:
        """Append a review event about a round (None: about none) with these fields."""
        (entry,) = self.write_together(table, round_no, [review_event(kind, **fields)])
        return entry

    def write_together(self, table: str, round_no: int | None, payloads: Sequence[Event]) -> list[Entry]:
        """Append events about one round, all or none, each checked after those before it; return their entries in order."""
        stream = f"review/{table}"
        self.must_know(table)
        for _ in range(ATTEMPTS):
            review = self.review(table)
            after = review.copy()
            for number, payload in enumerate(payloads, review.seq + 1):
                if objection := after.objection(payload, round_no):
                    raise ReviewRefused(f"{stream}: {objection}")
                after.apply(number, 0, round_no, payload, review.gaming_day)
            drafts = self._drafts(review, payloads, round_no)
            try:
                end = self.log.append(stream, review.seq + 1, drafts).head.seq
            except WrongSequence:  # another reviewer wrote meanwhile: that counts first
                continue
            events = [decode(record.data) for record in self.log.read(stream, end - len(payloads) + 1, end)]
            return [entry_of(event.seq, event.recorded_at_us, event.round_no, event.payload) for event in events]
        raise ReviewRefused(f"{stream}: others kept writing to it; repeat what you did")

    def _drafts(self, review: TableReview, payloads: Sequence[Event], round_no: int | None) -> list[Draft]:
        now_us = self._clock()
        day = max(self._gaming_day(now_us, review), review.gaming_day)
        events: list[tuple[Event, int | None]] = [(payload, round_no) for payload in payloads]
        if day != review.gaming_day:
            events.insert(0, (GamingDayOpened(gaming_day=day), None))
        return [
            Draft(
                event_id=secrets.token_hex(16),  # a packet that leaves others out must not let it be guessed
                source=SOURCE,
                source_seq=seq,
                occurred_at_us=now_us,
                round_no=number,
                payload=event,
            )
            for seq, (event, number) in enumerate(events, review.seq + 1)
        ]

    def _gaming_day(self, now_us: int, review: TableReview) -> str:
        """Return the property's gaming day at a time; the table's last if the property stated no cutover."""
        configured = self._configured
        if configured is None and review.stream == SURVEILLANCE_STREAM:
            raise ReviewRefused(
                "the property did not say when its gaming day begins, and an entry of the surveillance log needs one; "
                "append its property_configured (`rack ingest --office`)"
            )
        if configured is None:
            table = review.stream.partition("/")[2]
            named = {round_stream(table), f"meter/{table}"} & set(self.log.streams())
            head = max((self.log.head(name).seq, name) for name in named)
            (last,) = self.log.read(head[1], head[0], head[0])
            return decode(last.data).gaming_day
        return gaming_day(now_us, configured)

    @cached_property
    def _configured(self) -> PropertyConfigured | None:
        """The property's last configuration; None if none exists. Read once: it may be far back in a partition."""
        return self.memory.configured(self.log)


ROOM_FOR_WORDS: dict[type[Event], type[Event]] = {
    model.DisputeOpened: model.DisputeOpened2,
    model.CaseAppealed: model.CaseAppealed2,
}
"""Event → its version with room for a long text; only a patron's own words can be long."""


def review_event(cls: type[Event], /, **fields: Any) -> Event:
    """Return a review event without card numbers. Raises `ReviewRefused` if a value is invalid."""
    values = {
        name: hidden_in_text(normalize("NFC", value)) if isinstance(value, str) else value for name, value in fields.items()
    }
    if len(values.get("reason") or "") > LONGEST:
        cls = ROOM_FOR_WORDS.get(cls, cls)
    for name in ("reason", "note", "override"):
        words, longest = values.get(name) or "", LONGEST_CLAIM if cls in ROOM_FOR_WORDS.values() else LONGEST
        if len(words) > longest:
            raise ReviewRefused(
                f"{cls.__name__}.{name}: {len(words):,} characters, and {longest:,} fit: shorten it; nothing was written"
            )
    try:
        return cls(**values)
    except msgspec.ValidationError as error:
        raise ReviewRefused(f"{error}: nothing was written") from error


def gaming_day(at_us: int, configured: PropertyConfigured) -> str:
    """Return the gaming day of a time; it begins at the cutover in property time.

    >>> night = PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="x", time_zone="America/New_York")
    >>> gaming_day(1_772_449_199_000_000, night), gaming_day(1_772_449_200_000_000, night)
    ('2026-03-01', '2026-03-02')
    """
    try:
        zone = ZoneInfo(configured.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ReviewRefused(f"property_configured names the time zone {configured.time_zone!r}: {error}") from error
    hours, minutes = map(int, configured.gaming_day_cutover.split(":"))
    local = datetime.fromtimestamp(at_us // 1_000_000, tz=UTC).astimezone(zone)
    return (local.replace(tzinfo=None) - timedelta(hours=hours, minutes=minutes)).date().isoformat()


@contextlib.contextmanager
def desk_at(
    address: str,
    *,
    read_only: bool = False,
    check_heads: bool = True,
    needs_results: bool = True,
    persons: Persons | None = None,
    clock: Callable[[], int] | None = None,
    **options: Any,
) -> Iterator[Desk]:
    """Open the desk of the log at an address for a few actions.

    `needs_results`: false for work possible before the log was replayed. `check_heads` as in `open_log`: without it, a log that
    lost its tail can be viewed. The backends get the options (`security`). Raises the log's `LogUnavailable` and `SecondWriter`.
    """
    with contextlib.ExitStack() as resources:
        log = open_log(address, read_only=read_only, check_heads=check_heads, **options)
        resources.callback(log.close)
        results: ResultStore = MemoryResults()
        with contextlib.ExitStack() if needs_results else contextlib.suppress(LogUnavailable):
            results = open_results(address, read_only=True, **options)
            resources.callback(results.close)
        yield Desk(log, results, persons=persons, clock=clock)
