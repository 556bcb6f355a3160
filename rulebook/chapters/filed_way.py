"""The house way that a casino files, of two hands (`house_way` in `rulebook.house_ways`) or of three (`house_way_asia`).

Callers ask here and get `Hand`s, so that they need not know how many hands the house way sets.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rulebook.chapters.chapters import Chapter
from rulebook.house_ways.house_way import HouseWay, house_way_from_table, packaged_house_way
from rulebook.house_ways.house_way_asia import AsiaHouseWay, asia_house_way_from_table, packaged_asia_house_way
from rulebook.layout import Hand

FiledWay = HouseWay | AsiaHouseWay


def read_way(value: str | Mapping[str, Any], source: str, chapter: Chapter) -> FiledWay:
    """Return the house way that a submission names or holds, in the hands of its chapter. Raises `HouseWayError`."""
    if "medium_hand_cards" in chapter.numbers:
        if isinstance(value, str):
            return packaged_asia_house_way(value)
        return asia_house_way_from_table(value, source)
    if isinstance(value, str):
        return packaged_house_way(value, chapter.wheel)
    return house_way_from_table(value, source, chapter.wheel)


def settings_of(way: FiledWay, cards: Sequence[int]) -> list[Hand]:
    """Return every accepted setting of seven cards; the first is the one to show.

    >>> from rulebook.cards.cards import parse_cards
    >>> way = packaged_asia_house_way("asia")
    >>> settings_of(way, parse_cards("As Kd Qh 9c 7s 4d 2h"))[0].medium == parse_cards("Kd Qh")
    True
    """
    held = tuple(cards)
    if isinstance(way, HouseWay):
        return [Hand(held, each.high, each.low) for each in way.settings(cards)]
    return [Hand(held, each.high, each.low, each.medium) for each in way.settings(cards)]


def is_set_by(way: FiledWay, hand: Hand) -> bool:
    """Return whether hands are set by the house way; not if one of them is not known."""
    if hand.high is None or hand.low is None:
        return False
    if isinstance(way, HouseWay):
        return way.accepts(hand.high, hand.low)
    return hand.medium is not None and way.accepts(hand.high, hand.medium, hand.low)
