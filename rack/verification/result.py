"""The result of `rack verify` as one value: `ok`, the exit code, the sentences and the record that is kept all come from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rack.errors import Exit
from rack.output import counted

if TYPE_CHECKING:
    from desk.review.witness_status import Witnessed
    from events.proofs.verify import VerificationReport

RESULT_KINDS = ("result_changed", "result_missing", "result_unreadable", "results_replaced", "position_changed")
"""Kinds of breaks of the results beside the log."""
BESIDE_THE_CHAIN = ("entry_changed", "entry_missing", "index", *RESULT_KINDS)
"""Kinds of breaks that leave the chain of events whole: refused lines in quarantine, the index of repeats, and results."""


class VerificationResult(NamedTuple):
    """What a verification came to: every failure in one sentence, in the order in which they were found; none: it passed."""

    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def exit(self) -> Exit:
        """The exit code."""
        return Exit.CLEAN if self.ok else Exit.INTEGRITY

    def state(self, report: VerificationReport) -> str:
        """Return what the last line says."""
        if self.ok:
            return "verified"
        if any(found.kind not in BESIDE_THE_CHAIN for found in report.breaks):
            return "BROKEN; nothing after a break of the chain can be trusted"
        return f"NOT VERIFIED: {self.failures[0]}"


def result(
    breaks: Sequence[str],
    witness: Sequence[str],
    rounds: Sequence[str],
    verdicts: Sequence[str] = (),
    attachments: Sequence[str] = (),
) -> VerificationResult:
    """Return the result of a verification from the sentences of all that failed: in the log and beside it, by its witness, in
    round tables, where verdicts were judged again, and in the attachments of cases.
    """
    return VerificationResult((*breaks, *witness, *rounds, *verdicts, *attachments))


def witness_failures(named: bool, found: Witnessed | None) -> list[str]:
    """Return in what a witness that was named disagrees with the log; where its folder cannot be compared, that."""
    if not named:
        return []
    if found is None:
        return ["the checkpoints cannot be read, so the witness cannot be compared with them"]
    objections = [f"the witness {found.witness} disagrees: {found.trouble}"] if found.trouble else []
    if found.refused:
        many = counted(len(found.refused), "checkpoint")
        objections.append(f"the witness {found.witness} refused {many} of this log and kept what it was shown")
    return objections
