"""Patron tokens: no one's number reaches the log, tokens stay what they are, and erasure leaves the chain whole."""

import hmac
import io
import json
import os
import re
from base64 import b32encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.vocabulary.base import Token
from events.vocabulary.model import PatronSeated
from intake.errors import IntakeError
from intake.patrons import Keyring, with_tokens
from rack.cli import main
from tests.replay.tables import Table

DAY_US = 86_400_000_000
NOW_US = 1_772_400_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "patrons.keyring"


def test_a_token_is_a_keyed_hash_of_the_number_and_the_patrons_secret(path: Path) -> None:
    with Keyring.new(path) as keyring:
        token = keyring.token("47110815", NOW_US)
    header, epoch, patron = (json.loads(line) for line in path.read_text().splitlines())
    assert patron["index"] == hmac.new(bytes.fromhex(header["index_key"]), b"47110815", "sha256").hexdigest()
    digest = hmac.new(bytes.fromhex(epoch["key"]), bytes.fromhex(patron["secret"]) + b"47110815", "sha256").digest()
    assert token == "p1-" + b32encode(digest[:16]).decode().strip("=").lower()
    assert "47110815" not in path.read_text()


def test_a_token_fits_the_events_and_stays_the_same(path: Path) -> None:
    (pattern,) = [each.pattern for each in Token.__metadata__]
    with Keyring.new(path) as keyring:
        first = keyring.token("47110815", NOW_US)
        assert keyring.token("47110815", -1) == keyring.token("47110815", 0) == first != keyring.token("4712", NOW_US)
        for since in range(2, 1000):
            keyring.epochs.append(type(keyring.epochs[0])(since, since, "00" * 32))
        assert re.search(pattern, keyring.token("47110815", NOW_US))
    with Keyring(path) as again:
        assert again.token("47110815", NOW_US) == first
        assert again.patrons == 2


def test_two_keyrings_know_nothing_of_each_other(tmp_path: Path) -> None:
    with Keyring.new(tmp_path / "a") as a, Keyring.new(tmp_path / "b") as b:
        assert a.token("47110815", 1) != b.token("47110815", 1)


def test_rotation_changes_tokens_from_its_moment_on_and_not_before(path: Path) -> None:
    with Keyring.new(path) as keyring:
        before = keyring.token("47110815", NOW_US)
        keyring.rotate(NOW_US + DAY_US)
        assert keyring.token("47110815", NOW_US + DAY_US - 1) == before
        assert keyring.token("47110815", NOW_US + DAY_US) != before
        with pytest.raises(IntakeError, match="give a later one"):
            keyring.rotate(NOW_US + DAY_US)


def test_a_patron_erased_gets_another_token_and_the_old_secret_is_gone(path: Path) -> None:
    with Keyring.new(path) as keyring:
        before, other = keyring.token("47110815", 1), keyring.token("4712", 1)
        secret = next(json.loads(line)["secret"] for line in path.read_text().splitlines() if '"patron"' in line)
        assert keyring.erase(["47110815", "9999"]) == 1
        assert secret not in path.read_text()
        assert not keyring.known("47110815")
        assert keyring.token("4712", 1) == other
        assert keyring.token("47110815", 1) != before
    with Keyring(path) as again:  # what was added after the file was replaced is in the new file
        assert again.patrons == 2
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


def test_a_destroyed_epoch_gives_no_token_and_the_others_do(path: Path) -> None:
    with Keyring.new(path) as keyring:
        keyring.rotate(NOW_US)
        after = keyring.token("47110815", NOW_US)
        keyring.destroy(1)
        with pytest.raises(IntakeError, match="epoch 1 was destroyed"):
            keyring.token("47110815", NOW_US - 1)
        assert keyring.token("47110815", NOW_US) == after
        with pytest.raises(IntakeError, match="no epoch 1 with a key"):
            keyring.destroy(1)


def test_the_file_is_its_owners_alone_and_is_never_overwritten(path: Path) -> None:
    Keyring.new(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(IntakeError, match="never overwritten"):
        Keyring.new(path)
    path.chmod(0o640)
    with pytest.raises(IntakeError, match="others can read"):
        Keyring(path)


def test_one_process_at_a_time(path: Path) -> None:
    with Keyring.new(path), pytest.raises(IntakeError, match="another process"):
        Keyring(path)
    Keyring(path).close()


def test_a_line_torn_by_a_crash_is_dropped_and_a_damaged_one_is_named_without_its_content(path: Path) -> None:
    with Keyring.new(path) as keyring:
        token = keyring.token("47110815", 1)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"patron","index":"ab')
    with Keyring(path) as keyring:
        assert keyring.token("47110815", 1) == token
    assert path.read_bytes() == whole
    path.write_bytes(whole.replace(b'"patron"', b'"patrom"'))
    with pytest.raises(IntakeError, match=r":3: no line of a patron keyring; restore") as refused:
        Keyring(path)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"type":"epoch","number":1,"since_us":0,"key":null}\n'])
def test_what_is_no_keyring_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(IntakeError, match="keyring"):
        Keyring(path)


@given(st.binary(max_size=200))
def test_a_line_without_a_card_is_left_alone(line: bytes) -> None:
    line = line.replace(b":", b"")
    assert with_tokens(line, None) == line


def seated(number: str) -> bytes:
    from intake.lines import line_of

    table = Table("table/fu-01")
    table.say(PatronSeated(patron="someone", seat=3))
    return b"\n".join(line_of(table.stream, draft) for draft in table.drafts).replace(b'"someone"', f'"{number}"'.encode())


def test_ingest_stores_the_token_and_never_the_number(tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    day, log = tmp_path / "day.jsonl", tmp_path / "floor.db"
    address = f"sqlite://{log}"
    day.write_bytes(seated("card:0815-4711"))
    to = ["ingest", str(day), "--log", address, "--property", "bellwether"]
    assert main(to) == 2
    assert "--patrons" in capsys.readouterr().err
    assert main(["patrons", "new", "--keyring", str(path)]) == 0
    assert main([*to, "--patrons", str(path)]) == 0
    capsys.readouterr()
    assert main([*to, "--patrons", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["appended"] == 0  # the same tokens: the same events
    everything = b"".join(each.read_bytes() for each in tmp_path.iterdir() if each != day and each.is_file())
    assert b"0815-4711" not in everything
    assert main(["verify", "--log", address]) == 0


def test_erasure_leaves_the_log_whole(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    day, address = tmp_path / "day.jsonl", f"sqlite://{tmp_path}/floor.db"
    day.write_bytes(seated("card:4711"))
    assert main(["patrons", "new", "--keyring", str(path)]) == 0
    assert main(["ingest", str(day), "--log", address, "--property", "bellwether", "--patrons", str(path)]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("4711\n"))
    capsys.readouterr()
    assert main(["patrons", "erase", "--keyring", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"erased": 1}
    assert main(["verify", "--log", address]) == 0


def test_the_commands_say_what_they_need(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patrons", "list", "--keyring", str(path)]) == 2
    assert "rack patrons new" in capsys.readouterr().err
    assert main(["patrons", "new", "--keyring", str(path)]) == 0
    with pytest.raises(SystemExit, match="2"):
        main(["patrons", "destroy", "--keyring", str(path)])
    assert main(["patrons", "rotate", "--keyring", str(path), "--at", "2026-01-01T00:00:00Z"]) == 2
    assert "now or later" in capsys.readouterr().err
    assert main(["patrons", "rotate", "--keyring", str(path)]) == 0
    capsys.readouterr()
    assert main(["patrons", "list", "--keyring", str(path), "--json"]) == 0
    assert [each["epoch"] for each in json.loads(capsys.readouterr().out)["epochs"]] == [1, 2]
    assert os.stat(path).st_mode & 0o077 == 0
