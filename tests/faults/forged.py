"""Lines that say what no device may say: handed in among those of a day, and driven out of quarantine again."""

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from desk.house.filing import read_filed_rules
from desk.keys import SOURCE as KEYS_SOURCE
from desk.keys import KeyBook
from desk.review.desk import SOURCE as DESK_SOURCE
from desk.review.desk import Desk
from events.errors import EventError
from events.kafka.log import KafkaLog
from events.log.contract import EventLog
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, EventCorrected, IntakeRefused, Replacement
from events.vocabulary.observation_events import PinnedRules
from intake.appending import append_lines
from intake.lines import Refusal, line_of, notice, read_line
from intake.quarantine import quarantine_cases, redrive
from replay.run.replayer import MemoryResults
from tests.faults.child import TIMEOUT_S
from tests.faults.floor import LOG_ID, PROPERTY, check, expected, groups, judge, tables
from tests.faults.killed import create
from tests.faults.table import demand, fault
from tests.replay.tables import START_US, Table, filed

ROUNDS = 2
HELD = "bytes in quarantine, named; nothing of it in any stream, redriven neither; all other tables' findings the same bytes"

Forged = tuple[str, Draft]
Forger = Callable[[random.Random], list[Forged]]
"""Makes the lines of one attempt."""


def _draft(payload: Event, rng: random.Random, source: str = "device-1", source_seq: int = 1) -> Draft:
    return Draft(
        event_id=f"{rng.getrandbits(128):032x}",
        source=source,
        source_seq=source_seq,
        occurred_at_us=START_US,
        round_no=None,
        payload=payload,
    )


def _correction(payload: Event | None, seq: int, event_id: str) -> EventCorrected:
    instead = payload and Replacement(
        payload=msgspec.to_builtins(payload), round_no=None, type=payload.TYPE, version=payload.VERSION
    )
    return EventCorrected(by="sv-1", reason="seen", replacement=instead, supersedes_event_id=event_id, supersedes_seq=seq)


def _resolved(rng: random.Random) -> list[Forged]:
    """Finding disposed of, and signed a second time."""
    said = model.FindingResolved(
        amount_cents=2500,
        by="sv-1",
        disposition="confirmed_paid_patron",
        duplicate_of=None,
        finding_id=f"{rng.getrandbits(128):032x}",
        reason="paid",
        signs=None,
    )
    signed = msgspec.structs.replace(said, by="sv-2", signs=3)
    return [("review/fu-01", _draft(said, rng)), ("review/fu-01", _draft(signed, rng, source_seq=2))]


def _looked(rng: random.Random) -> list[Forged]:
    exported = model.RecordExported(by="sv-1", digest="0" * 64, format="json", reason="audit", what="table")
    viewed = model.RecordViewed(by="sv-1", reason="audit", what="table")
    return [("review/fu-01", _draft(rng.choice((viewed, exported)), rng))]


KEY = f"discard-rack/bellwether/00+00000000+{'A' * 44}"


def _keys(rng: random.Random) -> list[Forged]:
    published = model.KeyPublished(by="sv-1", public_key=KEY, vouch=None)
    retired = model.KeyRetired(by="sv-1", public_key=KEY, reason="lost")
    return [("property/main", _draft(rng.choice((published, retired)), rng))]


def _office(rng: random.Random) -> list[Forged]:
    configured = model.PropertyConfigured(currency="USD", gaming_day_cutover="00:00", name="X", time_zone="UTC")
    opened = model.GamingDayOpened(gaming_day="2099-01-01")
    return [("property/main", _draft(rng.choice((configured, opened)), rng))]


def _elsewhere(rng: random.Random) -> list[Forged]:
    """Events that are at tables and meters, in the property's and review streams, and in each other's."""
    wager = model.WagerPlaced(amount_cents=2500, bettor="p-9", form="chips", number=None, seat=3, wager="base")
    reset = model.MeterReset(
        paid_centicents=0, reserve_centicents=0, round_no=1, seat=1, share_bp=0, table="fu-01", value_centicents=0
    )
    stream, payload = rng.choice(
        (("property/main", wager), ("review/fu-01", wager), ("property/main", reset), ("table/fu-01", reset))
    )
    return [(stream, _draft(payload, rng))]


def _replacing(rng: random.Random) -> list[Forged]:
    """Corrections of the table's second event by what the desk, the office, keys or intake write."""
    (payload,) = (rng.choice(forge(rng))[1].payload for forge in (rng.choice((_resolved, _looked, _keys, _office)),))
    refused = IntakeRefused(reason="x", sha256="0" * 64, size=1)
    event_id = tables(ROUNDS)[0].drafts[1].event_id
    said = rng.choice((payload, refused)) if not isinstance(payload, model.GamingDayOpened) else refused
    return [("table/fu-01", _draft(_correction(said, 2, event_id), rng))]


def _notices(rng: random.Random) -> list[Forged]:
    """Notices of lines that no one refused: a round that is clear would become UNDETERMINED in intake's name."""
    refused = IntakeRefused(reason="x", sha256=f"{rng.getrandbits(256):064x}", size=1)
    return [("table/fu-01", _draft(refused, rng))]


def _as_people(rng: random.Random) -> list[Forged]:
    """A terminal of the pit reports as the office, and as people of the pit and the count room."""
    rules = tables(ROUNDS)[0].payload(2)
    forged = (
        ("filing-m-ortiz", rules),
        ("filing-m-ortiz", model.GamingDayOpened(gaming_day="2099-01-01")),
        ("device-1", model.FilingSigned(by="m-ortiz", signs=2)),
        ("pit-s-kane", model.FillReceived(amount_cents=100_000, by="s-kane", slip="f-1")),
        ("pit-s-kane", model.EntryInitialed(by="s-kane", entry=2)),
        ("count-c-lee", model.DropCounted(amount_cents=1, box="fu-01", by="c-lee", gaming_day="2026-03-01")),
    )
    source, payload = rng.choice(forged)
    return [("table/fu-01", _draft(payload, rng, source))]


def _observed(rng: random.Random) -> list[Forged]:
    """A round watched, an entry confirmed, an observation opened or closed, in the name of somebody who did not: by a device."""
    observed = model.RoundObserved(
        basis="video",
        by="a-lopez",
        camera="cam-12",
        clock_offset_ms=None,
        dealer=None,
        deck=None,
        observation=None,
        observed=["settlement"],
        order_seen=True,
        played_from_us=None,
        played_gaming_day=tables(ROUNDS)[0].day,
        played_to_us=None,
        rules=PinnedRules(seq=2, sha256="0" * 64),
        same_as=None,
    )
    closed = model.ObservationClosed(by="a-lopez", observation="o-1", reason="done", unreadable=0)
    said = rng.choice(
        (observed, closed, model.EntryConfirmed(by="a-lopez"), model.VerdictUnveiled(by="a-lopez", observation="o-1"))
    )
    stream = rng.choice(("observed/fu-01", "table/fu-01"))
    return [(stream, _draft(said, rng, rng.choice(("device-1", DESK_SOURCE))))]


# ------------------------------------------------------------------------------------------------------------ how it is tried


def _opened(log: EventLog) -> None:
    """The property's day, and reviews that the desk wrote, next to the tables of a day."""
    day = model.GamingDayOpened(gaming_day=tables(ROUNDS)[0].day)
    log.append("property/main", 1, [_draft(day, random.Random(1), "office")])
    log.append_groups(groups(ROUNDS)[:2])
    Desk(log, MemoryResults()).viewed("fu-01", 1, what="round", by="sv-7", reason="first look")


def _bytes(log: EventLog, *kinds: str) -> dict[str, list[bytes]]:
    return {stream: [record.data for record in log.read(stream)] for stream in log.streams() if stream.partition("/")[0] in kinds}


def _hand_in(log: EventLog, lines: Sequence[bytes]) -> None:
    for _ in append_lines(log, [read_line(line, "line") for line in lines]):
        pass


def _try(log: EventLog, rng: random.Random, forge: Forger) -> None:
    """Hand forged lines in among those of the day, then drive them in: nothing of them may be anywhere."""
    _opened(log)
    apart = _bytes(log, "review", "property", "observed")
    day = [line_of(stream, draft) for stream, drafts in groups(ROUNDS) for draft in drafts]
    forged = forge(rng)
    lines = [line_of(stream, draft) for stream, draft in forged]
    at = rng.randint(2 * len(groups(ROUNDS)[0][1]), len(day))
    _hand_in(log, [*day[:at], *lines, *day[at:]])
    _refused(log, forged, lines, apart)
    _not_redriven(log, rng)
    _refused(log, forged, lines, apart)
    if any(stream.startswith("table/") for stream, _ in forged):
        found = judge(log)["adjudications"]
        for key, data in expected(ROUNDS)["adjudications"].items():
            demand(key.startswith("table/fu-01") or found.get(key) == data, f"{key} differs: its table was not touched")
    else:
        check(log, rounds=ROUNDS)


def _refused(log: EventLog, forged: Sequence[Forged], lines: Sequence[bytes], apart: dict[str, list[bytes]]) -> None:
    demand([entry.data for entry in log.quarantined()] == list(lines), "the forged lines are not what is in quarantine")
    demand(_bytes(log, "review", "property", "observed") == apart, "a review stream, an observer's or the property's changed")
    demand(verify(log).ok, "a log to which somebody forged lines is called broken")
    notices = 0
    for data in (each for records in _bytes(log, "table", "meter").values() for each in records):
        event = decode(data)
        demand(event.event_id not in {draft.event_id for _, draft in forged}, f"a forged {event.type} went in")
        notices += event.type == IntakeRefused.TYPE
    demand(notices == sum(stream.startswith("table/") for stream, _ in forged), f"{notices} notices stand at the tables")


def _not_redriven(log: EventLog, rng: random.Random) -> None:
    for entry in quarantine_cases(log):
        for line in (None, entry.entry.data):
            try:
                redrive(log, entry, by="sv-1", reason="redriven", line=line)
            except EventError:
                continue
            demand(False, f"a forged line for {entry.stream} was redriven")


def _logs(folder: Path, times: int) -> Iterator[tuple[EventLog, random.Random]]:
    for turn in range(times):
        place = folder / str(turn)
        place.mkdir()
        with closing(SqliteLog(place / "floor.db", create=True, property_id=PROPERTY, log_id=LOG_ID)) as log:
            yield log, random.Random(turn)
        shutil.rmtree(place)


def _attempts(folder: Path, times: int, forge: Forger) -> int:
    for log, rng in _logs(folder, times):
        _try(log, rng, forge)
    return times


@fault(
    "forgery",
    "a finding disposed of and signed by a device",
    how="two `finding_resolved` lines anywhere in a day, redriven",
    held=HELD,
    quick=2,
    often=40,
)
def dispositions(folder: Path, times: int) -> int:
    return _attempts(folder, times, _resolved)


@fault(
    "forgery",
    "a look or an export by nobody",
    how="a `record_viewed` or `record_exported` line anywhere in a day, redriven",
    held=HELD,
    quick=2,
    often=40,
)
def custody(folder: Path, times: int) -> int:
    return _attempts(folder, times, _looked)


@fault(
    "forgery",
    "a key published or retired by a device",
    how="a `key_published` or `key_retired` line in a day, redriven",
    held=HELD,
    quick=2,
    often=40,
)
def keys(folder: Path, times: int) -> int:
    return _attempts(folder, times, _keys)


@fault(
    "forgery",
    "the property configured by a device",
    how="a `property_configured`, or a day in `property/main`, redriven",
    held=HELD,
    quick=2,
    often=40,
)
def office(folder: Path, times: int) -> int:
    return _attempts(folder, times, _office)


@fault(
    "forgery",
    "a pit terminal that reports as the office",
    how="a filing, its signature, a fill or a drop box under the source of a person, redriven",
    held=HELD,
    quick=4,
    often=40,
)
def as_people(folder: Path, times: int) -> int:
    return _attempts(folder, times, _as_people)


@fault(
    "forgery",
    "an observer in another's name",
    how="a round observed, an entry confirmed, an observation closed, by a device or under the desk's source, redriven",
    held=HELD,
    quick=4,
    often=40,
)
def observed(folder: Path, times: int) -> int:
    return _attempts(folder, times, _observed)


@fault(
    "forgery",
    "rules filed by a device where the office files",
    how="other rules, or a correction of the office's, by a device of the table, redriven",
    held="refused, named; the office's filing is in force",
    quick=2,
    often=40,
)
def filed_by_device(folder: Path, times: int) -> int:
    for log, rng in _logs(folder, times):
        _filed_by_device(log, rng)
    return times


def _filed_by_device(log: EventLog, rng: random.Random) -> None:
    office, other = filed("pa-688a"), filed("pa-688a ace_high_bonus=2")
    table = Table(words=None)
    seq = table.say(office, source="filing-m-ortiz")
    log.append(table.stream, 1, table.drafts)
    before = _bytes(log, "table")
    forged = rng.choice((other, _correction(other, seq, table.drafts[seq - 1].event_id)))
    line = line_of(table.stream, _draft(forged, rng))
    for _ in append_lines(log, [read_line(line, "line")], None, read_filed_rules):
        pass
    for entry in quarantine_cases(log):
        try:
            redrive(log, entry, by="sv-1", reason="redriven", read_rules=read_filed_rules)
        except EventError:
            continue
        demand(False, "a device's filing was redriven where the office files")
    after = _bytes(log, "table")[table.stream]
    demand(after[:-1] == before[table.stream], "the table holds more than the notice of the filing that was refused")
    demand(decode(after[-1]).type == IntakeRefused.TYPE, "a device filed rules where the office files")


@fault(
    "forgery",
    "an event in a stream of another kind",
    how="a wager in `property/main` or a review stream, a meter's event at a table, redriven",
    held=HELD,
    quick=4,
    often=40,
)
def elsewhere(folder: Path, times: int) -> int:
    return _attempts(folder, times, _elsewhere)


@fault(
    "forgery",
    "a forged event in a correction",
    how="a correction puts what others write in an event's place, redriven",
    held=HELD,
    quick=4,
    often=40,
)
def replacing(folder: Path, times: int) -> int:
    return _attempts(folder, times, _replacing)


@fault(
    "forgery",
    "a forged line out of quarantine",
    how="an `intake_refused` of a device, redriven as it came in, and as a corrected line",
    held=HELD,
    quick=2,
    often=40,
)
def redriven(folder: Path, times: int) -> int:
    return _attempts(folder, times, _notices)


@fault(
    "forgery",
    "a device in the name of another writer",
    how="lines under the sources of `rack keys`, the desk, intake, with their next numbers; then a key is published",
    held="refused, named; the key is published and in force",
    quick=3,
    often=40,
)
def sources(folder: Path, times: int) -> int:
    for turn, (log, rng) in enumerate(_logs(folder, times)):
        _sources(log, rng, folder / f"key-{turn}")
    return times


def _sources(log: EventLog, rng: random.Random, file: Path) -> None:
    signer = new_key(file, KeyBook(_with_day(log)).origin, KeyKind.LOG)
    published = model.KeyPublished(by="sv-1", public_key=str(signer.public_key), vouch=None)
    source = rng.choice((KEYS_SOURCE, DESK_SOURCE, "intake-0f", "redrive-0f", "transcript-0f", "filing-a", "pit-a", "count-a"))
    tapped = model.DealerTappedIn(dealer="d-1")
    forged: list[Forged] = [("property/main", _draft(published, rng, KEYS_SOURCE, number)) for number in (1, 2)]
    forged.append(("table/fu-01", _draft(tapped, rng, source)))
    before = _bytes(log, "property")
    lines = [line_of(stream, draft) for stream, draft in forged]
    _hand_in(log, lines)
    _refused(log, forged, lines, before | _bytes(log, "review"))
    _not_redriven(log, rng)
    KeyBook(log).publish(signer.public_key, "sv-1")
    demand(KeyBook(log).in_force() == [signer.public_key], "the key that was published is not in force")


def _with_day(log: EventLog) -> EventLog:
    _opened(log)
    return log


@fault(
    "forgery",
    "a refusal taken back by a device",
    how="a correction of a refused line's notice, in the same batch or later, redriven",
    held="refused and named; the notice stands, the round stays UNDETERMINED",
    quick=4,
    often=40,
)
def taken_back(folder: Path, times: int) -> int:
    for log, rng in _logs(folder, times):
        _taken_back(log, rng)
    return times


def _taken_back(log: EventLog, rng: random.Random) -> None:
    table = tables(ROUNDS)[0]
    lines = [line_of(table.stream, draft) for draft in table.drafts]
    at = next(number for number, draft in enumerate(table.drafts) if isinstance(draft.payload, model.WagerPaid))
    lines[at] = bad = lines[at].replace(b'"payload":{', b'"payload":{"smudged":1,')
    notice_id = notice(table.stream, Refusal("", bad, table.stream, "smudged")).event_id
    undone = line_of(table.stream, _draft(_correction(None, at + 1, notice_id), rng))
    batches = [[*lines, undone]] if rng.random() < 0.5 else [lines, [undone]]
    for batch in batches:
        _hand_in(log, batch)
    demand(undone in [entry.data for entry in log.quarantined()], "a notice was taken back")
    for entry in quarantine_cases(log):
        if entry.entry.data == undone:
            try:
                redrive(log, entry, by="sv-1", reason="redriven")
            except EventError:
                continue
            demand(False, "a notice was taken back out of quarantine")
    round_no = table.drafts[at].round_no
    found = judge(log)["adjudications"][f"{table.stream}#{round_no}"]
    demand(msgspec.json.decode(found[-1])["verdict"] == "UNDETERMINED", "the round is judged as if nothing was refused")


@fault(
    "forgery",
    "all of these, on Kafka",
    how="each of the above by turns, on a real broker",
    held=HELD,
    quick=1,
    often=10,
    kafka=True,
)
def on_kafka(folder: Path, times: int) -> int:
    forgers = (_resolved, _looked, _keys, _office, _as_people, _observed, _elsewhere, _replacing, _notices)
    done = 0
    for turn in range(times):
        for number, forge in enumerate(forgers):
            address, state = create(folder / f"{turn}-{number}")
            with closing(KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)) as log:
                _try(log, random.Random(f"{turn}/{number}"), forge)
            done += 1
        address, state = create(folder / f"{turn}-sources")
        with closing(KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)) as log:
            _sources(log, random.Random(turn), folder / f"{turn}-key")
        address, state = create(folder / f"{turn}-taken-back")
        with closing(KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)) as log:
            _taken_back(log, random.Random(turn))
        done += 2
    return done
