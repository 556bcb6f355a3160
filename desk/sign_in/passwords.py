"""Passwords and one-time codes: storing and checking them, without people or files."""

import secrets
import unicodedata
from base64 import b32encode
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.twofactor.totp import TOTP

SHORTEST, LONGEST = 12, 200
"""Characters of a password."""
STEP_S: Final = 30
"""A one-time code changes this often."""
_MEMORY_KIB, _PASSES = 64 * 1024, 3
"""Argon2id with 64 MiB and three passes: what RFC 9106 recommends where memory is short."""


def password_objection(password: str, *own: str) -> str:
    """Return why a password is refused; empty if it is accepted. `own`: the person's known words, such as the name.

    >>> password_objection("short"), password_objection("correct horse battery")
    ('a password has 12 to 200 characters', '')
    """
    folded = _normal(password)
    if not SHORTEST <= len(folded) <= LONGEST:
        return f"a password has {SHORTEST} to {LONGEST} characters"
    if len(set(folded)) < 5:
        return "a password has at least five different characters"
    if any(word and word.casefold() in folded.casefold() for word in own):
        return "a password does not contain your name or id"
    return ""


def hash_password(password: str) -> str:
    """Return the stored form of a password: a salted Argon2id hash."""
    kdf = Argon2id(salt=secrets.token_bytes(16), length=32, iterations=_PASSES, lanes=1, memory_cost=_MEMORY_KIB)
    return kdf.derive_phc_encoded(_normal(password).encode())


def is_password(password: str, kept: str) -> bool:
    """Return whether a password matches a stored hash."""
    try:
        Argon2id.verify_phc_encoded(_normal(password)[: LONGEST + 1].encode(), kept)
    except InvalidKey:
        return False
    return True


def new_code_secret() -> bytes:
    """Return a new secret for one-time codes."""
    return secrets.token_bytes(20)


def readable(secret: bytes) -> str:
    """Return a secret in the form to type into an authenticator.

    >>> readable(bytes(10))
    'AAAA AAAA AAAA AAAA'
    """
    text = b32encode(secret).decode().rstrip("=")
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def authenticator_address(secret: bytes, person: str, where: str) -> str:
    """Return the address by which an authenticator on the same device gets a secret."""
    return _codes(secret).get_provisioning_uri(person, where)


def code_step(secret: bytes, code: str, now_s: float, after: int) -> int | None:
    """Return the step of a correct one-time code, now or 30 seconds off; None if it is wrong or not after `after`.

    A code works once: a person who saw it typed cannot use it again.
    """
    digits = code.replace(" ", "").encode("ascii", "replace")
    now = int(now_s) // STEP_S
    found = None
    for step in (now - 1, now, now + 1):  # all three, so that the time taken tells nothing
        if secrets.compare_digest(_codes(secret).generate(step * STEP_S), digits) and step > after:
            found = step
    return found


def _codes(secret: bytes) -> TOTP:
    return TOTP(secret, 6, SHA1(), STEP_S)


def _normal(password: str) -> str:
    return unicodedata.normalize("NFKC", password)
