"""The labels of a simulation: its planted faults, and the irregularities handled correctly.

Labels are kept apart from the events: nothing in a log says that an event was planted.
"""

import msgspec


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """A planted fault. If `seat` or `wager` is None, the finding may name any.

    `consequences` are the codes of other findings that it may cause in the same round. A fault in a meter's own stream names that
    stream, and `table` and `round_no` of the wager or winner of the event.
    """

    code: str
    stream: str
    table: str
    round_no: int | None
    seat: int | None
    wager: str | None
    consequences: tuple[str, ...]


class Legit(msgspec.Struct, frozen=True, kw_only=True):
    """An irregularity handled as the rules say: it must not be reported."""

    kind: str
    stream: str
    round_no: int | None


class Spot(msgspec.Struct, frozen=True):
    """The place of a planted fault in a round. `stream` shows it if the table's does not; `also_in` shows it too."""

    seat: int | None = None
    wager: str | None = None
    consequences: tuple[str, ...] = ()
    stream: str | None = None
    also_in: str | None = None
