"""The columns of the round table: one row a round of play, with all by which it was settled.

Invariant: it names and shapes columns, and knows neither events nor rules; it is pure. What all games have stands
here once; a game's `RowSchema` says which wagers it has and what its rows hold beside that (`games`). Amounts are cents, times
UTC microseconds; where there is no card, 255.

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
Columns = Mapping[str, tuple[type[np.generic], int, int]]
"""Columns of fixed arrays: type, length, and what stands there at first; in Parquet bytes of a fixed size, each number with its
lowest byte first."""

SEATS: Final = 6
"""The seats of a table, where its game's schema does not say otherwise."""
DEALER: Final = 6
POSITIONS: Final = SEATS + 1
"""The seats and the dealer, or seven seats where a patron deals."""
ENVY_WAGERS: Final = ("fortune_bonus", "progressive")
NO_CARD: Final = 255

TEXTS: Final = ("property_id", "stream", "game", "gaming_day", "shift", "dealer", "rules", "aside")
"""Columns of text. `rules`: the digest of the submission in force; `aside`: the reason why the round cannot be settled in columns
(the ineligible reason), or empty."""

LOCATION_NUMBERS: Final[Mapping[str, type[np.generic]]] = {
    "round_no": np.int64,
    "first_seq": np.int64,
    "last_seq": np.int64,
    "rest_seq": np.int64,
    "until_seq": np.int64,
    "opened_at_us": np.int64,
    "closed_at_us": np.int64,
}
"""Columns of one number that say where a round stands.

`rest` is the table's state after the event `rest_seq`: the events from there to `until_seq` are those of the round, and of the
rounds after it whose `until_seq` is 0.
"""

REST: Final = "rest"
"""The table's state, packed, from which the round can be folded again."""


class Slot(NamedTuple):
    """A wager that a box can have; one on a number is a slot of its own."""

    wager: str
    number: int | None = None


def slots_of(*wagers: str) -> tuple[Slot, ...]:
    """Return the slots of wagers that are not placed on a number."""
    return tuple(Slot(wager) for wager in wagers)


class RowSchema(NamedTuple):
    """What the rows of a game hold: its wagers, and columns of its own, of one number (type, what stands there at first) or of
    arrays."""

    slots: tuple[Slot, ...]
    numbers: Mapping[str, tuple[type[np.generic], int]]
    arrays: Columns
    seats: int = SEATS

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers of the slots."""
        return tuple(slot.wager for slot in self.slots)

    @property
    def all_numbers(self) -> dict[str, type[np.generic]]:
        """Every column of one number, with its type."""
        return {**LOCATION_NUMBERS, **{name: kind for name, (kind, _) in self.numbers.items()}}

    @property
    def all_arrays(self) -> Columns:
        """Every column of fixed arrays.

        By box and wager what was `staked`, what the patron was `due` by the rules in force, `net` of what was done: amounts won
        or lost. `boxes` for each box the number of the first one of the same bettor, 0 where nothing is staked. `envy_due` and
        `envy_net` the Envy Bonuses of each seat: Fortune's of all seats, then Progressive's.
        """
        places = self.seats * len(self.slots)
        shared: Columns = {
            "staked": (np.int32, places, 0),
            "due": (np.int32, places, 0),
            "net": (np.int32, places, 0),
            "boxes": (np.uint8, self.seats, 0),
            "envy_due": (np.int32, len(ENVY_WAGERS) * self.seats, 0),
            "envy_net": (np.int32, len(ENVY_WAGERS) * self.seats, 0),
        }
        return {**shared, **self.arrays}

    @property
    def settled_by(self) -> tuple[str, ...]:
        """The columns by which a kernel settles."""
        return ("staked", "boxes", *self.numbers, *self.arrays)


def arrow_schema(schema: RowSchema) -> pa.Schema:
    """Return the Arrow schema of a round table's file."""
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    fields += [pa.field(name, pa.from_numpy_dtype(kind), nullable=False) for name, kind in schema.all_numbers.items()]
    fields += [
        pa.field(name, pa.binary(np.dtype(kind).itemsize * length), nullable=False)
        for name, (kind, length, _) in schema.all_arrays.items()
    ]
    return pa.schema([*fields, pa.field(REST, pa.binary())])


def empty_row(schema: RowSchema) -> dict[str, Any]:
    """Return a row in which nothing is on record."""
    row: dict[str, Any] = dict.fromkeys(TEXTS, "") | dict.fromkeys(schema.all_numbers, 0) | {REST: None}
    row |= {name: nothing for name, (_, nothing) in schema.numbers.items()}
    row |= {name: [nothing] * length for name, (_, length, nothing) in schema.all_arrays.items()}
    return row


def as_batch(rows: Sequence[Mapping[str, Any]], schema: RowSchema) -> pa.RecordBatch:
    """Return rows of one schema as one batch."""
    kinds, arrays, numbers = arrow_schema(schema), schema.all_arrays, schema.all_numbers
    columns = []
    for field in kinds:
        values = [row[field.name] for row in rows]
        if field.name in arrays:
            kind, length, _ = arrays[field.name]
            columns.append(fixed(np.array(values, dtype=kind).reshape(len(rows), length)))
        elif field.name in numbers:
            columns.append(pa.array(np.array(values, dtype=numbers[field.name])))
        else:
            columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=kinds)


def fixed(values: Array) -> pa.FixedSizeBinaryArray:
    """Return a matrix as a column of fixed arrays, without copying where that can be."""
    rows = np.ascontiguousarray(values)
    kind = pa.binary(rows.dtype.itemsize * rows.shape[1])
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)])


def numbers_of(batch: pa.RecordBatch, name: str, schema: RowSchema) -> Array:
    """Return a column of numbers as a vector, one of fixed arrays as a matrix, without copying."""
    column = batch.column(batch.schema.get_field_index(name))
    if name in schema.all_arrays:
        kind, length, _ = schema.all_arrays[name]
        whole = np.frombuffer(column.buffers()[1], dtype=kind)
        return whole[column.offset * length : (column.offset + len(column)) * length].reshape(len(column), length)
    found: Array = column.to_numpy(zero_copy_only=True)
    return found
