"""What a replay tells the keeper of a table of its rounds (`whatif.kept_table`): the seam between the two.

Invariant: this file says what is passed on and when, and keeps nothing. Results are committed first, then the keeper is told how
far; what it did not get to keep it can read from the log again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from events.log.contract import Head
from replay.fold.round import Round
from replay.run.positions import ReplaySource
from rulebook.chapters.rulebook import Rulebook


class RoundTaker(Protocol):
    """Takes the rounds of one stream from its worker, in the order in which they are judged."""

    def take(self, round_: Round, book: Rulebook | str, seq: int) -> None:
        """Take a round as it is after the event `seq`: one that ended, or an earlier one again.

        `book` are the rules it was judged by, or why there are none.
        """

    def at_rest(self, state: bytes, seq: int) -> None:
        """Take the table's state, packed, after an event with which no round is open: the next round can be folded from it."""


class RoundKeeper(Protocol):
    """Keeps the rounds that a replay judges."""

    def resume(self, log: ReplaySource, positions: Mapping[str, Head]) -> list[str]:
        """Bring these streams to the positions from which the replay goes on; return a sentence for each thing put right.

        A stream at position 0 begins again.
        """

    def taker(self, stream: str) -> RoundTaker | None:
        """Return what takes the rounds of a stream from here on; None if none are kept."""

    def refolded(self, stream: str) -> None:
        """A stream was folded again from its beginning: what was taken from it no longer counts."""

    def broken(self, stream: str, why: str) -> None:
        """Nothing later in a stream is judged."""

    def forget(self, stream: str) -> None:
        """The results of a stream were thrown away, for the log has no such stream."""

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        """The results up to these heads were committed. Return whether everything is kept now.

        If it is not asked for `at_once`, a keeper may wait a little, and is told again.
        """


class StreamRoundKeeper(RoundKeeper, Protocol):
    """Keeps the rounds of one stream in another process; it can be sent there, and back when it is packed."""

    def pack(self) -> None:
        """Make ready to be sent back."""


class DividedRoundKeeper(RoundKeeper, Protocol):
    """Keeps the rounds of streams that are judged in several processes."""

    def of_stream(self, stream: str) -> StreamRoundKeeper:
        """Return what keeps the rounds of a stream in another process, from where they are kept here."""

    def gather(self, kept: StreamRoundKeeper) -> None:
        """Take over what was kept of a stream there; the results of the stream were committed."""
