"""The plan of a property: what `property.toml` would change in the log and next to it, in words; and its execution.

Invariant: an event's id is the SHA-256 of property, stream, kind and content, so that existing events are recognized and a second
apply appends nothing. Leaving something out of the file removes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from desk.house.filing import Office, Returns, planned
from desk.house.property_file import FILE, Property, Table
from desk.house.property_setup import Written, running_files
from desk.house.table_lines import TableRecord, append_after, heads_of
from desk.review.persons import Persons, ReviewRefused, acting
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import canonical, decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event
from intake.filings import PROPERTY
from replay.transcript.transcript import rules_filed
from rulebook.chapters.rulebook import Rulebook

SOURCE = "office"
APPLIERS = ("administrator", "compliance")
"""The roles of a person who may apply a property's file."""


class PlanStep(NamedTuple):
    """One line of a plan: `+` new, `~` changed, `=` unchanged, `!` needs attention; and the events to append."""

    mark: str
    says: str
    stream: str = ""
    events: tuple[Event, ...] = ()


class Plan(NamedTuple):
    """A plan: events to append, and files to write."""

    steps: tuple[PlanStep, ...]
    files: tuple[Written, ...]

    @property
    def events(self) -> int:
        """The number of events to append."""
        return sum(len(step.events) for step in self.steps)

    @property
    def lines(self) -> list[str]:
        """The plan in words, a line each."""
        return [f"{step.mark} {step.says}" for step in self.steps] + [f"{each.mark} {each.says}" for each in self.files]

    @property
    def changes(self) -> int:
        """The number of lines that change something."""
        return sum(step.mark in "+~" for step in self.steps) + sum(each.mark in "+~" for each in self.files)


class _Stated(NamedTuple):
    """The state of the property's stream: its end, day, last configuration, and event ids."""

    last: int
    configured: model.PropertyConfigured | None
    applied: model.PropertyApplied | None
    numbers: dict[str, int]


def _stated(log: EventLog | None) -> _Stated:
    last, configured, applied, numbers = 0, None, None, dict[str, int]()
    for record in log.read(PROPERTY) if log is not None else ():
        event = decode(record.data)
        last = event.seq
        numbers[event.source] = event.source_seq
        configured = event.payload if isinstance(event.payload, model.PropertyConfigured) else configured
        applied = event.payload if isinstance(event.payload, model.PropertyApplied) else applied
    return _Stated(last, configured, applied, numbers)


def make_plan(made: Property, log: EventLog | None, returns: Returns, by: str = "") -> Plan:
    """Return the plan of applying a property's file to its log (None: no log yet). `by`: who applies it."""
    stated = _stated(log)
    configured, house = _configured(made), made.form.property
    steps = list(_of_property(made, stated, configured))
    known_returns: dict[str, Mapping[str, float]] = {}

    def once(book: Rulebook) -> Mapping[str, float]:
        """Return the returns of filed rules: many tables have the same."""
        if book.digest not in known_returns:
            known_returns[book.digest] = returns(book)
        return known_returns[book.digest]

    steps += [_of_table(made, table, TableRecord(log, table.id), once) for table in made.form.table]
    known = {f"table/{table.id}" for table in made.form.table}
    unknown = [] if log is None else sorted({each for each in log.streams() if each.startswith("table/")} - known)
    steps += [PlanStep("!", f"{stream} is in the log and not in {FILE}: nothing is removed") for stream in unknown]
    only_office = house.filing == "office"
    same = stated.applied is not None and (stated.applied.sha256, stated.applied.only_office_files) == (made.sha256, only_office)
    if not same:
        applied = model.PropertyApplied(by=by or "unknown", only_office_files=only_office, sha256=made.sha256)
        says = "only the office files rules" if only_office else "devices may file rules, too"
        if stated.applied is not None and stated.applied.only_office_files == only_office:
            says = f"{FILE} changed (SHA-256 {made.sha256[:16]}…)"
        steps.append(PlanStep("+" if stated.applied is None else "~", says, PROPERTY, (applied,)))
    steps += [PlanStep("!", each) for each in _warnings(made)]
    return Plan(tuple(steps), tuple(running_files(made)))


def _configured(made: Property) -> model.PropertyConfigured:
    house = made.form.property
    return model.PropertyConfigured(
        currency=house.currency, gaming_day_cutover=house.cutover, name=house.name, time_zone=house.time_zone
    )


def _of_property(made: Property, stated: _Stated, configured: model.PropertyConfigured) -> Iterator[PlanStep]:
    day = made.form.property.first_day.isoformat()
    if not stated.last:
        yield PlanStep("+", f"the first gaming day is {day}", PROPERTY, (model.GamingDayOpened(gaming_day=day),))
    told = {
        "name": (configured.name, stated.configured and stated.configured.name),
        "zone": (configured.time_zone, stated.configured and stated.configured.time_zone),
        "cutover": (configured.gaming_day_cutover, stated.configured and stated.configured.gaming_day_cutover),
        "currency": (configured.currency, stated.configured and stated.configured.currency),
    }
    if stated.configured is None:
        said = ", ".join(f"{name} {new}" for name, (new, _) in told.items())
        yield PlanStep("+", f"the property: {said}", PROPERTY, (configured,))
    elif configured != stated.configured:
        said = ", ".join(f"{name} {old} → {new}" for name, (new, old) in told.items() if new != old)
        yield PlanStep("~", f"the property: {said}", PROPERTY, (configured,))
    else:
        yield PlanStep("=", "the property as it is")


def _of_table(made: Property, table: Table, record: TableRecord, returns: Returns) -> PlanStep:
    """Return the plan at a table: its filing, as `rack rules file` would make it."""
    name = table.id
    if table.closed is not None:
        return PlanStep("=", f"{name} closed from {table.closed}: nothing more is filed")
    book = made.rules[table.rules]
    filing = planned(record, book, returns)
    if filing.is_made:
        return PlanStep("=", f"{name} rules from {book.effective_gaming_day} as they are")
    mark = "+" if filing.before is None else "~"
    filed = rules_filed(book, book.text)
    opening = () if record.last else (model.GamingDayOpened(gaming_day=book.effective_gaming_day),)
    return PlanStep(mark, filing.says, record.stream, (*opening, filed))


def _warnings(made: Property) -> Iterator[str]:
    form = made.form
    if form.mail is None or not form.route:
        yield "no mail or no route: no one gets mail about incidents"
    if form.sign_in is None and not (made.folder / "login.toml").exists():
        yield "no [sign_in] and no login.toml: no one signs in, and the pages show without forms on this machine alone"
    if form.key is None:
        yield "no key: nothing is signed, and the log could be rewritten undetected"
    if form.witness is None:
        yield "no witness: no one else can vouch for the log"
    if form.backup is None:
        yield "no backup: a failed disk loses the data"
    for role in ("compliance", "pit", "count"):
        holders = [each for each in form.person if role in each.roles and each.closed is None]
        if len(holders) < (1 if role == "pit" else 2):
            yield f"{len(holders)} with the role {role}: its second signature or entry needs another person"
    if any(each.id in ("person-1", "person-2") for each in form.person):
        yield f"person-1 and person-2 are examples: write your people into {FILE}"


def apply(made: Property, log: EventLog, returns: Returns, *, by: str, now_us: int) -> Plan:
    """Append the plan's events; return the plan that was carried out. The caller writes the files (`Written.write`).

    Raises `ReviewRefused` and `EventError` if it cannot be applied; then nothing is appended.
    """
    if log.property_id != made.form.property.id:
        raise ReviewRefused(
            f"{made.address} is the log of property {log.property_id!r}, and {FILE} is of {made.form.property.id!r}"
        )
    person = acting(made.persons, by, *APPLIERS)
    with log.turn():
        heads = heads_of(log)
        plan = make_plan(made, log, returns, person.token)
        groups = list(_groups(made, log, plan, made.persons, by, now_us))
        if groups:
            append_after(log, heads, groups)
    return plan


def _groups(
    made: Property, log: EventLog, plan: Plan, persons: Persons, by: str, now_us: int
) -> Iterator[tuple[str, list[Draft]]]:
    """Yield the drafts of a plan by stream, each checked as intake checks a filing."""
    stated = _stated(log)
    of_property = [event for step in plan.steps if step.stream == PROPERTY for event in step.events]
    taken = {decode(record.data).event_id for record in log.read(PROPERTY)}
    first = stated.numbers.get(SOURCE, 0) + 1
    if of_property:
        yield (
            PROPERTY,
            [
                Draft(event_id=event_id, source=SOURCE, source_seq=number, occurred_at_us=now_us, round_no=None, payload=event)
                for number, (event, event_id) in enumerate(
                    zip(of_property, _ids(made, PROPERTY, of_property, taken), strict=True), first
                )
            ],
        )
    office = Office(log, persons, now_us)
    for step in plan.steps:
        if step.events and step.stream != PROPERTY:
            record = TableRecord(log, step.stream.removeprefix("table/"))
            filed = step.events[-1]
            assert isinstance(filed, model.RulesFiled)
            ids = _ids(made, step.stream, step.events, record.ids)
            yield step.stream, office.drafts(record, filed.toml, by, ids)


def _ids(made: Property, stream: str, events: Sequence[Event], taken: set[str]) -> list[str]:
    """Return the id of each event: of its content and, if the same content was corrected earlier, of how often."""
    ids = []
    for event in events:
        content = b"\0".join((made.form.property.id.encode(), stream.encode(), event.TYPE.encode(), canonical(event)))
        found, again = sha256(b"rack/apply/v1\0" + content).hexdigest()[:32], 0
        while found in taken:
            again += 1
            found = sha256(b"rack/apply/v1\0" + content + b"\0%d" % again).hexdigest()[:32]
        taken.add(found)
        ids.append(found)
    return ids
