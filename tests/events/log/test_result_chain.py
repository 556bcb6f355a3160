"""The chain of results: computed by hand here, as the document freezes it, and each way in which it can be broken."""

from collections.abc import Callable
from hashlib import sha256

import pytest

from events.log.contract import ChainedResult, Head
from events.log.result_chain import ResultChains, ResultPosition, position_digest, stream_of

Change = Callable[..., list[ChainedResult]]
STREAM = "table/fu-01"
FIRST, SECOND = (("adjudications", f"{STREAM}#1", b'{"verdict":"UPHELD"}'), ("findings", "5e5e", b'{"stream":"table/fu-01"}'))


def by_hand(before: bytes, kind: bytes, key: bytes, data: bytes) -> bytes:
    stated = b"rack/result/v1\0" + before + len(kind).to_bytes(4, "big") + kind + len(key).to_bytes(4, "big") + key + data
    return sha256(stated).digest()


def stored() -> list[ChainedResult]:
    chains = ResultChains()
    return [chains.extend(*FIRST), chains.extend(*SECOND), chains.extend("ledger", f"{STREAM}#9", b"{}")]


def walked(results: list[ChainedResult]) -> ResultChains:
    chains = ResultChains()
    for result in results:
        chains.take(result)
    return chains


def test_the_chain_is_as_the_document_says() -> None:
    start = sha256(b"rack/results/v1\0table/fu-01").digest()
    first = by_hand(start, b"adjudications", b"table/fu-01#1", FIRST[2])
    second = by_hand(first, b"findings", b"5e5e", SECOND[2])
    assert [(each.place, each.hash) for each in stored()[:2]] == [(1, first), (2, second)]


def test_the_digest_of_a_position_is_as_the_document_says() -> None:
    stated = b"rack/position/v1\0\0\0\0\x03eng\0\0\0\x01x" + (7).to_bytes(8, "big") + b"\1" * 32
    position = ResultPosition(Head(7, b"\1" * 32), b"image")
    assert position_digest("eng", "x", position) == sha256(stated + sha256(b"image").digest()).digest()
    assert position_digest("eng", "x", position._replace(snapshot=None)) == sha256(stated + bytes(32)).digest()


def test_a_whole_chain_is_walked() -> None:
    chains = walked(stored())
    assert (chains.broken, chains.heads) == ({}, {STREAM: Head(3, stored()[-1].hash)})


@pytest.mark.parametrize(
    ("change", "place", "fault"),
    [
        (lambda one, two, three: [two, three], 1, "result_missing"),
        (lambda one, two, three: [one, three], 2, "result_missing"),
        (lambda one, two, three: [one, one, two, three], 2, "result_changed"),
        (lambda one, two, three: [two._replace(place=1), one._replace(place=2), three], 1, "result_changed"),
        (lambda one, two, three: [one, two._replace(data=b"{}"), three], 2, "result_changed"),
        (lambda one, two, three: [one, two._replace(key="5e5f"), three], 2, "result_changed"),
        (lambda one, two, three: [one, two._replace(kind="ledger"), three], 2, "result_changed"),
        (lambda one, two, three: [one, two, three._replace(hash=bytes(32))], 3, "result_changed"),
        (lambda one, two, three: [one, two._replace(place=0, hash=b""), three], 2, "result_changed"),
    ],
)
def test_a_broken_chain_is_named_by_its_first_place(change: Change, place: int, fault: str) -> None:
    chains = walked(change(*stored()))
    broken = chains.broken[STREAM]
    assert (broken.seq, broken.fault, chains.head(STREAM).seq) == (place, fault, place - 1)


def test_a_chain_that_was_cut_off_differs_from_its_head() -> None:
    heads = walked(stored()).heads
    chains = walked(stored()[:2])
    chains.end(heads, heads)
    assert (chains.broken[STREAM].seq, chains.broken[STREAM].fault) == (3, "result_missing")
    whole = walked(stored())
    whole.end({}, {})
    assert whole.broken[STREAM].fault == "result_changed", "the store keeps no head of it"


def test_what_a_replayer_adds_during_a_walk_breaks_nothing() -> None:
    early, late = walked(stored()[:1]).heads, walked(stored()).heads
    chains = walked(stored()[:2])
    chains.end(early, late)
    assert chains.broken == {}


def test_results_of_a_time_before_chains_are_chained_as_they_lie() -> None:
    unchained = [each._replace(place=0, hash=b"") for each in stored()[:2]]
    chains = walked([*unchained, stored()[2]])
    assert (chains.broken, chains.unchained, chains.heads) == ({}, 2, walked(stored()).heads)


@pytest.mark.parametrize(
    ("key", "data", "stream"),
    [
        ("table/fu-01#7", b"\xff", "table/fu-01"),
        ("5e5e", b'{"stream":"meter/m-1"}', "meter/m-1"),
        ("5e5e", b"{}", "unknown"),
        ("5e5e", b"\xff", "unknown"),
        ("5e5e", b"[" * 5000, "unknown"),
    ],
)
def test_every_result_has_a_stream(key: str, data: bytes, stream: str) -> None:
    assert stream_of(key, data) == stream
