"""The register of what can be irregular at Pai Gow Poker; its own planters add to it when they are imported.

Most is the same as at Face Up Pai Gow Poker and is taken over from there; that a player sets after the dealer is as at
Fortune Asia Poker. Not taken over is what this game has in a way of its own.
"""

from __future__ import annotations

from dataclasses import replace

from events.vocabulary import model
from floor.face_up.wing import FACE_UP
from floor.fortune_asia.wing import FORTUNE_ASIA
from floor.irregular import Apply, Irregulars
from floor.labels import Where
from floor.pai_gow_poker.play import PaiGowPlay

OWN = ("SET-EARLY", "PAY-VIG", "PAY-ORDER")

IRREGULARS = Irregulars()
IRREGULARS.take_over(FACE_UP.irregulars, *OWN)
IRREGULARS.faults["SET-EARLY"] = FORTUNE_ASIA.irregulars.faults["SET-EARLY"]
fault, legitimate = IRREGULARS.fault, IRREGULARS.legitimate


def _without_vigorish(apply: Apply) -> Apply:
    """Who was not paid is charged no vigorish either."""

    def applied(play: PaiGowPlay) -> Where | None:
        where: Where | None = apply(play)
        for step in play.script.of(model.VigorishTaken):
            if not play.script.of(model.WagerPaid, seat=step.payload.seat, wager="base"):
                play.script.drop(step)
        return where

    return applied


for _code in ("PAY-MISSED", "PAY-TAKEN"):
    _planter = IRREGULARS.faults[_code]
    IRREGULARS.faults[_code] = replace(_planter, apply=_without_vigorish(_planter.apply))
