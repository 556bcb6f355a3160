"""What the devices showed, with the chances of it: the samples that `fairness` tests.

The law of this file: a sample is what lies in the marts and nothing is left out of it for how it came out; hands of another size
than the game deals (a round that was broken off) are no sample of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import msgspec

from analytics.chances import pack_of, patterns, starts_by_dice, totals
from analytics.selection import WHERE_PER_MONTH, Selection, frame
from analytics.warehouse import Warehouse

BY_FAIRNESS: Final = ("property", "game", "table", "dice_set", "deck")
_TABLE: Final = {
    "property": (),
    "game": ("game",),
    "table": ("game", "table_id"),
    "dice_set": ("dice_set",),
    "deck": ("game", "table_id", "deck"),
}

WITH_BUTTON: Final = "player_dealer"
"""Here a seat is counted from the action button, so that positions have no odds of their own."""


MOST_POSITIONS: Final = 7


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How often each value came in `n` tries, `cards` values in each, and its chance. `scale` stretches a chi-square statistic to
    what drawing without replacement leaves of it."""

    family: str
    key: dict[str, Any]
    n: int
    times: Mapping[str, int]
    chances: Mapping[str, float]
    cards: int = 1
    scale: float = 1.0


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """A sum over pairs of rounds, and the mean and variance that each pair has by chance."""

    family: str
    key: dict[str, Any]
    pairs: int
    total: int
    mean: float
    variance: float


def observed(db: Warehouse, by: str, selection: Selection, only: str | None = None) -> Iterator[Counted | Repeated]:
    """Yield every sample, or those of one family only, told apart by what is asked.

    Raises `ValueError` for what nothing is told apart by.
    """
    if by not in BY_FAIRNESS:
        raise ValueError(f"not told apart by {by!r}; one of {', '.join(BY_FAIRNESS)}")
    ask, keys = partial(_grouped, db, selection), _TABLE[by]
    wanted = [family for family in _OF_DEVICE.get(by, (*_DICE, *_CARDS)) if only in (None, family)]
    for family in wanted:
        if family in _DICE:
            yield from _DICE[family](ask, keys)
    if not _CARDS.keys().isdisjoint(wanted):
        games, size = tuple(dict.fromkeys(("game", *keys))), _size_of_hands(ask)
        for family in wanted:
            if family in _CARDS:
                yield from _CARDS[family](ask, games, size)


Ask = Callable[[str, tuple[str, ...], str, str], Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]]


def _grouped(
    db: Warehouse, selection: Selection, mart: str, keys: tuple[str, ...], sums: str, where: str
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each group of a mart with its rows. `sums` are the value columns and the sums over them."""
    named = "".join(f"{key}, " for key in keys)
    rows = frame(
        db,
        f"SELECT {named}{sums} FROM {mart} WHERE {where} AND {WHERE_PER_MONTH} GROUP BY ALL HAVING count(*) > 0 ORDER BY ALL",
        selection,
    )
    for group, of_group in groupby(rows.rows(named=True), key=itemgetter(*keys) if keys else lambda _: ()):
        values = group if len(keys) > 1 else (group,)
        yield dict(zip(keys, values, strict=False)), list(of_group)


def _counts(rows: list[dict[str, Any]], value: str) -> dict[str, int]:
    return {str(row[value]): row["times"] for row in rows}


def _die(ask: Ask, keys: tuple[str, ...]) -> Iterator[Counted]:
    sixth = {str(face): 1 / 6 for face in range(1, 7)}
    for key, rows in ask("mart_faces", (*keys, "die"), "face, sum(rolls)::BIGINT AS times", "true"):
        times = _counts(rows, "face")
        yield Counted(family="die", key=key, n=sum(times.values()), times=times, chances=sixth)


def _total(ask: Ask, keys: tuple[str, ...]) -> Iterator[Counted]:
    for key, rows in ask("mart_totals", keys, "total, sum(rolls)::BIGINT AS times", "true"):
        times = _counts(rows, "total")
        yield Counted(family="total", key=key, n=sum(times.values()), times=times, chances=totals())


def _lag(ask: Ask, keys: tuple[str, ...]) -> Iterator[Repeated]:
    sums = "sum(pairs)::BIGINT AS pairs, sum(lag_products)::BIGINT AS total"
    for key, rows in ask("mart_totals", keys, sums, "true"):
        # 2 × total - 21 of three dice has the mean 0 and the variance 4 × 3 × 35/12
        yield Repeated(
            family="lag", key=key, pairs=rows[0]["pairs"], total=rows[0]["total"], mean=0.0, variance=35.0**2
        )


_BY_NUMBER: Final = "SELECT stream FROM mart_starts WHERE kind = 'number'"


def _number(ask: Ask, keys: tuple[str, ...]) -> Iterator[Counted]:
    seventh = {str(number): 1 / 7 for number in range(1, 8)}
    for key, rows in ask("mart_starts", keys, "value, sum(rounds)::BIGINT AS times", "kind = 'number'"):
        times = _counts(rows, "value")
        yield Counted(family="number", key=key, n=sum(times.values()), times=times, chances=seventh)


def _start(ask: Ask, keys: tuple[str, ...]) -> Iterator[Counted]:
    by_dice = f"stream IN (SELECT stream FROM mart_totals) AND stream NOT IN ({_BY_NUMBER})"
    where = f"kind = 'start' AND game <> '{WITH_BUTTON}' AND {by_dice}"
    for key, rows in ask("mart_starts", keys, "value, sum(rounds)::BIGINT AS times", where):
        times = _counts(rows, "value")
        yield Counted(family="start", key=key, n=sum(times.values()), times=times, chances=starts_by_dice())


_POSITIONS: Final = "(position = 'dealer' OR regexp_full_match(position, '[1-7]|pile-[1-7]'))"


def _size_of_hands(ask: Ask) -> dict[str, int]:
    """Game → how many cards its hands have: most of them say it."""
    return {
        key["game"]: max(rows, key=lambda row: int(row["times"]))["cards"]
        for key, rows in ask("mart_hands", ("game",), "cards, sum(hands)::BIGINT AS times", _POSITIONS)
    }


def _positions(ask: Ask, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[Counted]:
    sums = "cards, card, sum(times)::BIGINT AS times"
    for key, rows in ask("mart_cards", (*keys, "method", "position"), sums, _POSITIONS):
        pack, cards = pack_of(key["game"]), size.get(key["game"], 0)
        if pack is None or not 0 < cards < pack.cards:
            continue
        times = _counts([row for row in rows if row["cards"] == cards], "card")
        n = sum(times.values()) // cards
        chances = {card: (pack.jokers if card == "Jk" else pack.copies) / pack.cards for card in _faces(pack.jokers)}
        if n:
            scale = (pack.cards - 1) / (pack.cards - cards)
            yield Counted(family="card", key=key, n=n, times=times, chances=chances, cards=cards, scale=scale)


def _faces(jokers: int) -> list[str]:
    return [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"] + (["Jk"] if jokers else [])


def _jokers(ask: Ask, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[Counted]:
    sums = "cards, joker, sum(hands)::BIGINT AS times"
    for key, rows in ask("mart_hands", (*keys, "method", "position"), sums, _POSITIONS):
        pack, cards = pack_of(key["game"]), size.get(key["game"], 0)
        mine = [row for row in rows if row["cards"] == cards]
        if pack is None or pack.jokers != 1 or not mine:
            continue
        chances = {"joker": cards / pack.cards, "none": 1 - cards / pack.cards}
        times = {"joker" if row["joker"] else "none": row["times"] for row in mine}
        yield Counted(family="joker", key=key, n=sum(times.values()), times=times, chances=chances)


def _hands(ask: Ask, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[Counted]:
    sums = "cards, pattern, joker, sum(hands)::BIGINT AS times"
    for key, rows in ask("mart_hands", (*keys, "method"), sums, "position = 'dealer'"):
        pack, cards = pack_of(key["game"]), size.get(key["game"], 0)
        if pack is None:
            continue
        chances = {_pattern(*value): chance for value, chance in patterns(pack, cards).items()}
        times: dict[str, int] = {}
        for row in rows:
            if row["cards"] == cards:
                name = _pattern(row["pattern"], row["joker"])
                times[name] = times.get(name, 0) + row["times"]
        if times:
            yield Counted(family="hand", key=key, n=sum(times.values()), times=times, chances=chances)


def _pattern(pattern: str, joker: bool) -> str:
    return f"{pattern} and joker" if joker else pattern


def _repeats(ask: Ask, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[Repeated]:
    sums = "cards, sum(pairs)::BIGINT AS pairs, sum(repeated)::BIGINT AS repeated"
    for key, rows in ask("mart_repeats", (*keys, "method"), sums, _POSITIONS):
        pack, cards = pack_of(key["game"]), size.get(key["game"], 0)
        mine = [row for row in rows if row["cards"] == cards]
        if pack is None or pack.copies != 1 or not mine:
            continue
        mean = cards * cards / pack.cards
        variance = mean * (1 - cards / pack.cards) * (pack.cards - cards) / (pack.cards - 1)
        together = cards**4 / (pack.cards**2 * (pack.cards - 1))  # covariance of two positions of a round
        variance += (MOST_POSITIONS - 1) * together
        yield Repeated(
            family="repeat", key=key, pairs=mine[0]["pairs"], total=mine[0]["repeated"], mean=mean, variance=variance
        )


_DICE: Final[dict[str, Callable[[Ask, tuple[str, ...]], Iterator[Counted | Repeated]]]] = {
    "die": _die, "total": _total, "lag": _lag, "number": _number, "start": _start,
}  # fmt: skip
"""What dice and drawn numbers show, by family."""
_CARDS: Final[dict[str, Callable[[Ask, tuple[str, ...], Mapping[str, int]], Iterator[Counted | Repeated]]]] = {
    "card": _positions, "joker": _jokers, "hand": _hands, "repeat": _repeats,
}  # fmt: skip
"""What cards show, by family; each game by itself."""
_OF_DEVICE: Final = {"dice_set": ("die", "total", "lag"), "deck": ("joker", "hand", "repeat")}
"""The families of what belongs to a device and not to a table."""
