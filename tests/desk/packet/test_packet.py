"""The packet: made from a log, and read when the log is gone; in three forms, for every game."""

import json
import re
import shutil
import subprocess
from contextlib import closing
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from desk.packet import NotCovered, Packet, RoundUnknown, check_packet, make_packet, packet_at
from desk.packet.document import SHOWN, typeset
from desk.packet.make import Statements
from desk.packet.story import tell
from desk.review.desk import Desk
from events.errors import IntegrityError
from events.open import open_checkpoints, open_log
from events.proofs.checkpoint import Checkpoint, cosign
from events.proofs.checkpointer import KeyNotInForce
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind, Note
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.model import RoundOpened
from replay.run.replayer import MemoryResults
from replay.transcript.transcript import parse
from tests.desk.packet.signed_floor import NOW_US, ORIGIN, Floor, floor_at, played
from tests.desk.people import PEOPLE
from tests.golden.rounds import read_cases, round_files
from tests.replay.streams import METER, meter
from tests.replay.tables import PAID, Table

NASTY = '#panic("x") *a* $x^2$ @b `c` \\u{202E} ]) </p><script>alert(1)</script> <img src=http://x.invalid/y> & "q" 中 ‮'


def test_it_is_read_when_the_log_is_gone(tmp_path: Path) -> None:
    floor = floor_at(tmp_path, played())
    packet = packet_at(floor.address, "fu-01", 6, 3, key=floor.key, by="m.ortiz", reason="patron asks", clock=lambda: NOW_US)
    for file in tmp_path.iterdir():
        file.unlink()
    for form in (packet.json, packet.pdf):
        checked = check_packet(form, [floor.public])
        assert checked.reproduced
    assert packet.sentence == (
        "Seat 3 is owed $25.00: the Base wager was due a win of $25.00 and got nothing beyond its stake "
        "(58 Pa. Code § 688a.12(a))."
    )


def test_what_leaves_the_log_stands_in_it(tmp_path: Path) -> None:
    floor = floor_at(tmp_path, played())
    packet = packet_at(floor.address, "fu-01", 6, key=floor.key, by="m.ortiz", reason="patron asks")
    with closing(floor.log()) as log:
        custody = Desk(log, MemoryResults()).review("fu-01").custody
        said = [read(record.data).payload for record in log.read("review/fu-01")]
    exported = [each for each in said if isinstance(each, model.RecordExported)]
    assert {each.format: each.digest for each in exported} == {
        form: sha256(data).hexdigest() for form, data in packet.forms.items()
    }
    assert {(each.by, each.reason, each.what) for each in exported} == {("m.ortiz", "patron asks", "packet")}
    assert [each.round_no for each in custody] == [6, 6, 6]


def test_nothing_leaves_where_the_log_cannot_say_so(tmp_path: Path) -> None:
    floor = floor_at(tmp_path, played())
    with pytest.raises(ValueError, match="nothing was written"):
        packet_at(floor.address, "fu-01", 6, key=floor.key, by="Not A Name", reason="x")


def checkpoints(floor: Floor) -> int:
    with closing(open_checkpoints(floor.address, log_id=floor.public.name[-32:], read_only=True)) as store:
        return len(list(store.batches()))


def test_a_checkpoint_is_made_only_where_something_about_the_round_is_new(tmp_path: Path) -> None:
    table = played()
    floor = floor_at(tmp_path, table)
    assert checkpoints(floor) == 1
    table.play(9, PAID)
    floor.append(table, table.last - 15)
    packet_at(floor.address, "fu-01", 6, key=floor.key, by="m.ortiz", reason="x")
    assert checkpoints(floor) == 1, "round 9 is not in dispute"
    again = packet_at(floor.address, "fu-01", 6, key=floor.key, by="m.ortiz", reason="x")
    assert checkpoints(floor) == 2, "the export is about the round"
    assert "review/fu-01" in json.loads(again.json)["streams"]
    new = packet_at(floor.address, "fu-01", 9, key=floor.key, by="m.ortiz", reason="x")
    assert new.adjudication.round_no == 9


def test_a_later_correction_is_in_the_packet_and_counts(tmp_path: Path) -> None:
    table = played()
    floor = floor_at(tmp_path, table)
    before, behind = floor.packet(), table.last
    wrong = next(
        seq
        for seq, draft in enumerate(table.drafts, 1)
        if draft.round_no == 6 and isinstance(draft.payload, model.WagerPlaced) and draft.payload.seat == 3
    )
    table.correct(wrong, None)
    floor.append(table, behind)
    floor.checkpoint()
    after = floor.packet()
    assert [each.code for each in before.adjudication.findings] == ["PAY-MISSED"]
    assert after.adjudication.findings == ()
    assert b"event_corrected" in after.json
    assert "video shows otherwise" in after.html.decode()


def test_what_is_not_there_is_named(floor: Floor) -> None:
    for table, round_no, seat, words in (
        ("fu-99", 1, None, "the log has no table 'fu-99'; it has fu-01"),
        ("fu-01", 99, None, "no round 99; there are rounds 1 to 8"),
    ):
        with pytest.raises(RoundUnknown, match=words):
            floor.packet(round_no, seat, table)
    with pytest.raises(RoundUnknown, match="no seat 8"):
        floor.packet(6, 8)


def test_a_round_that_no_checkpoint_covers_is_refused(tmp_path: Path) -> None:
    table = played()
    floor = floor_at(tmp_path, table)
    behind = table.last
    table.play(9, PAID)
    floor.append(table, behind)
    with pytest.raises(NotCovered, match="rounds 1 to 8 that a checkpoint covers; `rack checkpoint` makes one"):
        floor.packet(9)
    (tmp_path / "floor.db.checkpoints").unlink()
    with pytest.raises(NotCovered, match="no checkpoint covers"):
        floor.packet(6)


def test_a_key_that_is_not_in_force_signs_nothing(floor: Floor, tmp_path: Path) -> None:
    other = floor._replace(signer=new_key(tmp_path / "other.key", ORIGIN, KeyKind.LOG))
    with pytest.raises(KeyNotInForce, match="not in force"):
        other.packet()


def test_a_log_that_differs_from_its_checkpoint_gives_no_packet(tmp_path: Path) -> None:
    """A log whose events were all replaced, chain and all, next to the checkpoints of what was there before."""
    folders = [tmp_path / name for name in ("first", "second")]
    floors = []
    for folder, table in zip(folders, (played(), Table()), strict=True):
        folder.mkdir()
        for number in range(1, 9) if table.last < 3 else ():
            table.play(number, PAID)
        table.say(model.LightSeen(seat=3), 6)
        floors.append(floor_at(folder, table))
    shutil.copy(folders[0] / "floor.db.checkpoints", folders[1] / "floor.db.checkpoints")
    with pytest.raises(IntegrityError):
        floors[1].packet(6)


def test_a_log_that_lost_its_end_is_no_log_without_the_round(tmp_path: Path) -> None:
    """That a checkpoint states more events than there are is said before anything about rounds."""
    table = played(3)
    floor = floor_at(tmp_path, table)
    table.play(4, PAID)
    (tmp_path / "longer").mkdir()
    longer = floor_at(tmp_path / "longer", table)
    shutil.copy(tmp_path / "longer" / "floor.db.checkpoints", tmp_path / "floor.db.checkpoints")
    with pytest.raises(IntegrityError, match=r"the stream ends there|a checkpoint states"):
        floor._replace(signer=longer.signer).packet(4)


def test_the_same_is_made_twice_to_the_byte(packet: Packet, floor: Floor) -> None:
    again = floor.packet(6, 3)
    assert again.forms == packet.forms


def test_the_meters_of_a_round_are_in_it(tmp_path: Path) -> None:
    table = Table(words="pa-688a progressive=1")
    text = PAID.replace("deal ", "wager   seat=3 progressive 1.00\naccepted seat=3 1.00 meter=10000.28 id=m-1 meter_seq=3\ndeal ")
    table.play(1, text)
    floor = floor_at(tmp_path, table, meter())
    packet = floor.packet(1)
    bundle = json.loads(packet.json)
    numbers = [each["event"]["seq"] for each in bundle["streams"][METER]["events"]]
    assert numbers == [1, 2, 3, 4, 5], "how it was set, and all about round 1 with what stood before"
    assert [each["code"] for each in bundle["findings"]] == ["PAY-METER"]
    assert check_packet(packet.json, [floor.public]).reproduced


# ------------------------------------------------------------------------------------------------------- the three forms


def test_the_pdf_is_pdf_a_with_the_bundle_and_its_fonts(packet: Packet) -> None:
    assert packet.pdf.startswith(b"%PDF-2.0")
    assert b"<pdfaid:part>4</pdfaid:part>" in packet.pdf
    assert b"<pdfaid:conformance>F</pdfaid:conformance>" in packet.pdf
    assert b"/AFRelationship/Source" in packet.pdf.replace(b" ", b"")
    fonts = set(re.findall(rb"/BaseFont ?/[A-Z]{6}\+([A-Za-z-]+)", packet.pdf))
    assert fonts == {b"DejaVuSans", b"DejaVuSans-Bold", b"DejaVuSansMono"}


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Packet:
    """A packet of a round about which a patron said what programs might take for theirs."""
    floor = floor_at(tmp_path_factory.mktemp("nasty"), played())
    with closing(open_log(floor.address)) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: NOW_US)
        desk.open_dispute("fu-01", 6, dispute="d-1", claim=NASTY, by="s.lee", seat=3)
    floor.checkpoint()
    return floor.packet(6, 3)


def test_what_a_patron_says_is_never_markup_in_the_pdf(nasty: Packet) -> None:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not on this machine: the text of the PDF is not read back")
    read_back = subprocess.run(["pdftotext", "-raw", "-", "-"], input=nasty.pdf, capture_output=True, check=True).stdout.decode()
    joined = re.sub(r"\s", "", read_back)
    assert sha256(nasty.json).hexdigest() in joined  # a digest can be copied: nothing invisible is in it
    assert "\u200b" not in read_back
    for words in ('#panic("x")', "*a*", "$x^2$", "@b", "`c`", "\\u{202E}])", "<script>alert(1)</script>", "[U+4E2D]", "[U+202E]"):
        assert re.sub(r"\s", "", words) in joined


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_asks_for_nothing_and_runs_nothing(nasty: Packet) -> None:
    page = Tags()
    page.feed(nasty.html.decode())
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "object", "embed", "form", "base", "video", "audio"})
    assert page.attributes.isdisjoint({"src", "href", "action", "onclick", "onload", "onerror", "srcset", "background"})
    assert NASTY.replace("\u202e", "[U+202E]") in page.text  # and it turns no words around
    assert "default-src 'none'" in nasty.html.decode()
    assert "url(" not in nasty.html.decode()
    assert "@import" not in nasty.html.decode()


def test_the_page_says_what_the_packet_says(packet: Packet) -> None:
    page = Tags()
    page.feed(packet.html.decode())
    assert packet.sentence in page.text
    assert sha256(packet.json).hexdigest() in page.text
    for heading in (
        "Money",
        "Recorded next to recomputed",
        "What was found",
        "The sections, in our own words",
        "Rules submission",
        "What was not adjudicated, and why",
        "Custody of rules, cards, dice and devices",
        "Events of the round",
        "Certification of the custodian",
        "How this can be checked",
    ):
        assert heading in page.text
    assert packet.adjudication.engine in page.text


def test_every_letter_that_is_shown_has_a_shape(packet: Packet, floor: Floor) -> None:
    """PDF/A allows no letter without one: Typst refuses."""
    checked = check_packet(packet.json, [floor.public])
    assert checked.judged is not None
    shown = tell(checked.bundle, checked.judged)
    letters = " ".join(chr(code) for low, high in SHOWN for code in range(low, high + 1))
    said = shown | {"sentence": letters, "events": [shown["events"][0] | {"says": letters}]}
    assert typeset(said, packet.json, NOW_US).startswith(b"%PDF")


# ------------------------------------------------------------------------------------------------------------ every game


@pytest.mark.parametrize("chapter", sorted({path.parent.name for path in round_files()}))
def test_every_game_makes_a_packet(chapter: str, tmp_path: Path) -> None:
    """Of the first rounds worked out by hand in every chapter that can be in force."""
    cases = [case for path in round_files(chapter) for case in read_cases(path)]
    case = next(
        case for case in cases if any(words.startswith("done") for _, words in case.expectations) and "\nclose" in case.transcript
    )
    table = Table(words=None)
    scripts = parse(case.transcript, case.title, lambda name: (case.path.parent / name).read_text())
    for script in scripts:
        inside = False
        for each in script.events:
            inside = inside or isinstance(each.payload, RoundOpened)
            table.say(each.payload, script.round_no if inside else None)
    floor = floor_at(tmp_path, table)
    packet = floor.packet(scripts[0].round_no)
    for form in (packet.json, packet.pdf):
        assert check_packet(form, [floor.public]).reproduced
    assert packet.sentence.endswith(".")


def test_a_witness_stands_under_the_checkpoint_that_it_cosigned(tmp_path: Path) -> None:
    table = played()
    floor = floor_at(tmp_path, table)
    witness = new_key(tmp_path / "witness.key", "watch.example", KeyKind.WITNESS)
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        signed = Note.decode(Statements(log, store).checkpoint().note.encode())
        note = cosign(signed, witness, NOW_US // 1_000_000)
    behind = table.last
    table.say(model.LightSeen(seat=3), 6)
    floor.append(table, behind)
    floor.checkpoint()
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        packet = make_packet(log, "fu-01", 6, checkpoints=store, signer=floor.signer, note=note)
        size = Checkpoint.parse(note.text).size
        other = Note(note.text.replace(f"\n{size}\n", f"\n{size - 1}\n"), note.signatures)
        with pytest.raises(NotCovered, match="not one of this log"):
            make_packet(log, "fu-01", 6, checkpoints=store, signer=floor.signer, note=other)
    assert packet.adjudication.as_of == {"table/fu-01": behind}, "as of the checkpoint that was cosigned, not of the newest"
    checked = check_packet(packet.json, [floor.public, witness.public_key])
    assert [(each.key, each.time_s) for each in checked.witnesses] == [(witness.public_key, NOW_US // 1_000_000)]
    assert check_packet(packet.json, [floor.public]).witnesses == ()
    assert "watch.example" in packet.html.decode()
