"""Face Up Pai Gow Poker with a player-dealer on the floor."""

from __future__ import annotations

from floor.game_simulation import GameSimulation
from floor.player_dealer.faults import PLAYER_DEALER_ANOMALIES, natural
from floor.player_dealer.plan import PlayerDealerPlan
from floor.player_dealer.play import PlayerDealerPlay
from floor.player_dealer.table import PlayerDealerTable
from floor.player_dealer.tables import TABLES_MIN, table_specs

PLAYER_DEALER = GameSimulation(
    "player_dealer",
    TABLES_MIN,
    table_specs,
    PlayerDealerTable,
    PlayerDealerPlan,
    PlayerDealerPlay,
    PLAYER_DEALER_ANOMALIES,
    natural,
)
