"""Signed notes and checkpoints, against notes that others signed and an independent reading of the format."""

import base64
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from events.proofs.checkpoint import Checkpoint, cosign, open_checkpoint, origin_of, sign_checkpoint
from events.proofs.signed_note import BadNote, KeyKind, Note, NoteSignature, PublicKey, sign, verify

# The reference implementation's own example (golang.org/x/mod/sumdb/note): seed, public key, text, note.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
PETERS = f"{TEXT}\n{LINE}".encode()

# A checkpoint of the Go checksum database.
SUMDB = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
SUMDB_NOTE = """go.sum database tree
13485
/ZWur4obeiqK+ASdnPK+/Rmz6LPQMUeSmHh0+UkL54Y=

— sum.golang.org Az3grnQReYTvpCrRxT+w50vixbqBlB/aPS8bL8f8KW4HHP+UjLSXOJgCh4f54n8hO6lrESglzyRXMXnhaWzaeY3zqw8=
""".encode()

# A checkpoint of a Certificate Transparency log with the cosignatures of public witnesses.
ARCHE = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
REMORA = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
ARCHE_NOTE = Path(__file__).with_name("arche2025h1.note").read_bytes()

ORIGIN = origin_of("00112233445566778899aabbccddeeff", "bellwether")


class Seed:
    """A signer made from 32 bytes, with `cryptography` alone."""

    def __init__(self, name: str, kind: KeyKind = KeyKind.LOG, seed: bytes = b"\x07" * 32) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = PublicKey(name, kind, self.private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self.private.sign(message)


def test_the_reference_note_verifies_and_is_made_again_to_the_byte() -> None:
    key, signer = PublicKey.parse(PETER), Seed("PeterNeumann", seed=PETER_SEED)
    assert str(key) == PETER
    assert signer.public_key == key
    note = Note.decode(PETERS)
    assert (note.text, note.encode()) == (TEXT, PETERS)
    assert [each.key for each in verify(note, [key])] == [key]
    assert Note(TEXT, (sign(TEXT, signer),)).encode() == PETERS


def test_a_checkpoint_of_the_checksum_database_verifies() -> None:
    """Its origin is not its key's name: it verifies as a note, and as a checkpoint it is read."""
    note = Note.decode(SUMDB_NOTE)
    assert len(verify(note, [PublicKey.parse(SUMDB)])) == 1
    assert Checkpoint.parse(note.text).size == 13485
    assert Checkpoint.parse(note.text).text() == note.text


def test_a_checkpoint_with_the_cosignatures_of_public_witnesses_verifies() -> None:
    note, log, witness = Note.decode(ARCHE_NOTE), PublicKey.parse(ARCHE), PublicKey.parse(REMORA)
    assert (log.kind, witness.kind) == (KeyKind.LOG, KeyKind.WITNESS)
    checkpoint, signed = open_checkpoint(note, [log, witness])
    assert (checkpoint.size, signed.key) == (1432088532, log)
    (seen,) = verify(note, [witness])
    assert seen.time_s == 0x6A122120
    assert note.encode() == ARCHE_NOTE
    for key in (log, witness):
        with pytest.raises(BadNote, match="does not fit"):
            verify(Note.decode(ARCHE_NOTE.replace(b"\n1432088532\n", b"\n42\n")), [key])


def test_every_changed_letter_of_a_signed_text_is_found() -> None:
    key = PublicKey.parse(PETER)
    for place in range(len(TEXT) - 1):
        edited = TEXT[:place] + ("x" if TEXT[place] != "x" else "y") + TEXT[place + 1 :]
        with pytest.raises(BadNote, match="does not fit"):
            verify(Note(edited, Note.decode(PETERS).signatures), [key])


def test_signatures_of_others_are_ignored() -> None:
    note = Note.decode(ARCHE_NOTE)
    assert verify(note, [PublicKey.parse(PETER)]) == []
    with pytest.raises(BadNote, match="no trusted key of arche"):
        open_checkpoint(note, [PublicKey.parse(PETER), PublicKey.parse(REMORA)])


def test_a_signature_under_a_known_name_and_id_must_fit() -> None:
    """A line that says it is of a trusted key and is not spoils the note, wherever it is."""
    bad = NoteSignature("PeterNeumann", bytes.fromhex("c74f20a3"), b"\x01" * 64)
    with pytest.raises(BadNote, match="does not fit"):
        verify(Note(TEXT, (bad,)), [PublicKey.parse(PETER)])
    with pytest.raises(BadNote, match="twice"):
        verify(Note(TEXT, (sign(TEXT, Seed("PeterNeumann", seed=PETER_SEED)), bad)), [PublicKey.parse(PETER)])
    short = NoteSignature("PeterNeumann", bytes.fromhex("c74f20a3"), b"\x01")
    with pytest.raises(BadNote, match="does not fit"):
        verify(Note(TEXT, (short,)), [PublicKey.parse(PETER)])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (TEXT.encode(), "empty line"),
        (f"{TEXT}\n".encode(), "not a"),
        (PETERS[:-1], "lines of signatures"),
        (b"\x01" + PETERS, "control character"),
        (PETERS.replace(b"\n\n", b"\r\n\n"), "control character"),
        (b"\xff" + PETERS, "UTF-8"),
        (PETERS.replace("— Peter".encode(), "— Bad Peter".encode()), "not a line"),
        (PETERS.replace("— ".encode(), b"-- "), "not a line"),
        (PETERS + b"More.\n", "not a line"),
        (PETERS.replace(b"AM=\n", b"AM\n"), "base64"),
        (PETERS.replace(b"AM=\n", b"AN=\n"), "canonical"),
        (PETERS.replace(b"x08go/", b"x08go_"), "base64"),
        (f"{TEXT}\n— a+b AAAAAAA=\n".encode(), "no name"),
        (f"{TEXT}\n— a AAAAAA==\n".encode(), "4 bytes"),
        (f"{TEXT}\n{LINE * 101}".encode(), "101 signatures"),
        (b"a" * 70_000, "70000 bytes"),
    ],
)
def test_what_is_no_note_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadNote, match=message):
        Note.decode(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PeterNeumann+c74f20a3", "name"),
        (PETER.replace("c74f20a3", "c74f20a4"), "its id is c74f20a3"),
        (PETER.replace("c74f20a3", "C74F20A3"), "its id is"),
        (PETER.replace("PeterNeumann", "Peter Neumann"), "no name"),
        ("PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "Ed25519"),
        ("PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==", "base64"),
        ("", "name"),
    ],
)
def test_what_is_no_key_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadNote, match=message):
        PublicKey.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a\n1\n",
        "a\n1\nAAAA\n",
        "a\n01\n" + "A" * 43 + "=\n",
        "\n1\n" + "A" * 43 + "=\n",
        "a\n-1\n" + "A" * 43 + "=\n",
        "a\n1\n" + "A" * 43 + "=\nmore\n",
        "a\n1\n" + "A" * 43 + "=",
        "a\n1\n" + "A" * 42 + "B=\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


@given(st.integers(0, 2**53 - 1), st.binary(min_size=32, max_size=32))
def test_a_checkpoint_reads_back_and_verifies_by_hand(size: int, root: bytes) -> None:
    """The note that we sign, read with string functions and `cryptography` alone."""
    signer, witness = Seed(ORIGIN), Seed("w.example", KeyKind.WITNESS, b"\x09" * 32)
    note = cosign(sign_checkpoint(Checkpoint(ORIGIN, size, root), signer), witness, 1_679_315_147)
    text, _, lines = note.encode().decode().rpartition("\n\n")
    first, second = (base64.b64decode(line.split(" ")[2]) for line in lines.splitlines())
    public = signer.public_key.key
    assert text.splitlines() == [ORIGIN, str(size), base64.b64encode(root).decode()]
    assert first[:4] == sha256(ORIGIN.encode() + b"\n\x01" + public).digest()[:4]
    Ed25519PublicKey.from_public_bytes(public).verify(first[4:], f"{text}\n".encode())
    assert second[:4] == sha256(b"w.example\n\x04" + witness.public_key.key).digest()[:4]
    assert int.from_bytes(second[4:12], "big") == 1_679_315_147
    Ed25519PublicKey.from_public_bytes(witness.public_key.key).verify(
        second[12:], f"cosignature/v1\ntime 1679315147\n{text}\n".encode()
    )
    checkpoint, _ = open_checkpoint(Note.decode(note.encode()), [signer.public_key])
    assert checkpoint == Checkpoint(ORIGIN, size, root)


def test_a_key_signs_only_what_is_its_own() -> None:
    checkpoint = Checkpoint(ORIGIN, 1, b"\0" * 32)
    with pytest.raises(BadNote, match="does not sign for the log"):
        sign_checkpoint(checkpoint, Seed("another"))
    with pytest.raises(BadNote, match="does not sign for the log"):
        sign_checkpoint(checkpoint, Seed(ORIGIN, KeyKind.WITNESS))
    with pytest.raises(BadNote, match="only a witness states a time"):
        cosign(sign_checkpoint(checkpoint, Seed(ORIGIN)), Seed("w"), 1)
    with pytest.raises(BadNote, match="only a witness states a time"):
        sign(TEXT, Seed("w", KeyKind.WITNESS))
    with pytest.raises(BadNote):
        sign("no line break", Seed("w"))
    with pytest.raises(BadNote):
        sign("a\ttab\n", Seed("w"))


def test_a_cosignature_is_no_signature_of_the_log() -> None:
    """The same key pair under both kinds has two ids, and what one signs never verifies as the other."""
    log, witness = Seed(ORIGIN), Seed(ORIGIN, KeyKind.WITNESS)
    assert log.public_key.id != witness.public_key.id
    signed = sign_checkpoint(Checkpoint(ORIGIN, 1, b"\0" * 32), log)
    cosigned = sign(signed.text, witness, time_s=5)
    posed = NoteSignature(ORIGIN, log.public_key.id, cosigned.data[8:])
    with pytest.raises(BadNote, match="does not fit"):
        open_checkpoint(Note(signed.text, (posed,)), [log.public_key])
