"""A round with a player-dealer (California) as a row: the position, the piles, who bet behind, the fees, the turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

import numpy as np

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.player_dealer import COVERED, SEATS, action_seat, from_action
from games.rulebook.rulebook import Rulebook
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, OutcomeNames, Row, bettor_of_box
from replay.columns.games.seven_cards import (
    ACE_HIGH_SECTIONS,
    BASE_OUTCOMES,
    CARDS,
    FORTUNE_SECTIONS,
    cards_dealt,
    hands_set,
)
from replay.columns.ordinary_course import Ineligible, cents_of, require
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.rules.games.player_dealer import IN_TURN, bank_of, button, first_settled, must_be_asked, offers_before
from replay.settlement.payouts import WagerFlow, flows, net_done
from replay.settlement.voids import start_of

BEHIND: Final = 3
"""So many patrons who bet behind a seat have room in a row."""
OFFERS: Final = 14
"""So many offers of the player-dealer position have room in a row."""

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "ace_high_bonus", "fortune_bonus", *["backline"] * BEHIND),
    follows=frozenset(),
    numbers={
        "start_count": (np.uint8, 0),
        "bank": (np.uint8, 0),
        "bank_cents": (np.int32, -1),
        "button": (np.uint8, 0),
        "held_seat": (np.uint8, 0),
        "held_rounds": (np.uint8, 0),
        "held_by_same": (np.uint8, 0),
        "to_ask": (np.uint8, 0),
        "accepted_by": (np.uint8, 0),
        "picked": (np.uint8, 0),
    },
    arrays={
        **CARDS,
        "offers": (np.uint8, OFFERS, 0),
        "piles": (np.uint8, 7 * POSITIONS, NO_CARD),
        "pile_turns": (np.uint8, 7 * POSITIONS, 0),
        "fees": (np.int32, POSITIONS, 0),
        "fees_behind": (np.int32, BEHIND * POSITIONS, 0),
        "moved_from": (np.int16, 5 * POSITIONS, -1),
        "moved_to": (np.int16, 5 * POSITIONS, -1),
    },
    seats=POSITIONS,
    lists=("behind",),
)
"""`bank` is the player-dealer's seat and `bank_cents` its wager, `button` where the action button lies; `held_…` the seat that
had the position before, for how many rounds, and whether of the same patron; `to_ask` the seats that had to be asked, `offers`
those that were, in order, `accepted_by` the first that accepted. `piles` has the cards dealt to piles and `pile_turns` to which,
in the order dealt; `picked` the pile that was given out first. `fees` were taken of the player or player-dealer of a seat,
`fees_behind` of those behind it; `behind` names them, all places or none. `moved_…`: the first and last moments at which a
seat's wagers were taken or paid, of each kind as they stand in `replay.rules.games.player_dealer.IN_TURN`.
"""
FIRST_BEHIND: Final = len(SCHEMA.slots) - BEHIND
"""The first of the places of a seat for those who bet behind it."""

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"equipment", "progressive", "collection", "mystery"}
"""The aspects that the record of a round in columns covers."""

ORDINARY: Final[frozenset[type[Event]]] = course.SHARED_EVENTS | {
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

WIDTH: Final = len(SCHEMA.slots)


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round with a player-dealer into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    _write_position(row, round_, book)
    _write_deck(row, round_)
    _write_cards(row, round_)
    _write_stakes(row, round_)
    _write_fees(row, round_)
    _write_settlement(row, round_, book)
    course.write_envy(row, round_, SEATS)
    own = [fact for fact in round_.of(model.HandSet) if fact.payload.position == row["bank"]]
    course.write_moments(
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
    """Return a seat as a place in arrays: nobody else has a hand."""
    if not isinstance(position, int):
        raise Ineligible("a hand of nobody's seat")
    return course.seat_of(position, SEATS)


# ---------------------------------------------------------------------------------------------- the position and the start


def _write_position(row: Row, round_: Round, book: Rulebook) -> None:
    """Write who deals, with what, who had the position before, to whom it was offered, and who had to be asked."""
    wagered, bank, before = round_.of(model.PlayerDealerWagered), bank_of(round_), round_.before.position
    require(len({(fact.payload.seat, fact.payload.bettor) for fact in wagered}) == 1, "no player-dealer, or two")
    start, placed = start_of(round_), button(round_)
    if bank is None or bank.wager_cents is None or start is None or start.count is None:
        raise Ineligible("no start, or one that was not read")
    row["bank"], row["bank_cents"] = course.seat_of(bank.seat, SEATS) + 1, cents_of(bank.wager_cents)
    offers = offers_before(round_, wagered[0])
    require(len(offers) <= OFFERS, "the position offered more often than all seats can be asked twice")
    row["offers"] = [*(_place(offer.seat) + 1 for offer in offers), *[0] * (OFFERS - len(offers))]
    row["accepted_by"] = next((offer.seat for offer in offers if offer.accepted), 0)
    row["to_ask"] = sum(1 << _place(seat) for seat in must_be_asked(round_, book, offers))
    row["held_seat"], row["held_rounds"] = before.seat, min(250, before.rounds)
    row["held_by_same"] = before.holder == wagered[0].payload.bettor
    row["start_count"] = start.count
    row["button"] = _place(placed.payload.seat) + 1 if placed is not None else 0


# ------------------------------------------------------------------------------------------------------ deck, piles, hands


def _write_deck(row: Row, round_: Round) -> None:
    """Write the shuffle and the cut. Whether the deck is in play is asked where the record covers equipment."""
    deck = round_.before.decks.get(round_.deck)
    known = round_.covers("equipment") and round_.before.equipment_known
    require(not known or (deck is not None and deck.in_play_us is not None), "a deck that is not in play")
    course.write_shuffle(row, round_, SEATS)


def _write_cards(row: Row, round_: Round) -> None:
    """Write the piles, card by card, the hands given out after them, and how they were set."""
    deals = round_.of(model.CardsDealt)
    piled = [fact for fact in deals if str(fact.payload.to).startswith("pile-")]
    require(deals[: len(piled)] == piled, "piles dealt after the hands")
    require(
        len(piled) in (0, SEATS * 7) and all(len(fact.payload.cards) == 1 for fact in piled), "piles of other sizes"
    )
    for turn, fact in enumerate(piled):
        (card,) = fact.payload.cards
        require(card is not None, "a card that was not read")
        row["piles"][turn], row["pile_turns"][turn] = CODE[card], _pile_number(fact.payload.to)
    picked = round_.first(model.PileSelected)
    row["picked"] = _pile_number(picked.payload.pile) if picked is not None else 0
    row["dealt_to"], row["dealt"] = cards_dealt(deals[len(piled) :], _place)
    row["hands"] = hands_set(round_, (5, 2, 0), _place)
    counted = round_.first(model.StubCounted)
    if counted is not None:
        row["stub"], row["stub_seen"] = min(1000, counted.payload.count), min(1000, counted.payload.exposed)


def _pile_number(name: str) -> int:
    return int(name.removeprefix("pile-"))


# ----------------------------------------------------------------------------------------------------------- wagers, fees


def _write_stakes(row: Row, round_: Round) -> None:
    """Write the stakes and their bettors, at the seats and behind them; those behind a seat in the order in which they came."""
    at_seats = [fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager != "backline"]
    course.write_stakes(row, round_, SCHEMA, at_seats)
    behind = [""] * (SEATS * BEHIND)
    for fact in round_.of(model.WagerPlaced):
        event = fact.payload
        if event.wager != "backline":
            continue
        require(event.form not in ("cash", "verbal"), "a wager in cash or by word")
        at = _place(event.seat) * BEHIND
        here = behind[at : at + BEHIND]
        which = next((each for each, bettor in enumerate(here) if bettor in ("", event.bettor)), None)
        if which is None:
            raise Ineligible("more behind a seat than the columns hold")
        behind[at + which] = event.bettor
        place = _place(event.seat) * WIDTH + FIRST_BEHIND + which
        row["staked"][place] = cents_of(row["staked"][place] + event.amount_cents)
    row["behind"] = behind if any(behind) else []


def _write_fees(row: Row, round_: Round) -> None:
    """Write what was taken of each player and of the player-dealer, by seat, and of those behind.

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
            raise Ineligible("a fee of somebody without a wager")


# ---------------------------------------------------------------------------------------------------------- the settlement


def _write_settlement(row: Row, round_: Round, book: Rulebook) -> None:
    """Write what was done with every wager, and between which moments each kind of wager of a seat was taken or paid."""
    moved, first = dict(flows(round_)), round_.first_seq
    for place, staked in enumerate(row["staked"]):
        if staked:
            seat, wager = place // WIDTH, SCHEMA.wagers[place % WIDTH]
            which = place % WIDTH - FIRST_BEHIND
            bettor = row["behind"][seat * BEHIND + which] if which >= 0 else ""
            row["net"][place] = cents_of(
                net_done(staked, wager, moved.pop(key_of(seat + 1, wager, None, bettor), WagerFlow()))
            )
    require(not moved, "money moved where nothing was staked")
    for fact in (*round_.of(model.WagerTaken), *round_.of(model.WagerPaid), *round_.of(model.WagerReturned)):
        event = fact.payload
        own = event.wager == "backline" or event.bettor == row[f"bettor_{event.seat}"]
        require(own, "money of another than who wagered")
    for fact in round_.of(model.WagerReturned):
        require(fact.payload.reason in ("push", "uncovered", "other"), "a stake returned that was no push")
    require(all(fact.payload.source != "slip" for fact in round_.of(model.WagerPaid)), "paid by slip")
    turns = [(fact, fact.payload.wager) for fact in first_settled(round_, book)]
    turns += [(fact, f"{fact.payload.wager}".replace("_bonus", "_envy")) for fact in round_.of(model.EnvyPaid)]
    for fact, wager in turns:
        require(wager in IN_TURN, "a wager that the game does not have")
        at, moment = _place(fact.payload.seat) * len(IN_TURN) + IN_TURN.index(wager), fact.seq - first
        course.keep_earliest(row["moved_from"], at, moment)
        row["moved_to"][at] = max(row["moved_to"][at], moment)


def _bettor_of(row: Row, seat: int, slot: int) -> str:
    """Return who placed a wager: the bettor of the seat, or one of those who bet behind it."""
    if slot < FIRST_BEHIND:
        return bettor_of_box(row, seat, slot)
    bettor: str = row["behind"][(seat - 1) * BEHIND + slot - FIRST_BEHIND]
    return bettor


def _from_action(row: Row, seats: int) -> Sequence[int]:
    """Return the seats clockwise from the action button."""
    action = action_seat(row["start_count"], row["bank"])
    return sorted(range(1, seats + 1), key=lambda seat: from_action(seat, action))


COLUMNS: Final = GameColumns(
    name="player_dealer",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.player_dealer",
    outcomes=OutcomeNames(
        {"base": BASE_OUTCOMES, "backline": BASE_OUTCOMES},
        {"ace_high_bonus": ACE_HIGH_SECTIONS, "fortune_bonus": FORTUNE_SECTIONS},
        COVERED,
    ),
    adjudication_columns=("bettor_7", "behind", "bank", "start_count"),
    bettor_of=_bettor_of,
    envy_order=_from_action,
)
