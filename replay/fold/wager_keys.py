"""What tells the wagers of a round apart."""

from __future__ import annotations

from typing import Any

Key = tuple[int, str, int | None, str]
"""What tells wagers apart: seat, wager, the number of a Match wager, and who placed a backline wager (else empty)."""


def key_of(seat: int, wager: str, number: int | None, bettor: str) -> Key:
    """Return the key of a wager."""
    return seat, wager, number if wager == "match" else None, bettor if wager == "backline" else ""


def key_in(said: Any) -> Key:
    """Return the key of the wager that an event, a stake, an amount due or a settlement speaks of.

    It is `key_of` written out: a replay asks for it a hundred times a round.
    """
    wager = said.wager
    return said.seat, wager, said.number if wager == "match" else None, said.bettor if wager == "backline" else ""
