"""A plain round of Over/Under as a row: the shoe as it was, the deal hand by hand, decisions and surrenders, the settlement."""

from __future__ import annotations

from typing import Final

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE, JOKER
from games.over_under import SIDES
from games.rulebook.rulebook import Rulebook
from replay.columns import row_course as plain
from replay.columns.game_row_schemas import OVER_UNDER, SHUFFLERS
from replay.columns.row_course import Aside, Row, must, seat_of
from replay.columns.row_schemas import SEATS
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.equipment import first_cut
from replay.rules.over_under import dealt_to, settling
from replay.rules.shoe_procedure import batch_of, cut_made, gone, shoe_begun, shoe_of

ASPECTS: Final = frozenset({"equipment", "shuffle", "wagering", "deal", "settlement", "collection"})
"""What the record of a plain round covers: all that this game has."""

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


def over_under(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of Over/Under into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    _dealt(row, round_)
    plain.equipment(row, round_)
    _shoe(row, round_)
    _cover_card(row, round_)
    plain.stakes(row, round_, OVER_UNDER)
    _taken_back(row, round_)
    barred = {fact.payload.bettor for fact in round_.of(model.WagerPlaced)} & shoe_of(round_).barred.keys()
    must(not barred, "a wager of a patron who was barred")
    plain.settled(row, round_, OVER_UNDER)
    _decided(row, round_)
    _in_turn(row, round_, book)
    plain.moments(
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


def _dealt(row: Row, round_: Round) -> None:
    """A card to each player, then two more: one by one, or both at once."""
    must(all(isinstance(fact.payload.to, int) for fact in round_.of(model.CardsDealt)), "cards dealt aside")
    for to, dealt in dealt_to(round_).items():
        seat, cards = seat_of(to), [card for fact in dealt for card in fact.payload.cards]
        must(None not in cards, "a card that was not read")
        must(len(dealt[0].payload.cards) == 1 and len(cards) == 3, "other than one card and then two")
        row["dealt"][3 * seat : 3 * seat + 3] = [CODE[card] for card in cards]
        row["first_at"][seat], row["further_from"][seat], row["further_to"][seat] = (
            fact.seq - round_.first_seq for fact in (dealt[0], dealt[1], dealt[-1])
        )


# ------------------------------------------------------------------------------------------------------------------ the shoe


def _shoe(row: Row, round_: Round) -> None:
    """What began the shoe, what was burnt, and what left it before."""
    before, shoe, first = round_.before, shoe_of(round_), round_.first_card
    if before.shoe is None or first is None:
        raise Aside("no cards dealt, or a shoe that is not on record")
    shuffled = [fact for fact in round_.of(model.CardsShuffled) if fact.payload.deck == round_.deck]
    must(all(fact.seq < first.seq for fact in shuffled), "cards shuffled in the middle of the round")
    burnt = round_.of(model.CardBurned)
    must(all(fact.payload.card is None for fact in burnt), "a burn card that was read")
    row["shuffler"], row["just_opened"] = SHUFFLERS.index(before.shuffler), before.just_opened
    row["begun"], row["last_dealt"], row["newcomer"] = shoe_begun(round_) or 0, shoe.last_card, shoe.newcomer
    row["burnt_at"] = max([shoe.burned, *(fact.seq for fact in burnt if fact.seq < first.seq)])
    row["burns"] = min(1000, len(burnt))
    for card, copies in gone(round_).items() if not shuffled else ():
        if CODE[card] != JOKER:
            row["gone"][CODE[card]] = min(MOST_COPIES, copies)
    found = first_cut(round_)
    must(found is not None or cut_made(round_) is None, "a cut of cards that were not shuffled by hand")
    if found is not None:
        offers, made = found
        must(
            not any(step.detail == "accepted" for step in offers[:-1]), "the cut offered to another after it was taken"
        )
        row["cut_at"] = made.seq


def _cover_card(row: Row, round_: Round) -> None:
    """How deep the cover card was put into cards that were not dealt yet, and where it came out."""
    shoe, put, first = shoe_of(round_), round_.first(model.CoverCardPlaced), round_.first_card
    placed = shoe.placed
    if put is not None:
        must(first is not None and put.seq < first.seq, "the cover card put into cards that were being dealt")
        placed = put.seq, put.payload.depth, put.payload.counted_from
    if placed is not None:
        row["cover_put_at"], row["cover_depth"] = placed[0], min(1000, placed[1])
        row["cover_from_top"] = placed[2] == "top"
    row["cover_passed"], row["cover_known"] = batch_of(round_).cover != 0, shoe.covered
    if shoe.cover_at is not None:
        row["cover_at"] = seat_of(shoe.cover_at) + 1 if isinstance(shoe.cover_at, int) else ELSEWHERE


# --------------------------------------------------------------------------- the wagers, the decisions, the settlement


def _taken_back(row: Row, round_: Round) -> None:
    """Of ante and Bonus a part may be taken back before the cards: what lies there is less by it."""
    place_of, width = plain.places_of(OVER_UNDER), len(OVER_UNDER.slots)
    for fact in round_.of(model.WagerRemoved):
        event, seat = fact.payload, seat_of(fact.payload.seat)
        must(event.wager in ("ante", "bonus") and event.number is None, "over or under taken back")
        place = seat * width + place_of[event.wager, None]
        row["staked"][place] -= event.amount_cents
        must(
            row["staked"][place] > 0 and event.bettor == row[f"bettor_{event.seat}"],
            "a wager taken back whole, or by another",
        )


def _decided(row: Row, round_: Round) -> None:
    """When each player decided (said so, placed the wager, surrendered), and what was said."""
    for fact in round_.of(model.DecisionMade):
        must(fact.payload.decision in SIDES, "a decision that the game does not have")
        seat = seat_of(fact.payload.seat)
        must(not row["said"][seat], "decided twice")
        row["said"][seat] = SIDES.index(fact.payload.decision) + 1
        plain.earliest(row["decided"], seat, _moment(round_, fact))
    for fact in round_.of(model.WagerPlaced):
        if fact.payload.wager in SIDES:
            seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
            plain.earliest(row["decided"], seat, moment)
            row["side_to"][seat] = max(row["side_to"][seat], moment)
    for fact in round_.of(model.Surrendered):
        seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
        must(row["surrendered"][seat] < 0, "surrendered twice")
        must(not row["said"][seat], "surrendered, and over or under said")
        row["surrendered"][seat] = moment
        plain.earliest(row["decided"], seat, moment)
    for fact in round_.of(model.WagerTaken):
        said = row["surrendered"][seat_of(fact.payload.seat)] >= 0
        must(said or fact.payload.reason != "surrendered", "a surrender that the collection alone tells of")


def _in_turn(row: Row, round_: Round, book: Rulebook) -> None:
    """Between which moments the wagers of each player were settled in turn."""
    for fact in settling(round_, book):
        seat, moment = seat_of(fact.payload.seat), _moment(round_, fact)
        plain.earliest(row["settled_from"], seat, moment)
        row["settled_to"][seat] = moment


def _moment(round_: Round, fact: RecordedEvent) -> int:
    return fact.seq - round_.first_seq
