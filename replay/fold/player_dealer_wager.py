"""The wager of a round's player-dealer, and its owner if several seats placed one (GEGR-002138; D202, D546, D1226)."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from events.vocabulary import model
from replay.fold.derived import derived
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_state import TableState


@derived
def player_dealer_wager(round_: Round) -> RecordedEvent | None:
    """Return the wager of the player-dealer: the last of that seat before the first card, else the first of all (D202).

    None if none is on record, or if the record leaves open which of several seats is the player-dealer's (D546).
    """
    seats = player_dealers(round_)
    if len(seats) != 1:
        return None
    wagered = _before_the_cards(round_)
    return wagered[0] if not wagered[1:] else next(fact for fact in reversed(wagered) if fact.payload.seat == seats[0])


@derived
def possible_wagers(round_: Round) -> tuple[int, ...]:
    """Return the least and the most possible amount of the player-dealer's wager, if several patrons placed one at that seat
    (D1226).

    The least is the smallest of their wagers, the most their sum. Each patron's last wager counts, and no wager of a patron who
    left.
    """
    counted = player_dealer_wager(round_)
    if counted is None:
        return ()
    left = {(fact.payload.seat, fact.payload.patron): fact.seq for fact in round_.of(model.PatronLeft)}
    cents = {
        fact.payload.bettor: int(fact.payload.amount_cents)
        for fact in _before_the_cards(round_)
        if fact.payload.seat == counted.payload.seat
        and not fact.seq < left.get((fact.payload.seat, fact.payload.bettor), 0) < counted.seq
    }
    return (min(cents.values()), sum(cents.values())) if len(cents) > 1 else ()


@derived
def player_dealers(round_: Round) -> Sequence[int]:
    """Return the seats that the player-dealer may be at: one, unless several put down such a wager before the first card.

    A seat that wagers against the player-dealer is excluded. If several remain, it is the seat whose hand is exposed or set
    first.
    """
    seats = list(dict.fromkeys(fact.payload.seat for fact in _before_the_cards(round_)))
    if len(seats) < 2:
        return seats
    against = _wagers_against(round_)
    seats = [seat for seat in seats if seat not in against] or seats
    shown = round_.in_order(model.HandRevealed, model.HandSet)
    first = next((fact.payload.position for fact in shown if fact.payload.position in seats), None)
    return seats if len(seats) == 1 or first is None else [first]


def _before_the_cards(round_: Round) -> Sequence[RecordedEvent]:
    """Return the player-dealer wagers before the first card; if there are none, the first such wager of the round."""
    wagered = round_.of(model.PlayerDealerWagered)
    if len(wagered) < 2:
        return wagered
    first = round_.first(model.CardsDealt)
    return [fact for fact in wagered if first is None or fact.seq < first.seq] or wagered[:1]


def _wagers_against(round_: Round) -> frozenset[int]:
    """Return the seats with a base wager that stayed on the layout."""
    left = Counter(_cents_by_seat(round_.of(model.WagerPlaced)))
    left.subtract(_cents_by_seat(round_.in_order(model.WagerRemoved, model.WagerRefused)))
    return frozenset(seat for seat, cents in left.items() if cents > 0)


def _cents_by_seat(facts: Iterable[RecordedEvent]) -> Counter[int]:
    cents: Counter[int] = Counter()
    for fact in facts:
        if fact.payload.wager == "base":
            cents[fact.payload.seat] += fact.payload.amount_cents
    return cents


def take_position(state: TableState, ended: Round) -> None:
    """Record the seat that dealt the round as holder of the position, if several put down a player-dealer's wager (D546)."""
    if len(ended.of(model.PlayerDealerWagered)) > 1:
        wager = player_dealer_wager(ended)
        taken = (wager.payload.seat, wager.payload.bettor) if wager is not None else None
        state.position = msgspec.structs.replace(state.position, taken=taken)
