"""Face Up Pai Gow Poker with a player-dealer, California, in theory: A-2-3-4-5 is the lowest straight, and a patron banks."""

from typing import Final

from analytics.theory.bonus_returns import ACE_HIGH, ACE_HIGH_BONUS, FORTUNE_BONUS, SEVEN_CARDS
from analytics.theory.game_returns import GameReturns
from analytics.theory.pai_gow_returns import pushed_by_ace_high, simulated

RETURNS: Final = GameReturns(
    game="player_dealer",
    required=pushed_by_ace_high("base_two_hands_wheel_lowest"),
    bonuses={"ace_high_bonus": ACE_HIGH_BONUS, "fortune_bonus": FORTUNE_BONUS},
    counts={**SEVEN_CARDS, **ACE_HIGH, "base_two_hands_wheel_lowest": simulated("lowest")},
    companions=("backline",),
)
