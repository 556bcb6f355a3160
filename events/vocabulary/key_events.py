"""Keys that sign for the log: their publication and retirement in the property's stream, which their signatures cover."""

from typing import Annotated

from msgspec import Meta

from events.vocabulary.base import Event, Text, Token, at, event

KeyText = Annotated[str, Meta(pattern=r"\A[!-*,-~]{1,100}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\Z")]
"""A public key as in C2SP signed-note: name, id and base64 (see `events.proofs.signed_note`)."""


@event("key_published", at(property="keys"))
class KeyPublished(Event, frozen=True, kw_only=True):
    """From here on this key signs for the log. `vouch` is an older key's signature over it, null for the first key."""

    by: Token
    public_key: KeyText
    vouch: Text | None


@event("key_retired", at(property="keys"))
class KeyRetired(Event, frozen=True, kw_only=True):
    """From here on this key signs nothing more; its earlier signatures stay valid."""

    by: Token
    public_key: KeyText
    reason: Text
