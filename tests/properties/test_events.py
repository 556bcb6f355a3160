"""What the log promises to an auditor, for any event."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.errors import EventError
from events.log.contract import EventLog
from events.log.hash_chain import genesis, link
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary import codec
from events.vocabulary.envelope import Draft, Envelope
from events.vocabulary.model import Event, GamingDayOpened, IntakeRefused, RoundClosed, RoundOpened
from events.vocabulary.upcast import is_current
from tests.contract.backends import SqliteTamper
from tests.contract.drafts import TABLE, Drafts
from tests.events.strategies import AT_A_TABLE, DRAFTS, TEXTS

LOG_ID = "00112233445566778899aabbccddeeff"
QUIET = AT_A_TABLE.filter(lambda payload: not isinstance(payload, GamingDayOpened | RoundOpened | RoundClosed | IntakeRefused))
"""Events that may be anywhere; a notice of what was refused wants its bytes in quarantine."""


def envelope_of(draft: Draft, seq: int = 1) -> Envelope:
    return Envelope(
        log_id=LOG_ID,
        property_id="bellwether",
        stream=TABLE,
        seq=seq,
        event_id=draft.event_id,
        source=draft.source,
        source_seq=draft.source_seq,
        occurred_at_us=draft.occurred_at_us,
        recorded_at_us=draft.occurred_at_us,
        gaming_day="2026-03-14",
        round_no=draft.round_no,
        type=draft.payload.TYPE,
        version=draft.payload.VERSION,
        payload=draft.payload,
    )


@contextmanager
def new_log() -> Iterator[tuple[EventLog, Path]]:
    folder = Path(tempfile.mkdtemp())
    log = SqliteLog(folder / "floor.db", property_id="bellwether", create=True, log_id=LOG_ID, clock=lambda: 1)
    try:
        yield log, folder / "floor.db"
    finally:
        log.close()
        shutil.rmtree(folder)


@pytest.mark.slow
@given(st.lists(DRAFTS, min_size=1, max_size=5))
def test_events_read_in_a_row_are_those_read_one_by_one(drafts: list[Draft]) -> None:
    records = [codec.encode(envelope_of(draft, seq)) for seq, draft in enumerate(drafts, 1)]
    one_by_one = [codec.read(data) for data in records]
    in_a_row = codec.read_all(records)
    is_plain = all(data.isascii() for data in records) and all(is_current(type(draft.payload)) for draft in drafts)
    assert in_a_row == one_by_one or (in_a_row is None and not is_plain)


@pytest.mark.slow
@given(st.lists(DRAFTS, min_size=2, max_size=4), st.data())
def test_bytes_changed_among_others_are_never_read_otherwise_than_alone(drafts: list[Draft], data: st.DataObject) -> None:
    records = [codec.encode(envelope_of(draft, seq)) for seq, draft in enumerate(drafts, 1)]
    for record in records:
        codec.read(record)
    which = data.draw(st.integers(0, len(records) - 1))
    at = data.draw(st.integers(0, len(records[which]) - 1))
    changed = bytearray(records[which])
    changed[at] = data.draw(st.integers(0, 255))
    records[which] = bytes(changed)
    in_a_row = codec.read_all(records)
    if in_a_row is not None:
        assert in_a_row == [codec.read(record) for record in records]


@given(DRAFTS)
def test_any_event_comes_back_as_the_same_bytes(draft: Draft) -> None:
    envelope = envelope_of(draft)
    data = codec.encode(envelope)
    assert codec.decode(data) == envelope
    assert codec.encode(codec.decode(data)) == data
    assert codec.decode(data).draft() == draft


@pytest.mark.slow
@given(DRAFTS)
def test_the_bytes_of_any_event_fit_the_published_schema(draft: Draft) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    document = msgspec.json.decode(codec.encode(envelope_of(draft)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


SCHEMA = msgspec.json.decode((Path(__file__).parents[2] / "docs/events.schema.json").read_bytes())


@given(DRAFTS, st.data())
def test_bytes_edited_anywhere_are_refused_or_are_another_event(draft: Draft, data: st.DataObject) -> None:
    original = codec.encode(envelope_of(draft))
    edited = bytearray(original)
    place = data.draw(st.integers(0, len(edited) - 1))
    edited[place] = data.draw(st.integers(0, 255))
    try:
        decoded = codec.decode(bytes(edited))
    except EventError:
        return
    assert (decoded == envelope_of(draft)) == (bytes(edited) == original)
    assert codec.encode(decoded) == bytes(edited)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(EventError):
        codec.decode(data)


@given(TEXTS)
def test_text_has_one_form(text: str) -> None:
    assert msgspec.json.decode(codec.canonical(text)) == text


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(QUIET, min_size=1, max_size=6), st.data())
def test_any_edited_byte_of_a_stored_event_is_located(payloads: list[Event], data: st.DataObject) -> None:
    drafts = Drafts()
    with new_log() as (log, path):
        log.append(TABLE, 1, [drafts.day(), *map(drafts, payloads)])
        assert verify(log).ok
        seq = data.draw(st.integers(1, len(payloads) + 1))
        tamper = SqliteTamper(path)
        edited = bytearray(tamper.data(TABLE, seq))
        edited[data.draw(st.integers(0, len(edited) - 1))] ^= data.draw(st.integers(1, 255))
        tamper.replace(TABLE, seq, bytes(edited))
        found = verify(log).first_break
        assert found is not None
        assert (found.stream, found.seq) == (TABLE, seq)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from("abc"), QUIET), min_size=1, max_size=10), st.data())
def test_how_events_are_grouped_never_matters(said: list[tuple[str, Event]], data: st.DataObject) -> None:
    """Any interleaving of streams and any grouping gives each stream the same bytes and the same chain."""
    drafts = Drafts()
    given_ = [(f"table/{name}", draft) for name in "abc" for draft in [drafts.day()]]
    given_ += [(f"table/{name}", drafts(payload)) for name, payload in said]
    with new_log() as (log, _):
        rest = list(given_)
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            log.append_groups([(stream, [draft]) for stream, draft in rest[:size]])
            rest = rest[size:]
        for stream in log.streams():
            previous = genesis(LOG_ID, "bellwether", stream)
            expected = [draft for name, draft in given_ if name == stream]
            for record, draft in zip(log.read(stream), expected, strict=True):
                previous = link(previous, record.data)
                assert (record.hash, codec.decode(record.data).draft()) == (previous, draft)
