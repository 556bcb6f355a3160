"""The request of a verification, and its result, from which exit code, sentences and notice all follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from desk.review.attachments import AttachmentCheck
from desk.verification.last_verification import Acceptance
from desk.verification.verified_before import VerifiedBefore
from desk.verification.witness_status import Witnessed
from events.log.foreign import StoreFault
from events.open import parse_address
from events.proofs.since import VerifiedStart
from events.proofs.verify import VerificationReport
from replay.narrative.names import plural

if TYPE_CHECKING:
    from replay.run.verdict_check import VerdictCheck
    from whatif.table_check import TableDifference

RESULT_KINDS = ("result_changed", "result_missing", "result_unreadable", "results_replaced", "position_changed")
"""Kinds of breaks of the results next to the log."""
BESIDE_THE_CHAIN = ("entry_changed", "entry_missing", "index", *RESULT_KINDS)
"""Kinds of breaks that leave the chain of events whole: refused lines in quarantine, the index of repeats, and results."""


class VerificationResult(NamedTuple):
    """The result of a verification: a sentence for every failure in the order found; none: it passed."""

    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def state(self, report: VerificationReport) -> str:
        """Return the state for the last line."""
        if self.ok:
            return "verified"
        if any(found.kind not in BESIDE_THE_CHAIN for found in report.breaks):
            return "BROKEN; nothing after a break of the chain can be trusted"
        return f"NOT VERIFIED: {self.failures[0]}"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A verification's log and files, as paths on this machine. `options` say how to reach the log (`events.open.open_log`)."""

    address: str
    by: str
    options: Mapping[str, Any] = {}
    keys: Sequence[Path] = ()
    since: bool = False
    verdicts: bool = False
    rounds: Path | None = None
    witness: Path | None = None
    witness_key: Path | None = None
    checkpoints: Sequence[Path] = ()
    cases: Path | None = None
    gap_s: int | None = None
    accept_loss: str | None = None
    report: bool = False
    sign: Path | None = None

    @property
    def backend(self) -> str:
        """The kind of log."""
        return parse_address(self.address)[0]


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """A finished verification; `unsigned` says why its report (`pdf`) is not signed."""

    @property
    def compared(self) -> dict[str, Any]:
        """The evidence that the log was compared with: keys, exported checkpoints, a witness, an earlier verification."""
        signed, witnessed = self.found.signed, self.witnessed
        return {
            "keys": signed is not None and signed.anchored and bool(signed.keys),
            "checkpoints": [path.name for path in self.request.checkpoints],
            "witness": witnessed is not None and witnessed.newest_size is not None,
            "earlier": self.before.reached is not None,
        }

    request: Request
    found: VerificationReport
    result: VerificationResult
    at_us: int
    before: VerifiedBefore
    attached: AttachmentCheck
    since: VerifiedStart | None = None
    witnessed: Witnessed | None = None
    cosigned: int = 0
    rounds: Sequence[TableDifference] = ()
    verdicts: VerdictCheck | None = None
    faults: Sequence[StoreFault] = ()
    accepted: Acceptance | None = None
    archive: dict[str, Any] = {}
    notes: Sequence[str] = ()
    problems: Sequence[str] = ()
    pdf: bytes = b""
    unsigned: str = ""


def result(
    breaks: Sequence[str],
    witness: Sequence[str],
    rounds: Sequence[str],
    verdicts: Sequence[str] = (),
    attachments: Sequence[str] = (),
) -> VerificationResult:
    """Return the result from all failure sentences: of the log, witness, round tables, verdicts judged again, and attachments."""
    return VerificationResult((*breaks, *witness, *rounds, *verdicts, *attachments))


def witness_failures(named: bool, found: Witnessed | None) -> list[str]:
    """Return how a named witness disagrees with the log, or why its folder cannot be compared."""
    if not named:
        return []
    if found is None:
        return ["the checkpoints cannot be read, so the witness cannot be compared with them"]
    objections = [f"the witness {found.witness} disagrees: {found.trouble}"] if found.trouble else []
    if found.refused:
        many = plural(len(found.refused), "checkpoint")
        objections.append(f"the witness {found.witness} refused {many} of this log and kept what it was shown")
    return objections
