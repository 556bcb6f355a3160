"""What is read as evidence is a plain file: a pipe or a device in the place of one hangs no one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from events.errors import DamagedMark, IntegrityError, LogUnavailable
from events.log.high_water import HighWater
from events.log.plain_file import NotPlainFile, open_plain, read_plain
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
    from desk.review.last_verification import read

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
