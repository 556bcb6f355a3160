"""What a finding about money adds in words: how much came late, what limits a payout, why no Envy Bonus is due."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from events.vocabulary import model
from games.rulebook.money import show_money
from games.rulebook.rulebook import Rulebook
from games.settlement.bonus import is_qualifying
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.mystery import rulings
from replay.settlement.hand_readings import dealer_position
from replay.settlement.stakes import ENVY_OF, Stake, end_of_time, stakes

ENDS = {
    "no_more_bets": '"no more bets"',
    "first_card": "the first card",
    "activation": "the shaker was used",
    "further_cards": "the additional cards",
    "reveal": "the reveal",
}
"""What ends the time for a wager → how it is named."""


def late_part(round_: Round, book: Rulebook, stake: Stake) -> str:
    """Return in words how much of a wager was placed or withdrawn after its time, and what ended that time."""
    rule_ = book.chapter.wagers.get(stake.wager)
    done = "placed" if stake.late_cents > 0 else "withdrawn"
    closes = rule_.closes if rule_ is not None else "no_more_bets"
    if closes == "no_more_bets":
        match end_of_time(round_, book, stake):
            case RecordedEvent(payload=model.CardsDealt()):
                closes = "first_card"
            case RecordedEvent(payload=model.ShakerActivated() | model.ShakerShaken() | model.DiceRolled()):
                closes = "activation"
    return f"{show_money(abs(stake.late_cents))} {done} after {ENDS[closes]}"


def of_the_limit(book: Rulebook, is_capped: bool) -> str:
    """Return in words what the filed maximum payout has to do with a payment that it limits, or does not (§ 688a.12(e))."""
    limit = show_money(book.max_payout_cents or 0)
    return f"the maximum payout is {limit}" if is_capped else f"the maximum payout of {limit} does not limit it"


def trigger(round_: Round, book: Rulebook) -> str | None:
    """Return whose contribution passed the target of a Must-Hit-By meter, where a hit on record was another's; or null."""
    return next((ruling.right for _, ruling in rulings(round_, book) if ruling.at is not None), None)


def no_envy_for(
    round_: Round, book: Rulebook, wager: str, seat: int, paid_for: Iterable[int | str], owed: Iterable[int | str]
) -> str:
    """Return in words why no Envy Bonus is due at a seat for hands for which one was paid; empty where there are none."""
    patrons = {fact.payload.seat: fact.payload.bettor for fact in reversed(round_.of(model.WagerPlaced))}
    bonus = ENVY_OF[wager]
    wagers_at: dict[int, dict[str, int]] = defaultdict(dict)
    for stake in stakes(round_, book).values():
        if stake.in_time_cents > 0:
            wagers_at[stake.seat][stake.wager] = stake.in_time_cents
    qualifies = is_qualifying(book, bonus, wagers_at[seat].get(bonus, 0))
    reasons = []
    for position in sorted({*paid_for} - {*owed}, key=str):
        if position == "dealer":
            reasons.append("none for the dealer's hand")
        elif position == dealer_position(round_):
            reasons.append("none for the player-dealer's hand")
        elif position == seat:
            reasons.append("none for the own hand")
        elif patrons.get(seat) == patrons.get(int(position), ""):
            reasons.append(f"none for seat {position}, which the same player holds")
        elif not qualifies:
            reasons.append(f"none for seat {position}: no qualifying wager at seat {seat}")
        elif book.settings.get("envy_holder_must_wager", False) and bonus not in wagers_at[int(position)]:
            reasons.append(f"none for seat {position}: no {bonus} wager there")
        else:
            reasons.append(f"none for seat {position}: no hand there that qualifies")
    return ", ".join(reasons)
