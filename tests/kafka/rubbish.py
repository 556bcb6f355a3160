"""What a stranger can put into the topics of a log that is no part of it: by kind and topic."""

from typing import NamedTuple

from events.kafka.partition_reader import Headers

NO_VALUE = b"(no value)"
"""Represents a header's missing value if `null_headers` is there."""


class Sent(NamedTuple):
    """What a stranger sends: topic, key, value and headers."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers


SEALED: Headers = [("seq", b"1"), ("hash", bytes(32))]
EMPTY: Headers = [("seq", NO_VALUE), ("hash", NO_VALUE)]


def rubbish(stream: str) -> dict[str, Sent]:
    """Return every kind of foreign record: what is done → what is sent. `stream` is one of the log's, in partition 0."""
    key = stream.encode()
    review = f"review/{stream.partition('/')[2]}".encode()
    entry: Headers = [("stream", key), ("reason", b"none"), ("at_us", b"1")]
    return {
        "null key": Sent("events", None, b"x", []),
        "null key, an event's headers": Sent("events", None, b"x", SEALED),
        "unknown key": Sent("events", b"order-4711", b"x", []),
        "unknown key, an event's headers": Sent("events", b"order-4711", b"{}", SEALED),
        "key that is no text": Sent("events", b"\xff\xfe", b"x", SEALED),
        "long key": Sent("events", b"k" * 5000, b"x", []),
        "key of a stream that is not there": Sent("events", b"table/fu-99", b"x", []),
        "tombstone": Sent("events", key, None, []),
        "tombstone, an event's headers": Sent("events", key, None, SEALED),
        "rubbish": Sent("events", key, b"\x00garbage", []),
        "empty": Sent("events", key, b"", []),
        "JSON": Sent("events", key, b'{"stream":"%b","seq":3}' % key, []),
        "headers without value": Sent("events", key, b"x", EMPTY),
        "rubbish among the reviews": Sent("reviews", b"x", b"x", []),
        "null key among the reviews": Sent("reviews", None, b"x", SEALED),
        "rubbish under a review's key": Sent("reviews", review, b"x", []),
        "tombstone among the reviews": Sent("reviews", review, None, []),
        "a table's key among the reviews": Sent("reviews", key, b"x", SEALED),
        "rubbish among the findings": Sent("findings", b"x", b"x", []),
        "null key among the findings": Sent("findings", None, b"{}", [("kind", b"findings")]),
        "tombstone among the findings": Sent("findings", b"findings/a", None, [("kind", b"findings")]),
        "findings without a header": Sent("findings", b"findings/a", b"{", []),
        "another kind's header": Sent("findings", b"findings/a", b"{", [("kind", b"ledger")]),
        "rubbish among the checkpoints": Sent("checkpoints", b"x", b"x", []),
        "tombstone among the checkpoints": Sent("checkpoints", b"3", None, []),
        "rubbish in quarantine": Sent("quarantine", b"x", b"x", []),
        "tombstone in quarantine": Sent("quarantine", b"0" * 64, None, []),
        "bytes without their headers in quarantine": Sent("quarantine", b"0" * 64, b"x", []),
        "another key in quarantine": Sent("quarantine", b"x", b"x", entry),
    }
