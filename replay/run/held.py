"""What an earlier engine concluded stays in force until two persons adopt what this one concludes.

The idea: a program with another engine folds a stream again, for the state of the table is its own, but judges only rounds that
have no verdict yet. Whether something that came later touches a round that is held follows from a digest of all that its verdict
rests on: of the fold up to where the earlier engine came, and of the fold with what came since. Only if the two differ, the
round is judged again, by this engine, and the new revision names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from events.log.result_chain import stream_of
from replay.findings import Adjudication
from replay.run.engine import current_engines


class HeldVerdicts(msgspec.Struct, frozen=True):
    """How far the verdicts of a stream are an earlier engine's: to the event `to`, of so many `rounds`.

    `adopted` is the number of the event (in `property/main`) by which persons adopted what this engine concludes; 0: none.
    """

    to: int = 0
    rounds: int = 0
    adopted: int = 0

    @property
    def are_held(self) -> bool:
        """Whether verdicts of an earlier engine stay in force."""
        return bool(self.to) and not self.adopted


NOTHING_HELD = HeldVerdicts()


class _Kept(msgspec.Struct):
    """What is read of a snapshot."""

    held: HeldVerdicts = NOTHING_HELD


def held_in(snapshot: bytes | None) -> HeldVerdicts:
    """Return what a snapshot says of the verdicts that are held."""
    return NOTHING_HELD if snapshot is None else msgspec.msgpack.decode(snapshot, type=_Kept).held


def code_of(engine: str) -> str:
    """Return the digest in the name of an engine: another version with the same digest judges alike.

    >>> code_of("1.0.0+5e5e")
    '5e5e'
    """
    return engine.rpartition("+")[2]


def is_own(engine: str) -> bool:
    """Whether an engine is one of this program's, whatever its version."""
    return code_of(engine) in {code_of(each) for each in current_engines()}


class VerdictKeeper(Protocol):
    """Says which verdicts remain in a fold, without judging the rounds again."""

    def keeps(self, key: str, stored: Adjudication, evidence: Callable[[], bytes]) -> bool:
        """Whether a stored verdict remains; `evidence` returns a digest of all that one on the round follows from."""


class KeepsStored:
    """Keeps every verdict (`own` and those of other engines), or those of one of the two, and notes what it kept of others."""

    def __init__(self, *, own: bool, others: bool, with_evidence: bool = False) -> None:
        self._own, self._others, self._with_evidence = own, others, with_evidence
        self.rounds: set[str] = set()
        self.evidence: dict[str, bytes] = {}

    def keeps(self, key: str, stored: Adjudication, evidence: Callable[[], bytes]) -> bool:
        """Keep it if its engine is one of those."""
        own = is_own(stored.engine)
        if not (self._own if own else self._others):
            return False
        if not own:
            self.rounds.add(key)
            if self._with_evidence:
                self.evidence[key] = evidence()
        return True


class KeepsUnchanged:
    """Keeps the verdicts on rounds of which the evidence is as it was."""

    def __init__(self, evidence: Mapping[str, bytes]) -> None:
        self._evidence = evidence

    def keeps(self, key: str, stored: Adjudication, evidence: Callable[[], bytes]) -> bool:
        """Keep it if nothing that it follows from changed, and an earlier engine made it."""
        before = self._evidence.get(key)
        return before is not None and not is_own(stored.engine) and before == evidence()


def is_missing(latest: Callable[[str, str], bytes | None], result: tuple[str, str, bytes]) -> bool:
    """Whether nothing is stored under the key of a result, of a stream whose verdicts are held; a meter's findings all are."""
    kind, key, data = result
    return latest(kind, key) is None and not stream_of(key, data).startswith("meter/")
