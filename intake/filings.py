"""The rules that are filed at a table: the checks of a filing, and the refusal of a device's filing if the office files.

A filing decides how the next rounds are judged. So its text must be a rules submission that is accepted, its digest and
gaming day must be those of the text, its game the table's, and it must not replace rules in the middle of a gaming day
(D803). Corrections that put a filing in the place of another are checked like it. If the property says that only its
office files, and at a table if the office filed, a device files nothing (D920); nor does it take back what a person entered.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple, Protocol

import msgspec

from events.errors import EventError, WrongPlace
from events.log.contract import EventLog
from events.vocabulary.base import Writer
from events.vocabulary.codec import decode
from events.vocabulary.correction_events import counting_corrections, objection
from events.vocabulary.model import (
    ChapterPublished,
    Event,
    EventCorrected,
    GamingDayOpened,
    IntakeRefused,
    PropertyApplied,
    RulesFiled,
    TableClosed,
    TableOpened,
)
from intake.lines import AcceptedLine, Refusal
from intake.writer_rights import NAMES, PEOPLE, WAYS, owner_of

_MARKS = tuple(
    f'"type":"{event.TYPE}"'.encode()
    for event in (ChapterPublished, EventCorrected, GamingDayOpened, IntakeRefused, RulesFiled, TableClosed, TableOpened)
) + tuple(f'"source":"{beginning}'.encode() for beginning in PEOPLE)
_PUBLISHED = f'"type":"{ChapterPublished.TYPE}"'.encode()
_APPLIED = f'"type":"{PropertyApplied.TYPE}"'.encode()
PROPERTY = "property/main"


class Submission(NamedTuple):
    """The facts that a rules submission states about itself."""

    game: str
    effective_gaming_day: str


class ReadRules(Protocol):
    """The program's functions on rules that intake needs."""

    def __call__(self, text: str) -> Submission:
        """Read the text of a rules submission. Raises `EventError` saying what is wrong with it."""

    def wagers(self) -> Mapping[str, Collection[str]]:
        """Return every game with the names of its wagers."""


class TableFilings:
    """The rules, game and gaming day in the part of a table's stream that has been read."""

    def __init__(self) -> None:
        self.seq = 0
        self.game: str | None = None
        """The game that the table is open for; None if it is closed or not known."""
        self.gaming_day = ""
        self.event_ids: set[str] = set()
        self.of_people: dict[str, Writer] = {}
        """Id of an event that a person entered → as which writer."""
        self.editions: tuple[str, ...] = ()
        """The amendments of chapters that the property published here, each whole."""
        self._filings: dict[int, RulesFiled] = {}
        """As they were reported; `_standing` has them as corrected."""
        self._filers: dict[int, str] = {}
        """Number of a filing of the office → the person in its source."""
        self._ids: dict[int, str] = {}
        self._made: dict[int, EventCorrected] = {}
        """The corrections that fit: number and id name one earlier event (D140)."""

    def read_on(self, log: EventLog, stream: str) -> None:
        """Read what came into the stream since. Raises an `IntegrityError` if it is broken."""
        end = log.head(stream).seq
        if end <= self.seq:
            return
        for record in log.read(stream, self.seq + 1, end):
            self.seq = record.seq
            if any(mark in record.data for mark in _MARKS):
                try:
                    event = decode(record.data)
                except EventError:  # of a version that this program does not know
                    continue
                if isinstance(event.payload, EventCorrected):
                    self._learn_id(log, stream, event.payload.supersedes_seq)
                self.apply(event.seq, event.event_id, event.payload, event.source)

    def _learn_id(self, log: EventLog, stream: str, seq: int) -> None:
        """Read the id of an event that may be corrected into a filing."""
        if seq < self.seq and seq not in self._ids:
            with suppress(EventError):
                self._ids[seq] = decode(next(iter(log.read(stream, seq, seq))).data).event_id

    @property
    def office_files(self) -> bool:
        """Whether the office filed rules here."""
        return "office" in self.of_people.values()

    def apply(self, seq: int, event_id: str, payload: Event, source: str = "") -> None:
        """Take an event in."""
        self._ids[seq] = event_id
        if source.startswith(PEOPLE):
            self.of_people[event_id] = owner_of(source) or "office"
        match payload:
            case GamingDayOpened():
                self.gaming_day = payload.gaming_day
            case TableOpened():
                self.game = payload.game
            case TableClosed():
                self.game = None
            case ChapterPublished():
                self.editions = tuple(dict.fromkeys((*self.editions, payload.toml)))
            case RulesFiled():
                self._filings[seq] = payload
                self.event_ids.add(event_id)
                if source.startswith("filing-"):
                    self._filers[seq] = source.removeprefix("filing-")
            case EventCorrected():
                if filing_in(payload) is not None or payload.supersedes_seq in (*self._filings, *self._made):
                    self.event_ids.add(event_id)
                if not objection(seq, payload.supersedes_seq, payload.supersedes_event_id, self._ids):
                    self._made[seq] = payload

    def _standing(self) -> dict[int, tuple[int, RulesFiled]]:
        """Return the filings after correction, in order: number → the number of the event that states it, and the filing."""
        standing = {seq: (seq, filed) for seq, filed in self._filings.items()}
        for seq, made in counting_corrections({made: each.supersedes_seq for made, each in self._made.items()}).items():
            filed = filing_in(self._made[made])
            if filed is not None:
                standing[seq] = made, filed
            else:
                standing.pop(seq, None)
        return dict(sorted(standing.items()))

    @property
    def last_of_office(self) -> int | None:
        """The number of the office's last filing."""
        return max(self._filers, default=None)

    def filed_by(self, seq: int) -> str:
        """Return the person who made a filing of the office, as its source names them."""
        return self._filers[seq]

    def in_force(self, gaming_day: str) -> RulesFiled | None:
        """Return the rules in force on a gaming day: the last filed whose day has come."""
        filings = [filed for _, filed in self._standing().values() if filed.effective_gaming_day <= gaming_day]
        return filings[-1] if filings else None

    def pinned(self, gaming_day: str) -> tuple[int, RulesFiled] | None:
        """Return the filing by which the table's rounds of a day are judged, and the number of the event that states it.

        If the office filed before, a device's filing does not count (D920).
        """
        for seq, (stated, filed) in reversed(self._standing().items()):
            is_of_device = seq not in self._filers and any(each < seq for each in self._filers)
            if filed.effective_gaming_day <= gaming_day and not is_of_device:
                return stated, filed
        return None


def filing_in(payload: Event) -> RulesFiled | None:
    """Return the filing that an event reports, also in the place of another event; None for other events."""
    if isinstance(payload, EventCorrected):
        replacement = payload.replacement
        if replacement is None or replacement.type != RulesFiled.TYPE:
            return None
        try:
            return msgspec.convert(replacement.payload, RulesFiled)
        except msgspec.ValidationError:  # of an older version, or no filing
            return None
    return payload if isinstance(payload, RulesFiled) else None


class OfficeRule:
    """A property's settings about rules: whether only its office files them, as last applied, and its published amendments."""

    def __init__(self) -> None:
        self._seq, self._holds = 0, False
        self.editions: tuple[ChapterPublished, ...] = ()

    def holds(self, log: EventLog) -> bool:
        """Read on, and return it. Raises an `IntegrityError` if the property's stream is broken."""
        end = log.head(PROPERTY).seq
        for record in log.read(PROPERTY, self._seq + 1, end) if end > self._seq else ():
            self._seq = record.seq
            if _APPLIED in record.data:
                payload = decode(record.data).payload
                self._holds = payload.only_office_files if isinstance(payload, PropertyApplied) else self._holds
            elif _PUBLISHED in record.data:
                payload = decode(record.data).payload
                self.editions += (payload,) if isinstance(payload, ChapterPublished) else ()
        return self._holds


def published(log: EventLog) -> tuple[ChapterPublished, ...]:
    """Return the amendments that a property published, in order. Raises an `IntegrityError` if its stream is broken."""
    said = OfficeRule()
    if PROPERTY in log.streams():
        said.holds(log)
    return said.editions


def check_of_device(stream: str, payload: Event, table: TableFilings, only_office: bool) -> None:
    """Raise `WrongPlace` if a device files rules that only the office may file, or takes back what a person entered."""
    if filing_in(payload) is not None and (only_office or table.office_files):
        raise WrongPlace(
            f"rules_filed in {stream}: only the office files rules here, not {NAMES['device']}; file them with `rack rules file`"
        )
    owner = table.of_people.get(payload.supersedes_event_id) if isinstance(payload, EventCorrected) else None
    if owner is not None and isinstance(payload, EventCorrected):
        raise WrongPlace(
            f"event_corrected in {stream} supersedes event {payload.supersedes_seq}, which is of {NAMES[owner]}: "
            f"expected a correction of what a device reported; {WAYS[owner]}"
        )


class FilingCheck:
    """Refuses filings and corrections of devices that cannot count. Asked within a turn of the log."""

    def __init__(self, log: EventLog, read_rules: ReadRules) -> None:
        self._log, self._read_rules = log, read_rules
        self._tables: dict[str, TableFilings] = {}
        self._office = OfficeRule()

    def screened(self, batch: Sequence[AcceptedLine | Refusal]) -> list[AcceptedLine | Refusal]:
        """Return a batch in which refusals replace the filings that cannot take effect."""
        batch = self._with_known_wagers(batch)
        streams = {
            line.stream
            for line in batch
            if isinstance(line, AcceptedLine) and isinstance(line.draft.payload, RulesFiled | EventCorrected)
        }
        if not streams:
            return list(batch)
        only_office = self._office.holds(self._log)
        for stream in streams:
            self._tables.setdefault(stream, TableFilings()).read_on(self._log, stream)
        screened: list[AcceptedLine | Refusal] = []
        before: dict[str, list[AcceptedLine]] = {stream: [] for stream in streams}
        for line in batch:
            kept: AcceptedLine | Refusal = line
            if isinstance(line, AcceptedLine) and line.stream in streams:
                try:
                    check_of_device(line.stream, line.draft.payload, self._tables[line.stream], only_office)
                    self._check_editions(line)
                    self._check(line, before[line.stream])
                    before[line.stream].append(line)
                except EventError as error:
                    kept = Refusal(line.where, line.data, line.stream, str(error), line.origin)
            screened.append(kept)
        return screened

    def _with_known_wagers(self, batch: Sequence[AcceptedLine | Refusal]) -> list[AcceptedLine | Refusal]:
        """Return a batch in which refusals replace events about a wager that no game has (D881)."""
        known = {name for names in self._read_rules.wagers().values() for name in names}
        screened: list[AcceptedLine | Refusal] = []
        for line in batch:
            kept: AcceptedLine | Refusal = line
            if isinstance(line, AcceptedLine) and wager_in(line.draft.payload) not in (None, *known):
                table = self._tables.setdefault(line.stream, TableFilings())
                table.read_on(self._log, line.stream)
                try:
                    check_wager(line.draft.payload, self._read_rules, table.game)
                except EventError as error:
                    kept = Refusal(line.where, line.data, line.stream, str(error), line.origin)
            screened.append(kept)
        return screened

    def _check_editions(self, line: AcceptedLine) -> None:
        """Refuse rules at a table that does not have every amendment of the property: they would be judged by the old text."""
        known = self._tables[line.stream].editions
        missing = [each for each in self._office.editions if each.toml not in known]
        if missing and filing_in(line.draft.payload) is not None:
            first = missing[0]
            raise WrongPlace(
                f"rules_filed in {line.stream}: the property published edition {first.edition} of {first.chapter}, which this "
                "table does not have; the office files the rules of a new table with `rack rules file`, and brings it along"
            )

    def _check(self, line: AcceptedLine, before: Sequence[AcceptedLine]) -> None:
        filed = filing_in(line.draft.payload)
        if filed is None:
            return
        table = self._tables[line.stream]
        if line.draft.event_id in table.event_ids:
            return  # handed in again: the log drops it
        game, day, in_force = table.game, table.gaming_day, table.in_force
        for each in before:  # in this batch, and so not in the log yet
            payload = each.draft.payload
            game = payload.game if isinstance(payload, TableOpened) else None if isinstance(payload, TableClosed) else game
            day = payload.gaming_day if isinstance(payload, GamingDayOpened) else day
        now = in_force(day)
        for each in before:
            earlier = filing_in(each.draft.payload)
            now = earlier if earlier is not None and earlier.effective_gaming_day <= day else now
        if isinstance(line.draft.payload, RulesFiled):
            check_filing(filed, self._read_rules, game, day, now)
        else:
            check_submission(filed, self._read_rules, game)


def check_filing(
    filed: RulesFiled, read_rules: ReadRules, game: str | None, gaming_day: str, in_force: RulesFiled | None
) -> None:
    """Raise `EventError` if rules cannot be filed at a table of this game, on this gaming day, with these rules in force."""
    check_submission(filed, read_rules, game)
    is_new = in_force is not None and in_force.sha256 != filed.sha256
    if is_new and filed.effective_gaming_day <= gaming_day:
        raise EventError(
            f"rules_filed: takes effect on {filed.effective_gaming_day}, and the table, on gaming day {gaming_day}, has other "
            "rules in force; expected a later gaming day, or a correction of the filing in force (event_corrected)"
        )


def wager_in(payload: Event) -> str | None:
    """Return the name of the wager that an event is about, or that a correction states; None for other events."""
    replaced = payload.replacement if isinstance(payload, EventCorrected) else None
    stated = replaced.payload.get("wager") if replaced is not None else getattr(payload, "wager", None)
    return stated if isinstance(stated, str) else None


def check_wager(payload: Event, read_rules: ReadRules, game: str | None) -> None:
    """Raise `EventError` if an event is about a wager that no game has. `game`: the table's, if it is known."""
    wager, games = wager_in(payload), read_rules.wagers()
    if wager is None or any(wager in names for names in games.values()):
        return
    expected = f"{game} has {', '.join(games[game])}" if game is not None and game in games else "no game has one of this name"
    raise EventError(f"{payload.TYPE}: there is no wager {wager!r}; {expected}")


def check_submission(filed: RulesFiled, read_rules: ReadRules, game: str | None) -> None:
    """Raise `EventError` if a filing's text, digest, gaming day or game cannot be. `game`: the table's, if it is known."""
    digest = sha256(filed.toml.encode()).hexdigest()
    if digest != filed.sha256:
        raise EventError(f"rules_filed: sha256 is {filed.sha256[:16]}…, and that of the text is {digest[:16]}…")
    submission = read_rules(filed.toml)
    if submission.effective_gaming_day != filed.effective_gaming_day:
        raise EventError(
            f"rules_filed: effective_gaming_day is {filed.effective_gaming_day}, and the text says "
            f"{submission.effective_gaming_day}"
        )
    if game is not None and submission.game != game:
        raise EventError(f"rules_filed: the rules are of {submission.game}, and the table is open for {game}")
