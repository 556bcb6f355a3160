"""A plain round with a player-dealer (California) as a row: the position, the piles, who bet behind, the fees, the turns."""

from __future__ import annotations

from typing import Final, get_args

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.player_dealer import SEATS
from games.rulebook.rulebook import Rulebook
from replay.columns import row_course as plain
from replay.columns.game_row_schemas import BEHIND, FIRST_BEHIND, OFFERS, PLAYER_DEALER
from replay.columns.row_course import Aside, Row, cents_of, must
from replay.columns.seven_cards import dealt, hands_set
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.rules.player_dealer import IN_TURN, bank_of, button, first_settled, must_be_asked, offers_before
from replay.settlement.payouts import WagerFlow, flows, net_done
from replay.settlement.voids import start_of

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"equipment", "progressive", "collection", "mystery"}
"""What the record of a plain round covers."""

ORDINARY: Final[frozenset[type[Event]]] = plain.IN_EVERY_GAME | {
    model.ShakerShaken,
    model.DiceRolled,
    model.TotalAnnounced,
    model.NumberDrawn,
    model.StartAnnounced,
    model.ShakerCovered,
    model.HandSet,
    model.HandExamined,
    model.PlayerDealerOffered,
    model.PlayerDealerWagered,
    model.ActionButtonPlaced,
    model.PileSelected,
    model.CollectionTaken,
}
AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (model.StubCounted, model.PileSelected)

WIDTH: Final = len(PLAYER_DEALER.slots)


def player_dealer(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round with a player-dealer into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    _position(row, round_, book)
    _deck(row, round_)
    _cards(row, round_)
    _stakes(row, round_)
    _fees(row, round_)
    _settled(row, round_, book)
    plain.envy(row, round_, SEATS)
    own = [fact for fact in round_.of(model.HandSet) if fact.payload.position == row["bank"]]
    plain.moments(
        row,
        round_,
        {
            "last_wager": round_.of(model.WagerPlaced),
            "last_lammer": round_.of(model.LammerPlaced),
            "first_card": round_.of(model.CardsDealt),
            "dealer_set": own,
            "first_look": [fact for fact in round_.of(model.HandSet) if fact not in own],
        },
    )


def _place(position: int | str) -> int:
    """A seat as a place in arrays: nobody else has a hand."""
    if not isinstance(position, int):
        raise Aside("a hand of nobody's seat")
    return plain.seat_of(position, SEATS)


# ---------------------------------------------------------------------------------------------- the position and the start


def _position(row: Row, round_: Round, book: Rulebook) -> None:
    """Who deals, with what, who had the position before, to whom it was offered, and who had to be asked."""
    wagered, bank, before = round_.of(model.PlayerDealerWagered), bank_of(round_), round_.before.position
    must(len({(fact.payload.seat, fact.payload.bettor) for fact in wagered}) == 1, "no player-dealer, or two")
    start, placed = start_of(round_), button(round_)
    if bank is None or bank.wager_cents is None or start is None or start.count is None:
        raise Aside("no start, or one that was not read")
    row["bank"], row["bank_cents"] = plain.seat_of(bank.seat, SEATS) + 1, cents_of(bank.wager_cents)
    offers = offers_before(round_, wagered[0])
    must(len(offers) <= OFFERS, "the position offered more often than all seats can be asked twice")
    row["offers"] = [*(_place(offer.seat) + 1 for offer in offers), *[0] * (OFFERS - len(offers))]
    row["accepted_by"] = next((offer.seat for offer in offers if offer.accepted), 0)
    row["to_ask"] = sum(1 << _place(seat) for seat in must_be_asked(round_, book, offers))
    row["held_seat"], row["held_rounds"] = before.seat, min(250, before.rounds)
    row["held_by_same"] = before.holder == wagered[0].payload.bettor
    row["start_count"] = start.count
    row["button"] = _place(placed.payload.seat) + 1 if placed is not None else 0


# ------------------------------------------------------------------------------------------------------ deck, piles, hands


def _deck(row: Row, round_: Round) -> None:
    """The shuffle and the cut. Whether the deck is in play is asked where the record covers equipment."""
    deck = round_.before.decks.get(round_.deck)
    known = round_.covers("equipment") and round_.before.equipment_known
    must(not known or (deck is not None and deck.in_play_us is not None), "a deck that is not in play")
    plain.shuffle(row, round_, SEATS)


def _cards(row: Row, round_: Round) -> None:
    """The piles, card by card, the hands given out after them, and how they were set."""
    deals = round_.of(model.CardsDealt)
    piled = [fact for fact in deals if str(fact.payload.to).startswith("pile-")]
    must(deals[: len(piled)] == piled, "piles dealt after the hands")
    must(len(piled) in (0, SEATS * 7) and all(len(fact.payload.cards) == 1 for fact in piled), "piles of other sizes")
    for turn, fact in enumerate(piled):
        (card,) = fact.payload.cards
        must(card is not None, "a card that was not read")
        row["piles"][turn], row["pile_turns"][turn] = CODE[card], _pile(fact.payload.to)
    picked = round_.first(model.PileSelected)
    row["picked"] = _pile(picked.payload.pile) if picked is not None else 0
    row["dealt_to"], row["dealt"] = dealt(deals[len(piled) :], _place)
    row["hands"] = hands_set(round_, (5, 2, 0), _place)
    counted = round_.first(model.StubCounted)
    if counted is not None:
        row["stub"], row["stub_seen"] = min(1000, counted.payload.count), min(1000, counted.payload.exposed)


def _pile(name: str) -> int:
    return int(name.removeprefix("pile-"))


# ----------------------------------------------------------------------------------------------------------- wagers, fees


def _stakes(row: Row, round_: Round) -> None:
    """What lay at stake, of whom, at the seats and behind them, those who bet behind a seat in the order in which they came."""
    at_seats = [fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager != "backline"]
    plain.stakes(row, round_, PLAYER_DEALER, at_seats)
    behind = [""] * (SEATS * BEHIND)
    for fact in round_.of(model.WagerPlaced):
        event = fact.payload
        if event.wager != "backline":
            continue
        must(event.form not in ("cash", "verbal"), "a wager in cash or by word")
        at = _place(event.seat) * BEHIND
        here = behind[at : at + BEHIND]
        which = next((each for each, bettor in enumerate(here) if bettor in ("", event.bettor)), None)
        if which is None:
            raise Aside("more behind a seat than the columns hold")
        behind[at + which] = event.bettor
        place = _place(event.seat) * WIDTH + FIRST_BEHIND + which
        row["staked"][place] = cents_of(row["staked"][place] + event.amount_cents)
    row["behind"] = behind if any(behind) else []


def _fees(row: Row, round_: Round) -> None:
    """What was taken of each player and of the player-dealer, by seat, and of those behind.

    Who bets behind the own seat pays as its player.
    """
    (taken_of,) = {fact.payload.bettor for fact in round_.of(model.PlayerDealerWagered)}
    for fact in round_.of(model.CollectionTaken):
        event, seat = fact.payload, _place(fact.payload.seat)
        there = taken_of if event.seat == row["bank"] else row[f"bettor_{event.seat}"]
        behind = row["behind"][seat * BEHIND : (seat + 1) * BEHIND]
        if event.bettor == there:
            row["fees"][seat] = cents_of(row["fees"][seat] + event.amount_cents)
        elif event.bettor in behind:
            at = seat * BEHIND + behind.index(event.bettor)
            row["fees_behind"][at] = cents_of(row["fees_behind"][at] + event.amount_cents)
        else:
            raise Aside("a fee of somebody without a wager")


# ---------------------------------------------------------------------------------------------------------- the settlement


def _settled(row: Row, round_: Round, book: Rulebook) -> None:
    """What was done with every wager, and between which moments each kind of wager of a seat was taken or paid."""
    moved, first = dict(flows(round_)), round_.first_seq
    for place, staked in enumerate(row["staked"]):
        if staked:
            seat, wager = place // WIDTH, PLAYER_DEALER.wagers[place % WIDTH]
            which = place % WIDTH - FIRST_BEHIND
            bettor = row["behind"][seat * BEHIND + which] if which >= 0 else ""
            row["net"][place] = cents_of(
                net_done(staked, wager, moved.pop(key_of(seat + 1, wager, None, bettor), WagerFlow()))
            )
    must(not moved, "money moved where nothing was staked")
    for fact in (*round_.of(model.WagerTaken), *round_.of(model.WagerPaid), *round_.of(model.WagerReturned)):
        event = fact.payload
        own = event.wager == "backline" or event.bettor == row[f"bettor_{event.seat}"]
        must(own, "money of another than who wagered")
    for fact in round_.of(model.WagerReturned):
        must(fact.payload.reason in ("push", "uncovered", "other"), "a stake returned that was no push")
    must(all(fact.payload.source != "slip" for fact in round_.of(model.WagerPaid)), "paid by slip")
    turns = [(fact, fact.payload.wager) for fact in first_settled(round_, book)]
    turns += [(fact, f"{fact.payload.wager}".replace("_bonus", "_envy")) for fact in round_.of(model.EnvyPaid)]
    for fact, wager in turns:
        must(wager in IN_TURN, "a wager that the game does not have")
        at, moment = _place(fact.payload.seat) * len(IN_TURN) + IN_TURN.index(wager), fact.seq - first
        plain.earliest(row["moved_from"], at, moment)
        row["moved_to"][at] = max(row["moved_to"][at], moment)
