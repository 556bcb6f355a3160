"""What could be a card number is not stored, however a device writes it; everything else is, byte for byte."""

import json
import re
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from events.sqlite.log import SqliteLog
from events.vocabulary.card_numbers import PLACEHOLDER, hidden_numbers
from intake.errors import IntakeError
from intake.patrons import Keyring, with_tokens
from rack.cli import main

GONE = PLACEHOLDER.encode()


@pytest.fixture
def keyring(tmp_path: Path):
    with Keyring.new(tmp_path / "patrons.keyring") as keyring:
        yield keyring


def line(string: str | bytes, tail: bytes = b"}") -> bytes:
    """A line with this between quotes, as it is."""
    return b'{"occurred_at_us":5,"patron":"' + (string.encode() if isinstance(string, str) else string) + b'"' + tail


SPELLINGS = [
    "card:47110815",
    r"\u0063ard:47110815",
    r"c\u0061rd\u003A47110815",
    r"\u0043\u0041\u0052\u0044:\u00347110815",
    " card:47110815",
    "card:47110815 ",
    r"\t card : 47110815\n",
    "CARD:47110815",
    "Card: 47110815",
    "\u200bcard:47110815",
    "c\u00adard:47\u200b110815",
    "\uff43\uff41\uff52\uff44\uff1a\uff147110815",
    "ca\x00rd:47110815",
    "card%3A47110815",
    "c%61rd%253a47110815",
    "card&#58;47110815",
    "c&#x61;rd&amp;colon;47110815",
    "\u0441\u0430rd:47110815",
    "\u0421\u0410RD\u223647110815",
    "c\u00e1rd:47110815",
    r"card\u00253A47110815",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_gets_the_token_of_the_number(keyring: Keyring, spelling: str) -> None:
    assert with_tokens(line(spelling), keyring) == line(keyring.token("47110815", 5))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_needs_the_keyring(spelling: str) -> None:
    with pytest.raises(IntakeError, match="--patrons"):
        with_tokens(line(spelling), None)


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (line("card:" + "9" * 65), line(GONE)),
        (line(b"card:47\xff11"), line(GONE)),
        (line(r"card:47\"11"), line(GONE)),
        (line(r"card:47\\11"), line(GONE)),
        (b'{"patron":"card:47110815"}', b'{"patron":"' + GONE + b'"}'),
        (line("seated with card:47110815, sv-1"), line(b"seated with " + GONE + b", sv-1")),
        (line("his card: 47110815 0815 is new"), line(b"his " + GONE + b" is new")),
        (line(r"{\"patron\":\"card:47110815\"}"), line(rb"{\"patron\":\"" + GONE + rb"\"}")),
        (line(r"{\"patron\":\"\\u0063ard:47110815\"}"), line(rb"{\"patron\":\"" + GONE + rb"\"}")),
        (b"card:47110815", GONE),
        (b"{'patron':'card:47110815'}", b"{'patron':'" + GONE + b"'}"),
        (b'{"patron":"card:47110815', b'{"patron":"' + GONE),
        (b'{"patron":" CARD:47 11 0815', b'{"patron":" ' + GONE),
        ("card:47110815".encode("utf-16-le"), GONE + b"\0"),
        *(
            (line(f"his card:{written} is new"), line(b"his " + GONE + b" is new"))
            for written in (
                *("#47110815", "+47110815", "*47110815", ":47110815", "=47110815", "'47110815", "(47110815"),
                *("4711  0815", "4711 - 0815", "4711/0815", "4711_0815"),
                *("4711\u20130815", "4711\u20110815", "4711 \u2013 0815", "4711\u00a00815"),
            )
        ),
        (b'his card:"47110815 is new', b"his " + GONE + b" is new"),
        (b"his cards: 47110815 is new", b"his " + GONE + b" is new"),
        (b"his cards:4711 0815 is new", b"his " + GONE + b" is new"),
        (b"?p=card%3A47110815&q=1%203", b"?p=" + GONE + b"&q=1%203"),
        (b"<b>card&#58;47110815</b> &amp; so", b"<b>" + GONE + b"</b> &amp; so"),
        ("his card:\u0664\u0667\u0661\u0661 is new".encode(), b"his " + GONE + b" is new"),
    ],
)
def test_what_gets_no_token_is_removed(keyring: Keyring, data: bytes, kept: bytes) -> None:
    assert with_tokens(data, keyring) == kept


@pytest.mark.parametrize(
    ("data", "replaced"),
    [
        (b'{"occurred_at_us":5,"card:47110815":1}', b'{"occurred_at_us":5,"%s":1}'),
        (b'{"occurred_at_us":5,"a":{"b":["x",{"c":"CARD:47110815"}]}}', b'{"occurred_at_us":5,"a":{"b":["x",{"c":"%s"}]}}'),
        (b'"occurred_at_us":5,"patron":"card:47110815",]', b'"occurred_at_us":5,"patron":"%s",]'),
        (b'{"occurred_at_us":5,"a":"x\\\\","b":"card:47110815"}', b'{"occurred_at_us":5,"a":"x\\\\","b":"%s"}'),
    ],
)
def test_keys_and_any_depth_and_lines_that_are_no_json(keyring: Keyring, data: bytes, replaced: bytes) -> None:
    assert with_tokens(data, keyring) == replaced % keyring.token("47110815", 5).encode()


KEPT = [
    '{"card":"AS","reason":"discard:47110815"}',
    '{"reason":"wrong card: queen of hearts, dealt to seat 3"}',
    '{"reason":"Card: 4 of spades"}',
    '{"reason":"exposed card, paid 47110815"}',
    '{"reason":"caf\u00e9 \\u00e9 \\\\ \\" tab\\t"}',
    '{"patron":"card:"}',
    '{"card:":47110815}',
    '{"reason":"card:","amount_cents":47110815}',
    '["card:",47110815]',
    "card:,47110815",
    '{"wager":"seven_card:5000","name":"seven-card: 5000"}',
    '{"cards":47110815}',
    '{"reason":"cards: 416 left of 8 decks"}',
    '{"reason":"5% & more, 100%25, &lt;b&gt; wild card%"}',
    '{"wager":"seven_card%3A5000"}',
    "\u200b\u00ad garbled \x00\x01",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_card_number_is_kept_byte_for_byte(text: str) -> None:
    assert with_tokens(text.encode(), None) == text.encode()


@given(st.binary(max_size=60), st.binary(max_size=60))
@example(b'{"a":"\\u00e9\xff', b'\xfe\\\\"}')
def test_the_bytes_around_a_number_stay(before: bytes, after: bytes) -> None:
    around = (re.sub(rb"[:\\\"']", b"", before) + b" ", b"," + after.replace(b":", b""))
    assert with_tokens(around[0] + b"card:47110815" + around[1], None).replace(GONE, b"") == around[0] + around[1]


@pytest.mark.slow
@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_no_nesting_and_no_writing_keeps_a_number(value: object) -> None:
    nested = [value, {"patron": "CARD:47110815-0815", "x": [json.dumps({"p": "card:47110815-0815"}), value]}]
    for ascii_only in (True, False):
        data = json.dumps(nested, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        try:
            kept = with_tokens(data, None)
        except IntakeError:
            kept = with_tokens(data.replace(b'"CARD:', b'"seat CARD:'), None)
        assert b"47110815-0815" not in kept


LOOK_ALIKE = {"c": "\u0441", "a": "\u0430", "r": "\u0433", "d": "\u0501", ":": "\ua789"}
DISGUISES: list[Callable[[str], str]] = [
    str,
    str.upper,
    lambda sign: f"%{ord(sign):02X}",
    lambda sign: f"%25{ord(sign):02x}",
    lambda sign: f"&#{ord(sign)};",
    lambda sign: f"&amp;#x{ord(sign):x};",
    lambda sign: LOOK_ALIKE.get(sign, sign),
    lambda sign: f"{sign}\u0301\u200b" if sign != ":" else "\uff1a",
    lambda sign: chr(ord(sign) + 0xFEE0),
    lambda sign: quote(LOOK_ALIKE.get(sign, sign)),
]
DIGITS = ["".join(chr(zero + int(digit)) for digit in "47110815") for zero in (0x30, 0xFF10, 0x660, 0x966)]


@given(st.tuples(*[st.sampled_from(DISGUISES)] * 5), st.sampled_from(DIGITS), st.booleans())
def test_no_disguise_of_the_word_keeps_a_number(ways: tuple[Callable[[str], str], ...], digits: str, ascii_only: bool) -> None:
    """However letters, colon and digits are written, alone and in other text, in JSON and outside."""
    written = "".join(way(sign) for way, sign in zip(ways, "card:", strict=True)) + digits
    for text in (written, f"his {written} is new"):
        for data in (text, json.dumps({"a": text, "b": [json.dumps(text)]}, ensure_ascii=ascii_only)):
            kept = re.sub(r"\\+u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), hidden_numbers(data.encode()).decode())
            assert not any(each in kept for each in DIGITS), (data, kept)


@pytest.mark.slow
def test_long_lines_take_no_longer_than_they_are(keyring: Keyring) -> None:
    data = b'"card:",' * 60_000 + b"card:1 " * 30_000
    assert b"card:1" not in with_tokens(data, None)


@pytest.mark.parametrize("spelling", [*SPELLINGS, "for card:47110815 only"])
def test_no_number_comes_into_the_store(tmp_path: Path, spelling: str, capsys) -> None:
    day, log, key = tmp_path / "in" / "day.jsonl", tmp_path / "store" / "floor.db", tmp_path / "in" / "keyring"
    day.parent.mkdir()
    log.parent.mkdir()
    day.write_bytes(line(spelling) + b"\n" + line(spelling, tail=b"") + b"\n")
    Keyring.new(key).close()
    assert main(["ingest", str(day), "--log", f"sqlite://{log}", "--property", "bellwether", "--patrons", str(key)]) == 1
    with closing(SqliteLog(log, read_only=True)) as opened:
        entries = opened.quarantined()
    assert len(entries) == 2
    assert all(entry.sha256 == sha256(entry.data).hexdigest() for entry in entries)
    assert b"47110815" not in b"".join(file.read_bytes() for file in log.parent.iterdir())
    assert "47110815" not in "".join(capsys.readouterr())
