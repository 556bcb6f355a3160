"""The columns of the round table: one row a round of play, whatever spans rounds resolved into it.

The law of this file: it names and shapes columns, and knows neither events nor rules; it is pure. What all games have stands
here once; a game's `RowSchema` says which wagers it has and what its rows hold beside that (`games`). Where nothing is on record
a number is -1 (a card 255, a count of a fixed range 0). Amounts are cents, meters centicents, times UTC microseconds. A *moment*
is how many events after the round's first one something stands in the stream: moments compare as the log's order does.

Positions are 0 to 5 for seats 1 to 6 and 6 for the dealer, or for a seventh seat where a patron deals; an array by box and
wager has the wagers of seat 1 first, in the order of the game's slots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

SEATS: Final = 6
"""The seats of a table, where its game's schema does not say otherwise."""
DEALER: Final = 6
POSITIONS: Final = SEATS + 1
"""The seats and the dealer, or seven seats where a patron deals."""
ENVY_WAGERS: Final = ("fortune_bonus", "progressive")
NO_CARD: Final = 255

MOMENTS: Final = (
    "last_wager", "no_more_bets", "last_accepted", "locked", "last_lammer", "start", "first_card", "last_card", "covered",
    "dealer_set", "first_look", "last_fortune", "first_envy", "last_set", "turned", "shaker", "last_on_dice",
)  # fmt: skip
"""The moments of a round that are not of one seat, in the order of the column `moments`."""

TEXTS: Final = (
    "property_id",
    "stream",
    "game",
    "gaming_day",
    "shift",
    "dealer",
    "rules",
    "aside",
    "meter",
    *(f"bettor_{seat}" for seat in range(1, SEATS + 1)),
)
"""Columns of text. `rules`: the digest of the submission in force; `aside`: the reason why the round cannot be judged in columns
(the ineligible reason), or empty."""

LOCATION_NUMBERS: Final[Mapping[str, type[np.generic]]] = {
    "round_no": np.int64,
    "first_seq": np.int64,
    "last_seq": np.int64,
    "rest_seq": np.int64,
    "until_seq": np.int64,
    "closed_at_us": np.int64,
}
"""Columns of one number that say where a round stands; no rule looks at them.

`rest` is the table's state after the event `rest_seq`: the events from there to `until_seq` are those of the round, and of the
rounds after it whose `until_seq` is 0.
"""

NUMBERS: Final[Mapping[str, type[np.generic]]] = {
    "opened_at_us": np.int64,
    "deck_in_play_us": np.int64,
    "decks_in_play": np.uint8,
    "decks_before": np.uint8,
    "same_deck": np.uint8,
    "shuffled": np.uint8,
    "cut_by": np.uint8,
    "cut_depth": np.int16,
    "cut_from_top": np.uint8,
    "cut_taken": np.uint8,
    "cut_seated": np.uint8,
    "first_patron": np.uint8,
    "patrons_known": np.uint8,
    "strangers": np.uint8,
    "stub": np.int16,
    "stub_seen": np.int16,
    "collected": np.int16,
    "locked_accepted": np.int16,
    "locked_collected": np.int16,
    "meter_before": np.int64,
    "lammers": np.uint16,
    "acknowledged": np.uint8,
}
"""Columns of one number that every game has. Sets of seats are bits; `lammers` has Fortune's in the low ones, as many as there
are seats, Progressive's in the next.

`strangers`: the boxes whose base wager is of nobody seated; `shuffled` 1 by hand, 2 by a shuffler, 3 by a continuous one;
`cut_by` a seat's number, or the number after the last seat's for the dealer.
"""

BY_PLACE: Final[Mapping[str, type[np.generic]]] = {"staked": np.int32, "net": np.int32, "announced": np.uint8}
"""Columns of arrays by box and wager. `net`: what the patron won or lost by what was done; `announced` 1 win, 2 lose, 3 tie."""

ARRAYS: Final[Mapping[str, tuple[type[np.generic], int, int]]] = {
    "boxes": (np.uint8, 1, 0),
    "offered_to": (np.uint8, 1, 0),
    "accepted_at": (np.uint8, 1, 0),
    "accepted_cents": (np.int32, 1, 0),
    "readings": (np.int64, 1, 0),
    "moments": (np.int16, 0, len(MOMENTS)),
    "revealed": (np.int16, 1, 0),
    "base_moved": (np.int16, 1, 0),
    "others_moved": (np.int16, 1, 0),
    "lit": (np.int16, 1, 0),
    "validated": (np.int16, 1, 0),
    "progressive_paid": (np.int16, 1, 0),
    "envy_cents": (np.int32, 2, 0),
    "envy_to": (np.uint8, 2, 0),
}
"""Columns of fixed arrays that every game has: type, how many numbers there are for each seat, how many beside that; in
Parquet bytes of a fixed size, each number with its lowest byte first.

`boxes` for each box the number of the first one of the same bettor, 0 where nothing is staked; `others_moved` of the wagers
that follow the base wager; `accepted_at` the seats (from 1) whose wager the meter accepted, in order, with amounts and
`readings` after each. `envy_cents` is what was paid for the hand of each seat (Fortune's six, then Progressive's), to each
of the seats of `envy_to`.
"""

REST: Final = "rest"
"""The table's state, packed, from which the round can be folded again."""

_UNKNOWN: Final = ("deck_in_play_us", "cut_depth", "stub", "locked_accepted", "locked_collected", "meter_before")
_NEVER: Final = ("revealed", "base_moved", "others_moved", "lit", "validated", "progressive_paid", "moments")


class Slot(NamedTuple):
    """A wager that a box can have; one on a number is a slot of its own."""

    wager: str
    number: int | None = None


def slots_of(*wagers: str) -> tuple[Slot, ...]:
    """Return the slots of wagers that are not placed on a number."""
    return tuple(Slot(wager) for wager in wagers)


class RowSchema(NamedTuple):
    """What the rows of a game hold beside what all rows do: its wagers, and columns of its own with what stands there at first.

    `follows`: the wagers that are settled after the base wager of their box. `lists`: columns of its own of several texts.
    """

    slots: tuple[Slot, ...]
    follows: frozenset[str]
    numbers: Mapping[str, tuple[type[np.generic], int]]
    arrays: Mapping[str, tuple[type[np.generic], int, int]]
    seats: int = SEATS
    lists: tuple[str, ...] = ()

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers of the slots."""
        return tuple(slot.wager for slot in self.slots)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every column of text."""
        return (*TEXTS, *(f"bettor_{seat}" for seat in range(SEATS + 1, self.seats + 1)))

    @property
    def all_numbers(self) -> dict[str, type[np.generic]]:
        """Every column of one number, with its type."""
        return {**LOCATION_NUMBERS, **NUMBERS, **{name: kind for name, (kind, _) in self.numbers.items()}}

    @property
    def all_arrays(self) -> dict[str, tuple[type[np.generic], int]]:
        """Every column of fixed arrays, with its type and length."""
        places = self.seats * len(self.slots)
        by_place = {name: (kind, places) for name, kind in BY_PLACE.items()}
        by_seat = {name: (kind, each * self.seats + beside) for name, (kind, each, beside) in ARRAYS.items()}
        own = {name: (kind, length) for name, (kind, length, _) in self.arrays.items()}
        return {**by_place, **by_seat, **own}

    @property
    def screened(self) -> tuple[str, ...]:
        """The columns of numbers that rules look at."""
        return tuple(name for name in (*self.all_numbers, *self.all_arrays) if name not in LOCATION_NUMBERS)


def arrow_schema(schema: RowSchema) -> pa.Schema:
    """Return the Arrow schema of a round table's file."""
    fields = [pa.field(name, pa.string(), nullable=False) for name in schema.texts]
    fields += [pa.field(name, pa.list_(pa.string()), nullable=False) for name in schema.lists]
    fields += [pa.field(name, pa.from_numpy_dtype(kind), nullable=False) for name, kind in schema.all_numbers.items()]
    fields += [
        pa.field(name, pa.binary(np.dtype(kind).itemsize * length), nullable=False)
        for name, (kind, length) in schema.all_arrays.items()
    ]
    return pa.schema([*fields, pa.field(REST, pa.binary())])


def empty_row(schema: RowSchema) -> dict[str, Any]:
    """Return a row in which nothing is on record."""
    arrays = schema.all_arrays
    row: dict[str, Any] = dict.fromkeys(schema.texts, "") | dict.fromkeys(schema.all_numbers, 0) | {REST: None}
    row |= {name: [] for name in schema.lists}
    row |= {name: [0] * length for name, (_, length) in arrays.items()}
    row |= dict.fromkeys(_UNKNOWN, -1)
    row |= {name: [-1] * arrays[name][1] for name in _NEVER}
    row |= {name: nothing for name, (_, nothing) in schema.numbers.items()}
    row |= {name: [nothing] * length for name, (_, length, nothing) in schema.arrays.items()}
    return row


def as_batch(rows: Sequence[Mapping[str, Any]], schema: RowSchema) -> pa.RecordBatch:
    """Return rows of one schema as one batch."""
    kinds, arrays, numbers = arrow_schema(schema), schema.all_arrays, schema.all_numbers
    columns = []
    for field in kinds:
        values = [row[field.name] for row in rows]
        if field.name in arrays:
            kind, length = arrays[field.name]
            columns.append(fixed(np.array(values, dtype=kind).reshape(len(rows), length)))
        elif field.name in numbers:
            columns.append(pa.array(np.array(values, dtype=numbers[field.name])))
        else:
            columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=kinds)


def screened_of(columns: pa.Schema) -> tuple[str, ...]:
    """Return the columns that screening reads, of those that a file has: numbers, and of the texts three."""
    return tuple(
        field.name
        for field in columns
        if field.name in ("game", "rules", "aside")
        or (
            field.name not in (*LOCATION_NUMBERS, REST)
            and not pa.types.is_string(field.type)
            and not pa.types.is_list(field.type)
        )
    )


def fixed(values: Array) -> pa.FixedSizeBinaryArray:
    """Return a matrix as a column of fixed arrays, without copying where that can be."""
    rows = np.ascontiguousarray(values)
    kind = pa.binary(rows.dtype.itemsize * rows.shape[1])
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)])


def numbers_of(batch: pa.RecordBatch, name: str, kind: type[np.generic] | None = None) -> Array:
    """Return a column of numbers as a vector, one of fixed arrays (of numbers of this type) as a matrix, without copying."""
    column = batch.column(batch.schema.get_field_index(name))
    if pa.types.is_fixed_size_binary(column.type):
        kind = kind or BY_PLACE.get(name) or ARRAYS[name][0]
        return matrix(column, kind, column.type.byte_width // np.dtype(kind).itemsize)
    found: Array = column.to_numpy(zero_copy_only=True)
    return found


def matrix(column: pa.FixedSizeBinaryArray, kind: type[np.generic], length: int) -> Array:
    """Return a column of fixed arrays as a matrix, without copying."""
    whole = np.frombuffer(column.buffers()[1], dtype=kind)
    return whole[column.offset * length : (column.offset + len(column)) * length].reshape(len(column), length)
