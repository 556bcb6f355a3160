"""Tiger 9: how often the dealer's low hand, set by a house way, is a nine high (§ 645c.1(h))."""

from collections import Counter
from typing import Any, Final

from analytics.theory.enumeration.seven import HANDS, seven_card_hands
from rulebook.cards.ranking import HandClass, rank_two
from rulebook.house_ways.house_way import Setting, packaged_house_way

WAY: Final = "stones"
NINE: Final = 9


def is_nine_high(setting: Setting) -> bool:
    """Return whether the low hand is two different ranks, the higher a nine."""
    return rank_two(setting.low)[:2] == (HandClass.HIGH_CARD, NINE)


def compute() -> dict[str, Any]:
    """Count the dealer's hands by whether the shown setting is a nine high, and whether another accepted one is."""
    way = packaged_house_way(WAY)
    counted: Counter[tuple[bool, bool, bool]] = Counter()
    for cards, number in seven_card_hands():
        nines = [is_nine_high(setting) for setting in way.settings(cards)]
        counted[nines[0], any(nines), all(nines)] += number
    return {
        "what": f"the dealer's seven cards set by the house way {WAY}: is the low hand a nine high; where the chart leaves "
        "it open, the first of the settings accepted is the one to show",
        "method": "enumeration",
        "total": HANDS,
        "rows": [
            {"shown": shown, "some_accepted": some, "all_accepted": all_, "hands": number}
            for (shown, some, all_), number in sorted(counted.items())
        ],
    }
