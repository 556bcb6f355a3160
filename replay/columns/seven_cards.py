"""A plain round of a game of seven cards as a row: Face Up Pai Gow, Pai Gow Poker, Fortune Asia Poker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, get_args

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from games.settlement.dice_wagers import ONE_RED_TWO_BLUE
from replay.columns import row_course as plain
from replay.columns.game_row_schemas import FACE_UP, FORTUNE_ASIA, PAI_GOW_POKER
from replay.columns.row_course import Aside, Row, must, position_of, seat_of
from replay.columns.row_schemas import DEALER, NO_CARD, SEATS, RowSchema
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.equipment import preparations
from replay.settlement.stakes import progressive_accepted

Place = Callable[[int | str], int]
"""Gives a position as a place in arrays."""

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"mystery", "rotation", "fees"}
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
}
ORDINARY_WITH_DICE: Final[frozenset[type[Event]]] = ORDINARY | {
    model.ShakerActivated,
    model.DiceAnnounced,
    model.VigorishTaken,
}

AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (
    model.NoMoreBets,
    model.ProgressiveLocked,
    model.DiceRolled,
    model.TotalAnnounced,
    model.NumberDrawn,
    model.ShakerCovered,
    model.StubCounted,
)
AT_MOST_ONCE_WITH_DICE: Final[tuple[type[Event], ...]] = (*AT_MOST_ONCE, model.ShakerActivated, model.DiceAnnounced)


def face_up(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of Face Up Pai Gow Poker into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    _sevens(row, round_, FACE_UP, (5, 2, 0))
    _shaken_by_hand(row, round_)
    plain.meter(row, round_, round_.of(model.ProgressiveAccepted))
    _settled(row, round_, FACE_UP)


def pai_gow_poker(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of Pai Gow Poker into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY_WITH_DICE, AT_MOST_ONCE_WITH_DICE, ASPECTS)
    _sevens(row, round_, PAI_GOW_POKER, (5, 2, 0))
    _dice(row, round_)
    accepted = progressive_accepted(round_, book)
    plain.meter(row, round_, accepted)
    if len(accepted) < len(round_.of(model.ProgressiveAccepted)):
        contributed = [each for each in round_.of(model.ProgressiveAccepted) if each not in accepted]
        (_, row["mystery_before"], row["mystery_at"], row["mystery_cents"], row["mystery_readings"]) = plain.advances(
            round_, contributed
        )
    _settled(row, round_, PAI_GOW_POKER)
    _vigorish(row, round_)
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            if fact.payload.wager == "tiger_9":
                plain.earliest(row["own_moved"], seat_of(fact.payload.seat), fact.seq - round_.first_seq)


def fortune_asia(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of Fortune Asia Poker into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    _sevens(row, round_, FORTUNE_ASIA, (4, 1, 2))
    _shaken_by_hand(row, round_)
    must(all(step.who == "dealer" for step in preparations(round_) if step.kind == "cut"), "cut by a player")
    seen = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    must(not seen, "a card of the dealer dealt face up")
    plain.meter(row, round_, round_.of(model.ProgressiveAccepted))
    _settled(row, round_, FORTUNE_ASIA)


def _sevens(row: Row, round_: Round, form: RowSchema, sizes: tuple[int, int, int]) -> None:
    row["dealt_to"], row["dealt"] = dealt(round_.of(model.CardsDealt), position_of)
    row["hands"] = hands_set(round_, sizes, position_of)
    must(row["hands"][7 * DEALER] != NO_CARD, "how the dealer set the hands is not on record")
    plain.equipment(row, round_)
    row["dice_us"] = round_.before.dice_us if round_.before.dice_us is not None else -1
    _start(row, round_)
    plain.stakes(row, round_, form)
    for seat in range(SEATS):
        must(not row["boxes"][seat] or row["hands"][seat * 7] != NO_CARD, "how a player set the hands is not on record")


def _settled(row: Row, round_: Round, form: RowSchema) -> None:
    plain.settled(row, round_, form)
    plain.envy(row, round_)
    by_players = [fact for fact in round_.of(model.HandSet) if fact.payload.position != "dealer"]
    by_dealer = [fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"]
    money = [*round_.of(model.WagerTaken), *round_.of(model.WagerPaid), *round_.of(model.WagerReturned)]
    turned = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    turned += [fact for fact in round_.of(model.HandRevealed) if fact.payload.position == "dealer"]
    shaken = [*round_.of(model.ShakerActivated), *round_.of(model.ShakerShaken), *round_.of(model.DiceRolled)]
    plain.moments(
        row,
        round_,
        {
            **plain.moments_in_every_game(round_),
            "start": round_.of(model.DiceRolled) or round_.of(model.NumberDrawn),
            "covered": round_.of(model.ShakerCovered),
            "dealer_set": by_dealer,
            "first_look": [*round_.of(model.HandExamined), *by_players],
            "last_fortune": [fact for fact in money if fact.payload.wager == "fortune_bonus"],
            "last_set": by_players,
            "turned": [*turned, *by_dealer],
            "shaker": shaken,
            "last_on_dice": [fact for fact in money if fact.payload.wager in ("sum", "beat_it", "match")],
        },
    )


# ----------------------------------------------------------------------------------------------------------------- the cards


def dealt(deals: Sequence[RecordedEvent], place_of: Place) -> tuple[list[int], list[int]]:
    """Return the positions in the order of the deal, and the seven cards of each."""
    must(len(deals) in (7, 49), "cards dealt neither one by one nor in stacks to every position")
    must(len({len(fact.payload.cards) for fact in deals}) == 1, "stacks of different sizes")
    must(all(isinstance(fact.payload.to, int) or fact.payload.to == "dealer" for fact in deals), "cards dealt aside")
    to = [place_of(fact.payload.to) for fact in deals]
    order = to[:7]
    must(len(set(order)) == 7 and to == order * (len(to) // 7), "not dealt to the positions in turn")
    hands: list[list[int]] = [[] for _ in range(7)]
    for fact, position in zip(deals, to, strict=True):
        for card in fact.payload.cards:
            must(card is not None, "a card that was not read")
            hands[position].append(CODE[card])
    must(all(len(hand) == 7 for hand in hands), "hands of other than seven cards")
    return order, [card for hand in hands for card in hand]


def hands_set(round_: Round, sizes: tuple[int, int, int], place_of: Place) -> list[int]:
    """Return the hands set at every position: the high, the low and, where the game has one, the medium hand between them."""
    hands = [NO_CARD] * 49
    done: set[int] = set()
    for fact in round_.of(model.HandSet):
        event, position = fact.payload, place_of(fact.payload.position)
        must(position not in done, "hands set twice")
        must((len(event.high), len(event.low), len(event.medium)) == sizes, "hands of other sizes")
        cards = [*event.high, *event.medium, *event.low]
        must(None not in cards, "a card that was not read")
        done.add(position)
        hands[position * 7 : position * 7 + 7] = [CODE[card] for card in cards]
    return hands


# ----------------------------------------------------------------------------------------------------------------- the start


def _start(row: Row, round_: Round) -> None:
    """Dice or a number, and what was announced of it, all before the first card."""
    first, roll, drawn = round_.first_card, round_.first(model.DiceRolled), round_.first(model.NumberDrawn)
    said = round_.first(model.TotalAnnounced)
    start = roll or drawn
    if first is None or start is None or (roll and drawn) or start.seq > first.seq:
        raise Aside("no start, or one that came late")
    must(said is None or (roll and roll.seq < said.seq < first.seq), "a total announced out of its place")
    row["announced_total"] = said.payload.total if said else -1
    if roll is None:
        row["drawn"], row["start_count"] = True, start.payload.number
        return
    must(roll.payload.lie == "flat" and None not in roll.payload.dice, "dice that were not read, or not flat")
    row["start_count"], row["rolled_us"] = sum(roll.payload.dice), roll.at_us


def _shaken_by_hand(row: Row, round_: Round) -> None:
    """How often the shaker was shaken before the roll, and whether after it was covered."""
    roll, cover = round_.first(model.DiceRolled), round_.first(model.ShakerCovered)
    if roll is None:
        return
    shakes = round_.of(model.ShakerShaken)
    must(all(fact.payload.times and not fact.payload.duration_ms for fact in shakes), "a shaker that counts no shakes")
    row["shakes"] = min(1000, sum(fact.payload.times for fact in shakes if fact.seq < roll.seq))
    row["shaken_after"] = cover is not None and any(fact.seq > cover.seq for fact in shakes)


def _dice(row: Row, round_: Round) -> None:
    """How the dice were shaken, by hand or by a machine, and how they lay."""
    roll, shakes = round_.first(model.DiceRolled), round_.of(model.ShakerShaken)
    activated = round_.first(model.ShakerActivated)
    row["seated"] = sum(1 << seat_of(seat) for seat in round_.before.patrons)
    row["activated"] = seat_of(activated.payload.seat) + 1 if activated else 0
    if roll is None:
        must(not (activated or shakes or round_.of(model.DiceAnnounced)), "a shaker, and no dice read")
        return
    made = [fact for fact in shakes if fact.seq < roll.seq]
    must(activated is None or activated.seq < roll.seq, "a shaker activated after the dice were read")
    row["shaken_open"] = any(not fact.payload.covered for fact in made)
    if activated or any(fact.payload.duration_ms is not None for fact in shakes):
        must(all(fact.payload.duration_ms and not fact.payload.times for fact in shakes), "shaken in two ways")
        row["electronic"], row["shake_ms"] = True, sum(fact.payload.duration_ms for fact in made)
    else:
        _shaken_by_hand(row, round_)
    one, two, three = roll.payload.dice
    row["dice"], row["red"] = (one - 1) * 36 + (two - 1) * 6 + three - 1, _red(roll.payload.colours)
    said, first = round_.first(model.DiceAnnounced), round_.first_card
    if said is not None and first is not None:
        must(roll.seq < said.seq < first.seq, "dice announced out of their place")
        must(sorted(said.payload.dice) == sorted(roll.payload.dice), "dice announced that lay otherwise")


def _red(colours: Sequence[str] | None) -> int:
    if colours is None:
        return 0
    return colours.index("red") + 1 if sorted(colours) == ONE_RED_TWO_BLUE else 4


# ------------------------------------------------------------------------------------------------------------- the vigorish


def _vigorish(row: Row, round_: Round) -> None:
    """What a base wager came to for the patron is less by the vigorish that was taken of it."""
    taken: Sequence[RecordedEvent] = round_.of(model.VigorishTaken)
    for fact in taken:
        place = seat_of(fact.payload.seat) * len(PAI_GOW_POKER.slots)
        must(row["staked"][place], "vigorish taken where nothing was staked")
        row["net"][place] = plain.cents_of(row["net"][place] - fact.payload.amount_cents)
