"""Functions that the page calls: the answer to a round, and the check of a packet or proof with a given key."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

from cryptography.hazmat.primitives.asymmetric.ed25519 import ANSWERS, OPEN

from desk.verification.file import NotAFile, check_file
from events.errors import EventError, IntegrityError
from events.proofs.signed_note import BadNote, PublicKey
from replay.installed_games import add_installed_games
from replay.run.engine import engine
from replay.transcript import entry

add_installed_games()


def judge() -> str:
    """Return the name of the engine, the same as in an installation of this version."""
    return engine()


def forms() -> str:
    """Return the forms of all chapters, as JSON."""
    return json.dumps(entry.forms())


def answer(text: str) -> str:
    """Return the answer to a transcript, as JSON."""
    return json.dumps(entry.answer(text))


def verify(data: bytes, key: str, name: str) -> str:
    """Check a file with a public key; return the result as JSON, or the signatures that the browser must check first."""
    OPEN.clear()
    said = _checked(bytes(data), key, name)
    if OPEN:
        return json.dumps({"asked": [[b64encode(part).decode() for part in question] for question in OPEN]})
    return json.dumps(said | {"asked": []})


def answered(question: list[str], *, is_valid: bool) -> None:
    """Record the browser's answer about a signature."""
    key, signature, message = (b64decode(part) for part in question)
    ANSWERS[key, signature, message] = is_valid


def _checked(data: bytes, key: str, name: str) -> dict[str, object]:
    try:
        done = check_file(data, [PublicKey.parse(key)], name)
    except (EventError, IntegrityError, BadNote, NotAFile, ValueError) as error:
        return {"ok": False, "lines": [str(error)]}
    return {"ok": not done.differs, "lines": done.lines}
