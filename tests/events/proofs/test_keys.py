"""Key files, and which key of a log may sign when."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from events.log.contract import Record
from events.proofs.keys import PROPERTY_STREAM, FileSigner, KeyRefused, KeyRing, new_key, read_public_key, read_signer, vouch_for
from events.proofs.signed_note import KeyKind, Note, PublicKey, Signer, sign, verify
from events.vocabulary.base import Event
from events.vocabulary.codec import encode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import KeyPublished, KeyRetired
from tests.events.archive.closing import LOG_ID

NAME = "discard-rack/bellwether/00112233445566778899aabbccddeeff"


@pytest.fixture
def signer(tmp_path: Path) -> FileSigner:
    return new_key(tmp_path / "key", NAME, KeyKind.LOG)


def test_a_new_key_lies_in_files_that_only_its_owner_can_read(tmp_path: Path, signer: FileSigner) -> None:
    path = tmp_path / "key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().startswith(f"PRIVATE+KEY+{NAME}+{signer.public_key.id.hex()}+")
    assert read_signer(path).public_key == signer.public_key
    assert read_public_key(tmp_path / "key.pub") == signer.public_key
    signature = read_signer(path).sign(b"text")
    assert signer.public_key.verifies(signature, b"text")
    assert not signer.public_key.verifies(signature, b"texts")


def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o277)
    try:
        new_key(tmp_path / "key", NAME, KeyKind.LOG)
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_of_its_owner_alone_is_used(tmp_path: Path, signer: FileSigner, mode: int) -> None:
    (tmp_path / "key").chmod(mode)
    assert read_signer(tmp_path / "key").public_key == signer.public_key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o620, 0o601, 0o644, 0o777])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, signer: FileSigner, mode: int) -> None:
    (tmp_path / "key").chmod(mode)
    with pytest.raises(KeyRefused, match=f"its mode is {mode:04o}.*chmod 600"):
        read_signer(tmp_path / "key")


def test_a_key_that_could_not_be_made_whole_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a key would be in the way of the next try, for no key is overwritten."""
    real, left = os.fsync, list[int]()

    def fails_once(file: int) -> None:
        left.pop()
        if not left:
            raise OSError(28, "No space left on device")
        real(file)

    monkeypatch.setattr("os.fsync", fails_once)
    for which in (1, 3):  # the private file; the public one, after the private one's folder
        left[:] = range(which)
        with pytest.raises(OSError, match="No space left"):
            new_key(tmp_path / "key", NAME, KeyKind.LOG)
        assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    (tmp_path / "key.pub").write_text("somebody's")
    with pytest.raises(KeyRefused, match=r"key\.pub is there already"):
        new_key(tmp_path / "key", NAME, KeyKind.LOG)
    assert [path.name for path in tmp_path.iterdir()] == ["key.pub"]


@pytest.mark.parametrize("taken", ["key", "key.pub"])
def test_no_key_is_overwritten(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("something")
    with pytest.raises(KeyRefused, match="no key is ever overwritten"):
        new_key(tmp_path / "key", NAME, KeyKind.LOG)
    assert (tmp_path / taken).read_text() == "something"


def spoilt(line: str) -> dict[str, str]:
    """The line of a key file, spoilt in different ways; what the refusal says."""
    head, key_id, secret = line.rsplit("+", 2)
    return {
        "": "no key file",
        "hello": "no key file",
        line.replace("PRIVATE", "PUBLIC"): "no key file",
        f"{head}+00000000+{secret}": "the file says 00000000",
        f"{head}+{key_id}+{secret[:-8]}": "cannot be read",
        f"{head}+{key_id}+!": "cannot be read",
    }


def test_a_spoilt_key_file_is_refused_and_its_secret_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "spoilt"
    seed = bytes(range(32))
    made = _key_of(seed)
    line = f"PRIVATE+KEY+{NAME}+{made.id.hex()}+AQABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"
    path.write_text(line)
    path.chmod(0o600)
    assert read_signer(path).public_key == made
    for content, said in spoilt(line.strip()).items():
        path.write_text(content)
        with pytest.raises(KeyRefused, match=said) as refused:
            read_signer(path)
        assert "AQABAgME" not in str(refused.value)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(KeyRefused, match="not text"):
        read_signer(path)


def _key_of(seed: bytes) -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PublicKey(NAME, KeyKind.LOG, Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyRefused, match="rack keys new"):
        read_signer(tmp_path / "nowhere")
    with pytest.raises(KeyRefused):
        read_signer(tmp_path)
    with pytest.raises(KeyRefused, match="No such file"):
        read_public_key(tmp_path / "nowhere")


def test_a_public_key_of_the_wrong_kind_is_refused(tmp_path: Path, signer: FileSigner) -> None:
    new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    with pytest.raises(KeyRefused, match="key of a witness; expected that of a log"):
        read_public_key(tmp_path / "w.pub")
    assert read_public_key(tmp_path / "w.pub", KeyKind.WITNESS).name == "north"
    (tmp_path / "w.pub").write_text("north+00000000+AAAA\n")
    with pytest.raises(KeyRefused, match=r"w\.pub: the public key north"):
        read_public_key(tmp_path / "w.pub", KeyKind.WITNESS)


class Device:
    """A device that holds a key and never gives it out, as a PKCS#11 module or a key service would."""

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self._inner = FILE_OF_DEVICE[slot]

    @property
    def public_key(self) -> PublicKey:
        return self._inner.public_key

    def sign(self, message: bytes) -> bytes:
        return self._inner.sign(message)


FILE_OF_DEVICE: dict[str, Signer] = {}


def test_a_hook_takes_the_place_of_a_private_key(tmp_path: Path, signer: FileSigner) -> None:
    FILE_OF_DEVICE["slot-1"] = signer
    path = tmp_path / "hook"
    path.write_text(f"HOOK {__name__}:Device slot-1\n")
    path.chmod(0o600)
    found = read_signer(path)
    assert isinstance(found, Device)
    assert verify(Note("text\n", (sign("text\n", found),)), [signer.public_key])
    path.chmod(0o644)
    with pytest.raises(KeyRefused, match="its mode is 0644"):
        read_signer(path)


@pytest.mark.parametrize("line", ["HOOK nowhere.at_all:Device x", f"HOOK {__name__}:NoSuchThing x"])
def test_a_hook_that_is_not_there(tmp_path: Path, line: str) -> None:
    path = tmp_path / "hook"
    path.write_text(line)
    path.chmod(0o600)
    with pytest.raises(KeyRefused, match="cannot be loaded"):
        read_signer(path)


def ring_of(*payloads: Event) -> KeyRing:
    """The keys of a property stream that holds these events, from number 1."""
    ring = KeyRing()
    for seq, payload in enumerate(payloads, 1):
        envelope = Envelope(
            log_id=LOG_ID,
            property_id="bellwether",
            stream=PROPERTY_STREAM,
            seq=seq,
            event_id=f"{seq:032x}",
            source="keys",
            source_seq=seq,
            occurred_at_us=0,
            recorded_at_us=seq,
            gaming_day="2026-03-14",
            round_no=None,
            type=payload.TYPE,
            version=payload.VERSION,
            payload=payload,
        )
        ring.add(Record(PROPERTY_STREAM, seq, encode(envelope), b""))
    return ring


def published(key: PublicKey, vouch: str | None = None) -> KeyPublished:
    return KeyPublished(by="chief", public_key=str(key), vouch=vouch)


def retired(key: PublicKey) -> KeyRetired:
    return KeyRetired(by="chief", public_key=str(key), reason="yearly change")


@pytest.fixture
def keys(tmp_path: Path) -> list[FileSigner]:
    return [new_key(tmp_path / f"k{n}", NAME, KeyKind.LOG) for n in range(3)]


def test_a_key_is_in_force_from_its_publication_to_its_retirement(keys: list[FileSigner]) -> None:
    a, b = keys[0].public_key, keys[1].public_key
    ring = ring_of(published(a), published(b), retired(a))
    assert [ring.in_force(size) for size in range(5)] == [[], [a], [a, b], [b], [b]]
    assert ring.of(keys[2].public_key) is None


def test_a_retired_key_stays_retired(keys: list[FileSigner]) -> None:
    a = keys[0].public_key
    ring = ring_of(published(a), retired(a), published(a), retired(a))
    assert [ring.in_force(size) for size in (1, 2, 3, 4)] == [[a], [], [], []]


def test_trust_goes_from_key_to_key_by_vouching(keys: list[FileSigner]) -> None:
    a, b, c = (each.public_key for each in keys)
    ring = ring_of(published(a), published(b, vouch_for(b, keys[0])), published(c, vouch_for(c, keys[1])))
    assert ring.trusted([a]) == [a, b, c]
    assert ring.trusted([b]) == [b, c], "trust goes forward only"
    assert ring.trusted([c]) == [c]
    assert ring.unvouched() == []


def test_a_key_for_which_nobody_vouches_is_not_trusted(keys: list[FileSigner]) -> None:
    a, b, c = (each.public_key for each in keys)
    ring = ring_of(published(a), published(b), published(c, vouch_for(c, keys[1])))
    assert ring.trusted([a]) == [a]
    assert ring.trusted([a, b]) == [a, b, c]
    assert ring.unvouched() == [b]


def test_a_vouch_for_another_key_or_by_another_key_is_worth_nothing(keys: list[FileSigner]) -> None:
    a, b, c = (each.public_key for each in keys)
    for vouch in (vouch_for(c, keys[0]), vouch_for(b, keys[2]), vouch_for(b, keys[1]), "nonsense", "— x AAAA"):
        ring = ring_of(published(a), published(b, vouch))
        assert ring.trusted([a]) == [a], vouch
        assert ring.unvouched() == [b], vouch


def test_a_vouch_counts_up_to_the_event_before_the_retirement(keys: list[FileSigner]) -> None:
    """D447: both sides of the boundary, and of the publication of the key that vouches."""
    a, b = keys[0].public_key, keys[1].public_key
    by_a = published(b, vouch_for(b, keys[0]))
    before = ring_of(published(a), by_a, retired(a))
    assert (before.faults, before.trusted([a]), before.unvouched()) == ({}, [a, b], [])
    after = ring_of(published(a), retired(a), by_a)
    assert after.trusted([a]) == [a]
    assert after.unvouched() == [b]
    assert list(after.faults) == [3]
    assert f"event 2 had retired the key {a.name} ({a.id.hex()})" in after.faults[3]
    too_early = ring_of(by_a, published(a))
    assert "no event before it publishes the key" in too_early.faults[1]
    assert too_early.trusted([a]) == [a]


def test_what_was_vouched_for_in_time_stays_trusted_when_the_older_key_is_retired(keys: list[FileSigner]) -> None:
    a, b, c = (each.public_key for each in keys)
    ring = ring_of(published(a), published(b, vouch_for(b, keys[0])), retired(a), published(c, vouch_for(c, keys[1])))
    assert (ring.trusted([a]), ring.faults) == ([a, b, c], {})


@pytest.mark.parametrize(
    ("vouch", "words"),
    [
        (lambda keys: vouch_for(keys[1].public_key, keys[1]), "vouches for itself"),
        (lambda keys: vouch_for(keys[1].public_key, keys[2]), "no event before it publishes the key"),
        (lambda keys: vouch_for(keys[2].public_key, keys[0]), "does not fit"),
        (lambda keys: "nonsense", "not a line of signature"),
        (lambda keys: "\n".join([vouch_for(keys[1].public_key, keys[0])] * 2), "expected one line of signature, found 2"),
    ],
    ids=["itself", "unknown", "for another key", "rubbish", "two lines"],
)
def test_a_vouch_that_does_not_count_is_a_fault_of_its_event(
    keys: list[FileSigner], vouch: Callable[[list[FileSigner]], str], words: str
) -> None:
    a, b = keys[0].public_key, keys[1].public_key
    ring = ring_of(published(a), published(b, vouch(keys)))
    assert list(ring.faults) == [2]
    assert words in ring.faults[2]
    assert f"publishes the key {b.name} ({b.id.hex()})" in ring.faults[2]
    assert ring.trusted([a]) == [a]


def test_a_key_published_again_is_not_vouched_for_by_itself(keys: list[FileSigner]) -> None:
    a, b = keys[0].public_key, keys[1].public_key
    ring = ring_of(published(a), published(b), published(b, vouch_for(b, keys[1])))
    assert "vouches for itself" in ring.faults[3]
    assert ring.trusted([a]) == [a]


def test_earlier_keys_are_those_that_vouch_from_one_to_the_next(keys: list[FileSigner]) -> None:
    a, b, c = (each.public_key for each in keys)
    ring = ring_of(published(a), published(b, vouch_for(b, keys[0])), retired(a), published(c, vouch_for(c, keys[1])))
    assert [ring.earlier([key]) for key in (a, b, c)] == [[], [a], [b, a]]
    assert ring.earlier([a, c]) == [b]
    apart = ring_of(published(a), published(b), published(c, vouch_for(c, keys[0])))
    assert apart.earlier([c]) == [a], "b vouches for nobody"
