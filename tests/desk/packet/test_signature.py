"""The signature under the PDF: other readers accept it, and no byte of the file can be another one."""

import contextlib
import io
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from desk.packet import BadPacket, Packet, check_packet
from desk.packet.attachments import attached
from desk.packet.signature import check_pdf, sign_pdf
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from tests.desk.packet.signed_floor import NOW_US, ORIGIN, Floor


def test_another_program_finds_it_intact_over_the_whole_file(packet: Packet) -> None:
    (found,) = PdfFileReader(io.BytesIO(packet.pdf)).embedded_signatures
    context = ValidationContext(trust_roots=[found.signer_cert], allow_fetching=False)
    with ThreadPoolExecutor(1) as beside:  # it runs an event loop of its own, and a browser's may run in this thread
        status = beside.submit(validate_pdf_signature, found, context).result()
    assert (status.intact, status.valid, status.trusted, status.bottom_line) == (True, True, True, True)
    assert status.coverage.name == "ENTIRE_FILE"


def test_it_is_the_log_s_key_and_the_attached_bundle_is_the_bundle(packet: Packet, floor: Floor) -> None:
    assert check_pdf(packet.pdf).public == floor.public.key
    assert attached(packet.pdf, "packet.json") == packet.json
    assert check_packet(packet.pdf, [floor.public]).bundle.encode() == packet.json
    with pytest.raises(BadPacket, match=r"no other\.json attached"):
        attached(packet.pdf, "other.json")


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_iso_19005_4_6_1_8_every_object_of_a_signed_document_begins_a_line(packet: Packet, floor: Floor, ending: bytes) -> None:
    unsigned = packet.pdf[: packet.pdf.index(b"%%EOF") + len(b"%%EOF")] + ending
    for signed in (packet.pdf, sign_pdf(unsigned, floor.signer, NOW_US)):
        check_pdf(signed)
        objects = list(re.finditer(rb"(?<![0-9])[0-9]+ 0 obj(?![a-z])", signed))
        assert len(objects) > 10
        assert {signed[each.start() - 1 : each.start()] for each in objects} == {b"\n"}


@settings(max_examples=30)
@given(place=st.floats(0, 1, exclude_max=True), other=st.integers(1, 255))
def test_any_one_byte_changed_is_found(packet: Packet, floor: Floor, place: float, other: int) -> None:
    changed = bytearray(packet.pdf)
    changed[int(place * len(changed))] ^= other
    with pytest.raises(BadPacket):
        check_packet(bytes(changed), [floor.public])


@given(data=st.data(), other=st.integers(1, 255))
def test_any_one_byte_of_the_signature_and_of_what_places_it_is_found(
    packet: Packet, floor: Floor, data: st.DataObject, other: int
) -> None:
    begin = packet.pdf.rindex(b"/ByteRange")
    changed = bytearray(packet.pdf)
    changed[data.draw(st.integers(begin, len(changed) - 1))] ^= other
    with pytest.raises(BadPacket):
        check_packet(bytes(changed), [floor.public])


@given(data=st.data(), size=st.integers(0, 12))
def test_attachments_of_a_damaged_document_are_read_or_refused(packet: Packet, data: st.DataObject, size: int) -> None:
    """What a PDF is decides which check is made, before its signature is known to hold."""
    begin = data.draw(st.sampled_from([packet.pdf.rindex(b"xref", 0, -60), packet.pdf.rindex(b"/EmbeddedFiles") - 200]))
    place = data.draw(st.integers(begin, min(begin + 700, len(packet.pdf))))
    damaged = packet.pdf[:place] + data.draw(st.binary(min_size=size, max_size=size)) + packet.pdf[place + size :]
    with contextlib.suppress(BadPacket):
        attached(damaged, "packet.json")


def test_nothing_can_be_added_or_cut_off(packet: Packet, floor: Floor) -> None:
    for changed in (packet.pdf + b"\n", packet.pdf[:-1], packet.pdf[:-2000], b"%PDF-2.0\n", b"%PDF-2.0 /ByteRange [0 1 2 3]"):
        with pytest.raises(BadPacket, match="the PDF"):
            check_packet(changed, [floor.public])
    upper = packet.pdf.rindex(b"/Contents <") + 11
    lower = packet.pdf[:upper] + packet.pdf[upper : upper + 400].lower() + packet.pdf[upper + 400 :]
    with pytest.raises(BadPacket, match="not of the form"):
        check_packet(lower, [floor.public])


def test_a_stranger_s_signature_over_the_same_pages_is_refused(packet: Packet, floor: Floor, tmp_path: Path) -> None:
    stranger = new_key(tmp_path / "other.key", ORIGIN, KeyKind.LOG)
    (found,) = PdfFileReader(io.BytesIO(packet.pdf)).embedded_signatures
    unsigned = packet.pdf[: found.reader.xrefs.get_startxref_for_revision(0)]
    pages = unsigned + packet.pdf[len(unsigned) : packet.pdf.index(b"%%EOF", len(unsigned)) + 6]
    forged = sign_pdf(pages, stranger, NOW_US)
    assert check_pdf(forged).public == stranger.public_key.key
    with pytest.raises(BadPacket, match="signed by the key"):
        check_packet(forged, [floor.public])
