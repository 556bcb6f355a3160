"""Page 1 of a packet is the decision, in the sentences of pages and commands; other patrons can be left out of it."""

import json
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from desk.packet import Packet, RoundUnknown, check_packet, make_packet
from desk.packet.bundle import BadPacket
from desk.packet.withholding import OTHERS_LEFT_OUT, NotWithheld
from desk.review.desk import Desk
from events.open import open_checkpoints, open_log
from events.vocabulary import model
from events.vocabulary.codec import read
from replay.run.replayer import MemoryResults
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at
from tests.desk.people import PEOPLE
from tests.replay.tables import Table

ROUND = """
covers settlement setting
wager   seat=3 bettor=p-3 base 25.00
wager   seat=5 bettor=p-5 base 40.00
dice    2 2 4 -> dealer
deal    dealer=Kh Qd Js 9c 8d 4h 3s  seat3=As Ah 7c 7d 5s 4c 2h  seat5=Ac Ad 8c 8h 5d 4d 2c
set     dealer house_way
set     seat=3 high=As Ah 5s 4c 2h low=7c 7d
set     seat=5 high=Ac Ad 5d 4d 2c low=8c 8h
pay     seat=5 bettor=p-5 base 80.00
close
"""
"""Both win at even money (§ 688a.12(a)): seat 3 was due $25.00 and got nothing, seat 5 was due $40.00 and got $80.00."""

SEAT_3 = "Winning wager not paid · Seat 3 · Base wager · underpaid by $25.00"
SEAT_5 = "Wager overpaid · Seat 5 · Base wager · overpaid by $40.00"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    table = Table(words="pa-688a")
    table.play(1, ROUND)
    floor = floor_at(tmp_path_factory.mktemp("decision"), table)
    with closing(open_log(floor.address)) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE)
        desk.open_dispute("fu-01", 1, dispute="d-1", claim="my aces won", by="m.ortiz", seat=3)
        desk.close_dispute("fu-01", dispute="d-1", outcome="for_patron", by="s.lee", reason="the aces won")
    floor.checkpoint()
    return floor


def packet(floor: Floor, seat: int | None = 3, **options: Any) -> Packet:
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        return make_packet(
            log,
            "fu-01",
            1,
            seat,
            checkpoints=store,
            signer=floor.signer,
            clock=lambda: NOW_US,
            by="m.ortiz",
            reason="the patron asks",
            **options,
        )


def words(pdf: bytes, page: int) -> str:
    """The text of a page, from 1."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not on this machine: the text of the PDF is not read back")
    command = ["pdftotext", "-raw", "-f", str(page), "-l", str(page), "-", "-"]
    return " ".join(subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode().split())


def test_the_first_page_is_the_decision(floor: Floor) -> None:
    first = words(packet(floor).pdf, 1)
    for said in (
        "my aces won",
        "decided for the patron",
        SEAT_3,
        "$25.00 at even money pays $25.00; nothing beyond the stake was paid",
        "Pay $25.00 to the patron at seat 3.",
        SEAT_5,
        "m.ortiz",
        "s.lee",
        "the patron asks",
        "Shift manager, signature and date",
    ):
        assert said in first
    assert "Events of the round" not in first
    assert "Appendix: what the decision rests on" in words(packet(floor).pdf, 2)


def test_the_page_to_read_says_the_same(floor: Floor) -> None:
    page = packet(floor, None).html.decode()
    for said in (SEAT_3, SEAT_5, "Pay $25.00 to the patron at seat 3.", "“my aces won”"):
        assert said in page


def test_who_asked_and_why_is_signed(floor: Floor) -> None:
    data = packet(floor).json
    assert (json.loads(data)["about"]["by"], json.loads(data)["about"]["reason"]) == ("m.ortiz", "the patron asks")
    with pytest.raises(BadPacket, match="about"):
        check_packet(data.replace(b"the patron asks", b"the patron begs"), [floor.public])


def test_other_patrons_are_left_out_and_what_is_left_is_still_proved(floor: Floor) -> None:
    whole, part = packet(floor), packet(floor, withhold=True)
    assert part.name == "fu-01-1-seat-3-withheld"
    for form in (part.json, part.pdf):
        checked = check_packet(form, [floor.public])
        assert (checked.bundle.about.withheld, checked.reproduced, checked.judged) == (True, False, None)
        stored = checked.bundle.streams["table/fu-01"].events
        payloads = [read(each.data).payload for each in stored]
        assert {getattr(payload, "seat", 3) for payload in payloads} == {3}
        assert {getattr(payload, "to", "dealer") for payload in payloads} == {"dealer", 3}
        assert {each.seat for each in checked.bundle.adjudication.settlements} == {3}
        reviewed = [read(each.data).payload for each in checked.bundle.streams["review/fu-01"].events]
        assert [each.TYPE for each in reviewed] == ["dispute_opened", "dispute_closed"]
    for hidden in (b'"Ac"', b'"seat":5', b"p-5"):
        assert hidden in whole.json
        assert hidden not in part.json
    page = part.html.decode()
    assert SEAT_3 in page
    assert SEAT_5 not in page
    assert "Seat 5" not in page
    assert "Patrons at other seats are left out" in page
    assert "Patrons at other seats are left out" in words(part.pdf, 1)


def test_what_cannot_be_told_of_another_seat_is_left_out(tmp_path: Path) -> None:
    """Seat 5's cards were not read: that its wager cannot be settled is its patron's affair."""
    table = Table(words="pa-688a")
    lines = [line for line in ROUND.split("\n") if not line.startswith(("set     seat=5", "pay"))]
    table.play(1, "\n".join(lines).replace("seat5=Ac Ad 8c 8h 5d 4d 2c", "seat5=?? ?? ?? ?? ?? ?? ??"))
    floor = floor_at(tmp_path, table)
    floor.checkpoint()
    whole, part = packet(floor), packet(floor, withhold=True)
    doubts = check_packet(whole.json, [floor.public]).bundle.adjudication.undetermined
    assert any(each.startswith("seat 5 ") for each in doubts)
    kept = check_packet(part.json, [floor.public]).bundle.adjudication
    assert kept.undetermined == (*(each for each in doubts if not each.startswith("seat 5 ")), OTHERS_LEFT_OUT)
    assert "seat 5" not in part.html.decode().lower()
    assert OTHERS_LEFT_OUT in part.html.decode()


def test_the_patron_who_inspected_the_deck_is_another_one_too(tmp_path: Path) -> None:
    """§ 688a.4(b): the first player to arrive."""
    table = Table(words="pa-688a")
    for patron in ("p-5", "p-3"):
        table.say(model.CardsSpread(deck="d-1", face_up=True, inspected_by=patron))
    table.play(1, ROUND)
    whole, part = packet(floor := floor_at(tmp_path, table)), packet(floor, withhold=True)
    for patron, is_left_out in ((b"p-5", True), (b"p-3", False)):
        named = b'"inspected_by":"%s"' % patron
        assert named in whole.json
        assert (named in part.json) != is_left_out


@pytest.mark.parametrize(("reason", "is_made"), [("p-5 pushed its chips here", False), ("p-3 said so", True)])
def test_a_correction_that_names_another_patron_is_never_left_out_in_silence(tmp_path: Path, reason: str, is_made: bool) -> None:
    table = Table(words="pa-688a")
    table.play(1, ROUND)
    (seq,) = (seq for seq, each in enumerate(table.drafts, 1) if getattr(each.payload, "bettor", None) == "p-3")
    table.correct(seq, table.payload(seq), 1)
    last = table.drafts[-1]
    table.drafts[-1] = replace(last, payload=replace(last.payload, reason=reason))
    floor = floor_at(tmp_path, table)
    if is_made:
        assert reason.encode() in packet(floor, withhold=True).json
    else:
        with pytest.raises(NotWithheld, match=r"of the record names another patron \(p-5\)"):
            packet(floor, withhold=True)


def test_an_event_that_stays_cannot_be_changed_in_a_packet_that_withholds(floor: Floor) -> None:
    data = packet(floor, withhold=True).json
    with pytest.raises(BadPacket, match="table/fu-01 event"):
        check_packet(data.replace(b'"low":["7c","7d"]', b'"low":["7c","7h"]'), [floor.public])


def test_that_something_is_withheld_cannot_be_denied(floor: Floor) -> None:
    data = packet(floor, withhold=True).json
    with pytest.raises(BadPacket, match="about"):
        check_packet(data.replace(b',"withheld":true', b""), [floor.public])


def test_others_are_left_out_for_a_seat_only(floor: Floor) -> None:
    with pytest.raises(RoundUnknown, match="name it"):
        packet(floor, None, withhold=True)
