"""A round of the ordinary course of play as a row of the round table: what all games share. What a game has of its own: `games`.

The law of this file: it writes down and never judges; it is pure. A round can be judged in columns when it holds nothing but the
events of the ordinary course of play, each as often as usual, on clocks that do not contradict the log's order, with evidence
of all that the rules ask for. Anything else makes it a round for event replay, and `Ineligible` says why. The columns of a row
are then all that any rule of the chapter looks at (docs/batch.md says for every rule where).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from events.vocabulary import model
from events.vocabulary.model import Event
from games.rulebook.rulebook import Rulebook
from replay.columns.game_columns import Row
from replay.columns.row_schemas import DEALER, ENVY_WAGERS, MOMENTS, SEATS, RowSchema
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_state import Preparation
from replay.fold.wager_keys import key_of
from replay.rules.equipment import preparations
from replay.rules.order import STEPS
from replay.rules.paying import ABOVE_FLOORPERSON
from replay.settlement.payouts import WagerFlow, flows, net_done
from replay.settlement.voids import void_grounds

SHARED_EVENTS: Final[frozenset[type[Event]]] = frozenset(
    {
        model.RoundOpened, model.WagerPlaced, model.NoMoreBets, model.ProgressiveLocked, model.ProgressiveAccepted,
        model.CardsDealt, model.CardsShuffled, model.CutOffered, model.CardsCut, model.StubCounted, model.CardsCollected,
        model.HandRevealed, model.WagerTaken, model.WagerPaid, model.WagerReturned, model.EnvyAcknowledged, model.EnvyPaid,
        model.LightSeen, model.PayoutValidated, model.ResultAnnounced, model.LammerPlaced, model.RoundClosed,
        model.FillReceived, model.CreditSent, model.BuyIn, model.MarkerIssued, model.DropCounted, model.InventoryCounted,
        model.DealerTappedIn, model.DealerTappedOut, model.ShiftChanged,
    }
)  # fmt: skip
"""The events of the ordinary course of a round in every game, and those that say nothing of any round."""

MOST_CENTS: Final = 2**31 - 1
MOST_EVENTS: Final = 30_000
SHUFFLE_NUMBERS: Final = {"manual": 1, "automated": 2, "continuous": 3}
RESULT_NUMBERS: Final = {"win": 1, "lose": 2, "tie": 3}


class Ineligible(Exception):
    """The reason why a round cannot be judged in columns; event replay judges it."""


def require(ordinary: object, reason: str) -> None:
    """Raise `Ineligible` with the reason where a round is not ordinary in this."""
    if not ordinary:
        raise Ineligible(reason)


def require_ordinary_course(
    round_: Round, ordinary: Collection[type[Event]], once: Collection[type[Event]], aspects: frozenset[str]
) -> None:
    """Raise `Ineligible` where something is lost, late, out of order, or beyond the ordinary events."""
    facts = round_.facts
    require(round_.closed is facts[-1], "not closed, or something came after the closing")
    require(
        not (round_.record_faults or round_.strays or round_.refusals), "a device's counter or clock, or lost input"
    )
    require(frozenset(round_.opened.payload.observed) >= aspects, "the record does not cover everything")
    require(facts[0].seq == round_.first_seq, "an event that came before the opening")
    require(facts[-1].seq - facts[0].seq == len(facts) - 1 < MOST_EVENTS, "events of other rounds among its own")
    require(all(a.at_us <= b.at_us for a, b in pairwise(facts)), "the clocks contradict the order")
    for fact in facts:
        if fact.payload.KIND not in ordinary:
            raise Ineligible(f"{fact.payload.TYPE}")
    for type_ in once:
        require(len(round_.of(type_)) <= 1, f"{type_.TYPE} twice")


def require_order_of_steps(round_: Round, book: Rulebook) -> None:
    """Raise `Ineligible` where anything of a round stands out of its place, or a step of it is missing or done wrongly."""
    require(len(round_.collections) == len(round_.of(model.CardsCollected)), "cards reported collected twice")
    shown = any(fact.payload.face_up and isinstance(fact.payload.to, int) for fact in round_.of(model.CardsDealt))
    require(not shown or not (book.has("13(d)") or book.has("13(i)")), "a player's cards dealt face up")
    exposed = any(ground.code == "DEAL-EXPOSED" for ground in void_grounds(round_, book))
    require(not exposed, "a card exposed that may make the round void")
    for rule in STEPS:
        if rule.holds_in(book.chapter) and next(rule.evaluate(round_, book), None) is not None:
            raise Ineligible(f"something to say of {rule.codes[0]}")


def seat_of(seat: int, seats: int = SEATS) -> int:
    """Return a seat as a place in arrays."""
    require(1 <= seat <= seats, "a seat that the game does not have")
    return seat - 1


def position_of(position: int | str) -> int:
    """Return a position as a place in arrays."""
    return DEALER if position == "dealer" else seat_of(int(position))


def cents_of(cents: int) -> int:
    """Return an amount that a column holds."""
    require(abs(cents) <= MOST_CENTS, "an amount that no column holds")
    return cents


# ------------------------------------------------------------------------------------------------------------ the equipment


def write_equipment(row: Row, round_: Round) -> None:
    """Write decks, shuffle and cut."""
    before = round_.before
    deck = before.decks.get(round_.deck)
    if deck is None or deck.in_play_us is None or not before.equipment_known:
        raise Ineligible("a deck that is not in play")
    require(deck.used, "the first round of a deck")
    require(not deck.banned_by, "a deck that had to leave the table")
    require("failed" not in before.devices.values(), "a device out of order that is not covered")
    require(not before.idle, "the table had been idle")
    row["deck_in_play_us"] = deck.in_play_us
    row["decks_in_play"] = sum(1 for known in before.decks.values() if known.in_play_us is not None)
    row["decks_before"], row["same_deck"] = before.previous_decks, before.last_deck == round_.deck
    write_shuffle(row, round_)


def write_shuffle(row: Row, round_: Round, seats: int = SEATS) -> None:
    """Write the shuffle, and how the cards were cut after it."""
    steps = preparations(round_)
    require(not any(step.kind in ("failure", "recut") for step in steps), "a recut, or a shuffler that failed")
    shuffles = [step for step in steps if step.kind == "shuffle"]
    row["shuffled"] = SHUFFLE_NUMBERS[shuffles[-1].detail] if shuffles else 0
    if row["shuffled"] == 1:
        _write_cut(row, round_, [step for step in steps if step.seq > shuffles[-1].seq], seats)


def _write_cut(row: Row, round_: Round, after: Sequence[Preparation], seats: int) -> None:
    cuts = [step for step in after if step.kind == "cut"]
    require(len(cuts) <= 1, "cut twice")
    if not cuts:
        return
    made, before = cuts[0], round_.before
    offers = [step for step in after if step.kind == "offer" and step.seq < made.seq]
    require(len(offers) <= seats, "the cut offered more often than there are seats")
    row["cut_by"] = seats + 1 if made.who == "dealer" else seat_of(int(made.who), seats) + 1
    row["cut_depth"], row["cut_from_top"] = min(1000, made.depth), made.detail == "top"
    row["offered_to"] = [*(seat_of(int(step.who), seats) + 1 for step in offers), *[0] * (seats - len(offers))]
    row["cut_taken"] = bool(offers) and offers[-1].detail == "accepted"
    if before.patrons_known:
        row["cut_seated"] = sum(1 << seat_of(seat, seats) for seat in (offers[0] if offers else made).seated)
    row["first_patron"] = before.first_patron_seat if before.just_opened else 0


# --------------------------------------------------------------------------------------------------------------- the wagers


def slot_places(schema: RowSchema) -> Mapping[tuple[str, int | None], int]:
    """Return the place of each wager among those of a box, by name and number."""
    return {(slot.wager, slot.number): place for place, slot in enumerate(schema.slots)}


def write_stakes(row: Row, round_: Round, schema: RowSchema, placed: Sequence[RecordedEvent] | None = None) -> None:
    """Write what lay at stake, of whom, and the lammers; of the wagers `placed`, where others are written elsewhere."""
    place_of, width, seats = slot_places(schema), len(schema.slots), schema.seats
    bettors: dict[int, str] = {}
    for fact in round_.of(model.WagerPlaced) if placed is None else placed:
        event = fact.payload
        slot = event.wager, event.number
        require(slot in place_of, "a wager that the game does not have")
        require(event.form not in ("cash", "verbal"), "a wager in cash or by word")
        place = seat_of(event.seat, seats) * width + place_of[slot]
        require(bettors.setdefault(event.seat, event.bettor) == event.bettor, "two bettors at a box")
        row["staked"][place] = cents_of(row["staked"][place] + event.amount_cents)
    for seat, bettor in bettors.items():
        row[f"bettor_{seat}"] = bettor
        row["boxes"][seat - 1] = min(box for box in bettors if bettors[box] == bettor)
    for fact in round_.of(model.LammerPlaced):
        bit = 1 << seat_of(fact.payload.seat, seats) + seats * ENVY_WAGERS.index(fact.payload.wager)
        require(not row["lammers"] & bit, "a lammer placed twice")
        row["lammers"] |= bit
    seated = set(round_.before.patrons.values())
    row["patrons_known"] = round_.before.patrons_known
    row["strangers"] = sum(
        1 << seat for seat in range(seats) if row["staked"][seat * width] and row[f"bettor_{seat + 1}"] not in seated
    )


def write_meter(row: Row, round_: Round, accepted: Sequence[RecordedEvent]) -> None:
    """Write the lock, what the progressive system accepted, and its readings."""
    locked = round_.first(model.ProgressiveLocked)
    if locked is not None:
        row["locked_accepted"] = min(1000, locked.payload.accepted)
        row["locked_collected"] = min(1000, locked.payload.collected)
    if accepted:
        (row["meter"], row["meter_before"], row["accepted_at"], row["accepted_cents"], row["readings"]) = (
            meter_advances(round_, accepted)
        )


def meter_advances(
    round_: Round, accepted: Sequence[RecordedEvent]
) -> tuple[str, int, list[int], list[int], list[int]]:
    """Return a meter, its reading before the round, and the seats, amounts and readings of what it accepted."""
    seats = [seat_of(fact.payload.seat) + 1 for fact in accepted]
    meters = {fact.payload.meter for fact in accepted}
    require(len(set(seats)) == len(seats) and len(meters) == 1, "a wager accepted twice, or on two meters")
    name = meters.pop()
    require(name not in round_.before.readings_before_void, "the meter of a round that was void")
    require(name not in round_.before.unrecorded, "a Progressive paid that no meter has on record")
    padding = [0] * (SEATS - len(seats))
    return (
        name,
        round_.before.readings.get(name, -1),
        [*seats, *padding],
        [*(cents_of(fact.payload.amount_cents) for fact in accepted), *padding],
        [*(fact.payload.reading_centicents for fact in accepted), *padding],
    )


# ----------------------------------------------------------------------------------------------------------- the settlement


def write_settlement(row: Row, round_: Round, schema: RowSchema) -> None:
    """Write what was done with every wager, and what was announced of it."""
    width, first = len(schema.slots), round_.first_seq
    moved = dict(flows(round_))
    for place, staked in enumerate(row["staked"]):
        if staked:
            wager, number = schema.slots[place % width]
            flow = moved.pop(key_of(place // width + 1, wager, number, ""), WagerFlow())
            row["net"][place] = cents_of(net_done(staked, wager, flow))
    require(not moved, "money moved where nothing was staked")
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            event, seat, moment = fact.payload, seat_of(fact.payload.seat), fact.seq - first
            require(getattr(event, "source", "inventory") == "inventory", "paid by slip")
            require(event.bettor == row[f"bettor_{event.seat}"], "money of another than who wagered")
            surrendered = getattr(event, "reason", "") == "surrendered"
            require(
                not surrendered or "surrendered" in schema.arrays, "a surrender"
            )  # where the game has no column for it
            if type_ is model.WagerReturned:
                require(event.reason in ("push", "other"), "a stake returned that was no push")
            if event.wager == schema.slots[0].wager:
                keep_earliest(row["base_moved"], seat, moment)
            elif event.wager in schema.follows:
                keep_earliest(row["others_moved"], seat, moment)
            if type_ is model.WagerPaid and event.wager == "progressive":
                keep_earliest(row["progressive_paid"], seat, moment)
    for fact in round_.of(model.LightSeen):
        keep_earliest(row["lit"], seat_of(fact.payload.seat), fact.seq - first)
    for fact in round_.of(model.PayoutValidated):
        if fact.payload.wager == "progressive" and fact.payload.role in ABOVE_FLOORPERSON:
            keep_earliest(row["validated"], seat_of(fact.payload.seat), fact.seq - first)
    _write_announcements(row, round_, schema)


def _write_announcements(row: Row, round_: Round, schema: RowSchema) -> None:
    """Write what was revealed, announced, collected and counted."""
    width, place_of = len(schema.slots), slot_places(schema)
    for fact in round_.of(model.HandRevealed):
        if fact.payload.position != "dealer":
            seat = seat_of(fact.payload.position)
            require(row["revealed"][seat] < 0, "hands revealed twice")
            row["revealed"][seat] = fact.seq - round_.first_seq
    for fact in round_.of(model.ResultAnnounced):
        require((fact.payload.wager, None) in place_of, "a wager that the game does not have")
        place = seat_of(fact.payload.seat) * width + place_of[fact.payload.wager, None]
        require(not row["announced"][place], "a result announced twice")
        row["announced"][place] = RESULT_NUMBERS[fact.payload.result]
    row["collected"] = min(1000, sum(fact.payload.count for fact in round_.of(model.CardsCollected)))
    require(all(fact.payload.deck == round_.deck for fact in round_.of(model.CardsCollected)), "cards of another deck")
    counted = round_.first(model.StubCounted)
    if counted is not None:
        row["stub"], row["stub_seen"] = min(1000, counted.payload.count), min(1000, counted.payload.exposed)


def keep_earliest(moments: list[int], seat: int, moment: int) -> None:
    """Write a moment of a seat, where it is the first."""
    if moments[seat] < 0 or moment < moments[seat]:
        moments[seat] = moment


def write_envy(row: Row, round_: Round, seats: int = SEATS) -> None:
    """Write the Envy Bonuses that were paid, and the hands that were acknowledged."""
    for fact in round_.of(model.EnvyPaid):
        event = fact.payload
        require(event.for_position != "dealer" and event.amount_cents > 0, "an Envy Bonus for the dealer's hand")
        place = ENVY_WAGERS.index(event.wager) * seats + seat_of(event.for_position, seats)
        bit, cents = 1 << seat_of(event.seat, seats), row["envy_cents"][place]
        require(not row["envy_to"][place] & bit and cents in (0, event.amount_cents), "Envy Bonuses that differ")
        row["envy_cents"][place] = cents_of(event.amount_cents)
        row["envy_to"][place] |= bit
    for fact in round_.of(model.EnvyAcknowledged):
        row["acknowledged"] |= 1 << seat_of(fact.payload.seat, seats)


def write_moments(row: Row, round_: Round, found: Mapping[str, Sequence[RecordedEvent]]) -> None:
    """Write moments: of some facts the last where the moment's name begins with it, else the first."""
    for name, facts in found.items():
        if facts:
            which = max if name.startswith("last_") else min
            row["moments"][MOMENTS.index(name)] = which(fact.seq for fact in facts) - round_.first_seq


def shared_moments(round_: Round) -> dict[str, Sequence[RecordedEvent]]:
    """Return the facts whose moments matter in every game."""
    return {
        "last_wager": round_.of(model.WagerPlaced),
        "no_more_bets": round_.of(model.NoMoreBets),
        "last_accepted": round_.of(model.ProgressiveAccepted),
        "locked": round_.of(model.ProgressiveLocked),
        "last_lammer": round_.of(model.LammerPlaced),
        "first_card": round_.of(model.CardsDealt),
        "last_card": round_.of(model.CardsDealt),
        "first_envy": round_.of(model.EnvyPaid),
    }
