"""The columns of the round table: one row a round of play, whatever spans rounds resolved into it.

The law of this file: it names and shapes, and knows neither events nor rules. Where nothing is on record a number is -1 (a
card 255, a count of a fixed range 0). Amounts are cents, meters centicents, times UTC microseconds. A *moment* is how many
events after the round's first one something stands in the stream: moments compare as the log's order does.

Positions are 0 to 5 for seats 1 to 6 and 6 for the dealer; an array by box and wager has the wagers of seat 1 first, in the
order of `WAGERS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

SEATS: Final = 6
DEALER: Final = 6
WAGERS: Final = ("base", "ace_high_bonus", "fortune_bonus", "progressive")
ENVY_WAGERS: Final = ("fortune_bonus", "progressive")
PLACES: Final = SEATS * len(WAGERS)
NO_CARD: Final = 255

MOMENTS: Final = (
    "last_wager", "no_more_bets", "last_accepted", "locked", "last_lammer", "start", "first_card", "last_card", "covered",
    "dealer_set", "first_look", "last_fortune", "first_envy",
)  # fmt: skip
"""The moments of a round that are not of one seat, in the order of the column `moments`."""

TEXTS: Final = (
    "property_id", "stream", "game", "gaming_day", "shift", "dealer", "rules", "aside", "meter",
    *(f"bettor_{seat}" for seat in range(1, SEATS + 1)),
)  # fmt: skip
"""Columns of text. `rules`: the digest of the submission in force; `aside`: why the round takes the single path, or empty."""

NUMBERS: Final[Mapping[str, type[np.generic]]] = {
    "round_no": np.int64,
    "first_seq": np.int64,
    "last_seq": np.int64,
    "rest_seq": np.int64,
    "until_seq": np.int64,
    "opened_at_us": np.int64,
    "closed_at_us": np.int64,
    "deck_in_play_us": np.int64,
    "dice_us": np.int64,
    "rolled_us": np.int64,
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
    "drawn": np.uint8,
    "start_count": np.uint8,
    "announced_total": np.int16,
    "shakes": np.int16,
    "shaken_after": np.uint8,
    "stub": np.int16,
    "stub_seen": np.int16,
    "collected": np.int16,
    "locked_accepted": np.int16,
    "locked_collected": np.int16,
    "meter_before": np.int64,
    "lammers": np.uint16,
    "acknowledged": np.uint8,
}
"""Columns of one number. Sets of seats are bits; `lammers` has Fortune's in the low six, Progressive's in the next.

`strangers`: the boxes whose base wager is of nobody seated; `shuffled` 1 by hand, 2 by a shuffler, 3 by a continuous one;
`cut_by` a seat's number or 7. `rest` is the table's state after the event `rest_seq`: what follows, up to `until_seq`, tells
all there is of the round, and of those after it whose `until_seq` is 0.
"""

ARRAYS: Final[Mapping[str, tuple[type[np.generic], int]]] = {
    "dealt": (np.uint8, 49),
    "hands": (np.uint8, 49),
    "dealt_to": (np.uint8, 7),
    "boxes": (np.uint8, SEATS),
    "staked": (np.int32, PLACES),
    "net": (np.int32, PLACES),
    "announced": (np.uint8, PLACES),
    "offered_to": (np.uint8, SEATS),
    "accepted_at": (np.uint8, SEATS),
    "accepted_cents": (np.int32, SEATS),
    "readings": (np.int64, SEATS),
    "moments": (np.int16, len(MOMENTS)),
    "revealed": (np.int16, SEATS),
    "base_moved": (np.int16, SEATS),
    "others_moved": (np.int16, SEATS),
    "lit": (np.int16, SEATS),
    "validated": (np.int16, SEATS),
    "progressive_paid": (np.int16, SEATS),
    "envy_cents": (np.int32, 2 * SEATS),
    "envy_to": (np.uint8, 2 * SEATS),
}
"""Columns of fixed arrays: type and length; in Parquet bytes of a fixed size, each number with its lowest byte first.

`dealt` has each position's seven cards in the order dealt, `hands` as set (five behind, two in front); `dealt_to` the
positions in the order of the deal; `boxes` for each box the number of the first one of the same bettor, 0 where nothing is
staked; `net` what the patron won or lost by what was done; `announced` 1 win, 2 lose, 3 tie; `accepted_at` the seats (from 1)
whose wager the meter accepted, in order, with amounts and `readings` after each. `envy_cents` is what was paid for the hand
of each seat (Fortune's six, then Progressive's), to each of the seats of `envy_to`.
"""

REST: Final = "rest"
"""The table's state, packed, from which the round can be folded again."""

_NOT_LOOKED_AT: Final = ("round_no", "first_seq", "last_seq", "rest_seq", "until_seq", "closed_at_us")
SCREENED_NUMBERS: Final = (*(name for name in NUMBERS if name not in _NOT_LOOKED_AT), *ARRAYS)
SCREENED: Final = ("game", "rules", "aside", *SCREENED_NUMBERS)
"""The columns that screening reads: all that any rule looks at."""


def schema() -> pa.Schema:
    """Return the Arrow schema of a round table."""
    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXTS]
    fields += [pa.field(name, pa.from_numpy_dtype(kind), nullable=False) for name, kind in NUMBERS.items()]
    fields += [
        pa.field(name, pa.binary(np.dtype(kind).itemsize * length), nullable=False)
        for name, (kind, length) in ARRAYS.items()
    ]
    return pa.schema([*fields, pa.field(REST, pa.binary())])


def empty_row() -> dict[str, Any]:
    """Return a row in which nothing is on record."""
    row: dict[str, Any] = dict.fromkeys(TEXTS, "") | dict.fromkeys(NUMBERS, 0) | {REST: None}
    row |= {name: [0] * length for name, (_, length) in ARRAYS.items()}
    for name in ("deck_in_play_us", "dice_us", "rolled_us", "cut_depth", "announced_total", "stub", "locked_accepted",
                 "locked_collected", "meter_before"):  # fmt: skip
        row[name] = -1
    for name in ("revealed", "base_moved", "others_moved", "lit", "validated", "progressive_paid", "moments"):
        row[name] = [-1] * ARRAYS[name][1]
    row["dealt"], row["hands"] = [NO_CARD] * 49, [NO_CARD] * 49
    return row


def as_batch(rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return rows as one batch."""
    kinds = schema()
    columns = []
    for field in kinds:
        values = [row[field.name] for row in rows]
        if field.name in ARRAYS:
            kind, length = ARRAYS[field.name]
            columns.append(fixed(np.array(values, dtype=kind).reshape(len(rows), length)))
        elif field.name in NUMBERS:
            columns.append(pa.array(np.array(values, dtype=NUMBERS[field.name])))
        else:
            columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=kinds)


def fixed(values: Array) -> pa.FixedSizeBinaryArray:
    """Return a matrix as a column of fixed arrays, without copying where that can be."""
    rows = np.ascontiguousarray(values)
    kind = pa.binary(rows.dtype.itemsize * rows.shape[1])
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(rows)])


def numbers_of(batch: pa.RecordBatch, name: str) -> Array:
    """Return a column of numbers as a vector, one of fixed arrays as a matrix, without copying."""
    column = batch.column(batch.schema.get_field_index(name))
    if name in ARRAYS:
        return matrix(column, *ARRAYS[name])
    found: Array = column.to_numpy(zero_copy_only=True)
    return found


def matrix(column: pa.FixedSizeBinaryArray, kind: type[np.generic], length: int) -> Array:
    """Return a column of fixed arrays as a matrix, without copying."""
    whole = np.frombuffer(column.buffers()[1], dtype=kind)
    return whole[column.offset * length : (column.offset + len(column)) * length].reshape(len(column), length)
