"""Everything that reads bytes from outside, as functions that a fuzzer calls: each refuses in its own way, or keeps a promise.

An input may raise one of the target's errors, with a text that says something; anything else is a defect.
"""

import atexit
import functools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from events.errors import EventError, IntegrityError, LogUnavailable
from events.kafka.foreign_records import ResultPlaces, StreamPlaces, beside_streams
from events.kafka.partition_reader import Chains
from events.kafka.record_batches import ReadMessage
from events.kafka.survey import Ends
from events.kafka.topics import parse_address
from events.log.appender import StreamState, place
from events.log.contract import Head, Record
from events.log.hash_chain import genesis
from events.log.high_water import HighWater
from events.proofs import merkle
from events.proofs.checkpoint import Checkpoint
from events.proofs.signed_note import BadNote, Note, PublicKey
from events.sqlite.log import SqliteLog
from events.vocabulary import codec
from events.vocabulary.card_numbers import without_card_numbers
from events.vocabulary.codec import decode, encode, encode_draft
from intake.appending import LineAppender
from intake.gateway import cloud_events
from intake.gateway.messages import BadBody, answers, lines_of, read_body
from intake.lines import DEFECT, JSON_LINES, Refusal, line_of, notice, parse_line, read_line
from intake.profiles.profile import Profile
from replay.fold.shoe_state import deals_from_shoes
from replay.run.stream_worker import StreamWorker, rulebook
from replay.transcript.transcript import judge
from replay.transcript.words import TranscriptError
from rulebook.chapters.rulebook import RulesRefused, parse_submission
from rulebook.chapters.submission import submission_from_words
from tests.golden.rounds import round_files
from tests.replay.tables import LOG_ID, PAID, PROPERTY, RULES_LINE, Table, records, rules_text

PROFILES = Path(__file__).resolve().parents[2] / "docs/profiles"


class Target(NamedTuple):
    """What is called with the bytes, the errors that are answers, and well-formed inputs to begin with."""

    call: Callable[[bytes], None]
    answers: tuple[type[Exception], ...]
    seeds: Callable[[], list[bytes]]


TARGETS: dict[str, Target] = {}


def target(*answers: type[Exception], seeds: Callable[[], list[bytes]]) -> Callable[[Callable[[bytes], None]], None]:
    def listed(call: Callable[[bytes], None]) -> None:
        TARGETS[call.__name__] = Target(call, answers, seeds)

    return listed


def attempt(name: str, data: bytes) -> None:
    """Call a target; an answer must say something in a line or two."""
    call, answers, _ = TARGETS[name]
    try:
        call(data)
    except answers as error:
        said = str(error).strip()
        if not 0 < len(said) < 5_000:
            raise AssertionError(f"an error that says nothing, or too much: {said[:200]!r}") from None


# ------------------------------------------------------------------------------------------------------------- seeds


@functools.cache
def _table() -> Table:
    table = Table()
    played = table.play(1, PAID)
    table.correct(played["wager_paid"], None)
    return table


def event_seeds() -> list[bytes]:
    return [record.data for record in records(_table())]


def line_seeds() -> list[bytes]:
    return [line_of("table/fu-01", draft) for draft in _table().drafts] + [encode_draft(_table().drafts[0])]


def stream_seeds() -> list[bytes]:
    return [b"\n".join(event_seeds())]


def transcript_seeds() -> list[bytes]:
    golden = round_files()[:12]
    written = [f"{RULES_LINE}\nround 1\n{PAID}".encode()]
    return written + [path.read_bytes()[:4000] for path in golden]


def rules_seeds() -> list[bytes]:
    words = ("pa-688a", "pa-688a fortune_bonus=3 ace_high_bonus=1", "pa-686a", "pa-687a", "pa-659a", "pa-645c")
    found = []
    for each in words:
        try:
            found.append(rules_text(each).encode())
        except RulesRefused:
            continue
    return found


def note_seeds() -> list[bytes]:
    text = Checkpoint("discard-rack/bellwether/00", 3, bytes(32)).text()
    return [f"{text}\n— discard-rack/bellwether/00 AAAAAAA=\n".encode(), text.encode()]


# ------------------------------------------------------------------------------------------------------------ readers


@target(EventError, seeds=event_seeds)
def event(data: bytes) -> None:
    """A stored event: what is accepted encodes to the same bytes, and both ways of reading agree."""
    many = codec.read_all([data])
    found = decode(data)
    assert encode(found) == data
    assert many is None or many[0].payload == found.payload
    record, _ = place(_state(found.stream), found.draft(), log_id=LOG_ID, property_id=PROPERTY, stream=found.stream, now_us=1)
    assert decode(record.data).payload == found.payload


def _state(stream: str) -> StreamState:
    return StreamState(Head(0, genesis(LOG_ID, PROPERTY, stream)), "0001-01-01")


@target(seeds=line_seeds)
def line(data: bytes) -> None:
    """A line at intake is read or refused; a refused one always makes a notice that can be stored."""
    read = read_line(data, "file:1")
    if isinstance(read, Refusal):
        assert read.reason
        told = notice("table/fu-01", read)
        assert parse_line(line_of("table/fu-01", told)) == ("table/fu-01", told)
    else:
        assert parse_line(line_of(read.stream, read.draft)) == (read.stream, read.draft)


def message_seeds() -> list[bytes]:
    return [line for path in sorted(PROFILES.glob("*.[jc]s*")) for line in path.read_bytes().splitlines()]


def cloud_event_seeds() -> list[bytes]:
    return [
        b'{"specversion":"1.0","id":"00000000-0000-4000-8000-000000000001","source":"urn:x-y:table-07",'
        b'"subject":"table/fu-01","type":"wager_placed.v1","time":"2026-03-14t14:53:20z","sourceseq":"7","roundno":3,'
        b'"datacontenttype":"application/json; charset=utf-8","data":{"amount_cents":2500,"bettor":"p-9","form":"chips",'
        b'"number":null,"seat":3,"wager":"base"}}'
    ]


@target(BadBody, seeds=lambda: line_seeds() + message_seeds() + cloud_event_seeds())
def record(data: bytes) -> None:
    """A record goes the whole way, in every form: it is read or refused, stored or quarantined, and answered."""
    tokens = functools.partial(without_card_numbers, token=lambda _: "p-1")
    bodies = [(kind, None) for kind in (JSON_LINES[0], cloud_events.BATCH, cloud_events.SINGLE)]
    named: list[tuple[str, Profile | None]] = [*bodies, *((JSON_LINES[0], each) for each in _profiles() if each.format == "json")]
    named += [("text/csv", each) for each in _profiles() if each.format != "json"]
    for kind, profile in named:
        try:
            messages = read_body(data, kind, tokens, profile)
        except BadBody:
            continue
        handed = lines_of(messages)
        for each in answers(messages, _appender().append(handed)):
            assert each.status != "quarantined" or each.reason or each.events
        for each in handed:
            assert not isinstance(each, Refusal) or (each.reason and DEFECT not in each.reason), each


@functools.cache
def _profiles() -> list[Profile]:
    return [Profile(path) for path in sorted(PROFILES.glob("*.toml"))]


@functools.cache
def _appender() -> LineAppender:
    folder = Path(tempfile.mkdtemp(prefix="rack-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return LineAppender(SqliteLog(folder / "floor.db", create=True, property_id=PROPERTY))


@target(TranscriptError, seeds=transcript_seeds)
def transcript(data: bytes) -> None:
    """A transcript is judged, or the line is named that cannot be read."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    judge(text, "round.txt", _no_file)


def _no_file(name: str) -> str:
    raise FileNotFoundError(2, "No such file", name)


@target(RulesRefused, seeds=rules_seeds)
def rules(data: bytes) -> None:
    """A rules submission is accepted or refused, with the key and the section."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    deals_from_shoes(text)
    assert rulebook(text) is not None, "a table's rules are a rulebook, or why there is none"
    parse_submission(text, "rules.toml")


@target(RulesRefused, seeds=lambda: [RULES_LINE.encode(), b"pa-688a min=5.00 max=1000.00 house_way=stones"])
def rules_line(data: bytes) -> None:
    """The words of a `rules` line."""
    parse_submission(submission_from_words(data.decode(errors="replace").split()))


@target(BadNote, seeds=note_seeds)
def note(data: bytes) -> None:
    """A signed note and the checkpoint in it; what is accepted encodes to the same bytes."""
    found = Note.decode(data)
    assert found.encode() == data
    checkpoint = Checkpoint.parse(found.text)
    assert checkpoint.text() == found.text


@target(BadNote, seeds=lambda: [b"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"])
def public_key(data: bytes) -> None:
    """A key in its text form."""
    text = data.decode(errors="replace")
    assert str(PublicKey.parse(text)) == text.strip()


@target(merkle.BadProof, seeds=lambda: [bytes(range(100)), bytes(200)])
def proof(data: bytes) -> None:
    """Proofs of any length for any place: refused, or right (which from these bytes none can be by chance)."""
    index, size, rest = data[0] if data else 0, data[1] if len(data) > 1 else 0, data[2:]
    hashes = [rest[at : at + 32] for at in range(0, len(rest), 32)]
    root = bytes(32)
    if data[:1] < b"\x80":
        merkle.verify_inclusion(bytes(32), index, size, hashes, root)
    else:
        merkle.verify_consistency(index, size, root, root, hashes)


@target(LogUnavailable, seeds=lambda: [b"kafka://127.0.0.1:9092/rack"])
def address(data: bytes) -> None:
    """The address of a log on Kafka."""
    parse_address(data.decode(errors="replace"))


@target(IntegrityError, seeds=lambda: [b"3\n" + event_seeds()[0]])
def kafka_record(data: bytes) -> None:
    """A record as a broker serves it: key, headers and value of anybody's making."""
    head, _, value = data.partition(b"\n")
    parts = head.split(b" ")
    headers = [("seq", parts[0]), ("hash", (parts[1] if len(parts) > 1 else b"").ljust(32, b"\0"))][: len(parts) + 1]
    message = ReadMessage(0, parts[-1], value, headers)
    for reason_of in beside_streams(ResultPlaces()).values():
        reason_of(message)
    home = ("rack.events", 0)
    if StreamPlaces(LOG_ID, home, lambda stream: home).foreign(message) is not None:
        return
    Ends().take(0, parts[-1], headers)
    Chains(LOG_ID, PROPERTY, lambda stream, seq: None).accept(parts[-1], headers, value)


@target(IntegrityError, seeds=stream_seeds)
def stream(data: bytes) -> None:
    """A stream of records with anything in them: folded, adjudicated, or stopped at a number."""
    worker = StreamWorker("table/fu-01", lambda kind, key: None)
    for seq, each in enumerate(data.split(b"\n"), 1):
        worker.take(Record("table/fu-01", seq, each, b""))
        if worker.needs_refold:
            return
    StreamWorker("table/fu-01", lambda kind, key: None, worker.snapshot())


@target(IntegrityError, seeds=lambda: [b"discard-rack high-water v1\n" + LOG_ID.encode() + bytes(200)])
def high_water(data: bytes) -> None:
    """The file of marks: records without a valid check do not count."""
    with tempfile.NamedTemporaryFile(prefix="rack-fuzz-") as file:
        file.write(data)
        file.flush()
        HighWater(Path(file.name), LOG_ID).load()
