"""The samples that `fairness` tests: observed values of the devices, with their chances.

Invariant: a sample is everything in the marts, and nothing is left out because of its result; hands without the game's number of
cards (a broken-off round) belong to no sample.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from analytics.fairness.chances import Pack, cards_of, pack_of, patterns, starts_by_dice, totals
from analytics.warehouse.selection import WHERE_PER_MONTH, Selection, frame
from analytics.warehouse.warehouse import Warehouse
from rulebook.catalogue import GAMES

BY_FAIRNESS: Final = ("property", "game", "table", "dice_set", "deck")
_TABLE: Final = {
    "property": (),
    "game": ("game",),
    "table": ("game", "table_id"),
    "dice_set": ("dice_set",),
    "deck": ("game", "table_id", "deck"),
}

MOST_POSITIONS: Final = 7


class ValueCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of each value.

    There are `n` tries with `cards` values each; the chance of a value is missing if its odds are unknown. `scale` corrects a
    chi-square statistic for drawing without replacement.
    """

    family: str
    key: dict[str, Any]
    n: int
    times: Mapping[str, int]
    chances: Mapping[str, float]
    cards: int = 1
    scale: float = 1.0


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """A sum over pairs of rounds, with the mean and variance of a pair by chance."""

    family: str
    key: dict[str, Any]
    pairs: int
    total: int
    mean: float
    variance: float


def observed(db: Warehouse, by: str, selection: Selection, only: str | None = None) -> Iterator[ValueCounts | Repeated]:
    """Yield every sample, or those of one family, grouped by `by`. Raises `ValueError` for an unknown grouping."""
    if by not in BY_FAIRNESS:
        raise ValueError(f"cannot group by {by!r}; expected one of {', '.join(BY_FAIRNESS)}")
    ask, keys = SampleQuery(db=db, selection=selection), _TABLE[by]
    wanted = [family for family in _OF_DEVICE.get(by, (*_DICE, *_CARDS)) if only in (None, family)]
    for family in wanted:
        if family in _DICE:
            yield from _DICE[family](ask, keys)
    if not _CARDS.keys().isdisjoint(wanted):
        games, size = tuple(dict.fromkeys(("game", *keys))), _size_of_hands(ask)
        for family in wanted:
            if family in _CARDS:
                yield from _CARDS[family](ask, games, size)


Key = dict[str, Any]


class SampleQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The marts' rows for a part of the floor, one for each group, sorted."""

    db: Warehouse
    selection: Selection

    def counts(
        self, mart: str, keys: tuple[str, ...], value: str, count: str, where: str = "true"
    ) -> Iterator[tuple[Key, dict[str, int]]]:
        """Yield each group with the counts of each value: the sum of the column `count` by the expression `value`."""
        named = "".join(f"{key}, " for key in keys)
        rows = self._rows(
            f"""
            SELECT {named}list(value) AS seen, list(times) AS times FROM (
                SELECT {named}({value})::VARCHAR AS value, sum({count})::BIGINT AS times
                FROM {mart} WHERE {where} AND {WHERE_PER_MONTH} GROUP BY ALL
            )
            """
        )
        for *group, seen, times in rows:
            yield dict(zip(keys, group, strict=True)), dict(zip(seen, times, strict=True))

    def sums(self, mart: str, keys: tuple[str, ...], of: tuple[str, str], where: str = "true") -> Iterator[tuple[Key, int, int]]:
        """Yield each group with the sums of two columns."""
        named, summed = "".join(f"{key}, " for key in keys), ", ".join(f"sum({column})::BIGINT" for column in of)
        for *group, one, other in self._rows(f"SELECT {named}{summed} FROM {mart} WHERE {where} AND {WHERE_PER_MONTH}"):
            yield dict(zip(keys, group, strict=True)), one, other

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        return frame(self.db, f"{statement} GROUP BY ALL HAVING count(*) > 0 ORDER BY ALL", self.selection).rows()


def _die(ask: SampleQuery, keys: tuple[str, ...]) -> Iterator[ValueCounts]:
    sixth = {str(face): 1 / 6 for face in range(1, 7)}
    for key, times in ask.counts("mart_faces", (*keys, "die"), "face", "rolls"):
        yield ValueCounts(family="die", key=key, n=sum(times.values()), times=times, chances=sixth)


def _total(ask: SampleQuery, keys: tuple[str, ...]) -> Iterator[ValueCounts]:
    for key, times in ask.counts("mart_totals", keys, "total", "rolls"):
        yield ValueCounts(family="total", key=key, n=sum(times.values()), times=times, chances=totals())


def _lag(ask: SampleQuery, keys: tuple[str, ...]) -> Iterator[Repeated]:
    for key, pairs, total in ask.sums("mart_totals", keys, ("pairs", "lag_products")):
        # 2 × total - 21 of three dice has the mean 0 and the variance 4 × 3 × 35/12
        yield Repeated(family="lag", key=key, pairs=pairs, total=total, mean=0.0, variance=35.0**2)


_BY_NUMBER: Final = "SELECT stream FROM mart_starts WHERE kind = 'number'"


def _number(ask: SampleQuery, keys: tuple[str, ...]) -> Iterator[ValueCounts]:
    seventh = {str(number): 1 / 7 for number in range(1, 8)}
    for key, times in ask.counts("mart_starts", keys, "value", "rounds", "kind = 'number'"):
        chances = seventh if times.keys() <= seventh.keys() else {}  # of more than seven, how many there are is not known
        yield ValueCounts(family="number", key=key, n=sum(times.values()), times=times, chances=chances)


def _start(ask: SampleQuery, keys: tuple[str, ...]) -> Iterator[ValueCounts]:
    # Where a patron holds the bank, the start is counted from that seat: positions have no odds of their own.
    from_a_seat = "".join(f" AND game <> '{game.name}'" for game in GAMES.values() if game.patron_banked)
    by_dice = f"stream IN (SELECT stream FROM mart_totals) AND stream NOT IN ({_BY_NUMBER})"
    where = f"kind = 'start'{from_a_seat} AND {by_dice}"
    for key, times in ask.counts("mart_starts", keys, "value", "rounds", where):
        yield ValueCounts(family="start", key=key, n=sum(times.values()), times=times, chances=starts_by_dice())


_SEATS: Final = [str(seat) for seat in range(1, MOST_POSITIONS + 1)]
_HANDS: Final = f"position IN {('dealer', *_SEATS)}"
_POSITIONS: Final = f"({_HANDS} OR position IN {tuple(f'pile-{seat}' for seat in _SEATS)})"


def _size_of_hands(ask: SampleQuery) -> dict[str, int]:
    """Return game → the number of cards in its hands: the most frequent one."""
    return {
        key["game"]: int(max(sorted(times, key=int), key=lambda cards: times[cards]))
        for key, times in ask.counts("mart_hands", ("game",), "cards", "hands", _POSITIONS)
    }


def _positions(ask: SampleQuery, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[ValueCounts]:
    of = (*keys, "method", "position", "cards")
    for key, times in ask.counts("mart_cards", of, "card", "times", _POSITIONS):
        pack, cards = pack_of(key["game"]), key["cards"]
        if pack is None or cards != size.get(key["game"]) or not 0 < cards < pack.cards:
            continue
        n, scale = sum(times.values()) // cards, (pack.cards - 1) / (pack.cards - cards)
        if n:
            yield ValueCounts(family="card", key=key, n=n, times=times, chances=cards_of(pack), cards=cards, scale=scale)


def _jokers(ask: SampleQuery, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[ValueCounts]:
    of = (*keys, "method", "position", "cards")
    for key, times in ask.counts("mart_hands", of, "if(joker, 'joker', 'none')", "hands", _POSITIONS):
        pack, cards = pack_of(key["game"]), key["cards"]
        if pack is None or pack.jokers != 1 or cards != size.get(key["game"]):
            continue
        chances = {"joker": cards / pack.cards, "none": 1 - cards / pack.cards}
        yield ValueCounts(family="joker", key=key, n=sum(times.values()), times=times, chances=chances)


def _hands(ask: SampleQuery, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[ValueCounts]:
    of, value = (*keys, "method", "cards"), f"if(joker, pattern || '{_AND_JOKER}', pattern)"
    for key, times in ask.counts("mart_hands", of, value, "hands", "position = 'dealer'"):
        pack, cards = pack_of(key["game"]), key["cards"]
        if pack is not None and cards == size.get(key["game"]):
            chances = _of_patterns(pack, cards)
            yield ValueCounts(family="hand", key=key, n=sum(times.values()), times=times, chances=chances)


_AND_JOKER: Final = " and joker"


@cache
def _of_patterns(pack: Pack, cards: int) -> dict[str, float]:
    return {f"{name}{_AND_JOKER if joker else ''}": chance for (name, joker), chance in patterns(pack, cards).items()}


def _repeats(ask: SampleQuery, keys: tuple[str, ...], size: Mapping[str, int]) -> Iterator[Repeated]:
    # The cards of a pile come to a seat: counting both would take the same cards for two positions.
    for key, pairs, repeated in ask.sums("mart_repeats", (*keys, "method", "cards"), ("pairs", "repeated"), _HANDS):
        pack, cards = pack_of(key["game"]), key["cards"]
        if pack is None or pack.copies != 1 or cards != size.get(key["game"]):
            continue
        mean = cards * cards / pack.cards
        variance = mean * (1 - cards / pack.cards) * (pack.cards - cards) / (pack.cards - 1)
        together = cards**4 / (pack.cards**2 * (pack.cards - 1))  # covariance of two positions of a round
        variance += (MOST_POSITIONS - 1) * together
        yield Repeated(family="repeat", key=key, pairs=pairs, total=repeated, mean=mean, variance=variance)


_DICE: Final[dict[str, Callable[[SampleQuery, tuple[str, ...]], Iterator[ValueCounts | Repeated]]]] = {
    "die": _die,
    "total": _total,
    "lag": _lag,
    "number": _number,
    "start": _start,
}
"""The observed values of dice and drawn numbers, by family."""
_CARDS: Final[dict[str, Callable[[SampleQuery, tuple[str, ...], Mapping[str, int]], Iterator[ValueCounts | Repeated]]]] = {
    "card": _positions,
    "joker": _jokers,
    "hand": _hands,
    "repeat": _repeats,
}
"""The observed cards, by family and game."""
_OF_DEVICE: Final = {"dice_set": ("die", "total", "lag"), "deck": ("joker", "hand", "repeat")}
"""The families of what belongs to a device and not to a table."""
