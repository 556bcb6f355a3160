"""A verification's knowledge of earlier ones, and a person's acceptance that the log has less than they reached (D840)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from desk.verification.last_verification import (
    Acceptance,
    ReachedEnds,
    checkpoint_marks,
    reached_in,
    read,
    record_path,
    stream_marks,
)
from events.proofs.history import Mark
from events.proofs.verify import VerificationReport

HOW_TO_ACCEPT = "if that is expected, a person accepts it: `rack verify --accept-loss REASON --by PERSON`"


class VerifiedBefore(NamedTuple):
    """How far earlier verifications of a log came, and the losses that people accepted.

    `accepting`: why the log may have less now (None: it may not). `unreadable`: why the notice cannot be read; else empty.
    `another`: the log verified here last, if it is not this one; else empty.
    """

    reached: ReachedEnds | None
    accepted: tuple[Acceptance, ...]
    accepting: str | None
    unreadable: str = ""
    another: str = ""

    @property
    def options(self) -> Mapping[str, Any]:
        """The resulting options of `events.proofs.verify.verify`."""
        return {"reached": stream_marks(self.reached), "accept_loss": self.accepting is not None}

    @property
    def checkpoints(self) -> list[Mark]:
        """The checkpoint that must still exist, if any."""
        return checkpoint_marks(self.reached) if self.accepting is None else []

    def lost(self, report: VerificationReport) -> list[str]:
        """Return sentences about what earlier verifications reached and the log no longer has."""
        lost = [f"{each.stream} event {each.seq}: {each.message}" for each in report.lost]
        before = None if self.reached is None else self.reached.checkpoint
        statements = 0 if report.signed is None else report.signed.statements
        if before is not None and statements < before.seq:
            lost.append(f"the checkpoints end at statement {statements}, but {before.seq} were verified")
        elif before is not None and statements == before.seq and report.signed is not None:
            lost += [] if report.signed.root == before.hash else ["the last checkpoint is not the one that was verified"]
        return lost

    def acceptance(self, report: VerificationReport, at_us: int, by: str) -> Acceptance | None:
        """Return the acceptance to store; None if nothing was lost or nothing is accepted."""
        lost = self.lost(report)
        if self.accepting is None or not lost:
            return None
        return Acceptance(at_us=at_us, by=by[:200], reason=self.accepting, log_id=report.log_id, lost=tuple(lost))

    def lines(self, report: VerificationReport, by: str) -> list[str]:
        """Return the sentences about a loss found now and about losses accepted earlier."""
        lost, earlier = self.lost(report), [_line(each) for each in self.accepted]
        if self.another:
            earlier.append(
                f"the log that was verified here last is another one, {self.another}: if you did not replace it, find out who did"
            )
        if self.accepting is None:
            return [*earlier, *([HOW_TO_ACCEPT] if lost else [])]
        if not lost:
            return [*earlier, "no earlier verification reached further: there is no loss to accept"]
        return [*earlier, *(f"LOST, {each}" for each in lost), f"accepted by {by}: {self.accepting}"]


def verified_before(address: str, log_id: str, accepting: str | None) -> VerifiedBefore:
    """Return the record of earlier verifications of the log at an address. Raises `LogUnavailable` for an invalid address."""
    try:
        kept = read(record_path(address))
    except ValueError as error:
        return VerifiedBefore(None, (), accepting, str(error))
    if kept is None:
        return VerifiedBefore(None, (), accepting)
    accepted = tuple(each for each in kept.accepted if each.log_id == log_id)
    another = "" if kept.last.log_id == log_id else kept.last.log_id
    return VerifiedBefore(reached_in(kept, log_id), accepted, accepting, another=another)


def _line(decision: Acceptance) -> str:
    at = datetime.fromtimestamp(decision.at_us // 1_000_000, UTC)
    lost = "; ".join(decision.lost)
    return f"a loss was accepted on {at:%Y-%m-%d %H:%M:%SZ} by {decision.by} ({decision.reason}): {lost}"
