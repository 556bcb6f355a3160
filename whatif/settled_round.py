"""A round at its settlement: the table that settles it, and each wager's due and paid amount.

Invariant: the table settles the round exactly as it was judged. This is checked before a row is written, by the same `settle`
that a what-if calls with other rules, so there is one set of rules. A round that is void or ambiguous, or whose table does not
give the amounts due, is `Ineligible`: event replay settles it.
"""

from functools import lru_cache
from typing import Any, Final

import msgspec

from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.only_layout import only_layout
from replay.settlement.settlement import settlements
from replay.settlement.stakes import ENVY
from replay.settlement.withdrawals import as_withdrawn
from rulebook.catalogue import GAMES
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.layout import TableLayout

_CACHED_TEXTS: Final = 64
_ENVY_BONUSES: Final = frozenset(ENVY.values())
_ENCODER: Final = msgspec.msgpack.Encoder()


class Ineligible(Exception):
    """The reason why a round cannot be settled from its row."""


class SettledRow(msgspec.Struct, frozen=True, array_like=True):
    """A wager or Envy Bonus: the cents staked, due by the rules in force and paid; None if the evidence is inconclusive."""

    seat: int
    wager: str
    number: int | None
    bettor: str
    staked_cents: int
    due_cents: int | None
    done_cents: int | None

    @property
    def is_envy(self) -> bool:
        """Whether this is an Envy Bonus, which is due for a hand, not for a stake."""
        return self.wager in _ENVY_BONUSES


class SettledRound(msgspec.Struct, frozen=True):
    """The table at the settlement, and every wager of the round."""

    layout: TableLayout
    wagers: tuple[SettledRow, ...]


_DECODER: Final = msgspec.msgpack.Decoder(SettledRound)


def unpacked(data: bytes) -> SettledRound:
    """Unpack a round packed by `packed`."""
    return _DECODER.decode(data)


def packed(round_: Round, book: Rulebook) -> bytes:
    """Return a packed round with the rules that judged it. Raises `Ineligible`."""
    if book.chapter.edition_digest:
        raise Ineligible("judged by an amended edition of the chapter")
    round_ = as_withdrawn(round_, book)
    layout = only_layout(round_, book)
    if layout is None:
        raise Ineligible("void, or to be read in several ways")
    wagers = tuple(
        SettledRow(made.seat, made.wager, made.number, made.bettor, made.staked_cents, made.due_cents, made.done_cents)
        for made in settlements(round_, book)
    )
    data = _ENCODER.encode(SettledRound(layout, wagers))
    if not _gives_what_was_due(unpacked(data), book):
        raise Ineligible("not due by its table alone")
    return data


def _gives_what_was_due(settled: SettledRound, book: Rulebook) -> bool:
    dues = net_dues(settled.layout, book)
    known = {key_in(wager) for wager in settled.wagers}
    return dues.keys() <= known and all(due_by(dues, wager) == wager.due_cents for wager in settled.wagers)


def net_dues(layout: TableLayout, book: Rulebook) -> dict[Key, int | None]:
    """Return the patron's net of every wager by a rulebook, None if inconclusive; Envy Bonuses of a seat are one amount."""
    nets: dict[Key, int | None] = {}
    for due in GAMES[book.game].settle(book, layout):
        key = key_in(due)
        if due.for_position is None:
            nets[key] = due.net_cents
        else:
            before = nets.get(key, 0)
            nets[key] = None if before is None or due.net_cents is None else before + due.net_cents
    return nets


def due_by(dues: dict[Key, int | None], wager: SettledRow) -> int | None:
    """Return the amount due for a round's wager, given its table's `dues`.

    A wager or payment that was not on the table (a wager placed late, a payment without a wager) has the same due under any
    rules. An Envy Bonus that the table does not give is not due.
    """
    return dues.get(key_in(wager), 0 if wager.is_envy else wager.due_cents)


@lru_cache(maxsize=_CACHED_TEXTS)
def rulebook_in(text: str) -> Rulebook:
    """Return the rulebook of a filed text or of a replacement."""
    return parse_submission(text, source="the round table")


def is_played_alike(filed: Rulebook, other: Rulebook) -> bool:
    """Return whether rounds played by the rules on file have the same table by other rules, except for a meter.

    The chapter, the deal method, and the closing time of the offered wagers decide when a round is void or a wager late; the
    house way decides how the dealer's hand counts.
    """
    if other.mystery_meter is not None and _mystery(filed) != _mystery(other):
        return False
    return _play(filed) == _play(other)


def _play(book: Rulebook) -> tuple[Any, ...]:
    closes = frozenset(book.chapter.wagers[wager].closes for wager in book.offers)
    return book.chapter.key, book.deal_method, closes, book.house_way and book.house_way.digest


def _mystery(book: Rulebook) -> tuple[str | None, bool, Any]:
    return book.mystery_meter, book.linked_mystery, book.offers.get("mystery")


def has_same_meter(settled: SettledRound, filed: Rulebook, other: Rulebook) -> bool:
    """Return whether a table has the progressive meter of other rules: the same meter, or no wager on it."""
    if (filed.linked_meter, filed.mystery_meter) == (other.linked_meter, other.mystery_meter):
        return True
    return not any("progressive" in box.stakes for box in settled.layout.boxes)
