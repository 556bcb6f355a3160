"""Every reader against mutated and monstrous input (`make fuzz` searches further, guided by coverage)."""

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import all_targets
from tests.fuzz.targets import attempt

TARGETS = all_targets()

DEEP = 100_000
MOST_BYTES = 16 * 1024 * 1024

MONSTERS: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "deep lists": lambda: b"[" * DEEP,
    "deep lists, closed": lambda: b"[" * DEEP + b"]" * DEEP,
    "deep objects": lambda: b'{"a":' * DEEP,
    "deep in a field": lambda: b'{"payload":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "a huge number": lambda: b'{"source_seq":' + b"9" * DEEP + b"}",
    "a huge exponent": lambda: b'{"source_seq":1e999999999}',
    "digits behind zeros": lambda: b'{"n":"' + b"0" * 5_000 + b'7","source_seq":' + b"0" * 5_000 + b"7}",
    "five thousand digits": lambda: b'{"ts":"' + b"9" * 5_000 + b'","source_seq":' + b"9" * 5_000 + b"}",
    "an exponent of twenty digits": lambda: b'{"amount":1e99999999999999999999,"ts":"1e99999999999999999999"}',
    "an array of nothing": lambda: b"[]",
    "an array of arrays": lambda: b"[[],[[]]]",
    "an indented text without an end": lambda: b'{\n"a":\n' * 5_000,
    "infinity": lambda: b'{"source_seq":Infinity,"version":NaN}',
    "TOML deep lists": lambda: b"a = " + b"[" * DEEP,
    "TOML deep tables": lambda: b"a = " + b"{a = " * 50_000,
    "TOML deep keys": lambda: b".".join([b"a"] * 20_000) + b" = 1",
    "TOML huge number": lambda: b"a = " + b"9" * DEEP,
    "TOML impossible date": lambda: b"effective_gaming_day = 2021-02-31",
    "TOML impossible offset": lambda: b"a = 2021-02-03T04:05:06+99:99",
    "half a surrogate pair": lambda: b'{"reason":"\\ud800"}',
    "bytes that are no text": lambda: bytes(range(128, 256)) * 100,
    "overlong encoding": lambda: b"\xc0\xaf\xe0\x80\xaf",
    "right to left": lambda: "\u202e\u2066{}\u2069".encode(),
    "a mark on a mark": lambda: ("a" + "\u0301" * 10_000).encode(),
    "zero bytes": lambda: bytes(100_000),
    "one long line": lambda: b"a" * 1_000_000,
    "many lines": lambda: b"\n" * 300_000,
    "many words": lambda: b"a " * 100_000,
    "other line ends": lambda: "a\u2028b\u0085c\x0bd\x0ce\rf".encode(),
    "a path": lambda: b"rules ../../../../etc/passwd.toml\nround 1\n",
    "another path": lambda: b"rules /etc/passwd\nround 1\n",
    "a formula": lambda: b'rules pa-688a name="=HYPERLINK(1)"\nround 1\n',
}


@pytest.mark.parametrize("name", TARGETS)
def test_monsters_are_refused(name: str) -> None:
    for monster, make in MONSTERS.items():
        try:
            attempt(name, make())
        except BaseException as error:
            error.add_note(f"given {monster}")
            raise


@pytest.mark.parametrize("name", ["event", "line", "transcript", "rules", "note"])
@pytest.mark.parametrize("monster", ["deep lists, closed", "a huge number", "one long line", "many lines"])
def test_monsters_do_not_eat_up_the_memory(name: str, monster: str) -> None:
    data = MONSTERS[monster]()
    tracemalloc.start()
    try:
        attempt(name, data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES + 20 * len(data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_well_formed_is_read(name: str) -> None:
    """Seeds that are all refused would let the fuzzer search in the wrong place."""
    call, answers, seeds = TARGETS[name]
    read = 0
    for data in seeds():
        try:
            call(data)
            read += 1
        except answers:
            continue
    assert read or name in ("proof", "proof_of_events", "kafka_record", "note", "page_headers")


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_input(name: str) -> None:
    seeds = TARGETS[name].seeds()

    @settings(max_examples=50, database=None)
    @given(st.data())
    def mutated(data: st.DataObject) -> None:
        content = bytearray(data.draw(st.sampled_from(seeds)))
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(content)))
            how = data.draw(st.sampled_from(("put", "cut", "flip", "copy")))
            if how == "put":
                content[at:at] = data.draw(st.binary(max_size=8) | st.sampled_from(PIECES))
            elif how == "cut":
                del content[at : at + data.draw(st.integers(1, 30))]
            elif how == "flip" and content:
                content[at % len(content)] ^= 1 << data.draw(st.integers(0, 7))
            else:
                content[at:at] = content[at : at + data.draw(st.integers(1, 60))]
        attempt(name, bytes(content))

    mutated()


PIECES = (
    b'"',
    b"{",
    b"}",
    b"[",
    b",",
    b":",
    b"\\u0000",
    b"\\ud83d",
    b"9" * 400,
    b"-1",
    b"1e9",
    b"null",
    b"true",
    b"\xff",
    "\u0301".encode(),
    "\u202e".encode(),
    b"\n",
    b"\r",
    b"\0",
    b"=cmd|' /C calc'!A0",
    b"..",
    b"/",
    b" ",
    b"seat=9",
)
