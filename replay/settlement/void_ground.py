"""A ground for a void: `voids.py` finds those of every game, and a game's record its own."""

import msgspec

from replay.fold.round import Question, Round


class VoidGround(msgspec.Struct, frozen=True):
    """A reason in the record why the round must be void, with the finding it makes if the round was played on.

    `reason` is the reason in a declaration of the void. `doubt`: why it is uncertain, in words; else empty. An uncertain ground
    counts only in a reading of the round that assumes it.
    """

    reason: str
    code: str
    section: str
    expected: str
    observed: str
    evidence: tuple[int, ...]
    seat: int | None = None
    doubt: str = ""

    @property
    def question(self) -> Question:
        """The question about an uncertain ground: whether it is one."""
        return f"void by {self.reason}", self.evidence[0]

    def counts(self, round_: Round) -> bool:
        """Return whether it is a ground: certain, or assumed in this reading of the round."""
        return not self.doubt or round_.answers.get(self.question, False)

    def is_open(self, round_: Round) -> bool:
        """Return whether it is uncertain and this reading of the round does not decide it."""
        return bool(self.doubt) and self.question not in round_.answers
