"""Pai Gow Poker on the floor."""

from __future__ import annotations

from typing import Any

from events.vocabulary.model import MysteryHit
from floor.faults import pai_gow
from floor.game_simulation import GameSimulation
from floor.pai_gow_poker.mystery_faults import ANOMALIES
from floor.pai_gow_poker.plan import PaiGowPokerPlan
from floor.pai_gow_poker.play import PaiGowPokerPlay
from floor.pai_gow_poker.table import PaiGowTable
from floor.pai_gow_poker.tables import TABLES_MIN, table_specs
from games.settlement.wagers import Outcome


def natural(play: Any) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    tiger_9 = any(due.outcome is Outcome.TIGER_9_PUSH for due in play.dues)
    hit = bool(play.script.of(MysteryHit))
    return [*pai_gow.natural(play), *["tiger_9_push"] * tiger_9, *["mystery_hit"] * hit]


PAI_GOW_POKER = GameSimulation(
    "pai_gow_poker", TABLES_MIN, table_specs, PaiGowTable, PaiGowPokerPlan, PaiGowPokerPlay, ANOMALIES, natural
)
