"""A round of a game of two hands as a row of the round table: where its course was plain.

The law of this file: it writes down and never judges. A round is plain when it holds nothing but the events of the ordinary
course of play, each as often as that has it, on clocks that do not contradict the log's order, with evidence of all that the
rules ask for. Whatever else there is makes it a round for the single path, and `Aside` says why. What is in a row's columns is
then all that any rule of the chapter looks at (docs/batch.md says for every rule where).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, get_args

from events import model
from events.model import Event
from games.cards import CODE
from games.rulebook import Rulebook
from replay.equipment import preparations
from replay.moves import Flow, flows, net_done
from replay.paying import ABOVE_FLOORPERSON
from replay.round_columns import DEALER, ENVY_WAGERS, SEATS, WAGERS
from replay.rounds import Round
from replay.table_state import Fact, Preparation

Row = dict[str, Any]

GAMES: Final = frozenset({"face_up_pai_gow"})
"""The games whose rounds are screened."""

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"mystery", "rotation", "fees"}
"""What the record of a plain round covers."""

ORDINARY: Final = frozenset(
    {
        model.RoundOpened, model.WagerPlaced, model.NoMoreBets, model.LammerPlaced, model.ProgressiveLocked,
        model.ProgressiveAccepted, model.ShakerShaken, model.DiceRolled, model.TotalAnnounced, model.NumberDrawn,
        model.StartAnnounced, model.CardsDealt, model.ShakerCovered, model.CardsShuffled, model.CutOffered, model.CardsCut,
        model.StubCounted, model.CardsCollected, model.HandSet, model.HandExamined, model.HandRevealed,
        model.ResultAnnounced, model.WagerTaken, model.WagerPaid, model.WagerReturned, model.EnvyAcknowledged, model.EnvyPaid,
        model.LightSeen, model.PayoutValidated, model.RoundClosed, model.FillReceived, model.CreditSent, model.BuyIn,
        model.MarkerIssued, model.DropCounted, model.InventoryCounted, model.DealerTappedIn, model.DealerTappedOut,
        model.ShiftChanged,
    }
)  # fmt: skip
"""The events of the ordinary course of a round, and those that say nothing of any round."""

AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (
    model.NoMoreBets, model.ProgressiveLocked, model.DiceRolled, model.TotalAnnounced, model.NumberDrawn,
    model.ShakerCovered, model.StubCounted,
)  # fmt: skip

LARGEST_CENTS: Final = 2**31 - 1
LONGEST: Final = 30_000
SHUFFLED: Final = {"manual": 1, "automated": 2, "continuous": 3}
ANNOUNCED: Final = {"win": 1, "lose": 2, "tie": 3}
_WAGER: Final = {name: number for number, name in enumerate(WAGERS)}


class Aside(Exception):
    """Why a round is not plain; it takes the single path."""


def fill_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round into an empty row. Raises `Aside` where the round is not plain."""
    _whole(round_)
    before = round_.before
    row["dealt_to"], row["dealt"] = _dealt(round_)
    row["hands"] = _set(round_)
    _equipment(row, round_)
    _start(row, round_)
    _stakes(row, round_)
    _meter(row, round_)
    _settled(row, round_)
    _envy(row, round_)
    seated = set(before.patrons.values())
    row["patrons_known"] = before.patrons_known
    row["strangers"] = sum(
        1 << seat for seat in range(SEATS) if row["staked"][seat * 4] and row[f"bettor_{seat + 1}"] not in seated
    )
    row["moments"] = _moments(round_)


def _must(plain: object, why: str) -> None:
    if not plain:
        raise Aside(why)


def _whole(round_: Round) -> None:
    """Nothing is lost, late or out of order, and nothing is there beyond the ordinary."""
    facts = round_.facts
    _must(round_.closed is facts[-1], "not closed, or something came after the closing")
    _must(not (round_.jumps or round_.strays or round_.refusals), "a device's counter or clock, or lost input")
    _must(frozenset(round_.opened.payload.observed) >= ASPECTS, "the record does not cover everything")
    _must(facts[-1].seq - facts[0].seq == len(facts) - 1 < LONGEST, "events of other rounds among its own")
    _must(all(a.at_us <= b.at_us for a, b in pairwise(facts)), "the clocks contradict the order")
    for fact in facts:
        if fact.payload.KIND not in ORDINARY:
            raise Aside(f"{fact.payload.TYPE}")
    for type_ in AT_MOST_ONCE:
        _must(len(round_.of(type_)) <= 1, f"{type_.TYPE} twice")


def _seat(seat: int) -> int:
    _must(1 <= seat <= SEATS, "a seat that the game does not have")
    return seat - 1


def _position(position: int | str) -> int:
    return DEALER if position == "dealer" else _seat(int(position))


def _cents(cents: int) -> int:
    _must(abs(cents) <= LARGEST_CENTS, "an amount that no column holds")
    return cents


def _dealt(round_: Round) -> tuple[list[int], list[int]]:
    """The positions in the order of the deal, and the seven cards of each."""
    dealt = round_.of(model.CardsDealt)
    _must(len(dealt) in (7, 49), "cards dealt neither one by one nor in stacks to every position")
    _must(len({len(fact.payload.cards) for fact in dealt}) == 1, "stacks of different sizes")
    _must(all(isinstance(fact.payload.to, int) or fact.payload.to == "dealer" for fact in dealt), "cards dealt aside")
    to = [_position(fact.payload.to) for fact in dealt]
    order = to[:7]
    _must(len(set(order)) == 7 and to == order * (len(to) // 7), "not dealt to the positions in turn")
    hands: list[list[int]] = [[] for _ in range(7)]
    for fact, position in zip(dealt, to, strict=True):
        for card in fact.payload.cards:
            _must(card is not None, "a card that was not read")
            hands[position].append(CODE[card])
    _must(all(len(hand) == 7 for hand in hands), "hands of other than seven cards")
    return order, [card for hand in hands for card in hand]


def _set(round_: Round) -> list[int]:
    hands = [255] * 49
    done: set[int] = set()
    for fact in round_.of(model.HandSet):
        event, position = fact.payload, _position(fact.payload.position)
        _must(position not in done, "hands set twice")
        _must((len(event.high), len(event.low), len(event.medium)) == (5, 2, 0), "hands of other sizes")
        cards = [*event.high, *event.low]
        _must(None not in cards, "a card that was not read")
        done.add(position)
        hands[position * 7 : position * 7 + 7] = [CODE[card] for card in cards]
    _must(DEALER in done, "how the dealer set the hands is not on record")
    return hands


def _equipment(row: Row, round_: Round) -> None:
    """Decks, dice, shuffle and cut."""
    before = round_.before
    deck = before.decks.get(round_.deck)
    if deck is None or deck.in_play_us is None or not before.equipment_known:
        raise Aside("a deck that is not in play")
    _must(deck.used, "the first round of a deck")
    _must(not deck.banned_by, "a deck that had to leave the table")
    _must(not before.devices, "a device out of order")
    _must(not before.idle, "the table had been idle")
    row["deck_in_play_us"], row["dice_us"] = deck.in_play_us, before.dice_us if before.dice_us is not None else -1
    row["decks_in_play"] = sum(1 for each in before.decks.values() if each.in_play_us is not None)
    row["decks_before"], row["same_deck"] = before.previous_decks, before.last_deck == round_.deck
    steps = preparations(round_)
    _must(not any(step.kind in ("failure", "recut") for step in steps), "a recut, or a shuffler that failed")
    shuffles = [step for step in steps if step.kind == "shuffle"]
    row["shuffled"] = SHUFFLED[shuffles[-1].detail] if shuffles else 0
    if row["shuffled"] == 1:
        _cut(row, round_, [step for step in steps if step.seq > shuffles[-1].seq])


def _cut(row: Row, round_: Round, after: Sequence[Preparation]) -> None:
    cuts = [step for step in after if step.kind == "cut"]
    _must(len(cuts) <= 1, "cut twice")
    if not cuts:
        return
    made, before = cuts[0], round_.before
    offers = [step for step in after if step.kind == "offer" and step.seq < made.seq]
    _must(len(offers) <= SEATS, "the cut offered more often than there are seats")
    row["cut_by"] = 7 if made.who == "dealer" else _seat(int(made.who)) + 1
    row["cut_depth"], row["cut_from_top"] = min(1000, made.depth), made.detail == "top"
    row["offered_to"] = [*(_seat(int(step.who)) + 1 for step in offers), *[0] * (SEATS - len(offers))]
    row["cut_taken"] = bool(offers) and offers[-1].detail == "accepted"
    if before.patrons_known:
        row["cut_seated"] = sum(1 << _seat(seat) for seat in (offers[0] if offers else made).seated)
    row["first_patron"] = before.first_patron_seat if before.just_opened else 0


def _start(row: Row, round_: Round) -> None:
    """Dice or a number, and what was announced of it, all before the first card."""
    first, roll, drawn = round_.first_card, round_.first(model.DiceRolled), round_.first(model.NumberDrawn)
    said, cover = round_.first(model.TotalAnnounced), round_.first(model.ShakerCovered)
    start = roll or drawn
    if first is None or start is None or (roll and drawn) or start.seq > first.seq:
        raise Aside("no start, or one that came late")
    _must(said is None or (roll and roll.seq < said.seq < first.seq), "a total announced out of its place")
    row["announced_total"] = said.payload.total if said else -1
    shakes = round_.of(model.ShakerShaken)
    if roll is None:
        row["drawn"], row["start_count"] = True, start.payload.number
        return
    _must(roll.payload.lie == "flat" and None not in roll.payload.dice, "dice that were not read, or not flat")
    _must(all(fact.payload.times and not fact.payload.duration_ms for fact in shakes), "a shaker that counts no shakes")
    row["start_count"], row["rolled_us"] = sum(roll.payload.dice), roll.at_us
    row["shakes"] = min(1000, sum(fact.payload.times for fact in shakes if fact.seq < roll.seq))
    row["shaken_after"] = cover is not None and any(fact.seq > cover.seq for fact in shakes)


def _stakes(row: Row, round_: Round) -> None:
    bettors: dict[int, str] = {}
    for fact in round_.of(model.WagerPlaced):
        event = fact.payload
        _must(event.wager in _WAGER and event.number is None, "a wager that the game does not have")
        _must(event.form not in ("cash", "verbal"), "a wager in cash or by word")
        place = _seat(event.seat) * 4 + _WAGER[event.wager]
        _must(bettors.setdefault(event.seat, event.bettor) == event.bettor, "two bettors at a box")
        row["staked"][place] = _cents(row["staked"][place] + event.amount_cents)
    for seat, bettor in bettors.items():
        row[f"bettor_{seat}"] = bettor
        row["boxes"][seat - 1] = min(each for each in bettors if bettors[each] == bettor)
        _must(row["hands"][seat * 7 - 7] != 255, "how a player set the hands is not on record")
    for fact in round_.of(model.LammerPlaced):
        bit = 1 << _seat(fact.payload.seat) + SEATS * ENVY_WAGERS.index(fact.payload.wager)
        _must(not row["lammers"] & bit, "a lammer placed twice")
        row["lammers"] |= bit


def _meter(row: Row, round_: Round) -> None:
    """The lock, what the controller accepted, and its readings."""
    locked = round_.first(model.ProgressiveLocked)
    if locked is not None:
        row["locked_accepted"] = min(1000, locked.payload.accepted)
        row["locked_collected"] = min(1000, locked.payload.collected)
    accepted = round_.of(model.ProgressiveAccepted)
    if not accepted:
        return
    seats = [_seat(fact.payload.seat) + 1 for fact in accepted]
    meters = {fact.payload.meter for fact in accepted}
    _must(len(set(seats)) == len(seats) and len(meters) == 1, "a wager accepted twice, or on two meters")
    row["meter"] = meter = meters.pop()
    _must(meter not in round_.before.readings_before_void, "the meter of a round that was void")
    row["meter_before"] = round_.before.readings.get(meter, -1)
    padding = [0] * (SEATS - len(seats))
    row["accepted_at"] = [*seats, *padding]
    row["accepted_cents"] = [*(_cents(fact.payload.amount_cents) for fact in accepted), *padding]
    row["readings"] = [*(fact.payload.reading_centicents for fact in accepted), *padding]


def _settled(row: Row, round_: Round) -> None:
    """What was done with every wager, and what was announced of it."""
    moved = dict(flows(round_))
    for place, staked in enumerate(row["staked"]):
        if staked:
            wager = WAGERS[place % 4]
            row["net"][place] = _cents(net_done(staked, wager, moved.pop((place // 4 + 1, wager, None, ""), Flow())))
    _must(not moved, "money moved where nothing was staked")
    first = round_.first_seq
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            event, seat, moment = fact.payload, _seat(fact.payload.seat), fact.seq - first
            _must(getattr(event, "source", "inventory") == "inventory", "paid by slip")
            if type_ is model.WagerReturned:
                _must(event.reason in ("push", "other"), "a stake returned that was no push")
            _earliest(row["base_moved" if event.wager == "base" else "others_moved"], seat, moment)
            if type_ is model.WagerPaid and event.wager == "progressive":
                _earliest(row["progressive_paid"], seat, moment)
    for fact in round_.of(model.LightSeen):
        _earliest(row["lit"], _seat(fact.payload.seat), fact.seq - first)
    for fact in round_.of(model.PayoutValidated):
        if fact.payload.wager == "progressive" and fact.payload.role in ABOVE_FLOORPERSON:
            _earliest(row["validated"], _seat(fact.payload.seat), fact.seq - first)
    for fact in round_.of(model.HandRevealed):
        if fact.payload.position != "dealer":
            seat = _seat(fact.payload.position)
            _must(row["revealed"][seat] < 0, "hands revealed twice")
            row["revealed"][seat] = fact.seq - first
    for fact in round_.of(model.ResultAnnounced):
        _must(fact.payload.wager in _WAGER, "a wager that the game does not have")
        place = _seat(fact.payload.seat) * 4 + _WAGER[fact.payload.wager]
        _must(not row["announced"][place], "a result announced twice")
        row["announced"][place] = ANNOUNCED[fact.payload.result]
    row["collected"] = min(1000, sum(fact.payload.count for fact in round_.of(model.CardsCollected)))
    _must(all(fact.payload.deck == round_.deck for fact in round_.of(model.CardsCollected)), "cards of another deck")
    counted = round_.first(model.StubCounted)
    if counted is not None:
        row["stub"], row["stub_seen"] = min(1000, counted.payload.count), min(1000, counted.payload.exposed)


def _earliest(moments: list[int], seat: int, moment: int) -> None:
    if moments[seat] < 0 or moment < moments[seat]:
        moments[seat] = moment


def _envy(row: Row, round_: Round) -> None:
    for fact in round_.of(model.EnvyPaid):
        event = fact.payload
        _must(event.for_position != "dealer" and event.amount_cents > 0, "an Envy Bonus for the dealer's hand")
        place = ENVY_WAGERS.index(event.wager) * SEATS + _seat(event.for_position)
        bit, cents = 1 << _seat(event.seat), row["envy_cents"][place]
        _must(not row["envy_to"][place] & bit and cents in (0, event.amount_cents), "Envy Bonuses that differ")
        row["envy_cents"][place] = _cents(event.amount_cents)
        row["envy_to"][place] |= bit
    for fact in round_.of(model.EnvyAcknowledged):
        row["acknowledged"] |= 1 << _seat(fact.payload.seat)


def _moments(round_: Round) -> list[int]:
    first = round_.first_seq

    def of(found: Callable[[Sequence[Fact]], Fact], facts: Sequence[Fact]) -> int:
        return found(facts).seq - first if facts else -1

    looks = [*round_.of(model.HandExamined), *(f for f in round_.of(model.HandSet) if f.payload.position != "dealer")]
    money = [*round_.of(model.WagerTaken), *round_.of(model.WagerPaid), *round_.of(model.WagerReturned)]
    return [
        of(_last, round_.of(model.WagerPlaced)),
        of(_first, round_.of(model.NoMoreBets)),
        of(_last, round_.of(model.ProgressiveAccepted)),
        of(_first, round_.of(model.ProgressiveLocked)),
        of(_last, round_.of(model.LammerPlaced)),
        of(_first, round_.of(model.DiceRolled) or round_.of(model.NumberDrawn)),
        of(_first, round_.of(model.CardsDealt)),
        of(_last, round_.of(model.CardsDealt)),
        of(_first, round_.of(model.ShakerCovered)),
        of(_first, [fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"]),
        of(_first, looks),
        of(_last, [fact for fact in money if fact.payload.wager == "fortune_bonus"]),
        of(_first, round_.of(model.EnvyPaid)),
    ]


def _first(facts: Sequence[Fact]) -> Fact:
    return min(facts, key=lambda fact: fact.seq)


def _last(facts: Sequence[Fact]) -> Fact:
    return max(facts, key=lambda fact: fact.seq)
