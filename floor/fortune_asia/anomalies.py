"""The register of what can be irregular at Fortune Asia Poker; its own planters add to it when they are imported.

Most is the same as at Face Up Pai Gow Poker and is taken over from there. Not taken over is what this game has in a way of
its own, and the maximum payout, which it has not.
"""

from __future__ import annotations

from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.anomaly import Anomalies

OWN = ("DEAL-EXPOSED", "DEAL-CUT", "OPEN-IDLE", "SET-EARLY")

ANOMALIES = Anomalies()
ANOMALIES.take_over(FACE_UP_PAI_GOW.anomalies, *OWN, "PAY-LIMIT")
fault, legitimate = ANOMALIES.fault, ANOMALIES.legitimate
