"""The bundle: canonical, signed part by part, proven, and judged again; whatever is changed in it is named."""

import json
import shutil
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.packet import BadPacket, Packet, check_packet
from desk.packet.bundle import Bundle, decode, signed
from events.proofs.keys import KeyRing, new_key, vouch_for
from events.proofs.signed_note import KeyKind
from events.vocabulary import model
from tests.desk.packet.signed_floor import ORIGIN, Floor, floor_at, played
from tests.replay.tables import Table

STREAM = "table/fu-01"
ROOT = Path(__file__).resolve().parents[3]


def refused(data: bytes, floor: Floor) -> BadPacket:
    with pytest.raises(BadPacket) as caught:
        check_packet(data, [floor.public])
    return caught.value


def test_it_is_in_canonical_form_and_holds_the_events_byte_for_byte(packet: Packet, floor: Floor) -> None:
    again = json.dumps(json.loads(packet.json), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert again.encode() == packet.json
    part = json.loads(packet.json)["streams"][STREAM]
    with closing(floor.log()) as log:
        stored = {record.seq: record for record in log.read(STREAM)}
    for each in part["events"]:
        record = stored[each["event"]["seq"]]
        assert record.data in packet.json
        assert each["chain"] == record.hash.hex()
    numbers = [each["event"]["seq"] for each in part["events"]]
    assert set(range(part["begins"], part["ends"] + 1)) <= set(numbers)


def test_the_note_names_the_digest_of_every_part(packet: Packet) -> None:
    """As docs/dispute-packet.md describes it for other tools: SHA-256 of each part in canonical form."""
    bundle = json.loads(packet.json)
    text = bundle["note"].split("\n\n")[0].splitlines()
    assert text[:2] == ["discard-rack/packet/v2", ORIGIN]
    parts = {name: bundle[name] for name in ("about", "adjudication", "checkpoint", "findings")} | bundle["streams"]
    for line in text[2:]:
        name, digest = line.split(" ")
        canonical = json.dumps(parts.pop(name), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        assert sha256(canonical).hexdigest() == digest
    assert parts == {}


def test_it_verifies_with_the_public_key_and_is_judged_again(packet: Packet, floor: Floor) -> None:
    checked = check_packet(packet.json, [floor.public])
    assert checked.reproduced
    assert checked.same_engine
    assert checked.key == floor.public
    assert checked.bundle.adjudication.verdict == "VARIANCE"
    assert [found.code for found in checked.bundle.adjudication.findings] == ["PAY-MISSED"]


@given(place=st.floats(0, 1, exclude_max=True), other=st.integers(1, 255))
def test_any_one_byte_changed_is_found(packet: Packet, floor: Floor, place: float, other: int) -> None:
    at = int(place * len(packet.json))
    changed = bytearray(packet.json)
    changed[at] ^= other
    refused(bytes(changed), floor)


@given(place=st.floats(0, 1, exclude_max=True))
def test_a_byte_removed_or_added_is_found(packet: Packet, floor: Floor, place: float) -> None:
    at = int(place * len(packet.json))
    refused(packet.json[:at] + packet.json[at + 1 :], floor)
    refused(packet.json[:at] + b" " + packet.json[at:], floor)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        (b'"winnings_cents":2500', b'"winnings_cents":2501', "table/fu-01 event"),
        (b'"verdict":"VARIANCE"', b'"verdict":"UPHELD"', "adjudication"),
        (b'"seat":3,"software"', b'"seat":4,"software"', "about"),
        (b'"findings":[],"note"', b'"findings": [],"note"', "the bundle"),
        (b'"name":"Bellwether"', b'"name":"Bellwithers"', "property/main event 2"),
        (b"\\n\\n\xe2\x80\x94 discard-rack", b"\\n\\n\xe2\x80\x94 Discard-rack", "note"),
    ],
)
def test_what_was_changed_is_named(packet: Packet, floor: Floor, old: bytes, new: bytes, part: str) -> None:
    at = packet.json.rindex(old)
    error = refused(packet.json[:at] + new + packet.json[at + len(old) :], floor)
    assert error.part.startswith(part), error


def test_the_number_of_the_changed_event_is_named(packet: Packet, floor: Floor) -> None:
    bundle = decode(packet.json)
    for stored in bundle.streams[STREAM].events[-3:]:
        number = json.loads(stored.data)["seq"]
        changed = stored.data.replace(b'"source":"table"', b'"source":"taple"')
        assert changed != stored.data
        assert refused(packet.json.replace(stored.data, changed), floor).part == f"{STREAM} event {number}"


def test_no_other_key_will_do(packet: Packet, floor: Floor, tmp_path: Path) -> None:
    stranger = new_key(tmp_path / "other.key", ORIGIN, KeyKind.LOG)
    with pytest.raises(BadPacket, match="note: no key that was given signed it"):
        check_packet(packet.json, [stranger.public_key])
    with pytest.raises(BadPacket, match="no key that was given"):
        check_packet(packet.json, [])
    forged = signed(decode(packet.json), ORIGIN, stranger).encode()
    assert refused(forged, floor).part == "note"


def resigned(packet: Packet, floor: Floor, **changes: object) -> BadPacket:
    """What is said of a bundle that was changed, and signed again with the log's own key."""
    bundle: Bundle = msgspec.structs.replace(decode(packet.json), **changes)
    return refused(signed(bundle, ORIGIN, floor.signer).encode(), floor)


def test_the_log_s_own_key_cannot_sign_another_verdict(packet: Packet, floor: Floor) -> None:
    said = decode(packet.json).adjudication
    error = resigned(packet, floor, adjudication=msgspec.structs.replace(said, verdict="UPHELD", findings=()))
    assert str(error) == "adjudication: its events lead to another verdict"


def test_the_log_s_own_key_cannot_leave_an_event_out_or_put_another_in(packet: Packet, floor: Floor) -> None:
    bundle = decode(packet.json)
    part = bundle.streams[STREAM]
    less = msgspec.structs.replace(part, events=part.events[:-1])
    assert resigned(packet, floor, streams=bundle.streams | {STREAM: less}).part == STREAM
    last = part.events[-1]
    other = msgspec.structs.replace(last, event=msgspec.Raw(last.data.replace(b'"by":"dealer"', b'"by":"dealex"')))
    assert other.data != last.data
    more = msgspec.structs.replace(part, events=(*part.events[:-1], other))
    assert resigned(packet, floor, streams=bundle.streams | {STREAM: more}).part == STREAM
    twice = msgspec.structs.replace(part, events=(*part.events, last))
    assert "twice" in str(resigned(packet, floor, streams=bundle.streams | {STREAM: twice}))
    held = {each.seq for each in part.envelopes()}
    missing = next(number for number in range(1, part.begins) if number not in held)
    claimed = msgspec.structs.replace(part, begins=1)
    error = resigned(packet, floor, streams=bundle.streams | {STREAM: claimed})
    assert error.part == f"{STREAM} event {missing}"


def test_a_packet_of_another_round_or_without_its_table_is_refused(packet: Packet, floor: Floor) -> None:
    bundle = decode(packet.json)
    other = msgspec.structs.replace(bundle.about, round_no=5)
    assert resigned(packet, floor, about=other).part == "about"
    streams = {name: part for name, part in bundle.streams.items() if name != STREAM}
    assert resigned(packet, floor, streams=streams).part == "about"


def test_a_new_key_is_followed_from_the_old_one_and_a_retired_one_is_not(tmp_path: Path) -> None:
    floor = floor_at(tmp_path, played())
    old = floor.packet()
    second = new_key(tmp_path / "second.key", ORIGIN, KeyKind.LOG)
    office = Table("property/main")
    office.say(model.LightSeen(seat=1))
    office.say(model.LightSeen(seat=1))  # what is there already
    line = vouch_for(second.public_key, floor.signer)
    office.say(model.KeyPublished(by="custodian", public_key=str(second.public_key), vouch=line))
    office.say(model.KeyRetired(by="custodian", public_key=str(floor.public), reason="yearly"))
    floor.append(office, 3)
    later = floor._replace(signer=second, key=tmp_path / "second.key")
    later.checkpoint()
    packet = later.packet()
    assert check_packet(packet.json, [floor.public]).key == second.public_key
    assert check_packet(old.json, [floor.public]).key == floor.public, "what it signed before stays verifiable"
    with pytest.raises(BadPacket, match=r"no key that was given.*signed before property/main named the key you gave") as caught:
        check_packet(old.json, [second.public_key])
    assert f"{floor.public.name} ({floor.public.id.hex()})" in str(caught.value)
    assert check_packet(packet.json, [second.public_key]).key == second.public_key
    forged = signed(decode(packet.json), ORIGIN, floor.signer).encode()
    for key in (floor.public, second.public_key):
        with pytest.raises(BadPacket, match=r"nor one in force.*event 5 of property/main retired that key"):
            check_packet(forged, [key])


@pytest.mark.parametrize("vouch", ["retired", "itself", "unknown"])
def test_a_packet_of_a_log_with_a_vouch_by_a_key_not_in_force_is_refused(tmp_path: Path, vouch: str) -> None:
    """D447: whichever key was given, and the event is named."""
    floor = floor_at(tmp_path, played())
    second = new_key(tmp_path / "second.key", ORIGIN, KeyKind.LOG)
    by = {"retired": floor.signer, "itself": second, "unknown": new_key(tmp_path / "x", ORIGIN, KeyKind.LOG)}[vouch]
    office = Table("property/main")
    office.say(model.LightSeen(seat=1))
    office.say(model.LightSeen(seat=1))  # what is there already
    office.say(model.KeyRetired(by="custodian", public_key=str(floor.public), reason="yearly"))
    line = vouch_for(second.public_key, by)
    office.say(model.KeyPublished(by="custodian", public_key=str(second.public_key), vouch=line))
    floor.append(office, 3)
    later = floor._replace(signer=second, key=tmp_path / "second.key")
    later.checkpoint()
    with pytest.raises(BadPacket, match="the vouch with it does not count"):
        later.packet()
    with patch.object(KeyRing, "_voucher", lambda *about: floor.public):  # a build that lets it through makes one
        packet = later.packet()
    for key in (floor.public, second.public_key):
        with pytest.raises(BadPacket) as caught:
            check_packet(packet.json, [key])
        assert caught.value.part == "property/main event 5"
        assert "vouch" in str(caught.value)


@given(data=st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(lambda data: b"%PDF-2.0\n" + data)))
def test_whatever_is_no_packet_is_refused(floor: Floor, data: bytes) -> None:
    with pytest.raises(BadPacket):
        check_packet(data, [floor.public])


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"about":' * 20_000, b"1e999999", b'{"about":' + b"9" * 10_000 + b"}"])
def test_what_would_be_too_deep_or_too_large_is_refused(floor: Floor, data: bytes) -> None:
    assert refused(data, floor).part == "the bundle"


def test_the_documented_check_follows_the_keys_that_ours_follows(tmp_path: Path) -> None:
    """D447: a vouch in time is followed; a retired key signs nothing, and vouches for no one."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine: the documented check is not run")
    shutil.copy(ROOT / "docs/examples/check_packet.py", tmp_path / "check.py")

    def accepted(data: bytes, floor: Floor) -> bool:
        (tmp_path / "packet.json").write_bytes(data)
        command = [sys.executable, "-I", "check.py", "packet.json", f"{floor.key}.pub"]
        return not subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    for place, in_time in (("a", True), ("b", False)):
        (tmp_path / place).mkdir()
        floor = floor_at(tmp_path / place, played())
        second = new_key(tmp_path / place / "second.key", ORIGIN, KeyKind.LOG)
        office = Table("property/main")
        office.say(model.LightSeen(seat=1))
        office.say(model.LightSeen(seat=1))  # what is there already
        line = vouch_for(second.public_key, floor.signer)
        said = [
            model.KeyPublished(by="custodian", public_key=str(second.public_key), vouch=line),
            model.KeyRetired(by="custodian", public_key=str(floor.public), reason="yearly"),
        ]
        for payload in said if in_time else reversed(said):
            office.say(payload)
        floor.append(office, 3)
        later = floor._replace(signer=second)
        later.checkpoint()
        with patch.object(KeyRing, "_voucher", return_value=floor.public):  # also makes the packet that ours refuses
            packet = later.packet()
        assert accepted(packet.json, floor) is in_time
        assert not accepted(signed(decode(packet.json), ORIGIN, floor.signer).encode(), floor)


def test_the_documented_check_does_without_any_code_of_ours(packet: Packet, floor: Floor, tmp_path: Path) -> None:
    """docs/examples/check_packet.py accepts the packet, and nothing that was changed in it."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine: the documented check is not run")
    shutil.copy(ROOT / "docs/examples/check_packet.py", tmp_path / "check.py")

    def said(data: bytes) -> subprocess.CompletedProcess[str]:
        (tmp_path / "packet.json").write_bytes(data)
        command = [sys.executable, "-I", "check.py", "packet.json", f"{floor.key}.pub"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    found = said(packet.json)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[-1] == "VARIANCE PAY-MISSED"
    assert f"{STREAM} {len(decode(packet.json).streams[STREAM].events)} events of" in found.stdout
    part = decode(packet.json).streams[STREAM]
    for old, new in (
        (b'"verdict":"VARIANCE"', b'"verdict":"UPHELD"'),
        (part.events[-1].leaf.encode(), b"0" * 64),
        (part.events[-1].chain.encode(), b"0" * 64),
        (part.outside[0].encode(), b"0" * 64),
        (b'"by":"dealer"', b'"by":"dealex"'),
        (b'"format":"', b'"format": "'),
    ):
        assert old in packet.json
        assert said(packet.json.replace(old, new)).returncode == 1
