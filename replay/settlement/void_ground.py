"""A ground on which a round must be void: what `voids.py` looks for in every game, and a game's record in its own."""

from __future__ import annotations

import msgspec

from replay.fold.round import Question, Round


class VoidGround(msgspec.Struct, frozen=True):
    """A reason in the record why the round must be void, with the finding it makes if the round was played on.

    `reason` is the reason that a declaration of the void would state. `doubt`: why it cannot be told whether it is a reason, in
    words; else empty. Then only a reading of the round that takes it for one counts it.
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
        """What is asked of a ground in doubt: whether it is one."""
        return f"void by {self.reason}", self.evidence[0]

    def counts(self, round_: Round) -> bool:
        """Say whether it is a ground: certain, or taken for one in this reading of the round."""
        return not self.doubt or round_.answers.get(self.question, False)

    def is_open(self, round_: Round) -> bool:
        """Say whether it is in doubt and this reading of the round does not decide it."""
        return bool(self.doubt) and self.question not in round_.answers
