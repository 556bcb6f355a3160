"""An alarm: one incident as a message, and its changes when the verdict changes. Pure.

Invariant: an alarm is about an incident, not a finding. Advice may raise it while its round is open; the verdict, and each later
one, changes or withdraws it under the same id. An alarm names a patron only if the settings ask for it.
"""

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from hashlib import sha256
from typing import Final, Literal

import msgspec

from replay.advice import Advice
from replay.findings import Adjudication, Finding, Severity
from replay.incidents import Incident
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import moment

FORM: Final = "discard-rack alarm 1"

PUT_RIGHT: Final = "advice: the round is open, and this can still be corrected"

Basis = Literal["advice", "verdict"]
What = Literal["raised", "changed", "withdrawn", "escalated", "test"]


class AlarmFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of the incident. `difference_cents` is from the patron's side: negative if the patron is short."""

    id: str
    code: str
    severity: Severity
    seat: int | None
    wager: str | None
    difference_cents: int | None
    section: str


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """An incident as last known. `id` names the alarm for its whole life, `incident` is the cause by the last verdict or advice.

    `basis` is a verdict, or advice on a round that is still open and can be corrected (then `verdict` and `gaming_day` are empty,
    `closed_at` is null, and patrons are left out). `closed_at` and `opened_at` are ISO 8601 in `time_zone` (UTC if the property
    did not state one); null between rounds. Money is cents of `currency`. `patrons` are the tokens of the patrons concerned: only
    receivers with `patrons` set get them.
    """

    id: str
    incident: str
    severity: Severity
    says: str
    property: str
    log: str
    stream: str
    table: str
    round: int | None
    game: str
    gaming_day: str
    time_zone: str
    opened_at: str | None
    closed_at: str | None
    verdict: str
    overpaid_cents: int
    underpaid_cents: int
    currency: str
    findings: tuple[AlarmFinding, ...]
    patrons: tuple[str, ...]
    basis: Basis = "verdict"  # of an alarm from before there were others


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The message to a receiver: the body of a webhook. Its schema is `docs/alarm.schema.json`.

    `key` is the idempotency key: a receiver that has seen it drops the message. `revision` counts the messages of the alarm,
    `after_min` the minutes of an escalation. `link` leads to the incident on the pages.
    """

    form: Literal["discard-rack alarm 1"]
    key: str
    what: What
    revision: int
    after_min: int | None
    link: str | None
    alarm: Alarm


class House(msgspec.Struct, frozen=True, kw_only=True):
    """The house of the alarms: log and property, and its format of money and time (`zone` None: UTC)."""

    log: str
    property: str
    currency: str
    zone: tzinfo | None
    zone_name: str


class AlarmStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A raised alarm: its last message, the number of messages, and whether it is still raised."""

    alarm: Alarm
    revision: int
    withdrawn: bool


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The change of an alarm by a verdict. `before` is None if the alarm is new."""

    what: What
    standing: AlarmStatus
    before: AlarmStatus | None


def alarm_of(incident: Incident, verdict: Adjudication | None, house: House) -> Alarm:
    """Return the alarm about an incident; `verdict` is its round's, None between rounds."""
    cause = incident.cause
    return Alarm(
        id=incident.id,
        incident=incident.id,
        severity=incident.severity,
        says=incident_sentence(incident, house.currency),
        property=house.property,
        log=house.log,
        stream=cause.stream,
        table=cause.stream.partition("/")[2],
        round=cause.round_no,
        game=verdict.game if verdict else "",
        gaming_day=verdict.gaming_day if verdict else "",
        time_zone=house.zone_name,
        opened_at=_iso(verdict.opened_at_us, house) if verdict else None,
        closed_at=_iso(verdict.closed_at_us, house) if verdict else None,
        verdict=verdict.verdict if verdict else "",
        overpaid_cents=incident.overpaid_cents,
        underpaid_cents=incident.underpaid_cents,
        currency=house.currency,
        findings=tuple(_alarm_finding(finding) for finding in incident.findings),
        patrons=_patrons(incident.findings, verdict),
    )


def alarm_advised(incident: Incident, advice: Advice, house: House) -> Alarm:
    """Return the alarm about an incident of a round that is still open."""
    alarm = alarm_of(incident, None, house)
    return msgspec.structs.replace(alarm, game=advice.game, opened_at=_iso(advice.opened_at_us, house), basis="advice")


def standing_sentence(alarm: Alarm) -> str:
    """Return the sentence of a raised alarm; it says so if advice raised it."""
    return alarm.says if alarm.basis == "verdict" else f"{alarm.says} · {PUT_RIGHT}"


def changes(before: Sequence[AlarmStatus], now: Sequence[Alarm]) -> list[Change]:
    """Return how a new verdict or advice changes the alarms of a round or of one finding between rounds.

    An incident keeps its alarm if it has the same cause, else a finding in common, else a cause of the same code at the same seat
    and wager: a correction changes the ids of findings.
    """
    found: list[Change] = []
    successors = _successors(before, now)
    for alarm in now:
        old = successors.get(alarm.id)
        if old is None:
            standing = AlarmStatus(alarm=alarm, revision=1, withdrawn=False)
            found.append(Change(what="raised", standing=standing, before=None))
            continue
        alarm = msgspec.structs.replace(alarm, id=old.alarm.id)
        if old.withdrawn or alarm != old.alarm:
            standing = AlarmStatus(alarm=alarm, revision=old.revision + 1, withdrawn=False)
            found.append(Change(what="raised" if old.withdrawn else "changed", standing=standing, before=old))
    gone = {old.alarm.id for old in successors.values()}
    for old in before:
        if old.alarm.id not in gone and not old.withdrawn:
            standing = AlarmStatus(alarm=old.alarm, revision=old.revision + 1, withdrawn=True)
            found.append(Change(what="withdrawn", standing=standing, before=old))
    return found


def _successors(before: Sequence[AlarmStatus], now: Sequence[Alarm]) -> dict[str, AlarmStatus]:
    """Return incident → the alarm that it keeps."""
    left = {old.alarm.id: old for old in before}
    found: dict[str, AlarmStatus] = {}
    for alike in (_same_cause, _shared_finding, _same_place):
        for alarm in now:
            if alarm.id not in found:
                old = next((each for each in left.values() if alike(each.alarm, alarm)), None)
                if old is not None:
                    found[alarm.id] = left.pop(old.alarm.id)
    return found


def _same_cause(old: Alarm, new: Alarm) -> bool:
    return old.incident == new.incident


def _shared_finding(old: Alarm, new: Alarm) -> bool:
    return not {each.id for each in old.findings}.isdisjoint(each.id for each in new.findings)


def _same_place(old: Alarm, new: Alarm) -> bool:
    a, b = old.findings[0], new.findings[0]
    return (a.code, a.seat, a.wager) == (b.code, b.seat, b.wager)


def message_of(
    what: What, standing: AlarmStatus, receiver: str, *, patrons: bool, pages: str | None, after_min: int | None = None
) -> Message:
    """Return the message to a receiver; a repeated message has the same key."""
    alarm = standing.alarm
    said = f"{alarm.log}/{alarm.id}/{standing.revision}/{what}/{after_min or 0}/{receiver}"
    page = "floor" if alarm.basis == "advice" else f"queue?finding={alarm.incident}"
    link = f"{pages.rstrip('/')}/{page}" if pages is not None else None
    return Message(
        form=FORM,
        key=sha256(f"rack/alarm/v1\0{said}".encode()).hexdigest()[:32],
        what=what,
        revision=standing.revision,
        after_min=after_min,
        link=link,
        alarm=msgspec.structs.replace(
            alarm, says=alarm.says if standing.withdrawn else standing_sentence(alarm), patrons=alarm.patrons if patrons else ()
        ),
    )


def trial_message(key: str, pages: str | None) -> Message:
    """Return a test message, which says that nothing happened, in the usual form."""
    finding = AlarmFinding(
        id="0" * 32, code="TEST", severity="low", seat=None, wager=None, difference_cents=None, section="no section"
    )
    alarm = Alarm(
        id="0" * 32,
        incident="0" * 32,
        severity="low",
        says="A test of alarms",
        property="test",
        log="0" * 32,
        stream="table/test",
        table="test",
        round=None,
        game="",
        gaming_day="",
        time_zone="UTC",
        opened_at=None,
        closed_at=None,
        verdict="",
        overpaid_cents=0,
        underpaid_cents=0,
        currency="USD",
        findings=(finding,),
        patrons=(),
    )
    return Message(form=FORM, key=key, what="test", revision=1, after_min=None, link=pages, alarm=alarm)


def to_body(message: Message) -> bytes:
    """Return a message as JSON; the bytes are the same each time it is sent."""
    return msgspec.json.encode(message, order="sorted")


def _alarm_finding(finding: Finding) -> AlarmFinding:
    return AlarmFinding(
        id=finding.id,
        code=finding.code,
        severity=finding.severity,
        seat=finding.seat,
        wager=finding.wager,
        difference_cents=finding.difference_cents,
        section=finding.cite,
    )


def _patrons(findings: Iterable[Finding], verdict: Adjudication | None) -> tuple[str, ...]:
    """The tokens of the patrons who wagered at the findings' seats."""
    seats = {finding.seat for finding in findings if finding.seat is not None}
    settlements = verdict.settlements if verdict else ()
    return tuple(sorted({each.bettor for each in settlements if each.seat in seats and each.bettor}))


def _iso(at_us: int, house: House) -> str:
    return moment(at_us, house.zone).isoformat()
