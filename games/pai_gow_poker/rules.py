"""Pai Gow Poker: the dealer's cards stay face down until every player has set (58 Pa. Code § 645c.1(d)).

The wagers on the dice are judged in `dice_wagers.py`, the Must-Hit-By bonus in `mystery.py`.
"""

from collections.abc import Iterator

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules import dice_wagers, mystery
from replay.rules.exposure import SHOWN_IN_ORDER
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    BONUS_HIT,
    DEALER_SET,
    DICE_ANNOUNCED,
    DICE_AT_REST,
    HAND_REVEALED,
    OF_THE_DEAL,
    VERIFIED_EARLY,
    Precedence,
    base_early,
    bonus_light,
    bonus_paid,
    bonuses_early,
    early,
    racked_of_shoe,
    set_after_the_deal,
    settled,
    vigorish_taken,
)
from replay.settlement.exposures import WHOSE, dealer_cards_seen, dealer_turned_over, may_be_of_the_dealer
from replay.settlement.void_ground import VoidGround
from rulebook.chapters.rulebook import Rulebook

ON_THE_DICE = ("sum", "match", "beat_it")
"""The wagers that the dice decide (§ 645c.2(e))."""


def first_seen(round_: Round) -> RecordedEvent | None:
    """Return the event that first showed the dealer's hand: dealt face up, revealed or set; or None (§ 645c.1(d))."""
    up = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    turned = dealer_turned_over(round_)
    return min([*up, *((turned,) if turned else ())], key=lambda fact: fact.seq, default=None)


def exposed_dealer(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """§ 645a.13, which we do not hold, says what follows if a dealer's card is seen too early (D13). So it is unknown whether
    the round is void; § 659a.13(e) voids all hands in the same case.
    """
    early = [fact for fact, before in dealer_cards_seen(round_) if before is not False]
    if early:
        yield _exposed_dealer(early, "a card of the dealer was exposed before the players had set: § 645a.13 is not held (D13)")
    for fact in may_be_of_the_dealer(round_, book):
        yield _exposed_dealer([fact], WHOSE)


def _exposed_dealer(exposed: list[RecordedEvent], doubt: str) -> VoidGround:
    return VoidGround(
        "exposed_dealer",
        "DEAL-EXPOSED",
        "13",
        "with a card of the dealer exposed, what § 645a.13 says",
        "a card of the dealer exposed; the round was not voided",
        tuple(fact.seq for fact in exposed),
        doubt=doubt,
    )


UNREAD = {
    "tiger_9": "the dealer's cards, or how they were set, are not all on record",
    "mystery": "who passed the hidden target, or the meter then, is not on record",
}
"""Wager that the player's cards do not decide → the missing evidence if its result is unknown."""


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """Say what a wager's result lacks if the player's cards do not decide it."""
    if wager in ON_THE_DICE:
        return _dice_reason(round_, book, wager)
    if wager == mystery.WAGER and (why := mystery.open_reason(round_, book, seat)) is not None:
        return why
    return UNREAD.get(wager)


def _dice_reason(round_: Round, book: Rulebook, wager: str) -> str:
    """Return why the dice decide no wager: a roll in which a die does not lie flat is invalid (§ 688a.13(a), (b))."""
    rolls = [fact.payload for fact in round_.rolls]
    valid = [roll for roll in rolls if roll.lie == "flat"]
    if not rolls:
        return "the dice are not on record"
    if not valid:
        lay, section = NO_ROLL[rolls[-1].lie]
        return f"{lay}: by {book.cite(section)}, that is no roll, and no other roll is on record"
    if any(roll.dice != valid[0].dice for roll in valid):
        return "two valid rolls of the dice are on record, and which of them counts is not"
    if None in valid[-1].dice:
        return "the dice were not all read"
    return "the number that the wager is on is not on record" if wager == "match" else "which die is red is not on record"


NO_ROLL = {"not_flat": ("a die did not lie flat", "13(a)"), "fell_out": ("a die fell out", "13(b)")}
"""How the dice lay on a roll that is no roll, and the section that says so."""


GAME_RULES = GameRules(
    game="pai_gow_poker",
    void_grounds=exposed_dealer,
    complete_layout=mystery.complete_layout,
    open_reason=open_reason,
    dealer_exposed=first_seen,
    rules={
        "settlement": (
            dice_wagers.shaken,
            dice_wagers.activated_by_a_player,
            dice_wagers.no_more_bets_before_the_dice,
            dice_wagers.red_and_blue,
            dice_wagers.announced_dice,
            dice_wagers.settled_before_the_cards,
        ),
        "paying": (
            mystery.contributions,
            mystery.configuration,
            mystery.within_bounds,
            mystery.triggered,
            mystery.hit_of_this_round,
            mystery.commitment,
            mystery.reset,
            mystery.meter_as_won,
            mystery.verified_before_paid,
            mystery.paid_by,
        ),
    },
    precedences=(
        early(settled(*ON_THE_DICE), DICE_AT_REST, "645c.2(g)"),
        Precedence("PAY-ANNOUNCED", "645c.2(g)", settled(*ON_THE_DICE), DICE_ANNOUNCED),
        *set_after_the_deal("645c.1(d)"),
        *base_early(settled("base"), "645c.1(e)"),
        *base_early(vigorish_taken, "645c.1(e)"),
        early(settled("tiger_9"), ALL_HANDS_DEALT, "645c.1(e)"),
        early(settled("tiger_9"), DEALER_SET, "645c.1(e)"),
        *bonuses_early(settled("fortune_bonus", "progressive"), "645c.1(f)", "11(h)(2)(ii)"),
        early(settled("fortune_bonus", "progressive"), HAND_REVEALED, "645c.1(f)"),
        *VERIFIED_EARLY,
        *SHOWN_IN_ORDER,
        *OF_THE_DEAL,
        *racked_of_shoe("11(g)", "11(i)", "base", "tiger_9"),
        early(bonus_light, BONUS_HIT, "645c.3(c)(5)"),
        early(bonus_paid, BONUS_HIT, "645c.3(c)(5)"),
    ),
)
