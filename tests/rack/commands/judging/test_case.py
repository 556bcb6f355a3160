"""`rack case`: a case from its opening to its appeal, its attachments, and what is refused."""

import contextlib
import os
import socket
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from tests.desk.packet.signed_floor import Floor
from tests.rack.commands.judging.command_line import printed


def rack(capsys: pytest.CaptureFixture[str], floor: Floor, *words: str, code: int = 0) -> Any:
    return printed(capsys, "case", floor.address, *words, code=code)


OPEN = ("open", "FU-01", "1", "--by", "m.ortiz", "--claim", "paid too little", "--seat", "3", "--patron", "p-7")


def test_a_case_from_its_opening_to_its_appeal(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No case is open." in rack(capsys, floor, "list")
    said = rack(capsys, floor, *OPEN, "--json")
    assert (said["name"], said["seat"], said["patron"], said["state"]) == ("FU-01-C1", 3, "p-7", "open")
    assert "FU-01-C1" in rack(capsys, floor, "list", code=1)
    rack(capsys, floor, "assign", "fu-01-c1", "--to", "s.lee", "--by", "m.ortiz", "--reason", "knows the table")
    rack(capsys, floor, "note", "FU-01-c1", "--by", "s.lee", "--note", "asked for the video")
    rack(capsys, floor, "due", "fu-01-c1", "--to", "2099-01-31", "--by", "s.lee", "--reason", "patron is abroad")
    assert rack(capsys, floor, "show", "fu-01-c1", "--json")["due"] == "2099-01-31"
    rack(capsys, floor, "decide", "FU-01-C1", "--by", "s.lee", "--outcome", "for_house", "--reason", "paid right")
    assert "No case is open." in rack(capsys, floor, "list")
    assert [each["name"] for each in rack(capsys, floor, "list", "fu-01", "--all", "--json")] == ["FU-01-C1"]
    shown = rack(capsys, floor, "show", "fu-01-c1")
    assert "Case FU-01-C1: decided, decided for the house" in shown
    assert "s.lee  noted in case 1: asked for the video" in shown
    rack(capsys, floor, "appeal", "fu-01-c1", "--by", "m.ortiz", "--reason", "has a photograph")
    assert "appealed" in rack(capsys, floor, "list", code=1)


def test_a_decision_against_the_record_takes_a_reason_and_a_second_person(
    floor: Floor, capsys: pytest.CaptureFixture[str]
) -> None:
    rack(capsys, floor, *OPEN)
    decide = ("decide", "FU-01-C1", "--by", "s.lee", "--outcome", "for_patron", "--reason", "good will")
    assert "this goes against the record" in rack(capsys, floor, *decide, code=2)
    rack(capsys, floor, *decide, "--override", "the video shows another card")
    assert "against the record; needs a second signature" in rack(capsys, floor, "show", "fu-01-c1")
    sign = ("sign", "fu-01-c1", "--reason", "video seen", "--by")
    assert "s.lee has signed already" in rack(capsys, floor, *sign, "s.lee", code=2)
    rack(capsys, floor, *sign, "m.ortiz")
    assert "Case FU-01-C1: decided, decided for the patron, against the record" in rack(capsys, floor, "show", "fu-01-c1")


def test_an_attachment_is_kept_shown_and_fetched(floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rack(capsys, floor, *OPEN)
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"a photograph")
    rack(capsys, floor, "attach", "fu-01-c1", str(photo), "--by", "m.ortiz", "--note", "from the patron")
    (attached,) = rack(capsys, floor, "show", "fu-01-c1", "--json")["attachments"]
    assert (attached["name"], attached["size"], attached["fault"]) == ("photo.jpg", 12, None)
    out = str(tmp_path / "copy.jpg")
    words = ("fetch", "fu-01-c1", attached["digest"][:6], "--by", "s.lee", "--reason", "for the patron", "--out", out)
    rack(capsys, floor, *words)
    assert Path(out).read_bytes() == b"a photograph"
    assert "already exists" in rack(capsys, floor, *words, code=2)
    assert main(["review", "custody", "fu-01", "--log", floor.address]) == 0
    assert f"SHA-256 {attached['digest']}): for the patron" in capsys.readouterr().out


def with_photo(floor: Floor, capsys: pytest.CaptureFixture[str], folder: Path) -> Path:
    """Attach a photograph to a new case; return the file that is kept of it."""
    rack(capsys, floor, *OPEN)
    photo = folder / "photo.jpg"
    photo.write_bytes(b"a photograph")
    rack(capsys, floor, "attach", "fu-01-c1", str(photo), "--by", "m.ortiz", "--note", "x")
    (stored,) = (path for path in (folder / "attachments").rglob("*") if path.is_file())
    return stored


def test_a_verification_compares_attachments_and_names_one_that_is_gone_or_was_changed(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = with_photo(floor, capsys, tmp_path)
    assert main(["verify", "--log", floor.address]) == 0
    assert "1 of 1 attachment of cases match their SHA-256" in capsys.readouterr().out
    for fault in ("was changed", "is gone"):
        if fault == "is gone":
            stored.unlink()
        else:
            stored.write_bytes(b"A photograph")
        assert main(["verify", "--log", floor.address]) == 4
        said = capsys.readouterr().out
        assert f"CASE-FILE review/fu-01: photo.jpg, attached to case 1, {fault}: {stored}" in said
        assert "NOT VERIFIED" in said
    stored.write_bytes(b"a photograph")
    assert main(["verify", "--log", floor.address]) == 0


def test_an_archive_carries_attachments_and_restores_them(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = with_photo(floor, capsys, tmp_path)
    archive, elsewhere = tmp_path / "sealed" / "archive", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert main(["archive", "--log", floor.address, "--out", str(archive), "--running"]) == 0
    assert "1 of 1 attachment of cases carried in it" in capsys.readouterr().out
    (carried,) = (path for path in (archive / "attachments").rglob("*") if path.is_file())
    assert carried.read_bytes() == b"a photograph"
    assert main(["verify", "--log", f"archive://{archive}"]) == 0
    restored = f"sqlite://{elsewhere}/floor.db"
    assert main(["archive", "--log", restored, "--restore", str(archive)]) == 0
    assert (elsewhere / "attachments" / stored.parent.name / stored.name).read_bytes() == b"a photograph"
    carried.write_bytes(b"A photograph")
    capsys.readouterr()
    assert main(["verify", "--log", f"archive://{archive}"]) == 4
    assert f"was changed: {carried}" in capsys.readouterr().out


def test_an_archive_has_no_attachment_of_a_day_that_it_does_not_have(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The other side of a file that was added: the day is open, and its attachments come with it."""
    with_photo(floor, capsys, tmp_path)
    archive = tmp_path / "sealed" / "archive"
    for running, files in (([], 0), (["--running"], 1)):
        assert main(["archive", "--log", floor.address, "--out", str(archive), *running]) == 0
        assert sum(path.is_file() for path in (archive / "attachments").rglob("*")) == files
        assert main(["verify", "--log", f"archive://{archive}"]) == 0


def test_an_archive_names_the_attachment_that_it_lacks(floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    stored = with_photo(floor, capsys, tmp_path)
    stored.unlink()
    archive = tmp_path / "sealed" / "archive"
    assert main(["archive", "--log", floor.address, "--out", str(archive), "--running"]) == 4
    assert f"photo.jpg, attached to case 1, is gone: {stored}" in capsys.readouterr().err
    assert main(["verify", "--log", f"archive://{archive}"]) == 0
    assert "1 attachment of cases on record: no folder with their files is here" in capsys.readouterr().out


@pytest.mark.parametrize("gone", [True, False])
def test_an_attachment_that_is_gone_or_was_changed_is_named(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path, gone: bool
) -> None:
    stored = with_photo(floor, capsys, tmp_path)
    if gone:
        stored.unlink()
    else:
        stored.write_bytes(b"A photograph")
    said = rack(capsys, floor, "show", "fu-01-c1", code=4)
    assert f"photo.jpg, attached to case 1, {'is gone' if gone else 'was changed'}: {stored}" in said
    out = tmp_path / "copy.jpg"
    words = ("--by", "s.lee", "--reason", "x", "--out", str(out))
    rack(capsys, floor, "fetch", "fu-01-c1", stored.name, *words, code=4)
    assert not out.exists()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder_in_place(path: Path) -> None:
    path.mkdir()


def socket_in_place(path: Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as made, contextlib.chdir(path.parent):
        made.bind(path.name[:16])
        os.rename(path.name[:16], path.name)


def much_longer(path: Path) -> None:
    """A file of 5 GB that takes no room: its size alone says that it is another."""
    with path.open("wb") as file:
        file.truncate(5_000_000_000)


NOT_FILES = [pipe, device, folder_in_place, socket_in_place, much_longer]


@pytest.mark.parametrize("other", NOT_FILES, ids=lambda other: other.__name__)
def test_what_is_no_plain_file_in_an_attachments_place_stops_nobody(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path, other: Callable[[Path], None]
) -> None:
    """A pipe never begins and a device never ends: neither is read."""
    stored = with_photo(floor, capsys, tmp_path)
    archive, elsewhere = tmp_path / "sealed" / "archive", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert main(["archive", "--log", floor.address, "--out", str(archive), "--running"]) == 0
    stored.unlink()
    other(stored)
    named = "CASE-FILE review/fu-01: photo.jpg, attached to case 1, "
    capsys.readouterr()
    assert main(["verify", "--log", floor.address]) == 4
    assert named in capsys.readouterr().out
    assert named.removeprefix("CASE-FILE ") in rack(capsys, floor, "show", "fu-01-c1", code=4)
    assert main(["archive", "--log", floor.address, "--out", str(tmp_path / "again"), "--running"]) == 4
    (carried,) = (path for path in (archive / "attachments").rglob("*") if path.is_file())
    carried.unlink()
    other(carried)
    assert main(["verify", "--log", f"archive://{archive}"]) == 4
    assert main(["archive", "--log", f"sqlite://{elsewhere}/floor.db", "--restore", str(archive)]) == 4
    assert not list((elsewhere / "attachments").rglob(stored.name)) if (elsewhere / "attachments").exists() else True
    again = tmp_path / "photo.jpg"
    words = ("attach", "fu-01-c1", str(again), "--by", "m.ortiz", "--note", "x")
    assert "holds other bytes" in rack(capsys, floor, *words, code=2)


@pytest.mark.parametrize("other", [pipe, device], ids=lambda other: other.__name__)
def test_neither_is_attached(
    floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path, other: Callable[[Path], None]
) -> None:
    rack(capsys, floor, *OPEN)
    other(tmp_path / "photo.jpg")
    assert (
        main(
            ["case", "attach", "fu-01-c1", str(tmp_path / "photo.jpg"), "--by", "m.ortiz", "--note", "x", "--log", floor.address]
        )
        == 3
    )
    assert "not a plain file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("open", "fu-01", "1", "--by", "m.ortiz"), "give one of the two"),
        (("open", "fu-01", "one", "--by", "m.ortiz", "--claim", "x"), "expected a round number, got one"),
        (("open", "fu-09", "1", "--by", "m.ortiz", "--claim", "x"), "no table 'fu-09'"),
        (("open", "fu-01", "1", "--by", "nobody", "--claim", "x"), "'nobody' is not registered"),
        (("open", "fu-01", "1", "--by", "m.ortiz", "--claim", "x", "--patron", "Mr Smith"), "nothing was written"),
        (("due", "fu-01-c1", "--to", "soon", "--reason", "x", "--by", "m.ortiz"), "expected a day as YYYY-MM-DD"),
        (("note", "fu-01-c1", "--by", "m.ortiz", "--note", "x"), "there is no case FU-01-C1"),
        (("show", "7"), "'7' is no case: expected a table and a number"),
    ],
)
def test_what_is_missing_or_out_of_form_is_named(
    floor: Floor, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    assert why in rack(capsys, floor, *words, code=2)


def test_the_letter_is_on_record_before_it_is_there(floor: Floor, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rack(capsys, floor, *OPEN)
    words = ("letter", "fu-01-c1", "--by", "m.ortiz", "--out", str(tmp_path / "out"), "--key", str(floor.key))
    assert "is not decided" in rack(capsys, floor, *words, code=2)
    rack(capsys, floor, "decide", "fu-01-c1", "--by", "s.lee", "--outcome", "for_house", "--reason", "paid right")
    made = rack(capsys, floor, *words, "--json")
    assert sha256(Path(made["file"]).read_bytes()).hexdigest() == made["digest"]
    assert [each["digest"] for each in rack(capsys, floor, "show", "fu-01-c1", "--json")["letters"]] == [made["digest"]]
    assert rack(capsys, floor, *words, "--json")["digest"] == made["digest"], "the same bytes when made again"
    Path(made["file"]).write_bytes(b"another letter")
    assert "never overwritten" in rack(capsys, floor, *words, code=2)
