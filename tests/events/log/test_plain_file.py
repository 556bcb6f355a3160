"""What is read as evidence is a plain file: a pipe or a device in the place of one hangs no one."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from events.errors import DamagedMark, IntegrityError, LogUnavailable
from events.log.high_water import HighWater
from events.log.plain_file import MOST_TOML, NotPlainFile, open_plain, read_plain
from events.proofs.signing_memory import SigningMemory


@pytest.fixture(params=["pipe", "device", "folder"])
def other(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Puts something else in the place of a file."""
    made: dict[str, Callable[[Path], None]] = {
        "pipe": os.mkfifo,
        "device": lambda path: path.symlink_to("/dev/zero"),
        "folder": Path.mkdir,
    }
    return made[str(request.param)]


def test_it_is_refused_and_named(tmp_path: Path, other: Callable[[Path], None]) -> None:
    other(tmp_path / "x")
    for read in (read_plain, open_plain):
        with pytest.raises(NotPlainFile, match=r"x is not a plain file \(a link, device or pipe\)"):
            read(tmp_path / "x")


def test_a_link_is_followed_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert (read_plain(tmp_path / "link"), read_plain(tmp_path / "link", 3)) == (b"12345", b"123")
    with pytest.raises(NotPlainFile):
        open_plain(tmp_path / "link")


def test_the_high_water_file(tmp_path: Path, other: Callable[[Path], None]) -> None:
    other(tmp_path / "marks")
    with pytest.raises(DamagedMark, match="not a plain file"):
        HighWater(tmp_path / "marks", "0" * 32).load()


def test_the_memory_of_a_key(tmp_path: Path, other: Callable[[Path], None]) -> None:
    memory = SigningMemory(tmp_path / "key", "0" * 32)
    other(memory.path)
    with pytest.raises(IntegrityError, match="not a plain file"):
        memory.load()


def test_the_notice_of_the_last_verification(tmp_path: Path, other: Callable[[Path], None]) -> None:
    from desk.verification.last_verification import read

    other(tmp_path / "floor.db.verified")
    with pytest.raises(ValueError, match="not a plain file"):
        read(tmp_path / "floor.db.verified")


def test_a_note_of_a_witness(tmp_path: Path, other: Callable[[Path], None]) -> None:
    from events.proofs.signed_note import KeyKind, PublicKey
    from events.proofs.witness import WitnessFolder

    folder = WitnessFolder(tmp_path, PublicKey("north", KeyKind.WITNESS, bytes(32)))
    other(tmp_path / f"{5:016d}.note")
    with pytest.raises(LogUnavailable, match="not a plain file"):
        folder.read(5)


def test_a_round_table(tmp_path: Path, other: Callable[[Path], None]) -> None:
    from whatif.round_table import MANIFEST, RoundTable

    other(tmp_path / MANIFEST)
    with pytest.raises(NotPlainFile):
        RoundTable(tmp_path)


# ------------------------------------------------------------------------------------------------ settings that people write


def read_login(path: Path) -> object:
    from dashboards.access.login import check_login

    return check_login(path)


def read_property_file(path: Path) -> object:
    from desk.house.property_file import read_property

    return read_property(path.parent)


def read_cases(path: Path) -> object:
    from desk.review.case_folder import CaseFolder

    return CaseFolder(path.parent).settings()


def read_persons(path: Path) -> object:
    from desk.review.persons import read

    return read(path)


def read_alarms(path: Path) -> object:
    from desk.alarms.settings import read_settings

    return read_settings(path)


def read_camera_file(path: Path) -> object:
    from desk.review.cameras import read_cameras

    return read_cameras(path)


def read_device_register(path: Path) -> object:
    from intake.devices import read_devices

    return read_devices(path)


def read_profile(path: Path) -> object:
    from intake.profiles.form import read_form

    return read_form(path)


def read_rules(path: Path) -> object:
    from rulebook.chapters.submission import read_toml

    return read_toml(path.read_text(), path.name)


def read_a_chapter(path: Path) -> object:
    from rulebook.chapters.chapters import read_chapter

    return read_chapter(path.read_text(), path.name)


def read_an_amendment(path: Path) -> object:
    from rulebook.chapters.editions import read_amendment

    return read_amendment(path.read_text(), path.name)


def read_house_way(path: Path) -> object:
    from rulebook.house_ways.way_table import parsed

    return parsed(path.read_text(), path.name)


NAMES = {read_property_file: "property.toml", read_cases: "cases.toml"}
OF_TEXT = [read_rules, read_a_chapter, read_an_amendment, read_house_way]
READERS = [
    read_login,
    read_property_file,
    read_cases,
    read_persons,
    read_alarms,
    read_camera_file,
    read_device_register,
    read_profile,
]
TOML = {
    "nested lists": b"a = " + b"[" * 5_000 + b"]" * 5_000,
    "nested tables": b"a = " + b"{a=" * 3_000,
    "a long number": b"a = " + b"1" * 5_000,
    "a day that there is not": b"a = 2026-02-30",
    "no text": b"a = '\xff'",
    "a surrogate": rb'a = "\ud800"',
    "NUL": b"a = '\0'",
    "torn": b"a = '",
    "too long": b"# " + b"x" * MOST_TOML,
    "many tables": b"".join(b'[[x%d]]\na = "b"\n' % number for number in range(20_000)),
}


@pytest.mark.parametrize("content", TOML)
@pytest.mark.parametrize("read", [*READERS, *OF_TEXT], ids=lambda read: read.__name__)
def test_whatever_people_write_is_refused_in_words(tmp_path: Path, read: Callable[[Path], object], content: str) -> None:
    """No file that people write ends a command in an error of the library, or fills the memory."""
    if read in OF_TEXT and content in ("no text", "too long", "many tables"):
        return
    path = tmp_path / NAMES.get(read, "file.toml")
    path.write_bytes(TOML[content])
    path.chmod(0o600)
    with pytest.raises(Exception, match=re.escape(path.name)) as refused:
        read(path)
    assert not isinstance(refused.value, (RecursionError, MemoryError, UnicodeError))
