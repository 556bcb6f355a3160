"""The notice of a log's last full verification, a small file next to it: when, by whom, the result, what it covered.

Invariant: it is a notice and no evidence. Anyone who can write next to the log can alter or remove it, so it never vouches for
the log; it exists so that a failed verification is not forgotten. A failure remains until a verification with at least the same
checks passes. A notice of another log is not shown as this one's, and one of other contents only as such (D440, D441). The ends
reached by a passed verification are never forgotten: a log that reaches less far fails, until a person accepts the loss by name
(D840).
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.errors import EventError, IntegrityError, LogUnavailable
from events.log.contract import EventLog, Head
from events.log.high_water import sync
from events.log.plain_file import read_plain
from events.open import ON_THIS_MACHINE, VERIFIED, open_log, parse_address
from events.proofs.history import Mark
from events.proofs.since import VerifiedStart
from replay.narrative.names import plural

STATE_FOLDER = Path(".rack")
"""The folder of this machine's knowledge of a log on Kafka, next to its high-water files."""
LATEST_US = 4_102_444_800_000_000
"""A time of the year 2100 or later was written by no clock."""
VERIFY_WHOLE = "run `rack verify` without --since"
LONGEST = 2_000
MAX_BYTES = 4 * 1024 * 1024
MOST_LOGS = 16
"""The limit of logs remembered for one address."""
MOST_ACCEPTED = 100


class CoveredEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end up to which a stream was confirmed: its last number and chain hash (hex)."""

    seq: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    hash: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class FullVerification(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One full verification: when (UTC microseconds), by whom, the result and its sentence, what was checked and covered."""

    at_us: Annotated[int, Meta(ge=0, le=LATEST_US)]
    by: Annotated[str, Meta(max_length=200)]
    ok: bool
    sentence: Annotated[str, Meta(max_length=LONGEST)]
    checks: tuple[str, ...]
    log_id: str
    events: int
    streams: dict[str, CoveredEnd]
    start: VerifiedStart | None = None
    """Where `rack verify --since` may begin; None if something failed or no checkpoint covers anything."""
    checkpoint: CoveredEnd | None = None
    """The last checkpoint: the number of statements and the root over them."""


class ReachedEnds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far passed verifications of one log came at most, with the time (UTC microseconds) and person of the latest."""

    at_us: Annotated[int, Meta(ge=0, le=LATEST_US)]
    by: Annotated[str, Meta(max_length=200)]
    streams: dict[str, CoveredEnd]
    checkpoint: CoveredEnd | None = None


class Acceptance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's acceptance that a log lacks part of what was verified earlier: when, who, why, and what was lost."""

    at_us: Annotated[int, Meta(ge=0, le=LATEST_US)]
    by: Annotated[str, Meta(max_length=200)]
    reason: Annotated[str, Meta(max_length=LONGEST)]
    log_id: str
    lost: tuple[str, ...]


class KeptNotices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the file.

    It holds the last verification, the last failure that no later verification with its checks has resolved, how far each log
    verified here was confirmed (unless the last verification says it), and the accepted losses.
    """

    last: FullVerification
    failure: FullVerification | None
    reached: dict[str, ReachedEnds] = {}
    accepted: tuple[Acceptance, ...] = ()


class State(StrEnum):
    """The content of the file for the present log."""

    NONE = "none"
    PASSED = "passed"
    FAILED = "failed"
    OTHER_CONTENTS = "other_contents"
    """The log no longer holds what was verified: it was cut, altered or replaced since."""
    UNREADABLE = "unreadable"


class VerificationStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a log by its last verification. `detail` says why a record does not apply; else empty."""

    state: State
    shown: FullVerification | None = None
    detail: str = ""

    @property
    def alarming(self) -> bool:
        """Whether every page must show it."""
        return self.state in (State.FAILED, State.OTHER_CONTENTS, State.UNREADABLE)


def record_path(address: str) -> Path:
    """Return the path of the notice for the log at an address. Raises `LogUnavailable` for an invalid address."""
    backend, rest = parse_address(address)
    if backend in ON_THIS_MACHINE:
        return Path(rest + VERIFIED)
    return STATE_FOLDER / f"{rest.rpartition('/')[2]}{VERIFIED}"


def made(
    log: EventLog,
    heads: Mapping[str, Head],
    *,
    at_us: int,
    by: str,
    failures: Sequence[str],
    checks: Sequence[str],
    events: int,
    signed: bool,
    unread: int = 0,
    start: VerifiedStart | None = None,
    checkpoint: CoveredEnd | None = None,
) -> FullVerification:
    """Return a verification of a log; `failures` are sentences, the main one first (none: it passed).

    `signed` says that a checkpoint signs the log: without one, no log is called whole. `unread` is the number of events not read
    again, and `start` where the next verification may begin.
    """
    size = f"{plural(events, 'event')} in {plural(len(heads), 'stream')}"
    whole = f"the log is whole: {size}"
    if not signed:
        whole = f"no break was found in {size}, but no checkpoint signs the log"
    if unread and start is not None:
        whole = f"what came since is whole: {plural(events, 'event')}; {unread:,} before were not read again ({said_of(start)})"
    sentence = (failures[0] if failures else whole)[:LONGEST]
    return FullVerification(
        at_us=at_us,
        by=by[:200],
        ok=not failures,
        sentence=sentence,
        checks=tuple(sorted(checks)),
        log_id=log.log_id,
        events=events,
        start=None if failures else start,
        checkpoint=checkpoint,
        streams=covered(heads),
    )


def said_of(start: VerifiedStart) -> str:
    """Return the person and time of the last full read."""
    at = datetime.fromtimestamp(start.at_us // 1_000_000, UTC)
    return f"all were read on {at:%Y-%m-%d %H:%M:%SZ} by {start.by}"


def start_at(address: str, log_id: str) -> VerifiedStart:
    """Return where a verification of a log may begin, by the last one. Raises `LogUnavailable` if the whole must be read."""
    try:
        kept = read(record_path(address))
    except ValueError as error:
        raise LogUnavailable(f"the record of the last verification cannot be read ({error}); {VERIFY_WHOLE}") from error
    if kept is None or kept.last.log_id != log_id:
        raise LogUnavailable(f"no verification of this log is on record; {VERIFY_WHOLE}")
    if kept.failure is not None:
        raise LogUnavailable(f"a verification failed and none has passed since ({kept.failure.sentence}); {VERIFY_WHOLE}")
    if kept.last.start is None or not kept.last.start.streams:
        raise LogUnavailable(f"no checkpoint covers what was last verified; sign one, then {VERIFY_WHOLE}")
    return kept.last.start


def stream_marks(reached: ReachedEnds | None) -> dict[str, Mark]:
    """Return stream → the end reached."""
    streams = {} if reached is None else reached.streams
    return {stream: _mark(reached, end) for stream, end in streams.items() if reached is not None}


def checkpoint_marks(reached: ReachedEnds | None) -> list[Mark]:
    """Return the last checkpoint reached, if any."""
    return [] if reached is None or reached.checkpoint is None else [_mark(reached, reached.checkpoint)]


def _mark(reached: ReachedEnds, end: CoveredEnd) -> Mark:
    at = datetime.fromtimestamp(reached.at_us // 1_000_000, UTC)
    return Mark(Head(end.seq, bytes.fromhex(end.hash)), f"the verification of {at:%Y-%m-%d %H:%M:%SZ} by {reached.by}")


def reached_in(kept: KeptNotices, log_id: str) -> ReachedEnds | None:
    """Return how far passed verifications of a log came, by the file; None if there are none."""
    last = kept.last
    if log_id in kept.reached or last.log_id != log_id or not last.ok:
        return kept.reached.get(log_id)
    return _reached_by(last)


def _reached_by(passed: FullVerification) -> ReachedEnds:
    return ReachedEnds(at_us=passed.at_us, by=passed.by, streams=passed.streams, checkpoint=passed.checkpoint)


def _furthest(before: ReachedEnds | None, now: ReachedEnds) -> ReachedEnds:
    """Return the further end of each stream and the later checkpoint: two verifications may overlap in time."""
    if before is None:
        return now
    streams = before.streams | {
        stream: end
        for stream, end in now.streams.items()
        if stream not in before.streams or end.seq >= before.streams[stream].seq
    }
    checkpoint = max(before.checkpoint, now.checkpoint, key=lambda each: 0 if each is None else each.seq)
    return msgspec.structs.replace(now, streams=streams, checkpoint=checkpoint)


def keep(path: Path, verification: FullVerification, accepted: Acceptance | None = None) -> None:
    """Write a verification to the file atomically and durably. Raises `OSError`.

    With `accepted`, the ends reached earlier are replaced by this decision.
    """
    try:
        before = read(path)
    except ValueError:  # what cannot be read is replaced by what was found now
        before = None
    kept = KeptNotices(
        last=verification,
        failure=_unanswered(before, verification, accepted),
        reached=_all_reached(before, verification, accepted),
        accepted=(*(() if before is None else before.accepted), *([accepted] if accepted else ()))[-MOST_ACCEPTED:],
    )
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
        sync(fresh)
        os.replace(fresh, path)
        sync(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def _all_reached(
    before: KeptNotices | None, verification: FullVerification, accepted: Acceptance | None
) -> dict[str, ReachedEnds]:
    """Return how far each log was confirmed, including a new verification of one, without its own statement."""
    log_id = verification.log_id
    reached = {} if before is None else dict(before.reached)
    known = None if before is None else reached_in(before, log_id)
    reached.pop(log_id, None)
    if before is not None and before.last.log_id != log_id:
        other = reached_in(before, before.last.log_id)
        reached |= {} if other is None else {before.last.log_id: other}
    if verification.ok:
        known = _furthest(None if accepted else known, _reached_by(verification))
    if known is not None and not (verification.ok and known == _reached_by(verification)):
        reached[log_id] = known
    return dict(list(reached.items())[-MOST_LOGS:])


def _unanswered(
    before: KeptNotices | None, verification: FullVerification, accepted: Acceptance | None
) -> FullVerification | None:
    """Return the failure that remains after a verification."""
    if not verification.ok:
        return verification
    failed = before.failure if before is not None and before.last.log_id == verification.log_id else None
    if failed is None:
        return None
    # who accepts a loss decides that the log need not reach as far
    answered = _answers(verification, failed if accepted is None else msgspec.structs.replace(failed, streams={}))
    return None if answered else failed


def _answers(passed: FullVerification, failure: FullVerification | None) -> bool:
    """Whether a passed verification had at least a failed one's checks and reaches as far."""
    return failure is None or (
        set(failure.checks) <= set(passed.checks)
        and all(stream in passed.streams and passed.streams[stream].seq >= end.seq for stream, end in failure.streams.items())
    )


def read(path: Path) -> KeptNotices | None:
    """Return the file's content; None if there is no file. Raises `ValueError` if it is unreadable."""
    try:
        data = read_plain(path, MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    try:
        return msgspec.json.decode(data, type=KeptNotices)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def verified_at(address: str, **options: Any) -> VerificationStatus:
    """Return the state of the log at an address by its last verification. The backend gets the options (`security`).

    If the log itself cannot be read, a recorded failure remains. Raises `LogUnavailable` for an invalid address.
    """
    try:
        kept = read(record_path(address))
    except ValueError as error:
        return VerificationStatus(state=State.UNREADABLE, detail=str(error))
    if kept is None:
        return VerificationStatus(state=State.NONE)
    shown = kept.failure or kept.last
    try:
        with closing(open_log(address, read_only=True, check_heads=False, **options)) as log:
            if log.log_id != shown.log_id:
                return VerificationStatus(
                    state=State.NONE, detail=f"the notice next to this log is of another log, {shown.log_id}"
                )
            reached = reached_in(kept, log.log_id) if shown.ok else None
            ends = shown.streams if reached is None else reached.streams
            differs = differing(log, ends, thorough=parse_address(address)[0] in ON_THIS_MACHINE)
    except (LogUnavailable, IntegrityError, EventError):  # the pages say so themselves
        return VerificationStatus(state=State.PASSED if shown.ok else State.FAILED, shown=shown)
    if differs:
        return VerificationStatus(state=State.OTHER_CONTENTS, shown=shown, detail=differs)
    return VerificationStatus(state=State.PASSED if shown.ok else State.FAILED, shown=shown)


def covered(heads: Mapping[str, Head]) -> dict[str, CoveredEnd]:
    """Return the ends of the streams that have events, by name."""
    return {stream: CoveredEnd(head.seq, head.hash.hex()) for stream, head in sorted(heads.items()) if head.seq}


def differing(log: EventLog, ends: Mapping[str, CoveredEnd], *, thorough: bool) -> str:
    """Return how the log differs from the confirmed ends; empty if it does not.

    `thorough`: a grown stream is read at its confirmed number, which is quick on one machine.
    """
    for stream, end in ends.items():
        head = log.head(stream)
        if head.seq < end.seq:
            return f"{stream} ends at event {head.seq:,}, but {end.seq:,} were verified"
        found = head.hash
        if head.seq > end.seq:
            if not thorough:
                continue
            try:
                found = b"".join(record.hash for record in log.read(stream, end.seq, end.seq))
            except IntegrityError:
                found = b""
        if found.hex() != end.hash:
            return f"{stream} event {end.seq:,} is not the one that was verified"
    return ""
