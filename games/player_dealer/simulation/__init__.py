"""The simulation of Face Up Pai Gow Poker in California, GEGR-002138.

Four tables between them use both ways of dealing, of finding the start and of shuffling, both readings of what the
player-dealer's wager covers, backline betting and not, both answers to who can hold an Envy hand, and several fees; what
one of them files on the first day takes effect on the second.
"""

from floor.game_simulation import GameSimulation
from floor.table.casino import filed_tables
from games.player_dealer.simulation.faults import PLAYER_DEALER_ANOMALIES
from games.player_dealer.simulation.plan import PlayerDealerPlan
from games.player_dealer.simulation.play import PlayerDealerPlay
from games.player_dealer.simulation.table import PlayerDealerTable

MODELS = filed_tables(
    "ca-gegr-002138",
    "ace_high_bonus fortune_bonus min max collection",
    {"ace_high_bonus": "1.00 100.00", "fortune_bonus": "1.00 50.00"},
    """
    ca-01 automated_shoe automated 1 number | 1 1 25.00 5000.00 2.00
    ca-02 hand none 1 shaker                | 1 1 10.00 1000.00 1.00 backline=yes
    ca-03 automated_shoe automated 1 shaker | 1 1 15.00 2000.00 1.50 backline=yes coverage=net
        | 1 1 15.00 2000.00 2.00 backline=yes
    ca-04 hand automated 1 number           | 1 1 10.00 1000.00 0.50 coverage=net envy_holder_must_wager=no
    """,
)

SIMULATION = GameSimulation(
    "player_dealer", MODELS, PlayerDealerTable, PlayerDealerPlan, PlayerDealerPlay, PLAYER_DEALER_ANOMALIES
)
