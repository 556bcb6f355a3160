"""Face Up Pai Gow Poker: the game that the shared rules are written after (58 Pa. Code Chapter 688a); it adds one event.

Under the chapter as proposed the players set first (§ 688a-proposed.11(c)).
"""

from replay.rules.exposure import SHOWN_IN_ORDER
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import (
    HAND_REVEALED,
    OF_THE_DEAL,
    VERIFIED_EARLY,
    base_early,
    bonuses_early,
    early,
    racked_of_shoe,
    set_after_the_deal,
    settled,
)
from replay.settlement.hand_readings import dealer_set

GAME_RULES = GameRules(
    game="face_up_pai_gow",
    dealer_exposed=dealer_set,
    precedences=(
        *set_after_the_deal("688a.11(a)"),
        *base_early(settled("base"), "11(e)"),
        *bonuses_early(settled("ace_high_bonus", "fortune_bonus", "progressive"), "11(h)", "11(h)(2)(ii)"),
        early(settled("fortune_bonus", "progressive"), HAND_REVEALED, "11(h)"),
        *VERIFIED_EARLY,
        *SHOWN_IN_ORDER,
        *OF_THE_DEAL,
        *racked_of_shoe("11(g)", "11(i)", "base", "ace_high_bonus"),
    ),
)
