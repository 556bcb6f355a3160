"""Make the golden bytes of every registered `(type, version)` that has none yet: `python -m tests.golden.events.make`.

A file is never written again once it exists: its bytes are what some log already holds. The values are chosen by the
types alone, so that a new event needs no work here: one example with every field filled, one with every None that may be.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect as mi

from events.vocabulary.codec import encode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import REGISTRY, Event, EventCorrected, Replacement

HERE = Path(__file__).parent

TEXTS = {  # by pattern: text of a permanent form
    r"\A[a-z0-9-]{1,32}\Z": "a-1",
    r"\A[0-9a-f]{64}\Z": "5e" * 32,
    r"\A[0-9a-f]{32}\Z": "0f" * 16,
    r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z": "2026-03-14",
    r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z": "06:00",
    r"\A[A-Z]{3}\Z": "USD",
    r"\A[a-z0-9_]{1,32}\Z": "face_up_pai_gow",
    r"\A[a-z][a-z0-9_]{0,31}\Z": "base",
    r"\A[a-z_]{1,40}\Z": "hand_set",
    r"\A(table|observed)/[a-z0-9-]{1,32}\Z": "table/fu-07",
    r"\A[a-z0-9][a-z0-9._@+-]{0,63}\Z": "m.ortiz@bellwether",
    r"\A[!-*,-~]{1,100}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\Z": (
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    ),
}


WAGER = Replacement(
    type="wager_placed",
    version=1,
    round_no=7,
    payload={"seat": 3, "bettor": "p-9", "wager": "base", "number": None, "amount_cents": 2500, "form": "chips"},
)


def value_of(kind: mi.Type, *, empty: bool) -> Any:
    """Return a value of a type: filled, or with the nulls and empty lists that the type allows."""
    match kind:
        case mi.UnionType():
            if empty and kind.includes_none:
                return None
            options = [option for option in kind.types if not isinstance(option, mi.NoneType)]
            return value_of(options[-1 if empty else 0], empty=empty)
        case mi.IntType():
            low, high = kind.ge or 0, kind.le or 0
            return low if empty else min(high, max(low, 0) + 2)
        case mi.StrType() if kind.pattern is not None:
            return TEXTS[kind.pattern]
        case mi.StrType():
            return "x" if empty else 'é "quoted" \\ 牌\n'
        case mi.LiteralType():
            return kind.values[0 if empty else -1]
        case mi.ListType():
            least = kind.min_length or 0
            count = least if empty else min(max(least, 2), kind.max_length or 2)
            return [value_of(kind.item_type, empty=empty) for _ in range(count)]
        case mi.StructType() if kind.cls is Replacement:
            return WAGER
        case mi.StructType():
            return kind.cls(**{each.name: value_of(each.type, empty=empty) for each in kind.fields})
        case mi.BoolType():
            return not empty
    raise TypeError(f"no example of {kind}")


def payload_of(cls: type[Event], *, empty: bool) -> Event:
    """Return an example of a payload."""
    if issubclass(cls, EventCorrected):
        superseded = None if empty else WAGER
        return cls(supersedes_seq=12, supersedes_event_id="0f" * 16, replacement=superseded, by="a-1", reason="read again")
    fields = mi.type_info(cls)
    assert isinstance(fields, mi.StructType)
    return cls(**{field.name: value_of(field.type, empty=empty) for field in fields.fields})


def example(cls: type[Event], *, empty: bool) -> bytes:
    """Return the canonical bytes of a stored event of this type."""
    payload = payload_of(cls, empty=empty)
    envelope = Envelope(
        log_id="00112233445566778899aabbccddeeff",
        property_id="bellwether",
        stream="table/fu-07",
        seq=41,
        event_id="0f" * 16,
        source="table-07",
        source_seq=40,
        occurred_at_us=1_773_500_000_000_000,
        recorded_at_us=1_773_500_000_250_000,
        gaming_day="2026-03-14",
        round_no=None if empty else 7,
        type=cls.TYPE,
        version=cls.VERSION,
        payload=payload,
    )
    return encode(envelope)


def path_of(type_: str, version: int) -> Path:
    """Return where the golden bytes of a `(type, version)` stand."""
    return HERE / f"{type_}.v{version}.json"


def golden(path: Path) -> list[dict[str, str]]:
    """Return the examples of a golden file: `sha256` and `bytes` (as UTF-8 text)."""
    examples: list[dict[str, str]] = msgspec.json.decode(path.read_bytes())["examples"]
    return examples


def main() -> None:
    for (type_, version), cls in REGISTRY.items():
        path = path_of(type_, version)
        if path.exists():
            continue
        examples = list(dict.fromkeys(example(cls, empty=empty) for empty in (False, True)))
        content = {"examples": [{"sha256": sha256(data).hexdigest(), "bytes": data.decode()} for data in examples]}
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
