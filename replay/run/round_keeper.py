"""The interface between a replay and the keeper of a table of its rounds (`whatif.kept_table`).

Invariant: this file defines what is passed on and when, and keeps nothing. Results are committed first, then the keeper gets
their heads; rounds that it missed it can read from the log again.
"""

from collections.abc import Mapping
from typing import Protocol

from events.log.contract import Head
from replay.fold.round import Round
from replay.run.positions import ReplaySource
from rulebook.chapters.rulebook import Rulebook


class RoundTaker(Protocol):
    """Takes the rounds of one stream from its worker, in the order in which they are judged."""

    def take(self, round_: Round, book: Rulebook | str, seq: int) -> None:
        """Receive a round as of the event `seq`: one that ended, or an earlier one again.

        `book` are the rules it was judged by, or why there are none.
        """

    def at_rest(self, state: bytes, seq: int) -> None:
        """Receive the table's packed state after an event that leaves no round open: the next round can be folded from it."""


class RoundKeeper(Protocol):
    """Keeps the rounds that a replay judges."""

    def resume(self, log: ReplaySource, positions: Mapping[str, Head]) -> list[str]:
        """Bring streams to the positions of the replay (0: begin again); return a sentence for each repair."""

    def taker(self, stream: str) -> RoundTaker | None:
        """Return the receiver of a stream's rounds from here on; None if none are kept."""

    def refolded(self, stream: str) -> None:
        """Discard a stream's rounds: it was folded again from its beginning."""

    def broken(self, stream: str, why: str) -> None:
        """Stop a stream: nothing later in it is judged."""

    def forget(self, stream: str) -> None:
        """Discard a stream: its results were deleted, since the log has no such stream."""

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        """Record that results up to these heads are committed; return whether all is kept, which can wait unless `at_once`."""


class StreamRoundKeeper(RoundKeeper, Protocol):
    """Keeps the rounds of one stream in another process; it can be sent there, and back when it is packed."""

    def pack(self) -> None:
        """Pack for sending back."""


class DividedRoundKeeper(RoundKeeper, Protocol):
    """Keeps the rounds of streams that are judged in several processes."""

    def of_stream(self, stream: str) -> StreamRoundKeeper:
        """Return a keeper for a stream's rounds in another process, starting from the present state."""

    def gather(self, kept: StreamRoundKeeper) -> None:
        """Take over the rounds that another process kept of a stream, after the stream's results were committed."""
