"""A round of Over/Under as a row: the shoe as it was, the deal hand by hand, decisions and surrenders, the settlement."""

from __future__ import annotations

from typing import Final

import numpy as np

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE, JOKER
from games.over_under import SIDES
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, LineOutcomes, OutcomeNames, Row
from replay.columns.kernels.screening_result import LOSE, SURRENDERED, TIE, WIN
from replay.columns.ordinary_course import Ineligible, require, seat_of
from replay.columns.row_schemas import NO_CARD, SEATS, RowSchema, slots_of
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.equipment import first_cut
from replay.rules.games.over_under_hands import dealt_to
from replay.rules.games.over_under_turns import settling
from replay.rules.shoe_procedure import batch_of, cut_made, gone, shoe_begun, shoe_of

SHUFFLERS: Final = ("", "none", "automated", "automated_counting", "continuous")
"""Shufflers by number; 0: not on record."""

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "over", "under", "bonus"),
    follows=frozenset(),
    numbers={
        "shuffler": (np.uint8, 0),
        "begun": (np.int64, 0),
        "last_dealt": (np.int64, 0),
        "newcomer": (np.int64, 0),
        "burnt_at": (np.int64, 0),
        "burns": (np.int16, 0),
        "just_opened": (np.uint8, 0),
        "cut_at": (np.int64, 0),
        "cover_put_at": (np.int64, 0),
        "cover_depth": (np.int16, -1),
        "cover_from_top": (np.uint8, 0),
        "cover_passed": (np.uint8, 0),
        "cover_at": (np.uint8, 0),
        "cover_known": (np.uint8, 0),
    },
    arrays={
        "dealt": (np.uint8, 3 * SEATS, NO_CARD),
        "gone": (np.uint8, 52, 0),
        "first_at": (np.int16, SEATS, -1),
        "further_from": (np.int16, SEATS, -1),
        "further_to": (np.int16, SEATS, -1),
        "decided": (np.int16, SEATS, -1),
        "said": (np.uint8, SEATS, 0),
        "surrendered": (np.int16, SEATS, -1),
        "side_to": (np.int16, SEATS, -1),
        "settled_from": (np.int16, SEATS, -1),
        "settled_to": (np.int16, SEATS, -1),
    },
)
"""Of the shoe, as numbers of events in the stream (0: none): what began it where this round does (`begun`), the last card dealt
before the round (`last_dealt`), a dealer who came and has not dealt (`newcomer`), the last card burnt before the first one
dealt (`burnt_at`), the cut (`cut_at`), the cover card put into cards not dealt yet (`cover_put_at`, so deep). `shuffler` is the
one that the table was opened with (`SHUFFLERS`); `burns` how many cards were burnt
in the round; `cover_passed`: the cover card came before the round, and nobody shuffled since; `cover_at` where it came in the
last round (a seat, 7: elsewhere, 0: not), as far as that is on record (`cover_known`). `gone` is how many copies of each card
certainly left the shoe before.

`dealt` has each seat's three cards; of each seat the moments of its first card, of its first and last additional card, of its
decision, of its surrender, of its last wager on over or under (`side_to`), and of the first and last settlement of its wagers
in turn (not of a surrendered ante, nor of what put a settlement right). `said` 1 over, 2 under.
"""

ASPECTS: Final = frozenset({"equipment", "shuffle", "wagering", "deal", "settlement", "collection"})
"""The aspects that the record of a round in columns covers: all that this game has."""

ORDINARY: Final[frozenset[type[Event]]] = frozenset(
    {
        model.RoundOpened, model.CardsShuffled, model.CutOffered, model.CardsCut, model.CoverCardPlaced, model.CardBurned,
        model.WagerPlaced, model.WagerRemoved, model.CardsDealt, model.CoverCardReached, model.DecisionMade, model.Surrendered,
        model.WagerTaken, model.WagerPaid, model.WagerReturned, model.CardsCollected, model.RoundClosed,
        model.FillReceived, model.CreditSent, model.BuyIn, model.MarkerIssued, model.DropCounted, model.InventoryCounted,
        model.DealerTappedOut, model.ShiftChanged,
    }
)  # fmt: skip
"""The events of the ordinary course of a round, and those that say nothing of any. A dealer who comes in it burns a card."""
AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (model.CoverCardPlaced,)

MOST_COPIES: Final = 250
ELSEWHERE: Final = SEATS + 1


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of Over/Under into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    _write_deal(row, round_)
    course.write_equipment(row, round_)
    _write_shoe(row, round_)
    _write_cover_card(row, round_)
    course.write_stakes(row, round_, SCHEMA)
    _deduct_withdrawals(row, round_)
    barred = {fact.payload.bettor for fact in round_.of(model.WagerPlaced)} & shoe_of(round_).barred.keys()
    require(not barred, "a wager of a patron who was barred")
    course.write_settlement(row, round_, SCHEMA)
    _write_decisions(row, round_)
    _write_turns(row, round_, book)
    course.write_moments(
        row,
        round_,
        {
            "last_wager": [
                *(fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager not in SIDES),
                *round_.of(model.WagerRemoved),
            ],
            "first_card": round_.of(model.CardsDealt),
        },
    )


# ----------------------------------------------------------------------------------------------------------------- the cards


def _write_deal(row: Row, round_: Round) -> None:
    """Write a card to each player, then two more: one by one, or both at once."""
    require(all(isinstance(fact.payload.to, int) for fact in round_.of(model.CardsDealt)), "cards dealt aside")
    for to, dealt in dealt_to(round_).items():
        seat, cards = seat_of(to), [card for fact in dealt for card in fact.payload.cards]
        require(None not in cards, "a card that was not read")
        require(len(dealt[0].payload.cards) == 1 and len(cards) == 3, "other than one card and then two")
        row["dealt"][3 * seat : 3 * seat + 3] = [CODE[card] for card in cards]
        row["first_at"][seat], row["further_from"][seat], row["further_to"][seat] = (
            fact.seq - round_.first_seq for fact in (dealt[0], dealt[1], dealt[-1])
        )


# ------------------------------------------------------------------------------------------------------------------ the shoe


def _write_shoe(row: Row, round_: Round) -> None:
    """Write what began the shoe, what was burnt, and what left it before."""
    before, shoe, first = round_.before, shoe_of(round_), round_.first_card
    if before.shoe is None or first is None:
        raise Ineligible("no cards dealt, or a shoe that is not on record")
    shuffled = [fact for fact in round_.of(model.CardsShuffled) if fact.payload.deck == round_.deck]
    require(all(fact.seq < first.seq for fact in shuffled), "cards shuffled in the middle of the round")
    burnt = round_.of(model.CardBurned)
    require(all(fact.payload.card is None for fact in burnt), "a burn card that was read")
    row["shuffler"], row["just_opened"] = SHUFFLERS.index(before.shuffler), before.just_opened
    row["begun"], row["last_dealt"], row["newcomer"] = shoe_begun(round_) or 0, shoe.last_card, shoe.newcomer
    row["burnt_at"] = max([shoe.burned, *(fact.seq for fact in burnt if fact.seq < first.seq)])
    row["burns"] = min(1000, len(burnt))
    for card, copies in gone(round_).items() if not shuffled else ():
        if CODE[card] != JOKER:
            row["gone"][CODE[card]] = min(MOST_COPIES, copies)
    found = first_cut(round_)
    require(found is not None or cut_made(round_) is None, "a cut of cards that were not shuffled by hand")
    if found is not None:
        offers, made = found
        require(
            not any(step.detail == "accepted" for step in offers[:-1]), "the cut offered to another after it was taken"
        )
        row["cut_at"] = made.seq


def _write_cover_card(row: Row, round_: Round) -> None:
    """Write how deep the cover card was put into cards that were not dealt yet, and where it came out."""
    shoe, put, first = shoe_of(round_), round_.first(model.CoverCardPlaced), round_.first_card
    placed = shoe.placed
    if put is not None:
        require(first is not None and put.seq < first.seq, "the cover card put into cards that were being dealt")
        placed = put.seq, put.payload.depth, put.payload.counted_from
    if placed is not None:
        row["cover_put_at"], row["cover_depth"] = placed[0], min(1000, placed[1])
        row["cover_from_top"] = placed[2] == "top"
    row["cover_passed"], row["cover_known"] = batch_of(round_).cover != 0, shoe.covered
    if shoe.cover_at is not None:
        row["cover_at"] = seat_of(shoe.cover_at) + 1 if isinstance(shoe.cover_at, int) else ELSEWHERE


# --------------------------------------------------------------------------- the wagers, the decisions, the settlement


def _deduct_withdrawals(row: Row, round_: Round) -> None:
    """Deduct from the stakes the part of ante and Bonus that was taken back before the cards."""
    place_of, width = course.slot_places(SCHEMA), len(SCHEMA.slots)
    for fact in round_.of(model.WagerRemoved):
        event, seat = fact.payload, seat_of(fact.payload.seat)
        require(event.wager in ("ante", "bonus") and event.number is None, "over or under taken back")
        place = seat * width + place_of[event.wager, None]
        row["staked"][place] -= event.amount_cents
        require(
            row["staked"][place] > 0 and event.bettor == row[f"bettor_{event.seat}"],
            "a wager taken back whole, or by another",
        )


def _write_decisions(row: Row, round_: Round) -> None:
    """Write when each player decided (announced it, placed the wager, surrendered), and what was announced."""
    for fact in round_.of(model.DecisionMade):
        require(fact.payload.decision in SIDES, "a decision that the game does not have")
        seat = seat_of(fact.payload.seat)
        require(not row["said"][seat], "decided twice")
        row["said"][seat] = SIDES.index(fact.payload.decision) + 1
        course.keep_earliest(row["decided"], seat, _moment(round_, fact))
    for fact in round_.of(model.WagerPlaced):
        if fact.payload.wager in SIDES:
            seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
            course.keep_earliest(row["decided"], seat, moment)
            row["side_to"][seat] = max(row["side_to"][seat], moment)
    for fact in round_.of(model.Surrendered):
        seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
        require(row["surrendered"][seat] < 0, "surrendered twice")
        require(not row["said"][seat], "surrendered, and over or under said")
        row["surrendered"][seat] = moment
        course.keep_earliest(row["decided"], seat, moment)
    for fact in round_.of(model.WagerTaken):
        announced = row["surrendered"][seat_of(fact.payload.seat)] >= 0
        require(announced or fact.payload.reason != "surrendered", "a surrender that the collection alone tells of")


def _write_turns(row: Row, round_: Round, book: Rulebook) -> None:
    """Write between which moments the wagers of each player were settled in turn."""
    for fact in settling(round_, book):
        seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
        course.keep_earliest(row["settled_from"], seat, moment)
        row["settled_to"][seat] = moment


def _moment(round_: Round, fact: RecordedEvent) -> int:
    return fact.seq - round_.first_seq


_TOTALS: Final[LineOutcomes] = {
    WIN: (Outcome.WIN, "686a.8(a)"),
    LOSE: (Outcome.LOSE, "686a.7(j)"),
    TIE: (Outcome.TIE, "686a.7(j)"),
    SURRENDERED: (Outcome.SURRENDERED, "686a.7(g)(3)"),
}
"""The outcomes of the wagers that go by the total."""

COLUMNS: Final = GameColumns(
    name="over_under",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.over_under",
    outcomes=OutcomeNames({"ante": _TOTALS, "over": _TOTALS, "under": _TOTALS}, {"bonus": ("686a.8(b)", "686a.7(k)")}),
)
