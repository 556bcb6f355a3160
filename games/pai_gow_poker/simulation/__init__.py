"""The simulation of Pai Gow Poker, 58 Pa. Code Chapter 645c.

Five tables: commission-free with Tiger 9 or with vigorish; dice shaken by the dealer or by a player's electronic shaker;
between them and their two days all paytables of the wagers on the dice, and four configurations of the Must-Hit-By bonus.
"""

from dataclasses import replace

from floor.game_simulation import GameSimulation
from floor.table.casino import SimulatedFiling, filed_tables
from games.pai_gow_poker.simulation.mystery_faults import ANOMALIES
from games.pai_gow_poker.simulation.plan import PaiGowPokerPlan
from games.pai_gow_poker.simulation.play import PaiGowPokerPlay
from games.pai_gow_poker.simulation.table import PaiGowTable

MODELS = filed_tables(
    "pa-645c",
    "fortune_bonus progressive meter min max",
    {"fortune_bonus": "1.00 50.00", **dict.fromkeys(("tiger_9", "sum", "match", "beat_it"), "1.00 100.00")},
    """
    pg-01 automated_shoe automated_counting 2 shaker | 1 4 pg-link 25.00 5000.00 tiger_9=yes max_payout=50000.00 linked
    pg-02 manual_shoe automated 2 number
        | 2 4 pg-link 15.00 2000.00 mystery=A-1 commission_free=no mystery.meter=mh-02 mystery_paid_by=inventory linked
        | 2 3 m-pg-02b 15.00 2000.00 mystery=B-5 commission_free=no vigorish_rounding=nearest mystery.meter=mh-02b
          mystery_paid_by=either
    pg-03 hand automated 1 player_shaker
        | 3 1 m-pg-03 10.00 1000.00 tiger_9=yes sum=A match=1 beat_it=A
        | 3 5 m-pg-03b 10.00 1500.00 tiger_9=yes sum=B match=1 beat_it=B
    pg-04 manual_shoe none 1 shaker adjacent_boxes | 4 2 m-pg-04 15.00 1000.00 sum=C beat_it=C commission_free=no
        | 5 6 m-pg-04b 15.00 1000.00 sum=D match=1 commission_free=no vigorish_step=0.05 vigorish_rounding=up
    pg-05 automated_shoe automated 2 player_shaker
        | 5 3 m-pg-05 25.00 3000.00 tiger_9=yes mystery=D-5 mystery.meter=mh-05 mystery_paid_by=slip
        | 6 7 m-pg-05b 25.00 3000.00 tiger_9=yes mystery=C-1 mystery.meter=mh-05b mystery_paid_by=inventory
    """,
)


def _own_meters(filing: SimulatedFiling, name: str) -> SimulatedFiling:
    """The same filing with meters of the table's own."""
    settings = dict(filing.settings)
    if "mystery.meter" in settings:
        settings["mystery.meter"] = f"mh-pg-{name}"
    return replace(filing, meter=f"m-pg-{name}", linked=False, settings=settings)


SIMULATION = GameSimulation("pai_gow_poker", MODELS, PaiGowTable, PaiGowPokerPlan, PaiGowPokerPlay, ANOMALIES, _own_meters)
