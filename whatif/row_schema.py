"""The columns of the round table: one row for each round of play, with the data that settles it.

Invariant: it defines columns, without knowledge of events or rules; it is pure. A game has no columns of its own: `settled` holds
the table in the form that settles every game (`settled_round`). Times are UTC microseconds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

Row = dict[str, Any]
"""A row as it is written: a value for each column."""

TEXTS: Final = ("property_id", "stream", "game", "gaming_day", "shift", "dealer", "rules", "ineligible_reason")
"""Columns of text. `rules`: the digest of the submission in force; `ineligible_reason`: why only event replay can settle the
round by other rules, empty if its row is enough."""

LOCATION_NUMBERS: Final = ("round_no", "first_seq", "last_seq", "rest_seq", "until_seq", "opened_at_us", "closed_at_us")
"""Columns of one number that say where a round lies in the log.

`rest` is the table's state after the event `rest_seq`: the events from there to `until_seq` are those of the round, and of the
rounds after it whose `until_seq` is 0.
"""

SETTLED: Final = "settled"
"""The table at the settlement and its wagers, packed (`settled_round.SettledRound`); None in an ineligible row."""
REST: Final = "rest"
"""The table's state, packed, from which the round can be folded again."""

SCHEMA: Final = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in TEXTS),
        *(pa.field(name, pa.int64(), nullable=False) for name in LOCATION_NUMBERS),
        pa.field(SETTLED, pa.binary()),
        pa.field(REST, pa.binary()),
    ]
)
"""The Arrow schema of a round table's file."""


def empty_row() -> Row:
    """Return an empty row."""
    return dict.fromkeys(TEXTS, "") | dict.fromkeys(LOCATION_NUMBERS, 0) | {SETTLED: None, REST: None}


def as_batch(rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return rows as one batch."""
    return pa.RecordBatch.from_pylist(list(rows), schema=SCHEMA)
