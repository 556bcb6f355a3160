"""The simulation of Fortune Asia Poker, 58 Pa. Code Chapter 659a.

Five tables between them use all paytables of § 659a.12, progressive wagers from $1 to $25, all three ways of dealing, both
ways to find the start, and every kind of shuffler; what some of them file on the first day takes effect on the second.
"""

from floor.game_simulation import GameSimulation
from floor.table.casino import filed_tables, with_meter
from floor.table.cutting_table import CuttingTable
from games.fortune_asia.simulation.faults import FORTUNE_ASIA_ANOMALIES
from games.fortune_asia.simulation.plan import FortuneAsiaPlan
from games.fortune_asia.simulation.play import FortuneAsiaPlay

MODELS = filed_tables(
    "pa-659a",
    "fortune_bonus insurance progressive progressive.wager meter min max",
    {"fortune_bonus": "1.00 50.00", "insurance": "1.00 100.00"},
    """
    fa-01 automated_shoe automated 2 shaker        | A A 1 1.00 fa-link 25.00 5000.00 linked
    fa-02 manual_shoe automated 2 number           | B B 1 1.00 fa-link 15.00 2000.00 linked
    fa-03 hand automated 1 shaker                  | C C 1 5.00 m-fa-03 10.00 1000.00  | D A 1 2.00 m-fa-03b 10.00 1500.00
    fa-04 manual_shoe none 1 shaker adjacent_boxes | D B 1 1.00 m-fa-04 15.00 1000.00  | C B 1 5.00 m-fa-04b 15.00 1000.00
    fa-05 automated_shoe continuous 1 shaker       | A C 1 25.00 m-fa-05 25.00 3000.00 | B C 1 1.00 m-fa-05b 25.00 3000.00
    """,
)

SIMULATION = GameSimulation(
    "fortune_asia", MODELS, CuttingTable, FortuneAsiaPlan, FortuneAsiaPlay, FORTUNE_ASIA_ANOMALIES, with_meter("m-fa-")
)
