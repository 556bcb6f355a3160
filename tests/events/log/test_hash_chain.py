"""The chain, against values computed outside of Python's code (`printf … | sha256sum`)."""

import re
from hashlib import sha256
from pathlib import Path

from events.log.hash_chain import genesis, link

LOG_ID = "00112233445566778899aabbccddeeff"


def test_genesis_and_links_are_these() -> None:
    start = genesis(LOG_ID, "bellwether", "table/fu-07")
    assert start.hex() == "201946f8ac3faccf6fd1e05de561a1225cb508a82697283bce9faa34b66aa62e"
    first = link(start, b"{}")
    assert first.hex() == "6752f2bb10a93b97f0cc98f0795c86eff57ac9d30664c5c2fed6af0e2a8105ce"
    assert link(first, b"{}") != first


def test_every_part_counts() -> None:
    start = genesis(LOG_ID, "bellwether", "table/fu-07")
    others = [
        ("10" + LOG_ID[2:], "bellwether", "table/fu-07"),
        (LOG_ID, "bellwethes", "table/fu-07"),
        (LOG_ID, "bellwether", "table/fu-08"),
        (LOG_ID, "bellwether", "meter/fu-07"),
    ]
    assert len({start, *(genesis(*other) for other in others)}) == 5
    assert len({link(start, b"a"), link(start, b"b"), link(link(start, b"a"), b"a"), link(start, b"")}) == 4


def test_the_documented_beginning_of_a_chain() -> None:
    """docs/log-contract.md: whoever checks a chain without this program starts from there."""
    text = (Path(__file__).resolve().parents[3] / "docs" / "log-contract.md").read_text()
    found = re.search(r"log `([0-9a-f]{32})`, property `([a-z]+)`, stream `([a-z0-9/-]+)`, h0 is\s+`([0-9a-f]{64})`", text)
    assert found is not None
    log_id, property_id, stream, stated = found.groups()
    by_hand = sha256(b"rack/genesis/v1\0" + log_id.encode() + property_id.encode() + b"/" + stream.encode())
    assert genesis(log_id, property_id, stream).hex() == by_hand.hexdigest() == stated
