"""The register of what can be irregular in California; its own planters add to it when they are imported.

Hands, wagers and payments can go wrong as at Face Up Pai Gow Poker, and what devices report too: that is taken from there.
"""

from __future__ import annotations

from floor.face_up.wing import FACE_UP
from floor.irregular import Irregulars

IRREGULARS = Irregulars()
IRREGULARS.share(
    FACE_UP.irregulars,
    "WAGER-LATE",
    "WAGER-LIMIT",
    "WAGER-FORM",
    "SET-CARDS",
    "DEAL-STUB",
    "PAY-OVER",
    "PAY-UNDER",
    "PAY-MISSED",
    "PAY-LOSER",
    "PAY-TAKEN",
    "PAY-NOT-TAKEN",
    "PAY-FOUL",
    "PAY-VIG",
    "LOG-SOURCE-GAP",
    "LOG-SOURCE-REPEAT",
    "LOG-CLOCK",
    "LOG-CORRECTION",
)
IRREGULARS.share(
    FACE_UP.irregulars,
    "no_roll_reshake",
    "recut",
    "foul_hand",
    "player_exposes_own_card",
    "device_outage",
    "duplicate_message",
    "late_message",
    "card_not_read",
    "event_corrected",
)
fault, legitimate = IRREGULARS.fault, IRREGULARS.legitimate
