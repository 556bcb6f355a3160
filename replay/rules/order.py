"""Every file of rules, imported in the order in which its findings are made; importing them registers the rules.

A new game's own rules are a file and a name here.
"""

from __future__ import annotations

from replay.rules import (
    dealing,
    dice_wagers,
    dj_wild,
    dj_wild_table,
    equipment,
    fortune_asia,
    money,
    mystery,
    over_under,
    pai_gow_poker,
    paying,
    player_dealer,
    setting,
    shoe_procedure,
    surrendering,
    wagering,
)
from replay.rules.rule import RULES

__all__ = ["RULES", "RULE_FILES"]

RULE_FILES = (
    equipment, wagering, surrendering, dealing, setting, money, paying, shoe_procedure, over_under, dj_wild, dj_wild_table,
    fortune_asia, pai_gow_poker, dice_wagers, mystery, player_dealer,
)  # fmt: skip
