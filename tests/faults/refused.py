"""What somebody does to refused bytes in quarantine, and how devices write card numbers that no one may keep."""

import json
import random
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

from events.archive.write import write_archive
from events.errors import EventError, IntegrityError
from events.kafka.log import KafkaLog
from events.log.contract import EventLog, QuarantineEntry
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary.model import EventCorrected
from intake.appending import append_lines
from intake.lines import line_of, read_line
from intake.patrons import Keyring, with_tokens
from intake.quarantine import quarantine_cases, redrive
from tests.contract.backends import SqliteTamper
from tests.faults.child import TIMEOUT_S
from tests.faults.floor import LOG_ID, PROPERTY, groups
from tests.faults.killed import create
from tests.faults.on_kafka.foreign import Site
from tests.faults.table import demand, fault
from tests.kafka.rubbish import Sent
from tests.simulation.broker import Broker, plugged_in

ROUNDS = 2
WAYS = ("sound", "changed", "renamed", "deleted")


def _day(rng: random.Random) -> tuple[str, int, bytes, list[bytes]]:
    """Return a day of which one line is refused: its stream, its number, what it should have said, and all lines."""
    stream, drafts = groups(ROUNDS)[0]
    lines = [line_of(stream, draft) for draft in drafts]
    seq = rng.randint(2, len(lines))
    sound = lines[seq - 1]
    lines[seq - 1] = sound.replace(b'"payload":{', b'"payload":{"smudged":1,', 1)
    return stream, seq, sound, lines


def _take_in(log: EventLog, lines: list[bytes]) -> None:
    for _ in append_lines(log, [read_line(line, "line") for line in lines]):
        pass


def _compare(log: EventLog, folder: Path, way: str, stream: str, seq: int, sound: bytes) -> None:
    """Every use of the quarantine must name the event, and nothing of the altered bytes may go anywhere."""
    kinds = {"sound": [], "changed": ["entry_changed"], "renamed": ["entry_missing"], "deleted": ["entry_missing"]}[way]
    named = [(kind, stream, seq) for kind in kinds]
    breaks = [(found.kind, found.stream, found.seq) for found in verify(log).breaks]
    demand(breaks == named, f"{way}: verification names {breaks}")
    sealed = write_archive(log, folder / "archive", running=True)
    demand(len(sealed.integrity) == len(named), f"{way}: the archive says {sealed.integrity}")
    demand(sealed.refused == (way == "sound"), f"{way}: {sealed.refused} refused lines were sealed")
    if way == "sound":
        return
    cases = quarantine_cases(log)
    demand(any(case.refused_seq == seq and case.fault is not None for case in cases), f"{way}: the list names nothing")
    for case in cases:
        for line in (None, sound):
            try:
                redrive(log, case, by="sv-1", reason="read now", line=line)
            except (IntegrityError, EventError):
                continue
            demand(False, f"{way}: redriven")
    mark = EventCorrected.TYPE.encode()
    demand(not any(mark in record.data for record in log.read(stream)), f"{way}: altered bytes are in the record")


@fault(
    "tampering",
    "refused bytes changed, renamed or deleted in quarantine",
    how="the store's row of a refused line, anywhere in a day; then verified, listed, redriven, archived",
    held="named with stream, number and SHA-256; nothing redriven, nothing sealed; a sound entry is no failure",
    quick=4,
    often=80,
)
def on_sqlite(folder: Path, times: int) -> int:
    for turn in range(times):
        rng, place = random.Random(turn), folder / str(turn)
        place.mkdir()
        stream, seq, sound, lines = _day(rng)
        with closing(SqliteLog(place / "floor.db", create=True, property_id=PROPERTY, log_id=LOG_ID)) as log:
            _take_in(log, lines)
        tamper, way = SqliteTamper(place / "floor.db"), WAYS[turn % len(WAYS)]
        if way == "changed":
            tamper.execute("UPDATE quarantine SET data = ?", sound)
        elif way == "renamed":
            tamper.execute("UPDATE quarantine SET data = ?, sha256 = ?", sound, sha256(sound).hexdigest())
        elif way == "deleted":
            tamper.execute("DELETE FROM quarantine")
        with closing(SqliteLog(place / "floor.db")) as log:
            _compare(log, place, way, stream, seq, sound)
    return times


def _on_kafka(folder: Path, times: int, address: Callable[[int], str | None]) -> int:
    """The topic holds other records than were written, as after somebody emptied it and filled it again."""
    for turn in range(times):
        rng, way = random.Random(turn), WAYS[turn % len(WAYS)]
        stream, seq, sound, lines = _day(rng)
        site = Site(*create(folder / str(turn), address(turn)))

        def keep(self: KafkaLog, entry: QuarantineEntry, *, site: Site = site, way: str = way, sound: bytes = sound) -> None:
            name = sha256(sound).hexdigest() if way == "renamed" else entry.sha256
            data = entry.data if way == "sound" else sound
            headers = [("stream", entry.stream.encode()), ("reason", entry.reason.encode()), ("at_us", b"5")]
            if way != "deleted":
                site.put(Sent("quarantine", name.encode(), data, headers))

        with closing(KafkaLog(site.address, state_dir=site.state, timeout_s=TIMEOUT_S)) as log:
            with patch.object(KafkaLog, "quarantine", keep):
                _take_in(log, lines)
            _compare(log, folder / str(turn), way, stream, seq, sound)
    return times


HELD = "the same"


@fault(
    "tampering",
    "refused bytes replaced in quarantine, on Kafka",
    how="the topic holds other bytes under the key, another key, or nothing",
    held=HELD,
    quick=2,
    often=12,
    kafka=True,
)
def on_a_broker(folder: Path, times: int) -> int:
    return _on_kafka(folder, times, lambda turn: None)


@fault(
    "tampering",
    "refused bytes replaced in quarantine, on a Kafka cluster in memory",
    how="the same, on the simulated cluster",
    held=HELD,
    quick=4,
    often=40,
)
def in_memory(folder: Path, times: int) -> int:
    with plugged_in(Broker()):
        return _on_kafka(folder, times, lambda turn: f"kafka://simulated:9092/refused-{turn}")


# ---------------------------------------------------------------------------------------------------------- card numbers


def _spelled(rng: random.Random, number: str) -> str:
    """Write a card number as some device might, as the inside of a JSON string."""
    text = "".join(
        f"\\u{ord(character):04x}" if rng.random() < 0.2 else rng.choice((character, character.upper()))
        for character in f"card:{number}"
    )
    return rng.choice(("", " ", "\\t")) + text + rng.choice(("", " ", "\\n"))


def _lines(rng: random.Random, number: str) -> list[bytes]:
    stream, drafts = groups(ROUNDS)[0]
    line, spelled = line_of(stream, drafts[-1]), _spelled(rng, number)
    inner = json.dumps({"note": ["x", {"patron": f"CARD:{number}"}]})
    return [
        line.replace(b'"payload":{', b'"payload":{"patron":"%s",' % spelled.encode(), 1),
        line.replace(b'"payload":{', b'"payload":{"%s":[{"a":1}],' % spelled.encode(), 1),
        line.replace(b'"payload":{', b'"payload":{"note":%s,' % json.dumps(inner).encode(), 1),
        line.replace(b'"payload":{', b'"payload":{"patron":"%s"' % spelled.encode(), 1)[: -rng.randint(1, 9)],
    ]


@fault(
    "privacy",
    "a card number written another way",
    how="escapes, blanks, upper case; as a value, a key, JSON in a string, in a line broken off",
    held="no number in the store or in a message; the entry's name is the SHA-256 of the bytes stored",
    quick=5,
    often=200,
)
def card_numbers(folder: Path, times: int) -> int:
    with Keyring.new(folder / "keyring") as keyring:
        for turn in range(times):
            rng, number = random.Random(turn), f"{random.Random(turn).randint(7_000_000_000, 7_999_999_999)}"
            path = folder / f"{turn}.db"
            lines = [with_tokens(line, keyring) for line in _lines(rng, number)]
            with closing(SqliteLog(path, create=True, property_id=PROPERTY, log_id=LOG_ID)) as log:
                _take_in(log, [line_of(stream, draft) for stream, drafts in groups(ROUNDS)[:1] for draft in drafts])
                _take_in(log, lines)
                entries = log.quarantined()
            demand([entry.data for entry in entries] == lines, "other bytes than were handed in are in quarantine")
            for entry in entries:
                demand(entry.sha256 == sha256(entry.data).hexdigest(), "an entry has another name than its bytes")
                demand(not _shows(entry.data, number), f"in quarantine in clear: {entry.data!r}")
    return times


def _shows(data: bytes, number: str) -> bool:
    """Whether a reader who decodes escapes finds the number."""
    text = data.decode("utf-8", "replace")
    decoded = text.encode("latin-1", "replace").decode("unicode_escape", "replace")
    return number in text or number in decoded
