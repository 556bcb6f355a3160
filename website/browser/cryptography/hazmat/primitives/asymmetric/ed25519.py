"""Ed25519 in a browser, which answers later: requests are recorded, and the check runs again after WebCrypto's answer.

Invariant: a check is valid only once every requested signature was answered (`in_browser.py`); until then a signature passes, so
that the check reaches its next request.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature

Question = tuple[bytes, bytes, bytes]
"""Key, signature and message."""

ANSWERS: dict[Question, bool] = {}
OPEN: dict[Question, None] = {}


class Ed25519PublicKey:
    """A public key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def from_public_bytes(cls, data: bytes) -> Ed25519PublicKey:
        """Return the key from its bytes. Raises `ValueError` unless there are 32."""
        if len(data) != 32:
            raise ValueError("an Ed25519 public key has 32 bytes")
        return cls(bytes(data))

    def verify(self, signature: bytes, data: bytes) -> None:
        """Raise `InvalidSignature` if the browser found the signature invalid."""
        question = (self._key, bytes(signature), bytes(data))
        if question not in ANSWERS:
            OPEN[question] = None
        elif not ANSWERS[question]:
            raise InvalidSignature


class Ed25519PrivateKey:
    """Not available in a browser: nothing is signed here."""
