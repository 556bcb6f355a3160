"""The simulation of Over/Under, Annex A of rulemaking 125-223, Chapter 686a.

Five tables between them use every kind of shuffler (two of them shuffle by hand), one batch and two, one box and more, the
Bonus Wager offered or not, and every setting that may be filed; what some of them file on the first day takes effect on the
second.
"""

from floor.game_simulation import GameSimulation
from floor.table.casino import filed_tables
from games.over_under.simulation.plan import OverUnderPlan
from games.over_under.simulation.play import OverUnderPlay
from games.over_under.simulation.shoe_faults import ANOMALIES
from games.over_under.simulation.table import ShoeTable

MODELS = filed_tables(
    "pa-686a",
    "min max",
    {"bonus": "1.00 100.00"},
    """
    ou-01 manual_shoe none 1                      | 10.00 500.00 bonus=1 | 15.00 1000.00 bonus=1
    ou-02 manual_shoe automated 2                 | 25.00 2000.00 bonus=1 decisions=hand_by_hand | 25.00 2000.00 bonus=1
    ou-03 manual_shoe continuous 1 adjacent_boxes | 5.00 300.00 bonus=1 most_boxes=3 | 10.00 300.00 most_boxes=2
    ou-04 manual_shoe none 1 adjacent_boxes       | 15.00 1500.00 | 15.00 1500.00 bonus=1 dead_hand_returns=ante
    ou-05 manual_shoe automated_counting 2        | 10.00 1000.00 bonus=1 wrong_side=pushes
        | 10.00 1000.00 bonus=1 dead_hand_returns=ante
    """,
)

SIMULATION = GameSimulation("over_under", MODELS, ShoeTable, OverUnderPlan, OverUnderPlay, ANOMALIES)
