"""One record never keeps others from being stored, whatever it does to its reader: over HTTP, and in a raw topic."""

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from events.kafka.client import TopicPartition
from events.sqlite.log import SqliteLog
from intake.appending import LineAppender
from intake.devices import DeviceWatch, add_device
from intake.errors import NoKeyring
from intake.gateway import cloud_events
from intake.gateway.messages import lines_of, read_body
from intake.gateway.raw_topic import RawTopic
from intake.lines import JSON_LINES, AcceptedLine, Refusal, line_of
from intake.patrons import Keyring, with_tokens
from intake.profiles.profile import Profile
from intake.profiles.registered_profiles import Profiles
from tests.contract.drafts import TABLE, Drafts

AT = "2026-11-23T08:00:00Z"
DESTROYED_US, KEPT_US = 1_773_400_000_000_000, 1_773_500_000_000_000
PROFILE = """\
form = "discard-rack device profile 1"
name = "A pad"

[envelope]
stream = { from = "t", prefix = "table/" }
source = { is = "pad" }
source_seq = { from = "n", as = "integer" }
occurred_at = { from = "at", as = "microseconds" }
round_no = { is = 7 }

[[message]]
kind = "bet"

[[message.event]]
type = "wager_placed"

[message.event.payload]
amount_cents = { from = "sum", as = "dollars" }
bettor = { from = "who", prefix = "card:" }
form = { is = "chips" }
number = { none = true }
seat = { from = "seat", as = "integer" }
wager = { is = "base" }
"""
SOUND = {"t": "fu-07", "n": 1, "at": KEPT_US, "sum": "12.50", "who": "4711", "seat": 3}
HOSTILE = {
    "5,000 digits behind zeros": json.dumps(SOUND).replace('"n": 1', '"n": "' + "0" * 5_000 + 'x"'),
    "5,000 digits": json.dumps(SOUND).replace('"n": 1', '"n": ' + "1" * 5_000),
    "5,000 digits as text": json.dumps(SOUND).replace('"n": 1', '"n": "' + "1" * 5_000 + '"'),
    "an exponent of 20 digits": json.dumps(SOUND).replace('"12.50"', "1e99999999999999999999"),
    "an exponent of 20 digits as text": json.dumps(SOUND).replace('"12.50"', '"1e99999999999999999999"'),
    "a destroyed epoch": json.dumps(SOUND).replace(str(KEPT_US), str(DESTROYED_US)),
    "deep": "[" * 50_000,
    "half a surrogate pair": json.dumps(SOUND).replace("fu-07", "\\ud800"),
}


@pytest.fixture
def keyring(tmp_path: Path) -> Iterator[Keyring]:
    with Keyring.new(tmp_path / "patrons.keyring") as keyring:
        keyring.rotate(DESTROYED_US + 1)
        keyring.destroy(1)
        yield keyring


def profile_at(folder: Path) -> Path:
    path = folder / "pad.toml"
    path.write_text(PROFILE)
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_over_http_the_lines_around_it_are_stored(tmp_path: Path, keyring: Keyring, name: str) -> None:
    sound = [json.dumps(SOUND | {"n": number}).encode() for number in (1, 2)]
    body = b"\n".join([sound[0], HOSTILE[name].encode(), sound[1]])
    messages = read_body(body, JSON_LINES[0], partial(with_tokens, keyring=keyring), Profile(profile_at(tmp_path)))
    first, refused, last = lines_of(messages)
    assert (type(first), type(refused), type(last)) == (AcceptedLine, Refusal, AcceptedLine)
    assert isinstance(refused, Refusal)
    assert refused.reason
    assert b"4711" not in refused.data


def test_a_token_of_a_destroyed_epoch_refuses_its_line_alone_in_our_own_words(keyring: Keyring) -> None:
    drafts = Drafts()
    old = line_of(TABLE, drafts.wager(occurred_at_us=DESTROYED_US)).replace(b"p-9", b"card:47110815")
    lines = [line_of(TABLE, drafts.day()), old, line_of(TABLE, drafts.wager())]
    read = lines_of(read_body(b"\n".join(lines), JSON_LINES[0], partial(with_tokens, keyring=keyring)))
    assert [type(line) for line in read] == [AcceptedLine, Refusal, AcceptedLine]
    assert isinstance(read[1], Refusal)
    assert (read[1].stream, b"47110815" in read[1].data) == (TABLE, False)
    assert "the key of epoch 1 was destroyed" in read[1].reason


@pytest.mark.parametrize("error", [RuntimeError("no 47110815"), KeyError("x"), ZeroDivisionError(), AssertionError()])
def test_whatever_a_reader_raises_is_the_refusal_of_its_line(error: Exception) -> None:
    drafts = Drafts()
    lines = [line_of(TABLE, drafts.day()), line_of(TABLE, drafts.wager()), line_of(TABLE, drafts.wager())]
    real, spoiled = with_tokens, lines[1]

    def tokens(data: bytes) -> bytes:
        if data == spoiled:
            raise error
        return real(data, None)

    read = lines_of(read_body(b"\n".join(lines), JSON_LINES[0], tokens))
    assert [type(line) for line in read] == [AcceptedLine, Refusal, AcceptedLine]
    event = {"specversion": "1.0", "data": {}}
    with patch.object(cloud_events, "line_of_cloud_event", side_effect=error):
        (refused,) = lines_of(read_body(json.dumps([event]).encode(), cloud_events.BATCH, bytes))
    assert isinstance(refused, Refusal)
    assert type(error).__name__ in refused.reason


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError(), NoKeyring("no keyring")])
def test_what_is_not_the_records_fault_refuses_nothing(error: Exception) -> None:
    def tokens(_: bytes) -> bytes:
        raise error

    with pytest.raises(type(error)):
        read_body(line_of(TABLE, Drafts().day()), JSON_LINES[0], tokens)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_raw_topic_goes_on_behind_it(tmp_path: Path, keyring: Keyring, name: str) -> None:
    register = tmp_path / "devices.toml"
    add_device(register, "pad", ["pad"], profile_at(tmp_path).name, AT)
    topic = raw_topic(register, tmp_path, keyring)
    record = HOSTILE[name].encode()
    with closing(SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")) as log:
        log.append(TABLE, 1, [Drafts().day()])
        appender = LineAppender(log)
        for offset, value in enumerate((record, json.dumps(SOUND).encode())):
            outcomes = appender.append(topic._read(TopicPartition("raw", 3), message(offset, b"pad", value)))
        (entry,) = log.quarantined()
        assert outcomes[0].refused is None
    assert entry.reason.startswith("topic raw, partition 3, offset 0: ")
    assert b"4711" not in entry.data


def test_a_card_number_without_a_keyring_refuses_its_record_alone(tmp_path: Path) -> None:
    """Nothing of the topic waits for a keyring that the property may never have."""
    topic = raw_topic(None, tmp_path, None)
    line = line_of(TABLE, Drafts().wager()).replace(b"p-9", b"card:47110815")
    (refused,) = topic._read(TopicPartition("raw", 0), message(5, None, line))
    assert isinstance(refused, Refusal)
    assert (refused.origin, refused.stream) == ("topic raw, partition 0, offset 5", TABLE)
    assert "--patrons" in refused.reason
    assert b"47110815" not in refused.data


@pytest.mark.parametrize(
    ("value", "count"),
    [(b"[%s,\n%s]", 2), (b"\xef\xbb\xbf%s", 1), (b"[]", 1), (b"", 1), (b"[%s", 1)],
)  # fmt: skip
def test_a_record_may_be_an_array_and_may_begin_with_a_mark(tmp_path: Path, value: bytes, count: int) -> None:
    line = line_of(TABLE, Drafts().day())
    lines = raw_topic(None, tmp_path, None)._read(TopicPartition("raw", 0), message(0, None, value.replace(b"%s", line)))
    assert len(lines) == count


def raw_topic(register: Path | None, folder: Path, keyring: Keyring | None) -> RawTopic:
    """The reading of a topic without its thread and its broker."""
    topic: Any = object.__new__(RawTopic)
    topic._devices = None if register is None else DeviceWatch(register)
    topic._profiles, topic._tokens = Profiles(folder), partial(with_tokens, keyring=keyring)
    return topic


def message(offset: int, key: bytes | None, value: bytes) -> Any:
    return msgspec.defstruct("Record", ["offset", "key", "value", "headers"])(offset, key, value, [])
