"""A profile: read strictly, and a message becomes all of its events or none."""

import json
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from events.log.appender import report_digest
from events.vocabulary.model import CardsDealt, RoundClosed, WagerPlaced
from intake.errors import IntakeError
from intake.lines import AcceptedLine, Refusal
from intake.patrons import with_tokens
from intake.profiles import profile as profile_module
from intake.profiles.profile import Profile

BASE = """\
form = "discard-rack device profile 1"
name = "A device"
kind = "k"
clock_offset_ms = -250

[envelope]
stream = { from = "t", prefix = "table/" }
source = { from = "t", suffix = "-x" }
source_seq = { from = "n", as = "integer" }
occurred_at = { from = "at", as = "seconds" }
round_no = { from = "r", as = "integer", absent_none = true }

[names.seat]
A = 1
B = 2

[cards]
first = "rank"
ranks = { 10 = "T", A = "A", 1 = "2" }
suits = { H = "h", S = "s" }
joker = "JJ"
unread = "--"
separator = " "
"""
BET = """
[[message]]
kind = "bet"

[[message.event]]
type = "wager_placed"

[message.event.payload]
amount_cents = { from = "sum", as = "dollars" }
bettor = { from = "who" }
form = { is = "chips" }
number = { none = true }
seat = { from = "seat", names = "seat" }
wager = { from = "what", absent = "base" }
"""
CHIPS = BET.replace('{ from = "sum", as = "dollars" }', '{ chips = { red = 500, "deep.black" = 10000 } }')
DEAL = """
[[message]]
kind = "deal"

[[message.event]]
type = "cards_dealt"
each = "to"
envelope = { occurred_at = { from = "item.at", as = "milliseconds" } }

[message.event.payload]
cards = { from = "item.c", as = "cards" }
face_up = { from = "item.up", as = "flag" }
to = { from = "item.s", names = "seat" }

[[message.event]]
type = "round_closed"

[message.event.payload]
by = { from = "who" }

[[message]]
kind = "ping"
"""
SAID = {"k": "bet", "t": "fu-01", "n": 7, "at": "1773500000.25", "r": 3, "sum": "12.50", "who": "p-9", "seat": "B"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "device.toml"


def profile(path: Path, text: str) -> Profile:
    path.write_text(text)
    return Profile(path)


def read(path: Path, text: str, **changed: Any) -> tuple[AcceptedLine | Refusal, ...]:
    said = {name: value for name, value in (SAID | changed).items() if value is not ...}
    return profile(path, BASE + text).read(json.dumps(said).encode(), "line:1", lambda data: with_tokens(data, None))


def accepted(path: Path, text: str, **changed: Any) -> AcceptedLine:
    (line,) = read(path, text, **changed)
    assert isinstance(line, AcceptedLine), line.reason
    return line


def refused(path: Path, text: str, **changed: Any) -> Refusal:
    (line,) = read(path, text, **changed)
    assert isinstance(line, Refusal)
    assert line.stream in (None, "table/fu-01")
    return line


# --------------------------------------------------------------------------------------------------------- translating


def test_a_message_becomes_an_event(path: Path) -> None:
    line = accepted(path, BET)
    assert line.stream == "table/fu-01"
    assert (line.draft.source, line.draft.source_seq, line.draft.round_no) == ("fu-01-x", 7, 3)
    assert line.draft.occurred_at_us == 1_773_500_000_250_000 - 250_000  # its clock is a quarter of a second fast
    assert line.draft.payload == WagerPlaced(amount_cents=1250, bettor="p-9", form="chips", number=None, seat=2, wager="base")


def test_the_same_message_is_always_the_same_event_and_another_is_another(path: Path) -> None:
    assert accepted(path, BET) == accepted(path, BET)
    ids = {accepted(path, BET, **changed).draft.event_id for changed in ({}, {"n": 8}, {"t": "fu-02"}, {"sum": "13"})}
    assert len(ids) == 3  # a number that comes again with another content is a repeat with another content, not a new id


def test_one_message_becomes_several_events_with_the_numbers_from_its_own_on(path: Path) -> None:
    deals = [
        {"s": "A", "c": "10H -- JJ", "up": "n", "at": 1_773_500_001_000},
        {"s": "B", "c": ["AS"], "up": True, "at": 1_773_500_002_000},
    ]
    lines = read(path, DEAL, k="deal", to=deals)
    drafts = [line.draft for line in lines if isinstance(line, AcceptedLine)]
    assert [draft.source_seq for draft in drafts] == [7, 8, 9]
    assert [draft.payload for draft in drafts] == [
        CardsDealt(cards=["Th", None, "Jk"], face_up=False, to=1),
        CardsDealt(cards=["As"], face_up=True, to=2),
        RoundClosed(by="p-9"),
    ]
    assert drafts[0].occurred_at_us == 1_773_500_001_000_000 - 250_000


def test_of_a_message_with_one_event_that_cannot_be_nothing_is_taken(path: Path) -> None:
    deals = [{"s": "A", "c": "AH", "up": "n", "at": 1000}, {"s": "C", "c": "AH", "up": "n", "at": 2000}]
    assert "[names.seat]" in refused(path, DEAL, k="deal", to=deals).reason
    assert refused(path, DEAL, k="deal", to=deals).stream == "table/fu-01"


def test_a_message_may_say_nothing_that_is_recorded(path: Path) -> None:
    assert read(path, DEAL, k="ping") == ()


@pytest.mark.parametrize(
    ("written", "cents"), [("12.50", 1250), (12.5, 1250), (0.07, 7), ("$1,234.50", 123450), (3, 300), ("0", 0)]
)
def test_dollars(path: Path, written: Any, cents: int) -> None:
    payload: Any = accepted(path, BET, sum=written).draft.payload
    assert payload.amount_cents == cents


@pytest.mark.parametrize("written", ["12.505", "", "x", "NaN", "1e400", True, None, [], "-1", "90071992547409.93"])
def test_what_are_no_dollars(path: Path, written: Any) -> None:
    refused(path, BET, sum=written)


def test_chips_are_counted(path: Path) -> None:
    payload: Any = accepted(path, CHIPS, red=3, deep={"black": "2"}).draft.payload
    assert payload.amount_cents == 3 * 500 + 2 * 10_000
    none: Any = accepted(path, CHIPS).draft.payload
    assert none.amount_cents == 0
    assert "number of chips" in refused(path, CHIPS, red=-1).reason
    assert "integer" in refused(path, CHIPS, red=1.5).reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"k": "cash"}, "k is 'cash', which the profile does not map"),
        ({"k": ...}, "k is missing"),
        ({"seat": "C"}, "seat is 'C', which [names.seat] does not have"),
        ({"seat": ...}, "seat is missing"),
        ({"who": "P 9"}, "bettor"),
        ({"n": "seven"}, "n: expected an integer"),
        ({"n": 1.5}, "n: expected an integer"),
        ({"n": True}, "n: expected an integer"),
        ({"at": "soon"}, "at: expected a number"),
        ({"t": "FU"}, "$.source"),
        ({"what": "\ud800"}, "surrogates"),
    ],
)
def test_a_message_that_cannot_be_translated_says_why(path: Path, changed: dict[str, Any], reason: str) -> None:
    assert reason in refused(path, BET, **changed).reason


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"k":1,"k":2}', b'{"k":NaN}', b"\xff", b"[" * 100_000])
def test_what_is_no_message(path: Path, data: bytes) -> None:
    (line,) = profile(path, BASE + BET).read(data, "line:1", bytes)
    assert isinstance(line, Refusal)
    assert line.data == data


def test_no_card_number_is_kept_in_clear(path: Path) -> None:
    with pytest.raises(IntakeError, match="--patrons"):
        read(path, BET, who="card:4711")


@pytest.mark.parametrize("written", ["11H", "HA", "A", "", "Jk", "AHS"])
def test_what_is_no_card(path: Path, written: str) -> None:
    deal = [{"s": "A", "c": [written], "up": "n", "at": 1}]
    assert "[cards]" in refused(path, DEAL, k="deal", to=deal).reason


def test_delimited_messages_and_their_heading(path: Path) -> None:
    text = BASE.replace(
        'kind = "k"', 'kind = "k"\nformat = "delimited"\ncolumns = ["k", "t", "n", "at", "r", "sum", "who", "seat", "what"]'
    )
    device = profile(path, text + BET)
    said = b'k,t,n,at,r,sum,who,seat,what\nbet,fu-01,7,1773500000.25,,"1,250.00",p-9,B,\nbet,fu-01\n'
    first, second = list(device.lines_of(BytesIO(said), "pipe", bytes))
    assert isinstance(first, AcceptedLine)
    payload: Any = first.draft.payload
    assert (payload.amount_cents, first.draft.round_no, first.where) == (125_000, None, "pipe:2")
    assert isinstance(second, Refusal)
    assert "expected 9 columns, got 2" in second.reason


# -------------------------------------------------------------------------------------------------------------- the form


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ('form = "discard-rack device profile 1"', 'form = "2"', "1: form", "Invalid enum value"),
        ('name = "A device"', 'name = "A device"\nspeed = 3', "3: speed", "unknown field"),
        ("[names.seat]", "[names.chair]", ": message[0].event[0].payload.seat.names", "no table [names.seat]"),
        ('seat = { from = "seat", names = "seat" }\n', "", ": message[0].event[0].payload", "wager_placed needs seat too"),
        ("form = { is", "tender = { is", ": message[0].event[0].payload.tender", "no such field"),
        ('type = "wager_placed"', 'type = "wager_put"', ": message[0].event[0].type", "no event of the vocabulary"),
        ('type = "wager_placed"', 'type = "intake_refused"', ": message[0].event[0].type", "not a device's"),
        ('as = "dollars"', 'as = "euros"', ": message[0].event[0].payload.amount_cents", "euros"),
        ("{ none = true }", "{ none = true, is = 1 }", ": message[0].event[0].payload.number", "expected one of"),
        ('{ from = "who" }', '{ from = "who..id" }', ": message[0].event[0].payload.bettor.from", "no path"),
        ('{ from = "who" }', '{ is = "x", as = "text" }', ": message[0].event[0].payload.bettor", "name it with from"),
        ('kind = "k"\n', "", ": message", "tells messages apart"),
        ('kind = "deal"', 'kind = "bet"', ": message[1].kind", "mapped twice"),
        ('as = "cards"', 'as = "card"', "", ""),
        ('source_seq = { from = "n", as = "integer" }', "source_seq = 3", ": envelope.source_seq", "Expected `object`"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_field(path: Path, old: str, new: str, place: str, problem: str) -> None:
    whole = BASE + BET + DEAL
    assert old in whole
    text = whole.replace(old, new, 1)
    if not place:
        profile(path, text)
        return
    with pytest.raises(IntakeError) as refusal:
        profile(path, text)
    said = str(refusal.value)
    assert f"{path}:" in said
    assert place in said
    assert problem in said
    field = place.rpartition(" ")[2].rpartition(".")[2]
    number = int(said.removeprefix(f"{path}:").partition(":")[0])
    if field in ("tender", "number", "bettor", "source_seq", "type", "seat"):
        assert text.splitlines()[number - 1].startswith(field)


def test_a_profile_that_is_no_toml_or_missing(path: Path) -> None:
    with pytest.raises(IntakeError, match="at end of document"):
        profile(path, "form = ")
    with pytest.raises(IntakeError, match="No such file"):
        Profile(path.with_name("none.toml"))


def test_columns_are_checked(path: Path) -> None:
    text = BASE.replace('kind = "k"', 'kind = "k"\nformat = "delimited"\ncolumns = ["k", "t", "n", "at", "r"]')
    with pytest.raises(IntakeError, match="no column 'sum'"):
        profile(path, text + BET)


def test_an_id_that_a_profile_makes_cannot_be_found_by_counting(path: Path) -> None:
    """Of an event that a packet leaves out its hash remains, which confirms a guess (docs/dispute-packet.md)."""
    draft = accepted(path, BET).draft
    for number in range(20):
        identity = json.dumps(["table/fu-01", draft.source, number, "wager_placed"]).encode()
        assert draft.event_id != sha256(b"rack/profile/v1\0" + identity).hexdigest()[:32]
    with patch.object(profile_module, "_ID_KEY", bytes(32)):  # as in another process
        other = accepted(path, BET).draft
    assert other.event_id != draft.event_id
    assert report_digest(other) == report_digest(draft), "what comes again is known by what it says"
