"""The details that a finding about money adds in words: how much came late, what limits a payout, why no Envy Bonus is due."""

from collections import defaultdict
from collections.abc import Iterable

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.rules.mystery import rulings
from replay.settlement.game_terms import no_envy_by_game
from replay.settlement.hand_readings import dealer_position
from replay.settlement.stakes import ENVY_OF, Stake, end_of_time, stakes, withdrawal_closes
from rulebook.catalogue import GAMES
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.bonus import is_qualifying
from rulebook.settlement.mystery import show_meter

ENDS = {
    "no_more_bets": '"no more bets"',
    "first_card": "the first card",
    "activation": "the shaker was used",
    "further_cards": "the additional cards",
    "reveal": "the reveal",
}
"""What ends the time for a wager → how it is named."""
WHATEVER_COMES_FIRST = ("no_more_bets", "activation")
"""Ends of the time for a wager that another event may have brought before."""


def late_part(round_: Round, book: Rulebook, stake: Stake) -> str:
    """Return in words how much of a wager was placed or withdrawn after its time, and what ended that time."""
    rule_ = book.chapter.wagers.get(stake.wager)
    done = "placed" if stake.late_cents > 0 else "withdrawn"
    closes, end = rule_.closes if rule_ is not None else "no_more_bets", end_of_time(round_, book, stake)
    if done == "withdrawn" and closes == "reveal":
        closes, end = "no_more_bets", withdrawal_closes(round_, book, stake.wager, stake.seat)
    if closes in WHATEVER_COMES_FIRST:
        match end:
            case RecordedEvent(payload=model.NoMoreBets()):
                closes = "no_more_bets"
            case RecordedEvent(payload=model.CardsDealt()):
                closes = "first_card"
            case RecordedEvent(payload=model.ShakerActivated() | model.ShakerShaken() | model.DiceRolled()):
                closes = "activation"
    return f"{show_money(abs(stake.late_cents))} {done} after {ENDS[closes]}"


def of_the_limit(book: Rulebook, is_capped: bool) -> str:
    """Return in words what the filed maximum payout has to do with a payment that it limits, or does not (§ 688a.12(e))."""
    limit = show_money(book.max_payout_cents or 0)
    return f"the maximum payout is {limit}" if is_capped else f"the maximum payout of {limit} does not limit it"


def of_the_bank(round_: Round, book: Rulebook, difference_cents: int | None, facts: Iterable[RecordedEvent]) -> str:
    """Return in words what a patron who holds the bank is short by or owes, after another was paid wrongly.

    Empty if the house has the bank, or paid in the player-dealer's place.
    """
    if not difference_cents or not GAMES[book.game].patron_banked:
        return ""
    if any(getattr(fact.payload, "source", "player_dealer") != "player_dealer" for fact in facts):
        return ""
    seat = dealer_position(round_)
    who = "the player-dealer" if seat == "dealer" else f"the player-dealer at seat {seat}"
    return f"; {who} {'is short' if difference_cents > 0 else 'owes'} {show_money(abs(difference_cents))}"


def no_bonus_for(round_: Round, book: Rulebook, seat: int) -> tuple[str, str]:
    """Return why a Must-Hit-By bonus that was paid at a seat was not due: whose contribution hit it. With the section."""
    found = [said for _, said in rulings(round_, book)]
    passed, own = "645c.3(c)(3)", [said for said in found if said.winner is not None and said.winner.seat == seat]
    if own:
        base = book.chapter.base
        missing = next((wager for wager in (base, "progressive") if not _is_in_time(round_, book, seat, wager)), base)
        return "645c.3(c)(1)", f"the contribution of seat {seat} does not qualify: no {missing} wager in time"
    if (wrong := next((said.right for said in found if said.at is not None), None)) is not None:
        return passed, wrong
    if (won := next((said.winner for said in found if said.winner is not None), None)) is not None:
        return passed, f"the contribution of seat {won.seat} hit the meter, at {show_meter(won.reading)}"
    return passed, "no contribution hit the meter in this round"


def _is_in_time(round_: Round, book: Rulebook, seat: int, wager: str) -> bool:
    stake = stakes(round_, book).get(key_of(seat, wager, None, ""))
    return stake is not None and stake.in_time_cents > 0


def no_envy_for(
    round_: Round, book: Rulebook, wager: str, seat: int, paid_for: Iterable[int | str], owed: Iterable[int | str]
) -> str:
    """Return in words why an Envy Bonus that was paid at a seat was not due; empty if none was paid."""
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
            why = no_envy_by_game(round_, book, seat, int(position)) or "no hand there that qualifies"
            reasons.append(f"none for seat {position}: {why}")
    return ", ".join(reasons)
