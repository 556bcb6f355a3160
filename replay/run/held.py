"""Verdicts of an earlier engine stay in force until two people adopt those of this engine.

The idea: a program with another engine folds a stream again, since it needs its own state of the table, but judges only rounds
without a verdict. Two digests of all that a held round's verdict depends on are compared: of the fold up to the earlier engine's
last event, and of the fold with later events. Only if they differ is the round judged again, by this engine, which the new
revision names.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from events.log.result_chain import stream_of
from replay.findings import Adjudication
from replay.run.engine import current_engines


class HeldVerdicts(msgspec.Struct, frozen=True):
    """The verdicts of an earlier engine in a stream: the number of `rounds`, and the last event (`to`) that they cover.

    `adopted` is the number of the event in `property/main` that adopted this engine's verdicts; 0 if none exists.
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
    """The fields of a snapshot that are read."""

    held: HeldVerdicts = NOTHING_HELD


def held_in(snapshot: bytes | None) -> HeldVerdicts:
    """Return the held verdicts in a snapshot."""
    return NOTHING_HELD if snapshot is None else msgspec.msgpack.decode(snapshot, type=_Kept).held


def code_of(engine: str) -> str:
    """Return the digest in the name of an engine: another version with the same digest gives the same verdicts.

    >>> code_of("1.0.0+5e5e")
    '5e5e'
    """
    return engine.rpartition("+")[2]


def is_own(engine: str) -> bool:
    """Whether an engine is one of this program's, whatever its version."""
    return code_of(engine) in {code_of(each) for each in current_engines()}


class VerdictKeeper(Protocol):
    """Decides which verdicts remain in a fold, without judging the rounds again."""

    def keeps(self, key: str, stored: Adjudication, evidence: Callable[[], bytes]) -> bool:
        """Whether a stored verdict remains; `evidence` returns a digest of all that the round's verdict depends on."""


class KeepsStored:
    """Keeps all verdicts, or only this program's (`own`) or only others', and counts the others that it kept."""

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
    """Keeps the verdicts on rounds with unchanged evidence."""

    def __init__(self, evidence: Mapping[str, bytes]) -> None:
        self._evidence = evidence

    def keeps(self, key: str, stored: Adjudication, evidence: Callable[[], bytes]) -> bool:
        """Keep it if its evidence is unchanged and an earlier engine made it."""
        before = self._evidence.get(key)
        return before is not None and not is_own(stored.engine) and before == evidence()


def is_missing(latest: Callable[[str, str], bytes | None], result: tuple[str, str, bytes]) -> bool:
    """Whether no result is stored under a key, in a stream with held verdicts; a meter's findings all are missing."""
    kind, key, data = result
    return latest(kind, key) is None and not stream_of(key, data).startswith("meter/")
