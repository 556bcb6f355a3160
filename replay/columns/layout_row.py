"""A round as a row: the one table by which it is settled, what each wager was due, and what was done with it.

Invariant: it writes down what `replay.settlement` says, and decides nothing; it is pure. Where a round is void, or can
be read in several ways, or holds what the columns of its game do not, `Ineligible` says so: event replay settles it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.layout import BettingBox, Hand, TableLayout
from games.rulebook.rulebook import Rulebook
from replay.columns.game_columns import GameColumns, Row
from replay.columns.row_schemas import DEALER, ENVY_WAGERS, RowSchema, Slot
from replay.findings import Settlement
from replay.fold.round import Round
from replay.settlement.only_layout import only_layout
from replay.settlement.settlement import settlements
from replay.settlement.stakes import ENVY

MOST_CENTS = 2**31 - 1
ENVY_BONUSES = tuple(ENVY[wager] for wager in ENVY_WAGERS)

Place = tuple[int, str, int | None, str]
"""A wager: seat, name, number, and where several patrons can have it at one seat whose it is."""


class Ineligible(Exception):
    """The reason why a round cannot be settled in columns; event replay settles it."""


def require(ordinary: object, reason: str) -> None:
    """Raise `Ineligible` with the reason where something is otherwise than the columns hold."""
    if not ordinary:
        raise Ineligible(reason)


def write_round(row: Row, round_: Round, book: Rulebook, game: GameColumns) -> None:
    """Write a round into an empty row. Raises `Ineligible`."""
    layout = only_layout(round_, book)
    if layout is None:
        raise Ineligible("void, or to be read in several ways")
    places = _write_stakes(row, layout, game.schema)
    _write_money(row, settlements(round_, book), places, game.schema)
    game.write_layout(row, layout)


def _write_stakes(row: Row, layout: TableLayout, schema: RowSchema) -> dict[Place, int]:
    """Write what lies at stake and whose boxes those are; return the place of each wager."""
    places: dict[Place, int] = {}
    owners: dict[str, int] = {}
    for box in sorted(layout.boxes, key=lambda box: box.seat):
        require(box.voided is False and not box.abandoned, "a hand that was voided, or abandoned")
        require(not box.surrendered or "surrendered" in schema.arrays, "a surrender")
        require(1 <= box.seat <= schema.seats, "a seat that the columns do not hold")
        for wager, cents in _wagers(box):
            place = _place(schema, box.seat, wager, places)
            places[wager], row["staked"][place] = place, cents_of(cents)
        owner = box.bettor or next((each.bettor for each in box.further if each.number is not None), "")
        if owner:
            row["boxes"][box.seat - 1] = owners.setdefault(owner, box.seat)
    return places


def _wagers(box: BettingBox) -> list[tuple[Place, int]]:
    """The wagers of a box with their cents; those of one that several patrons can have in the order of the table."""
    single: list[tuple[Place, int]] = [((box.seat, wager, None, ""), cents) for wager, cents in box.stakes.items()]
    return single + [
        ((box.seat, each.wager, each.number, each.bettor if each.number is None else ""), each.stake_cents)
        for each in box.further
    ]


def _place(schema: RowSchema, seat: int, wager: Place, taken: Mapping[Place, int]) -> int:
    """Return the first free place of a wager in the arrays."""
    first = (seat - 1) * len(schema.slots)
    for at, slot in enumerate(schema.slots, first):
        if slot == Slot(wager[1], wager[2]) and at not in taken.values():
            return at
    raise Ineligible("a wager that the columns do not hold")


def _write_money(row: Row, made: Sequence[Settlement], places: Mapping[Place, int], schema: RowSchema) -> None:
    """Write what every wager was due, and what was done with it."""
    left = dict(places)
    several = {slot for slot in schema.slots if schema.slots.count(slot) > 1}
    for each in made:
        if each.due_cents is None or each.done_cents is None:
            raise Ineligible("what is due, or was done, cannot be told")
        if each.wager in ENVY_BONUSES:
            require(1 <= each.seat <= schema.seats, "a seat that the columns do not hold")
            at = ENVY_BONUSES.index(each.wager) * schema.seats + each.seat - 1
            row["envy_due"][at], row["envy_net"][at] = cents_of(each.due_cents), cents_of(each.done_cents)
            continue
        whose = each.bettor if Slot(each.wager, each.number) in several else ""
        place = left.pop((each.seat, each.wager, each.number, whose), None)
        if place is None or row["staked"][place] != each.staked_cents:
            raise Ineligible("money beside the wagers: placed late, or with nothing at stake")
        row["due"][place], row["net"][place] = cents_of(each.due_cents), cents_of(each.done_cents)
    require(not left, "a wager without a settlement")


def cents_of(cents: int) -> int:
    """Return an amount that a column holds."""
    require(abs(cents) <= MOST_CENTS, "an amount that no column holds")
    return cents


def position_of(seat: int | str) -> int:
    """Return a seat, or the dealer, as a place in arrays."""
    return DEALER if seat == "dealer" else int(seat) - 1


def known_cards(hand: Hand, count: int) -> tuple[int, ...]:
    """Return the cards of a hand. Raises `Ineligible` where they are not so many."""
    if hand.cards is None or hand.disputed or len(hand.cards) != count:
        raise Ineligible("cards that are not on record")
    return hand.cards


def write_dealt(row: Row, layout: TableLayout, count: int) -> None:
    """Write the cards of each hand, so many, where no setting matters."""
    for at, hand in hands_of(layout).items():
        row["dealt"][count * at : count * (at + 1)] = known_cards(hand, count)


def write_hands(row: Row, layout: TableLayout) -> None:
    """Write the seven cards of each hand as they were set: the largest hand first."""
    for at, hand in hands_of(layout).items():
        cards = known_cards(hand, 7)
        if hand.high is None or hand.low is None:
            raise Ineligible("how a hand was set is not on record")
        made = (*hand.high, *(hand.medium or ()), *hand.low)
        require(sorted(made) == sorted(cards), "hands that were set of other cards")
        row["hands"][7 * at : 7 * at + 7] = made


def hands_of(layout: TableLayout) -> dict[int, Hand]:
    """Return the hands by their place in arrays; no card of them is there twice."""
    hands = {position_of(box.seat): box.hand for box in layout.boxes} | {DEALER: layout.dealer}
    cards = [card for hand in hands.values() for card in hand.cards or ()]
    require(len(set(cards)) == len(cards), "a card that is there twice")
    return hands
