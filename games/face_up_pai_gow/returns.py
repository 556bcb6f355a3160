"""Face Up Pai Gow Poker in theory: the base wager with the player's best setting, and the bonus wagers on seven cards."""

from typing import Final

from analytics.theory.bonus_returns import ACE_HIGH, ACE_HIGH_BONUS, HIGHEST_RANK, JOKER_READINGS, SEVEN_CARDS, SHARED_BONUSES
from analytics.theory.game_returns import GameReturns
from analytics.theory.pai_gow_returns import pushed_by_ace_high, simulated

RETURNS: Final = GameReturns(
    game="face_up_pai_gow",
    required=pushed_by_ace_high("base_two_hands"),
    bonuses={"ace_high_bonus": ACE_HIGH_BONUS, **SHARED_BONUSES},
    counts={**SEVEN_CARDS, **ACE_HIGH, "base_two_hands": simulated("second")},
    other_readings=(HIGHEST_RANK, *JOKER_READINGS),
)
