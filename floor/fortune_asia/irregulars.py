"""The register of what can be irregular at Fortune Asia Poker; its own planters add to it when they are imported.

Most is the same as at Face Up Pai Gow Poker and is taken over from there. Not taken over is what this game has in a way of
its own, and the maximum payout, which it has not.
"""

from __future__ import annotations

from floor.face_up.wing import FACE_UP
from floor.irregular import Irregulars

OWN = ("DEAL-EXPOSED", "DEAL-CUT", "OPEN-IDLE", "SET-EARLY")

IRREGULARS = Irregulars()
IRREGULARS.take_over(FACE_UP.irregulars, *OWN, "PAY-LIMIT")
fault, legitimate = IRREGULARS.fault, IRREGULARS.legitimate
