"""The key that tells the wagers of a round apart."""

from typing import Any

Key = tuple[int, str, int | None, str]
"""A wager of a round: seat, wager, the number of a Match wager, and who placed a backline wager (else empty)."""


def key_of(seat: int, wager: str, number: int | None, bettor: str) -> Key:
    """Return the key of a wager.

    >>> key_of(3, "base", 4, "p-9"), key_of(3, "match", 4, "p-9")
    ((3, 'base', None, ''), (3, 'match', 4, ''))
    """
    return seat, wager, number if wager == "match" else None, bettor if wager == "backline" else ""


def key_in(item: Any) -> Key:
    """Return the key of the wager that an event, a stake, an amount due or a settlement is about.

    The body of `key_of` is repeated here because a replay calls this a hundred times a round.
    """
    wager = item.wager
    return item.seat, wager, item.number if wager == "match" else None, item.bettor if wager == "backline" else ""
