"""The labels of a simulation: which faults it planted and which irregularities were handled correctly.

Labels are kept apart from the events: nothing in a log says that something in it was planted.
"""

from __future__ import annotations

import msgspec


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """A planted fault. A None `seat` or `wager` is not specified: the finding may name one.

    `consequences` are the codes that may be found in the same round because of it. A fault in a meter's own stream
    names that stream, and `table` and `round_no` of the wager or winner whose event it is.
    """

    code: str
    stream: str
    table: str
    round_no: int | None
    seat: int | None
    wager: str | None
    consequences: tuple[str, ...]


class Legit(msgspec.Struct, frozen=True, kw_only=True):
    """An irregularity that was handled as the rules say: it must raise no alarm."""

    kind: str
    stream: str
    round_no: int | None


class Spot(msgspec.Struct, frozen=True):
    """Where a fault injector planted its fault in a round.

    `stream` is where it is to be seen if not in the table's; `also_in` another stream where it is to be seen as well.
    """

    seat: int | None = None
    wager: str | None = None
    consequences: tuple[str, ...] = ()
    stream: str | None = None
    also_in: str | None = None
