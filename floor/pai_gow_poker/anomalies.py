"""The register of what can be irregular at Pai Gow Poker; its own planters add to it when they are imported.

Most is the same as at Face Up Pai Gow Poker and is taken over from there; that a player sets after the dealer is as at
Fortune Asia Poker. Not taken over is what this game has in a way of its own.
"""

from __future__ import annotations

from dataclasses import replace

from events import model
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.anomaly import Anomalies, Apply
from floor.faults.labels import Spot
from floor.fortune_asia.simulation import FORTUNE_ASIA
from floor.pai_gow_poker.play import PaiGowPlay

OWN = ("SET-EARLY", "PAY-VIG", "PAY-ORDER")

ANOMALIES = Anomalies()
ANOMALIES.take_over(FACE_UP_PAI_GOW.anomalies, *OWN)
ANOMALIES.faults["SET-EARLY"] = FORTUNE_ASIA.anomalies.faults["SET-EARLY"]
fault, legitimate = ANOMALIES.fault, ANOMALIES.legitimate


def _without_vigorish(apply: Apply) -> Apply:
    """Who was not paid is charged no vigorish either."""

    def applied(play: PaiGowPlay) -> Spot | None:
        where: Spot | None = apply(play)
        for step in play.script.of(model.VigorishTaken):
            if not play.script.of(model.WagerPaid, seat=step.payload.seat, wager="base"):
                play.script.drop(step)
        return where

    return applied


for _code in ("PAY-MISSED", "PAY-TAKEN"):
    _planter = ANOMALIES.faults[_code]
    ANOMALIES.faults[_code] = replace(_planter, apply=_without_vigorish(_planter.apply))
