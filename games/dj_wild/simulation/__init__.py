"""The simulation of DJ Wild Stud Poker (Annex A, rulemaking 125-223, Chapter 687a).

Four tables between them use all paytables of § 687a.12, all three ways of dealing, every kind of shuffler, both settings of
the Progressive and of the order of optional wagers; what some of them file on the first day takes effect on the second.
"""

from floor.game_simulation import GameSimulation
from floor.table.casino import filed_tables, with_meter
from games.dj_wild.simulation.faults import DJ_WILD_ANOMALIES
from games.dj_wild.simulation.plan import DjWildPlan
from games.dj_wild.simulation.play import DjWildPlay
from games.dj_wild.simulation.table import DjWildTable

MODELS = filed_tables(
    "pa-687a",
    "progressive trips bad_beat meter ante.min ante.max",
    {"trips": "1.00 100.00", "bad_beat": "1.00 50.00"},
    """
    dw-01 automated_shoe automated_counting 2 | 1 DJWT-04 DJWBB-01 wild-link 15.00 1000.00 linked
    dw-02 manual_shoe automated 2 | 1 DJWT-05 DJWBB-02 wild-link 10.00 500.00 linked optional_wagers=as_printed
    dw-03 hand automated 1 | 2 DJWT-06 DJWBB-03 wild-03 25.00 2000.00 | 1 DJWT-06 DJWBB-03 wild-03b 25.00 2000.00
    dw-04 manual_shoe none 1 adjacent_boxes | 2 DJWT-07 DJWBB-04 wild-04 10.00 1000.00 folded_progressive=yes
        | 1 DJWT-07 DJWBB-04 wild-04b 15.00 1000.00 folded_progressive=yes progressive_deuces=wild
    """,
    {"progressive.rate": "15%"},
)

SIMULATION = GameSimulation("dj_wild", MODELS, DjWildTable, DjWildPlan, DjWildPlay, DJ_WILD_ANOMALIES, with_meter("wild-"))
