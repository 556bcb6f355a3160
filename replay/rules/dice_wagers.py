"""The shaker and the wagers on the dice: when, how and by whom it may be used, and the steps before the cards.

58 Pa. Code § 645c.2(a)-(c), (f)-(h). `rulebook/settlement/dice_wagers.py` computes what the dice pay.
"""

from collections import Counter
from collections.abc import Iterator

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import key_in
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.payouts import first_moves, moves
from replay.settlement.stakes import bets_close_with_the_dice, shaker_used, stakes
from replay.settlement.voids import before_deal, is_void
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.dice_wagers import ONE_RED_TWO_BLUE

SECOND_MS = 1000
PLAYER_SHAKER = "player_shaker"
"""How the shaker that players activate is filed as the way to find the start (§ 645c.2(a))."""


@rule("DEAL-SHAKE", on=("645c.2(b)", "645c.2(f)"))
def shaken(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """An electronic shaker shakes for at least five seconds, sealed; a lid is on the manual one while it is shaken.

    How often the dealer shakes a manual one is in `dealing.py`.
    """
    since, must = 0, book.chapter.numbers["shake_ms"]
    for roll in round_.rolls:
        made = [fact for fact in round_.of(model.ShakerShaken) if since < fact.seq < roll.seq]
        activated = [fact for fact in round_.of(model.ShakerActivated) if since < fact.seq < roll.seq]
        since = roll.seq if round_.order_seen else 0
        electronic = bool(activated) or any(fact.payload.duration_ms is not None for fact in made)
        times = [fact.payload.duration_ms for fact in made]
        lasted = sum(time for time in times if time is not None)
        is_timed = None not in times if made else round_.covers("start")
        if electronic and is_timed and lasted < must and not round_.lost:
            yield Departure(
                "645c.2(b)(2)",
                expected=f"dice shaken for {must // SECOND_MS} seconds or more",
                observed=f"{lasted / SECOND_MS:g} s" if made else "not shaken",
                evidence=(*activated, *made, roll),
            )
        opened = [fact for fact in made if not fact.payload.covered]
        if opened and (electronic or bets_close_with_the_dice(round_, book)):
            yield Departure(
                "645c.2(b)(1)" if electronic else "645c.2(f)(2)",
                expected="the shaker sealed, or its lid on, while the dice are shaken",
                observed="open",
                evidence=(*opened, roll),
            )


@rule("DEAL-SHAKE", on=("645c.2(a)", "645c.2(f)(1)"))
def activated_by_a_player(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A shaker that players activate is used only if it is filed (D276), and then at the position of any player."""
    activations = round_.of(model.ShakerActivated)
    if activations and book.starting != PLAYER_SHAKER:
        yield Departure(
            "645c.2(a)",
            expected=f"the start found as filed ({book.starting})",
            observed=f"a player-activated shaker, activated at seat {activations[0].payload.seat}",
            evidence=activations,
        )
        return
    placed = stakes(round_, book)
    if round_.lost or not placed:
        return
    playing = {stake.seat for stake in placed.values() if stake.on_layout_cents > 0} | set(round_.before.patrons)
    playing |= {fact.payload.seat for fact in round_.of(model.PatronSeated)}
    for fact in activations:
        if fact.payload.seat not in playing:
            yield Departure(
                "645c.2(f)(1)",
                expected="the shaker activated at the position of a player",
                observed=f"activated at seat {fact.payload.seat}, where nobody plays",
                evidence=(fact,),
            )


@rule("DEAL-NOBETS", on=("645c.2(f)",))
def no_more_bets_before_the_dice(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer announces "no more bets" before the shaker is used. Cards dealt before it are found in `dealing.py`."""
    used, first, announced = shaker_used(round_), round_.first_card, round_.first(model.NoMoreBets)
    if used is None or not round_.covers("wagering") or not bets_close_with_the_dice(round_, book):
        return
    if first is not None and (announced is None or announced.seq > first.seq):
        return
    before = round_.certainly_before(announced, used) if announced is not None else False
    if before is None:
        yield Indeterminate('the clocks contradict the order of "no more bets" and the shaker')
    elif not before:
        yield Departure(
            "645c.2(f)",
            expected='"no more bets" before the shaker is used',
            observed="announced after it" if announced is not None else "not announced",
            evidence=(used, *((announced,) if announced else ())),
        )


@rule("EQUIP-DICE", on=("645c.2(c)",))
def red_and_blue(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If the red die is to beat the blue ones, one red and two blue dice are in the shaker."""
    offer = book.offers.get("beat_it")
    if offer is None or offer.paytable is None or not any(line.hand.startswith("red") for line in offer.paytable.lines):
        return
    for fact in round_.of(model.DiceRolled):
        if fact.payload.colours is not None and sorted(fact.payload.colours) != ONE_RED_TWO_BLUE:
            yield Departure(
                "645c.2(c)", expected="one red and two blue dice", observed=", ".join(fact.payload.colours), evidence=(fact,)
            )
            return


@rule("PAY-ANNOUNCED", on=("645c.2(g)",))
def announced_dice(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer announces the value of each die as it lies; the last word before the cards counts."""
    rolls = before_deal(round_, [fact for fact in round_.rolls if fact.payload.lie == "flat"])
    if not rolls:
        return
    announced = [fact for fact in before_deal(round_, round_.of(model.DiceAnnounced)) if fact.seq > rolls[-1].seq]
    if not announced:
        return
    read = Counter(die for die in rolls[-1].payload.dice if die is not None)
    if not read <= Counter(announced[-1].payload.dice):
        yield Departure(
            "645c.2(g)",
            expected=_dice(rolls[-1]),
            observed=f"announced: {_dice(announced[-1])}",
            evidence=(rolls[-1], announced[-1]),
        )


def _dice(fact: RecordedEvent) -> str:
    return " ".join(str(die) if die is not None else "?" for die in fact.payload.dice)


@rule("PAY-ORDER", on=("645c.2(h)",))
def settled_before_the_cards(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer settles the dice wagers before dealing the cards; a settlement may be corrected later (D325)."""
    first = round_.first_card
    if first is None or not round_.covers("settlement"):
        return
    if is_void(round_, book):
        yield from _unsettled_at_the_deal(round_, book, first)
        return
    on_dice = {name for name, rule_ in book.chapter.wagers.items() if rule_.closes == "activation"}
    settling = [fact for fact in moves(round_) if getattr(fact.payload, "reason", "") != "late"]
    late: dict[int, RecordedEvent] = {}
    for fact in first_moves(settling):
        if fact.payload.wager in on_dice and fact.seq > first.seq:
            late.setdefault(fact.payload.seat, fact)
    for seat, fact in late.items():
        if not round_.certainly_before(first, fact):
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of the cards and the wagers on the dice")
            continue
        yield Departure(
            "645c.2(h)",
            expected="the wagers on the dice settled before the cards are dealt",
            observed=f"{fact.payload.wager} settled after the first card",
            evidence=(first, fact),
            seat=seat,
        )


def _unsettled_at_the_deal(round_: Round, book: Rulebook, first: RecordedEvent) -> Iterator[Departure]:
    """Find dice wagers of a void round unsettled when the cards were dealt (D531); in others the rule about money does."""
    if round_.closed is None or round_.lost:
        return
    settled = {key_in(fact.payload) for fact in moves(round_) if fact.seq < first.seq}
    for key, stake in stakes(round_, book).items():
        rules = book.chapter.wagers.get(stake.wager)
        if rules is not None and rules.closes == "activation" and stake.in_time_cents > 0 and key not in settled:
            yield Departure(
                "645c.2(h)",
                expected="the wagers on the dice settled before the cards are dealt",
                observed=f"{stake.wager} not settled",
                evidence=(*stake.facts, first),
                seat=stake.seat,
            )
