"""Files rules for tables, in the name of a person of compliance, with a second person's signature.

The log has the text of a submission as filed. Changes are described in words, with the return of every wager.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from desk.house.table_lines import BEGINNINGS, Entry, TableRecord, append_after, drafts, heads_of, house_event, records
from desk.review.persons import Person, Persons, ReviewRefused, acting
from desk.review.stored_events import names_of
from events.errors import EventError
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from intake.filings import PROPERTY, Submission, check_filing, published
from replay.narrative.names import heading, wager_name
from rulebook.catalogue import wager_names
from rulebook.chapters.chapter_files import amendment_texts
from rulebook.chapters.chapters import LAST_DAY, chapter, known_chapters
from rulebook.chapters.editions import Amendment, read_amendment, why_not_next
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission

Returns = Callable[[Rulebook], Mapping[str, float]]
"""Rules → wager → what it returns, in percent of what is wagered, if that is known."""

ROLE = "compliance"


class _FiledRules:
    """Answers intake's questions about rules (`intake.filings.ReadRules`)."""

    def __call__(self, text: str) -> Submission:
        """Return a submission's facts for intake. Raises `EventError`, which names the key and what was expected."""
        try:
            book = parse_submission(text, "rules_filed")
        except RulesRefused as error:
            raise EventError(str(error)) from error
        return Submission(book.game, book.effective_gaming_day)

    def wagers(self) -> Mapping[str, Collection[str]]:
        """Return every game with the names of its wagers."""
        return wager_names()


read_filed_rules = _FiledRules()


class Filing(NamedTuple):
    """A planned filing at a table: which rules replace which, in words."""

    table: str
    book: Rulebook
    before: Rulebook | None
    changes: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """Return the filing as JSON values."""
        return {
            "table": self.table,
            "effective_gaming_day": self.book.effective_gaming_day,
            "digest": self.book.digest,
            "replaces": None if self.before is None else self.before.digest,
            "changes": list(self.changes),
        }

    by_device: bool = False
    """Whether the rules that are in force now were filed by a device."""

    @property
    def is_made(self) -> bool:
        """Whether the office has already filed these rules."""
        return self.before is not None and self.before.digest == self.book.digest and not self.by_device

    @property
    def says(self) -> str:
        """The filing in one line."""
        same = "the same rules, filed by the office instead of a device" if self.by_device else "the same rules"
        what = "; ".join(self.changes) or same
        return f"{self.table} rules from {self.book.effective_gaming_day}: {what}"


class Publication(NamedTuple):
    """The effect of an amendment: tables that get it, tables with rounds on its days, and table → why it does not fit."""

    amendment: Amendment
    tables: tuple[str, ...]
    judged_again: tuple[str, ...]
    misfits: dict[str, str]


def publishing(log: EventLog, text: str) -> Publication:
    """Return the effect of publishing an amendment.

    Raises `ValueError` if the amendment does not fit its chapter, `ReviewRefused` if it cannot be published at this property.
    """
    made = read_amendment(text)
    jurisdiction, _, name = made.key.partition("-")
    if made.key not in known_chapters():
        raise ReviewRefused(f"{made.key}: there is no such chapter; expected one of {', '.join(known_chapters())}")
    if PROPERTY not in log.streams():
        raise ReviewRefused("the log does not name its property; set the property up first (`rack apply`)")
    earlier = tuple(each.toml for each in published(log))
    known = [each for each in map(read_amendment, (*amendment_texts(jurisdiction, name), *earlier)) if each.key == made.key]
    fault = why_not_next(made, known)
    if fault is not None:
        raise ReviewRefused(fault)
    if any("mystery" in (each.get("wager"), each.get("name")) for each in _entries(made)):
        raise ReviewRefused(
            f"edition {made.edition} of {made.key} changes a Must-Hit-By configuration, and the stream of a meter has no "
            "amendments; it needs a version of the program that holds this edition"
        )
    before = chapter(jurisdiction, name, day=LAST_DAY, published=earlier)
    after = chapter(jurisdiction, name, day=LAST_DAY, published=(*earlier, text))
    if after.edition_digest == before.edition_digest:
        raise ReviewRefused(f"edition {made.edition} of {made.key} changes nothing in the chapter")
    tables = names_of(log, "table")
    misfits, again = dict[str, str](), list[str]()
    for table in tables:
        record = TableRecord(log, table)
        day = max(record.gaming_day, made.effective)
        filed = record.filings.in_force(day)
        if filed is None:
            continue
        try:
            book = parse_submission(filed.toml, f"rules of {table}", day, (*record.filings.editions, text))
        except RulesRefused as error:
            misfits[table] = str(error)
            continue
        if record.gaming_day >= made.effective and book.chapter.edition_digest:
            again.append(table)
    return Publication(made, tuple(tables), tuple(again), misfits)


def _entries(made: Amendment) -> list[Mapping[str, Any]]:
    """Return the lines and paytables that an amendment adds, and those that it strikes."""
    strikes = [{"wager": each.wager, "name": each.paytable} for each in made.strikes]
    return [*made.table.get("line", ()), *made.table.get("paytable", ()), *strikes]


def planned(record: TableRecord, book: Rulebook, returns: Returns) -> Filing:
    """Return the changes from filing these rules at a table."""
    filed = record.filings.in_force(book.effective_gaming_day)
    before = None if filed is None else parse_submission(filed.toml)
    by_device = before is not None and not record.filings.office_files
    return Filing(record.table, book, before, tuple(differences(before, book, returns)), by_device)


def differences(before: Rulebook | None, after: Rulebook, returns: Returns) -> list[str]:
    """Return the changes between rules, in words: limits, paytables and return of each wager, then everything else."""
    percent, percent_before = returns(after), {} if before is None else returns(before)
    said = []
    for wager in dict.fromkeys((*(before.offers if before else ()), *after.offers)):
        told = _wager(wager, before, after)
        if not told:
            continue
        old, new = percent_before.get(wager), percent.get(wager)
        if new is not None and before is not None and old is not None and old != new:
            told.append(f"returns {old:.2f} % → {new:.2f} %")
        elif new is not None and old is None:
            told.append(f"returns {new:.2f} %")
        said.append(f"{wager_name(wager)} {', '.join(told)}")
    if before is None:
        return said
    old_rest, new_rest = _rest(before), _rest(after)
    return said + [
        f"{heading(name).lower()} {old_rest.get(name, 'none')} → {new_rest.get(name, 'none')}"
        for name in dict.fromkeys((*old_rest, *new_rest))
        if old_rest.get(name) != new_rest.get(name)
    ]


def _wager(wager: str, before: Rulebook | None, after: Rulebook) -> list[str]:
    """Return the changes of a wager."""
    old, new = None if before is None else before.offers.get(wager), after.offers.get(wager)
    if new is None:
        return ["is offered no more"]
    name = new.paytable.name if new.paytable is not None else ""
    limits = f"{show_money(new.min_cents)} to {show_money(new.max_cents)}"
    if old is None:
        return [*([f"paytable {name}"] if name else []), limits]
    old_name = old.paytable.name if old.paytable is not None else ""
    told = [f"paytable {old_name or 'none'} → {name or 'none'}"] if name != old_name else []
    for what, first, then in (("min", old.min_cents, new.min_cents), ("max", old.max_cents, new.max_cents)):
        if first != then:
            told.append(f"{what} {show_money(first)} → {show_money(then)}")
    if old != new and not told:
        told.append("pays otherwise")
    return told


def _rest(book: Rulebook) -> dict[str, str]:
    """Return everything in a filing but the wagers, in words."""
    said = {
        "chapter": book.chapter.key,
        "deal_method": book.deal_method,
        "starting": book.starting,
        "shuffler": book.shuffler,
        "decks": str(book.decks),
        "house_way": "none" if book.house_way is None else book.house_way.name,
        "max_payout": "none" if book.max_payout_cents is None else show_money(book.max_payout_cents),
        "adjacent_boxes": "yes" if book.adjacent_boxes else "no",
        "meter": book.meter or "none",
        "mystery_meter": book.mystery_meter or "none",
    }
    return said | {name: str(value) for name, value in book.settings.items()}


class Office:
    """Files rules in a log in a person's name."""

    def __init__(self, log: EventLog, persons: Persons, now_us: int) -> None:
        self._log, self._persons, self._now_us = log, persons, now_us

    @property
    def log(self) -> EventLog:
        """Return the log in which the office files."""
        return self._log

    def file(self, tables: Sequence[str], text: str, returns: Returns, *, by: str, signed_by: str | None = None) -> list[Filing]:
        """File rules at tables, all or none; return the filings. A second person may sign at once.

        Raises `ReviewRefused` and `EventError` if they cannot be filed; then nothing is written.
        """
        person = acting(self._persons, by, ROLE)
        second = None if signed_by is None else self._second(signed_by, person.id)
        book = parse_submission(text)
        with records(self._log, tables) as found:
            made, groups = [], []
            for record in found:
                filing = planned(record, book, returns)
                if filing.is_made:
                    raise ReviewRefused(f"{record.table}: these rules are filed already; nothing was written")
                group = self.drafts(record, text, person.id)
                if second is not None:
                    seq = record.last + len(group)
                    signed = Entry(house_event(model.FilingSigned, by=second.token, signs=seq), self._now_us)
                    group += drafts(record, "office", second, [signed])
                made.append(filing)
                groups.append((record.stream, group))
            append_after(self._log, {record.stream: record.last for record in found}, groups)
        return made

    def drafts(self, record: TableRecord, text: str, by: str, event_ids: Sequence[str] = ()) -> list[Draft]:
        """Return the drafts that file rules at a table; at a new table they open its first gaming day.

        `event_ids` are the drafts' ids, the last for the filing. Raises `EventError` if the rules cannot be filed.
        """
        from replay.transcript.transcript import rules_filed  # with the judge: not before something is filed

        brought = [each for each in published(self._log) if each.toml not in record.filings.editions]
        book = parse_submission(text, published=(*record.filings.editions, *(each.toml for each in brought)))
        filed = rules_filed(book, text)
        day = record.gaming_day or book.effective_gaming_day
        try:
            check_filing(filed, read_filed_rules, record.filings.game, day, record.filings.in_force(day))
        except EventError as error:
            raise EventError(f"{record.table}: {error}; nothing was written") from error
        opening = [] if record.last else [model.GamingDayOpened(gaming_day=day)]
        ids = [None, None, *event_ids][-2:]
        named = [*zip(opening, ids, strict=False), *((each, None) for each in brought), (filed, ids[-1])]
        entries = [Entry(payload, self._now_us, event_id) for payload, event_id in named]
        return drafts(record, "office", self._persons.known(by), entries)

    def publish(self, text: str, *, by: str, signed_by: str) -> Publication:
        """Publish an amendment of a chapter at every table, in the names of two people; return its effect.

        Raises `ValueError` if it does not fit, `ReviewRefused` and `EventError` if it cannot be published; then nothing is
        written.
        """
        person, second = self.two_persons(by, signed_by, "publishes the amendment")
        with self._log.turn():
            heads = heads_of(self._log)
            publication = publishing(self._log, text)
            made = publication.amendment
            event = house_event(
                model.ChapterPublished,
                by=person.token,
                chapter=made.key,
                edition=made.edition,
                effective_gaming_day=made.effective,
                sha256=made.digest,
                signed_by=second.token,
                toml=text,
            )
            streams = [PROPERTY, *(f"table/{name}" for name in publication.tables)]
            append_after(self._log, heads, [(stream, self._entered(stream, person, event)) for stream in streams])
        return publication

    def two_persons(self, by: str, signed_by: str, does: str) -> tuple[Person, Person]:
        """Return who acts and who signs. Raises `ReviewRefused` if they are the same person, or one has no right to."""
        person, second = (acting(self._persons, each, ROLE) for each in (by, signed_by))
        if second.id == person.id:
            raise ReviewRefused(f"{person.id} {does}; the second signature must be another person's")
        return person, second

    def enter(self, person: Person, event: model.Event) -> int:
        """Append an event of the office to the property's stream, which begins if it is new; return the event's number."""
        with self._log.turn():
            last = self._log.head(PROPERTY).seq
            day = datetime.fromtimestamp(self._now_us / 1_000_000, UTC).date().isoformat()
            opening = [] if last else self._entered(PROPERTY, person, model.GamingDayOpened(gaming_day=day))
            entered = self._entered(PROPERTY, person, event, len(opening))
            return self._log.append(PROPERTY, last + 1, [*opening, *entered]).head.seq

    def _entered(self, stream: str, person: Person, event: model.Event, before: int = 0) -> list[Draft]:
        record = TableRecord(self._log, stream.removeprefix("table/")) if stream != PROPERTY else None
        if record is not None:
            return drafts(record, "office", person, [Entry(event, self._now_us)])
        source = BEGINNINGS["office"] + person.token
        numbers = [
            event.source_seq for event in (decode(record.data) for record in self._log.read(PROPERTY)) if event.source == source
        ]
        return [
            Draft(
                event_id=secrets.token_hex(16),
                source=source,
                source_seq=max(numbers, default=0) + before + 1,
                occurred_at_us=self._now_us,
                round_no=None,
                payload=event,
            )
        ]

    def sign(self, tables: Sequence[str], *, by: str) -> dict[str, int]:
        """Add the second signature to each table's last filing, all or none; return their numbers. Raises `ReviewRefused`."""
        made, groups = {}, []
        with records(self._log, tables) as found:
            for record in found:
                seq = record.filings.last_of_office
                if seq is None or record.signers(seq):
                    raise ReviewRefused(f"{record.table}: no filing of the office waits for a second signature")
                person = self._second(by, record.filings.filed_by(seq))
                signed = Entry(house_event(model.FilingSigned, by=person.token, signs=seq), self._now_us)
                made[record.table] = seq
                groups.append((record.stream, drafts(record, "office", person, [signed])))
            append_after(self._log, {record.stream: record.last for record in found}, groups)
        return made

    def _second(self, by: str, first: str) -> Person:
        person = acting(self._persons, by, ROLE)
        if first in (person.id, person.token):
            raise ReviewRefused(f"{person.id} filed these rules; the second signature must be another person's")
        return person
