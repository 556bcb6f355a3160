"""Late events are applied together, at the end of their commit or before the next round begins or ends (D781).

Invariant: the records alone decide which events are late and where they end: the round number in an event, and when it was
recorded. So interruptions of a replay change neither these nor the results.
"""

from typing import Final

from events.vocabulary.model import EventCorrected, RoundClosed, RoundOpened
from replay.fold.round import Round

LITTLE: Final = 2_000
"""Events that are folded again, at most, for late ones of one commit that are each taken in when they come."""

ROUND_ENDS: Final = frozenset({RoundOpened.TYPE, RoundClosed.TYPE})


def is_late(type_: str, round_no: int | None, open_: Round | None, last_round_no: int) -> bool:
    """Return whether an event is late by its content: a correction, or of a closed round."""
    if type_ == EventCorrected.TYPE:
        return True
    if round_no is None or type_ == RoundOpened.TYPE or round_no > last_round_no:
        return False
    return open_ is None or open_.round_no != round_no


class LateEvents:
    """The late events of the commit that is being read, and the rounds that they change.

    `is_waiting`: their rounds are judged after the last of them; earlier, each was applied on arrival.
    """

    def __init__(self) -> None:
        self.recorded_us: int | None = None
        self.is_waiting = False
        self.rounds: dict[int, Round] = {}
        self._cost = 0

    def add(self, recorded_us: int, seq: int, late: bool) -> None:
        """Record an event of a stream, and whether it was late."""
        if recorded_us != self.recorded_us:
            self.recorded_us, self._cost, self.is_waiting = (recorded_us if late else None), 0, False
        if late:
            self._cost += seq
            self.is_waiting = self.is_waiting or self._cost > LITTLE

    def end_with(self, type_: str, recorded_us: int, late: bool) -> bool:
        """Return whether the waiting rounds are judged before this event."""
        return self.is_waiting and (recorded_us != self.recorded_us or (type_ in ROUND_ENDS and not late))

    def pop(self) -> list[Round]:
        """Return the waiting rounds, and clear them."""
        waiting, self.rounds, self.is_waiting = list(self.rounds.values()), {}, False
        return waiting
