"""Planted faults of opening, equipment, shuffle and devices (§§ 687a.3 to 687a.5, 687a.9(a)(1), 687a.13(e)-(g)).

What goes on between rounds, and what devices do by themselves, is the same at every table: those faults are shared.
"""

from __future__ import annotations

from typing import Any

from events import model
from floor.dj_wild.anomalies import ANOMALIES, fault
from floor.dj_wild.faults_deal import PLAYED_ON
from floor.dj_wild.play import Play
from floor.dj_wild.tables import WildTable
from floor.face_up_pai_gow.faults_table import break_device, one_deck
from floor.face_up_pai_gow.preparing import by_stack, machine_works, shuffled_by_hand
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.labels import Spot
from floor.table.script import changed

NOT_SHUFFLED = ("DEAL-SHUFFLE", "DEAL-CUT")

ANOMALIES.share(
    FACE_UP_PAI_GOW.anomalies, "OPEN-INSPECT", "OPEN-SPREAD", "OPEN-IDLE", "EQUIP-DECK", "EQUIP-ALTERNATE", "DEAL-SHUFFLE",
    "DEAL-DEVICE/uncovered", "DEAL-NOBETS", "WAGER-FORM", "LOG-SOURCE-GAP", "LOG-SOURCE-REPEAT", "LOG-CLOCK",
)  # fmt: skip


def _miscounted(table: WildTable, turn: int) -> None:
    """The shuffler shows a card too few or too many, and the deck stays."""
    deck, count = table.deck, (52, 54)[turn % 2]
    table.report(model.CardsShuffled(deck=deck.id, method="automated", count=count))
    deck.dirty = False


@fault("EQUIP-COUNT", fits=lambda table: table.counts_by_machine and not table.shuffler_out, before=_miscounted)
def equip_count(play: Play) -> Spot:
    """A deck of which the shuffler counted another number than 53 is dealt."""
    return Spot()


@fault("DEAL-CUT", fits=lambda table: shuffled_by_hand(table) or table.deck.id in table.uncut)
def deal_cut(play: Play) -> Spot | None:
    """No cut; too shallow a one; a player's; a recut ordered and not made."""
    script, random = play.script, play.plan.random
    cut: Any = script.first(model.CardsCut)
    if cut is None:
        return None
    match play.plan.turn % 4:
        case 0:
            script.drop(cut)
        case 1:
            changed(cut, depth=random.randrange(2, 10), counted_from="top")
        case 2:
            changed(cut, by=random.choice(play.plan.playing))
        case _ if script.of(model.CardsShuffled, deck=play.plan.deck.id):
            script.behind(cut, model.RecutOrdered(by=play.table.floor))
        case _:
            return None
    return Spot()


@fault("DEAL-DEVICE", fits=lambda table: machine_works(table) and (by_stack(table) or one_deck(table)),
       after=lambda table: table.restore_shuffler())  # fmt: skip
def deal_device(play: Play) -> Spot | None:
    """The shoe fails and the round is played on; or the shuffler jams, and its cards are dealt without a new shuffle."""
    return break_device(play, 0, PLAYED_ON, NOT_SHUFFLED)
