"""The simulation of Face Up Pai Gow Poker, 58 Pa. Code Chapter 688a.

Five tables between them use all paytables of § 688a.12, all three ways of dealing, both ways to find the start, and every
kind of shuffler; what some of them file on the first day takes effect on the second.
"""

from floor.faults.pai_gow import PAI_GOW
from floor.game_simulation import GameSimulation
from floor.round.pai_gow_plan import PaiGowPlan
from floor.round.pai_gow_play import PaiGowPlay
from floor.table.casino import filed_tables, with_meter
from floor.table.table import Table

MODELS = filed_tables(
    "pa-688a",
    "ace_high_bonus fortune_bonus progressive meter min max",
    {"ace_high_bonus": "1.00 100.00", "fortune_bonus": "1.00 50.00"},
    """
    fu-01 automated_shoe automated_counting 2 shaker | 1 1 4 link 25.00 5000.00 linked max_payout=50000.00
    fu-02 manual_shoe automated 2 number             | 2 2 4 link 15.00 2000.00 linked
    fu-03 hand automated 1 shaker                    | 3 3 1 m-03 10.00 1000.00 | 3 3 5 m-03b 10.00 1500.00
    fu-04 manual_shoe none 1 shaker adjacent_boxes   | 4 4 2 m-04 15.00 1000.00 | 4 4 6 m-04b 15.00 1000.00
    fu-05 automated_shoe automated 2 shaker          | 5 5 3 m-05 25.00 3000.00 | 5 6 7 m-05b 25.00 3000.00
    """,
)

SIMULATION = GameSimulation("face_up_pai_gow", MODELS, Table, PaiGowPlan, PaiGowPlay, PAI_GOW, with_meter("m-"))
