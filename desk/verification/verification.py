"""Verifies a log and everything named with it, for `rack verify` and the pages; every failure is in the result, not raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from desk.review.attachments import compared
from desk.review.case_folder import CaseFolder, attachments_folder
from desk.verification.any_log import verify_log
from desk.verification.file import checkpoint_of
from desk.verification.last_verification import CoveredEnd, covered, differing, keep, record_path, start_at
from desk.verification.last_verification import made as notice_of
from desk.verification.report import Verified, signed_report
from desk.verification.result import Request, Verification, result, witness_failures
from desk.verification.steps import Watch, unwatched
from desk.verification.verified_before import VerifiedBefore, verified_before
from desk.verification.witness_status import Witnessed, look
from desk.verification.words import break_line
from events.errors import IntegrityError, LogUnavailable
from events.log.clock import utc_now_us
from events.log.contract import CheckpointStore, EventLog, Head
from events.log.plain_file import read_plain
from events.open import ON_THIS_MACHINE, open_checkpoints, open_log, stored_results
from events.proofs.checkpoint import Checkpoint, open_checkpoint, origin_of
from events.proofs.history import Mark
from events.proofs.keys import read_public_key, read_ring
from events.proofs.merkle import BadProof
from events.proofs.signed_note import BadNote, KeyKind, PublicKey
from events.proofs.since import VerifiedStart
from events.proofs.verify import VerificationReport
from events.proofs.verify_results import StoredState
from events.proofs.witness import WitnessFolder
from replay.run.verdict_check import VerdictCheck, check_verdicts

if TYPE_CHECKING:
    from whatif.table_check import TableDifference


class NotVerifiable(Exception):
    """The request cannot be carried out; the message says what was expected."""


def verify(request: Request, watch: Callable[[EventLog], Watch] = unwatched) -> Verification:
    """Verify a log and everything named with it. Raises `NotVerifiable`, `KeyRefused`, and `LogUnavailable`."""
    anchors = [read_public_key(path) for path in request.keys]
    folder = _witness_folder(request)
    with ExitStack() as resources:
        options = dict(request.options)
        if request.backend == "kafka" and not request.since:
            options["resume"] = False  # what this machine remembers of the log proves nothing
        log = resources.enter_context(closing(open_log(request.address, read_only=True, check_heads=False, **options)))
        return _verified(request, log, anchors, folder, options, watch(log), resources)


def _verified(
    request: Request,
    log: EventLog,
    anchors: Sequence[PublicKey],
    folder: WitnessFolder | None,
    options: Mapping[str, Any],
    watch: Watch,
    resources: ExitStack,
) -> Verification:
    address, backend = request.address, request.backend
    reach = {name: value for name, value in options.items() if name != "resume"}
    store = resources.enter_context(closing(open_checkpoints(address, log_id=log.log_id, read_only=True, **reach)))
    since = start_at(address, log.log_id) if request.since else None
    state = stored_state(address, resources, options)
    before = verified_before(address, log.log_id, request.accept_loss)
    marks = folder.marks(origin_of(log.log_id, log.property_id)) if folder is not None else ()
    taken, others = _taken_away(request, log, anchors)
    found = verify_log(
        log,
        backend,
        checkpoints=store,
        since=since,
        anchors=anchors,
        marks=chain(before.checkpoints, taken, marks),
        gap_s=request.gap_s,
        results=state if backend != "archive" or state.store is not None or state.damage else None,
        progress=lambda stream, events: watch("events checked", stream, events),
        now_us=utc_now_us(),
        **before.options,
    )
    witnessed = _witnessed(store, folder, log) if folder is not None else None
    rounds = _compared_rounds(log, request.rounds, watch)
    verdicts = _judged_again(log, state, watch) if request.verdicts else None
    attached = compared(log, CaseFolder(attachments_folder(address, request.cases)))
    outcome = result(
        [*others, *(break_line(each) for each in found.breaks), *_replaced(request, log, found, options)],
        witness_failures(folder is not None, witnessed),
        [f"round table {request.rounds}: {each.where}: {each.what}" for each in rounds],
        verdicts.failures() if verdicts is not None else (),
        attached.failures,
    )
    at_us = utc_now_us()
    accepted = before.acceptance(found, at_us, request.by) if outcome.ok else None
    made = Verification(
        request=request,
        found=found,
        result=outcome,
        at_us=at_us,
        before=before,
        attached=attached,
        since=since,
        witnessed=witnessed,
        cosigned=len(folder.sizes()) if folder is not None else 0,
        rounds=rounds,
        verdicts=verdicts,
        faults=log.store_faults(),
        accepted=accepted,
        archive=_archive(log),
        problems=list(_problems(before)),
    )
    made = msgspec.structs.replace(made, notes=_keep_notice(log, made))
    return _with_report(log, made, anchors) if request.report else made


def _replaced(request: Request, log: EventLog, found: VerificationReport, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the log on this machine is no longer the one that was read: its file was replaced or removed meanwhile."""
    if request.backend not in ON_THIS_MACHINE or found.breaks:
        return
    try:
        with closing(open_log(request.address, read_only=True, check_heads=False, **options)) as now:
            what = f"it is the log {now.log_id}" if now.log_id != log.log_id else ""
            what = what or differing(now, covered(found.heads), thorough=True)
    except (LogUnavailable, IntegrityError) as error:
        what = str(error)
    if what:
        yield f"what is at {request.address} now is not what was verified: {what}"


def _taken_away(request: Request, log: EventLog, anchors: Sequence[PublicKey]) -> tuple[list[Mark], list[str]]:
    """Return the checkpoints in the given files, and a sentence for each that is of another log.

    Raises `NotVerifiable` if a checkpoint is not signed by a key that the log names or that was given: it could be anybody's.
    """
    origin, marks, others = origin_of(log.log_id, log.property_id), list[Mark](), list[str]()
    if not request.checkpoints:
        return marks, others
    from desk.packet.bundle import MAX_BYTES, BadPacket

    for path in request.checkpoints:
        try:
            note = checkpoint_of(read_plain(path, MAX_BYTES + 1), str(path))
            taken = Checkpoint.parse(note.text)
            if taken.origin == origin:
                open_checkpoint(note, [*anchors, *(entry.key for entry in read_ring(log).entries)])
        except (BadNote, BadPacket, BadProof) as error:
            raise NotVerifiable(f"{path}: {error}; expected a checkpoint, packet or proof of this log") from error
        if taken.origin != origin:
            others.append(f"{path} has a checkpoint of the log {taken.origin}; this log is {origin}")
        else:
            marks.append(Mark(Head(taken.size, taken.root), str(path)))
    return marks, others


def stored_state(address: str, resources: ExitStack, options: Mapping[str, Any]) -> StoredState:
    """Return the results next to a log with their positions, for `events.proofs.verify`; unreadable ones say why."""
    try:
        store = stored_results(address, **options)
        if store is None:
            return StoredState(None)
        resources.enter_context(closing(store))
        from replay.run.engine import shared_engine  # and with it all rules: not if nothing was ever judged

        return StoredState(store, store.positions(shared_engine()), store.misfits(shared_engine()))
    except LogUnavailable as error:
        return StoredState(None, damage=str(error))


def _problems(before: VerifiedBefore) -> Iterator[str]:
    if before.unreadable:
        yield f"{before.unreadable}; the log is not compared with what an earlier verification reached"


def _judged_again(log: EventLog, state: StoredState, watch: Watch) -> VerdictCheck:
    if state.store is None:
        raise LogUnavailable(state.damage or "there are no results next to the log; replay the log first")
    return check_verdicts(log, state.store, lambda stream, results: watch("results", stream, results))


def _compared_rounds(log: EventLog, folder: Path | None, watch: Watch) -> Sequence[TableDifference]:
    if folder is None:
        return ()
    from whatif.table_check import differences

    return differences(log, folder, lambda stream, rounds: watch("rounds made again", stream, rounds))


def _keep_notice(log: EventLog, made: Verification) -> Sequence[str]:
    """Store a notice of this verification next to the log; return why if it cannot be written."""
    request, found, since, signed = made.request, made.found, made.since, made.found.signed
    checks = ["events" if since is None else "events since", "checkpoints", *(f"key {path.name}" for path in request.keys)]
    checks += [f"witness {request.witness.name}"] if request.witness is not None else []
    checks += ["round table"] if request.rounds is not None else []
    checks += ["verdicts"] if request.verdicts else []
    path = record_path(request.address)
    try:
        notice = notice_of(
            log,
            found.heads,
            at_us=made.at_us,
            by=request.by,
            failures=made.result.failures,
            checks=checks,
            events=found.events,
            signed=signed is not None and signed.checkpoints > 0,
            checkpoint=CoveredEnd(signed.statements, signed.root) if signed is not None and signed.statements else None,
            unread=sum(found.unread.values()),
            start=VerifiedStart(
                at_us=made.at_us if since is None else since.at_us,
                by=request.by[:200] if since is None else since.by,
                streams=found.starts,
                results={} if found.results is None else {name: head.seq for name, head in found.results.heads.items()},
            ),
        )
        keep(path, notice, made.accepted)
    except OSError as error:
        return [f"{path}: {error.strerror}; the pages will not show this verification"]
    return []


def _with_report(log: EventLog, made: Verification, anchors: Sequence[PublicKey]) -> Verification:
    request, checks, omitted = made.request, [], []
    if request.rounds is not None:
        checks.append(("Round table", f"{request.rounds.name}: derived again and compared"))
    else:
        omitted.append("No round table was derived again and compared.")
    if request.verdicts:
        checks.append(("Verdicts", "every round was judged again, and every stored result compared"))
    else:
        omitted.append("No round was judged again: whether the verdicts are right was not checked.")
    verified = Verified(
        found=made.found,
        failures=made.result.failures,
        by=request.by,
        at_us=made.at_us,
        keys=anchors,
        witness=made.witnessed,
        checks=checks,
        omitted=omitted,
    )
    pdf, unsigned = signed_report(log, verified, request.sign)
    return msgspec.structs.replace(made, pdf=pdf, unsigned=unsigned)


def _archive(log: EventLog) -> dict[str, Any]:
    """Return an archive's number of manifests and the digest of the last; empty for a log."""
    manifests = getattr(log, "manifests", None)
    return {} if manifests is None else {"archive": {"manifests": len(manifests.sealed), "digest": manifests.digest}}


def _witnessed(store: CheckpointStore, folder: WitnessFolder, log: EventLog) -> Witnessed | None:
    """Return a witness's state; None if the store cannot be read, which the verification has reported."""
    try:
        return look(store, folder, origin_of(log.log_id, log.property_id))
    except IntegrityError:
        return None


def _witness_folder(request: Request) -> WitnessFolder | None:
    if request.witness is None or request.witness_key is None:
        return None
    if not request.witness.is_dir():
        raise NotVerifiable(f"{request.witness}: no such folder; expected that of a witness")
    folder = WitnessFolder(request.witness, read_public_key(request.witness_key, KeyKind.WITNESS))
    if not folder.sizes():
        raise NotVerifiable(f"{request.witness} holds no cosigned checkpoint; expected the folder of a witness")
    return folder
