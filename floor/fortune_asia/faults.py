"""Planted faults that only Fortune Asia Poker has, or has in its own way (§§ 659a.5, 659a.11(c), 659a.13(d), (e), (j))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.faults_deal import PLAYED_ON
from floor.face_up_pai_gow.faults_table import nothing
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import by_stack, one_box_seat, shuffled_by_hand
from floor.faults.labels import Spot
from floor.fortune_asia.anomalies import fault
from floor.table.script import changed
from floor.table.streams import MINUTE_US
from floor.table.table import Table
from games.cards import TEXT


@fault("DEAL-EXPOSED", prepare=one_box_seat)
def deal_exposed(play: Play) -> Spot:
    """A player's card is seen and nobody asks for an election, or one of the dealer's and the round is played on."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    card: Any = TEXT[plan.hands[seat][6]]
    deals = script.of(model.CardsDealt)
    match plan.turn % 4:
        case 0:
            script.behind(deals[-1], model.CardExposed(whose=seat, by="dealer", card=card))
        case 1 if by_stack(play.table):
            (own,) = script.of(model.CardsDealt, to=seat)
            script.before(own, model.CardExposed(whose="stack", by="dealer", card=card))
        case 2:
            (*_, last) = script.of(model.CardsDealt, to="dealer")
            card = TEXT[plan.hands["dealer"][6]]
            script.behind(last, model.CardExposed(whose="dealer", by="device", card=card))
            return Spot(consequences=PLAYED_ON)
        case _:
            card = TEXT[plan.hands["dealer"][0]]
            script.before(play.setting_begins(), model.CardExposed(whose="dealer", by="dealer", card=card))
            return Spot(consequences=PLAYED_ON)
    return Spot(seat)


@fault("SET-EARLY", prepare=one_box_seat)
def set_early(play: Play) -> Spot:
    """The dealer's cards are turned over, or even set, before a player has set."""
    script, seat = play.script, play.plan.chosen
    of_dealer = model.HandSet if play.plan.turn % 2 else model.HandRevealed
    turned = script.first(of_dealer, position="dealer")
    own = script.first(model.HandSet, position=seat)
    assert turned is not None
    assert own is not None
    script.move_behind(own, turned)
    return Spot(seat)


@fault("DEAL-CUT", fits=shuffled_by_hand)
def deal_cut(play: Play) -> Spot | None:
    """No cut; too near the top, counted from there or from the bottom; a player's; a recut ordered and not made."""
    script, random = play.script, play.plan.random
    cut = script.first(model.CardsCut)
    if cut is None:
        return None
    match play.plan.turn % 5:
        case 0:
            script.drop(cut)
        case 1:
            changed(cut, depth=random.randrange(2, 10), counted_from="top")
        case 2:
            changed(cut, depth=random.randrange(44, 52), counted_from="bottom")
        case 3:
            changed(cut, by=random.choice(sorted(play.table.seats)))
        case _:
            script.behind(cut, model.RecutOrdered(by=play.table.floor))
    return Spot()


def _preshuffled(table: Table, turn: int) -> None:
    table.change_deck(table.turn % len(table.decks), preshuffled=True)


def _is_cut_when_preshuffled(table: Table) -> bool:
    return table.spec.shuffler != "continuous" and not table.shuffler_out


@fault("DEAL-CUT/preshuffled", fits=_is_cut_when_preshuffled, before=_preshuffled)
def preshuffled_not_cut(play: Play) -> Spot | None:
    """A preshuffled deck is dealt without a cut."""
    cut = play.script.first(model.CardsCut)
    if cut is None:
        return None
    play.script.drop(cut)
    return Spot()


def _back_to_play(table: Table, turn: int) -> None:
    table.idle((5 + turn % 9) * MINUTE_US, without=("wash",) if turn % 2 else ("spread", "wash"))


def _is_spread_again(table: Table) -> bool:
    """A table whose cards are spread for the first player to arrive: no device that reshuffles by itself (.5(f))."""
    return table.spec.shuffler != "continuous" and not table.decks_due(40 * MINUTE_US) and not table.shuffler_out


fault("OPEN-IDLE", fits=_is_spread_again, before=_back_to_play)(nothing)
