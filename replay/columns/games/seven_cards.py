"""What the games of seven cards share: their columns, and how start, deal, hands and settlement are written as a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, get_args

import numpy as np

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.settlement.pai_gow import SECTIONS
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import LineOutcomes, Row
from replay.columns.kernels.screening_result import ALL_PUSH, FOUL, LOSE, TIE, WIN
from replay.columns.ordinary_course import Ineligible, position_of, require
from replay.columns.row_schemas import DEALER, NO_CARD, POSITIONS, SEATS, RowSchema
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round

START: Final[Mapping[str, tuple[type[np.generic], int]]] = {
    "dice_us": (np.int64, -1),
    "rolled_us": (np.int64, -1),
    "drawn": (np.uint8, 0),
    "start_count": (np.uint8, 0),
    "announced_total": (np.int16, -1),
    "shakes": (np.int16, 0),
    "shaken_after": (np.uint8, 0),
}
"""How the position of the first card was found: by dice or by a number `drawn`."""

CARDS: Final[Mapping[str, tuple[type[np.generic], int, int]]] = {
    "dealt": (np.uint8, 7 * POSITIONS, NO_CARD),
    "hands": (np.uint8, 7 * POSITIONS, NO_CARD),
    "dealt_to": (np.uint8, POSITIONS, 0),
}
"""`dealt` has each position's seven cards in the order dealt, `hands` as set, the largest hand first; `dealt_to` the positions
in the order of the deal."""

Place = Callable[[int | str], int]
"""Gives a position as a place in arrays."""

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"mystery", "rotation", "fees"}
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


def write_table(row: Row, round_: Round, schema: RowSchema, sizes: tuple[int, int, int]) -> None:
    """Write cards and hands, equipment, start and wagers; `sizes` are those of the high, the low and the medium hand."""
    row["dealt_to"], row["dealt"] = cards_dealt(round_.of(model.CardsDealt), position_of)
    row["hands"] = hands_set(round_, sizes, position_of)
    require(row["hands"][7 * DEALER] != NO_CARD, "how the dealer set the hands is not on record")
    course.write_equipment(row, round_)
    row["dice_us"] = round_.before.dice_us if round_.before.dice_us is not None else -1
    _write_start(row, round_)
    course.write_stakes(row, round_, schema)
    for seat in range(SEATS):
        require(
            not row["boxes"][seat] or row["hands"][seat * 7] != NO_CARD, "how a player set the hands is not on record"
        )


def write_settlement(row: Row, round_: Round, schema: RowSchema) -> None:
    """Write what was done with every wager, the Envy Bonuses, and the moments of the round."""
    course.write_settlement(row, round_, schema)
    course.write_envy(row, round_)
    by_players = [fact for fact in round_.of(model.HandSet) if fact.payload.position != "dealer"]
    by_dealer = [fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"]
    money = [*round_.of(model.WagerTaken), *round_.of(model.WagerPaid), *round_.of(model.WagerReturned)]
    turned = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    turned += [fact for fact in round_.of(model.HandRevealed) if fact.payload.position == "dealer"]
    shaken = [*round_.of(model.ShakerActivated), *round_.of(model.ShakerShaken), *round_.of(model.DiceRolled)]
    course.write_moments(
        row,
        round_,
        {
            **course.shared_moments(round_),
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


def cards_dealt(deals: Sequence[RecordedEvent], place_of: Place) -> tuple[list[int], list[int]]:
    """Return the positions in the order of the deal, and the seven cards of each."""
    require(len(deals) in (7, 49), "cards dealt neither one by one nor in stacks to every position")
    require(len({len(fact.payload.cards) for fact in deals}) == 1, "stacks of different sizes")
    require(all(isinstance(fact.payload.to, int) or fact.payload.to == "dealer" for fact in deals), "cards dealt aside")
    to = [place_of(fact.payload.to) for fact in deals]
    order = to[:7]
    require(len(set(order)) == 7 and to == order * (len(to) // 7), "not dealt to the positions in turn")
    hands: list[list[int]] = [[] for _ in range(7)]
    for fact, position in zip(deals, to, strict=True):
        for card in fact.payload.cards:
            require(card is not None, "a card that was not read")
            hands[position].append(CODE[card])
    require(all(len(hand) == 7 for hand in hands), "hands of other than seven cards")
    return order, [card for hand in hands for card in hand]


def hands_set(round_: Round, sizes: tuple[int, int, int], place_of: Place) -> list[int]:
    """Return the hands set at every position: the high, the low and, where the game has one, the medium hand between them."""
    hands = [NO_CARD] * 49
    done: set[int] = set()
    for fact in round_.of(model.HandSet):
        event, position = fact.payload, place_of(fact.payload.position)
        require(position not in done, "hands set twice")
        require((len(event.high), len(event.low), len(event.medium)) == sizes, "hands of other sizes")
        cards = [*event.high, *event.medium, *event.low]
        require(None not in cards, "a card that was not read")
        done.add(position)
        hands[position * 7 : position * 7 + 7] = [CODE[card] for card in cards]
    return hands


# ----------------------------------------------------------------------------------------------------------------- the start


def _write_start(row: Row, round_: Round) -> None:
    """Write the start: dice or a number, and what was announced of it, all before the first card."""
    first, roll, drawn = round_.first_card, round_.first(model.DiceRolled), round_.first(model.NumberDrawn)
    announced = round_.first(model.TotalAnnounced)
    start = roll or drawn
    if first is None or start is None or (roll and drawn) or start.seq > first.seq:
        raise Ineligible("no start, or one that came late")
    require(announced is None or (roll and roll.seq < announced.seq < first.seq), "a total announced out of its place")
    row["announced_total"] = announced.payload.total if announced else -1
    if roll is None:
        row["drawn"], row["start_count"] = True, start.payload.number
        return
    require(roll.payload.lie == "flat" and None not in roll.payload.dice, "dice that were not read, or not flat")
    row["start_count"], row["rolled_us"] = sum(roll.payload.dice), roll.at_us


def write_hand_shakes(row: Row, round_: Round) -> None:
    """Write how often the shaker was shaken before the roll, and whether after it was covered."""
    roll, cover = round_.first(model.DiceRolled), round_.first(model.ShakerCovered)
    if roll is None:
        return
    shakes = round_.of(model.ShakerShaken)
    require(
        all(fact.payload.times and not fact.payload.duration_ms for fact in shakes), "a shaker that counts no shakes"
    )
    row["shakes"] = min(1000, sum(fact.payload.times for fact in shakes if fact.seq < roll.seq))
    row["shaken_after"] = cover is not None and any(fact.seq > cover.seq for fact in shakes)


# ------------------------------------------------------------------------------------------------------- outcomes and sections

BASE_OUTCOMES: Final[LineOutcomes] = {
    WIN: (Outcome.WIN, SECTIONS[Outcome.WIN]),
    LOSE: (Outcome.LOSE, SECTIONS[Outcome.LOSE]),
    TIE: (Outcome.TIE, SECTIONS[Outcome.TIE]),
    FOUL: (Outcome.FOUL, "11(f)(1)(iii)"),
    ALL_PUSH: (Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)"),
}
"""The outcomes of a base wager against hands of five and two cards."""
ACE_HIGH_SECTIONS: Final = ("12(b)", "11(h)(1)(i)(A)")
FORTUNE_SECTIONS: Final = ("12(c)", "11(h)(2)(i)(A)")
BONUS_SECTIONS: Final = {"fortune_bonus": FORTUNE_SECTIONS, "progressive": ("12(d)", "11(h)(3)(i)(A)")}
"""The sections by which each bonus wager is paid, and by which it loses."""
