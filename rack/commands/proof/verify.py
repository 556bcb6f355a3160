"""`rack verify`: recompute every hash, root and signature of a log, and name the first break."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.arguments import add_log, given_path, positive
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import attachments_folder, log_address
from rack.verification.file import check_file
from rack.verification.report import check_report_options, compared_beside, progress_of, write_report
from rack.verification.result import VerificationResult, result, witness_failures

if TYPE_CHECKING:
    from desk.review.last_verification import Acceptance
    from desk.review.witness_status import Witnessed
    from events.log.contract import CheckpointStore, EventLog
    from events.proofs.quarantine import QuarantineCheck
    from events.proofs.since import Start
    from events.proofs.verify import Break, VerificationReport
    from events.proofs.verify_checkpoints import Signatures
    from events.proofs.verify_results import StoredState
    from events.proofs.witness import WitnessFolder
    from replay.run.verdict_check import VerdictCheck

HELP = "Verify every event, root and signature of a log, or a file of `rack dispute`, `rack report` or `rack prove`"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=given_path,
        nargs="?",
        help="Verify this file of `rack dispute` (JSON or PDF), `rack report` (PDF) or `rack prove` with --key, without a log.",
    )
    add_log(parser)
    parser.add_argument(
        "--key",
        type=given_path,
        metavar="FILE",
        action="append",
        default=[],
        help="The log's public key, as you received it; of several, each is trusted by itself, with those for which it vouches "
        "(repeatable; default: the keys that the log names).",
    )
    parser.add_argument(
        "--verdicts",
        action="store_true",
        help="Also judge every round again and compare every stored result, byte by byte.",
    )
    parser.add_argument(
        "--since",
        action="store_true",
        help="Read only what came after the last verification on record, as far as a signed checkpoint covers it.",
    )
    parser.add_argument(
        "--rounds", metavar="DIR", type=given_path, help="Also derive this round table again and compare it."
    )
    parser.add_argument("--witness", type=given_path, metavar="DIR", help="Folder of a witness; needs --witness-key.")
    parser.add_argument(
        "--witness-key", type=given_path, metavar="FILE", help="The witness's public key, as you received it."
    )
    parser.add_argument(
        "--gap",
        type=positive,
        metavar="T",
        help="Report every gap of more than this many seconds between checkpoints (default: the promised interval).",
    )
    parser.add_argument(
        "--by", metavar="PERSON", help="Who verifies, for the notice kept beside the log (default: the login name)."
    )
    parser.add_argument(
        "--accept-loss",
        metavar="REASON",
        help="Accept, in the name of --by and for this reason, that the log lacks what an earlier verification reached.",
    )
    parser.add_argument(
        "--report", metavar="FILE", type=given_path, help="Also write what was verified, and what not, as a dated PDF."
    )
    parser.add_argument(
        "--sign",
        metavar="FILE",
        type=given_path,
        help="The log's key file, to sign the report (default: RACK_KEY, if set).",
    )
    parser.add_argument("--progress", action="store_true", help="Report each stream on stderr, as a line of JSON.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Verify the log or a file; 4 where anything differs from what was written."""
    if arguments.file is not None:
        return check_file(arguments, output)
    if (arguments.witness is None) != (arguments.witness_key is None):
        raise UsageError(
            "give --witness and --witness-key together: the folder, and the key that signed its checkpoints"
        )
    check_report_options(arguments)
    _check_acceptance(arguments)
    from contextlib import ExitStack, closing
    from getpass import getuser
    from itertools import chain

    from msgspec import to_builtins

    from desk.report.verification import Verified
    from desk.review.attachments import compared
    from desk.review.case_folder import CaseFolder
    from desk.review.last_verification import start_at
    from desk.review.verified_before import verified_before
    from desk.verification.walk import verify_log
    from events.log.clock import ahead_lines
    from events.open import parse_address
    from events.proofs.checkpoint import origin_of
    from events.proofs.keys import read_public_key
    from events.sqlite.log import utc_now_us
    from rack.foreign import foreign_as_json, foreign_lines, report_store_faults
    from rack.opening import checkpoints_at, log_at
    from rack.stored_results import result_lines, stored_state, verdict_lines

    address = log_address(arguments.log)
    backend = parse_address(address)[0]
    if arguments.since and (arguments.verdicts or arguments.rounds is not None or backend == "archive"):
        raise UsageError(
            "--since reads only what is new; leave out --verdicts and --rounds, and verify an archive whole"
        )
    anchors = [read_public_key(path) for path in arguments.key]
    folder = _witness(arguments)
    with ExitStack() as resources:
        log = resources.enter_context(
            closing(log_at(address, for_proof=not arguments.since, read_only=True, check_heads=False))
        )
        store = resources.enter_context(closing(checkpoints_at(address, log_id=log.log_id, read_only=True)))
        since = start_at(address, log.log_id) if arguments.since else None
        state = stored_state(address, resources, for_proof=not arguments.since)
        before = verified_before(address, log.log_id, arguments.accept_loss)
        if before.unreadable:
            output.problem(f"{before.unreadable}; the log is not compared with what an earlier verification reached")
        marks = folder.marks(origin_of(log.log_id, log.property_id)) if folder is not None else ()
        report = verify_log(
            log,
            backend,
            checkpoints=store,
            since=since,
            anchors=anchors,
            marks=chain(before.checkpoints, marks),
            gap_s=arguments.gap,
            results=state if _keeps_results(backend, state) else None,
            progress=progress_of(log, arguments, output),
            now_us=utc_now_us(),
            **before.options,
        )
        witnessed = _witness_status(store, folder, log) if folder is not None else None
        rounds = _compare_rounds(log, arguments.rounds, output) if arguments.rounds is not None else {}
        verdicts = _judge_again(log, state, output) if arguments.verdicts else None
        faults = report_store_faults(log, output)
        attached = compared(log, CaseFolder(attachments_folder(address)))
        found = result(
            [line(each) for each in report.breaks],
            witness_failures(folder is not None, witnessed),
            [
                f"round table {arguments.rounds}: {each['where']}: {each['what']}"
                for each in rounds.get("round_table", ())
            ],
            verdicts.failures() if verdicts is not None else (),
            attached.failures,
        )
        at_us, by = utc_now_us(), arguments.by or getuser().lower()
        accepted = before.acceptance(report, at_us, by) if found.ok else None
        _keep_notice(address, arguments, output, log, report, found, since, (at_us, by), accepted)
        if arguments.report is not None:
            checks, omitted = compared_beside(arguments)
            made = Verified(
                found=report,
                failures=found.failures,
                by=by,
                at_us=at_us,
                keys=anchors,
                witness=witnessed,
                checks=checks,
                omitted=omitted,
            )
            write_report(arguments, output, log, made)
    for text in foreign_lines(report.foreign):
        output.problem(text)
    late = overdue(report.signed, utc_now_us())
    seen = {"cosigned": len(folder.sizes()) if folder is not None else 0, "witness": to_builtins(witnessed)}
    seen |= {"foreign": foreign_as_json(report.foreign), "store_faults": to_builtins(faults)}
    seen |= {"verdicts": to_builtins(verdicts), "attachments": attached.counts}
    seen |= {"future": to_builtins(report.future), "lost": before.lost(report), "accepted": to_builtins(accepted)}
    output.value(
        as_json(report) | {"ok": found.ok, "failures": found.failures, "overdue": late} | seen | _archive(log) | rounds
    )
    output.text(
        *(line(each) for each in report.breaks),
        *before.lines(report, by),
        *(unread_lines(report, since) if since is not None else ()),
        *quarantine_lines(report.quarantine),
        *result_lines(report.results),
        *([] if report.results is not None else ["no results lie beside the archive: none were checked"]),
        *ahead_lines(report.future, at_us),
        *(verdict_lines(verdicts) if verdicts is not None else ()),
        *attached.lines("match their SHA-256", "no folder with their files is here, none was compared"),
        *_signature_lines(report.signed, late),
        *(_witness_lines(witnessed, report.signed, utc_now_us()) if witnessed is not None else ()),
        summary(report, found),
    )
    return found.exit


def _check_acceptance(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if a loss is accepted without a name or a reason, or without reading everything."""
    if arguments.accept_loss is None:
        return
    if not arguments.accept_loss.strip() or len(arguments.accept_loss) > 2_000:
        raise UsageError("--accept-loss needs the reason why the log lacks events, in at most 2,000 characters")
    if not (arguments.by or "").strip():
        raise UsageError("--accept-loss is a person's decision; name the person with --by")
    if arguments.since:
        raise UsageError("--accept-loss needs the whole log to be read; leave out --since")


def _keeps_results(backend: str, state: StoredState) -> bool:
    """Whether results belong here: an archive has events and checkpoints; results lie beside it once somebody judged it."""
    return backend != "archive" or state.store is not None or bool(state.damage)


def _judge_again(log: EventLog, state: StoredState, output: Output) -> VerdictCheck:
    """Judge the log again and compare the stored results."""
    from events.errors import LogUnavailable
    from replay.run.verdict_check import check_verdicts

    if state.store is None:
        raise LogUnavailable(state.damage or "there are no results beside the log; replay the log first")
    return check_verdicts(log, state.store, lambda stream, results: output.progress(results, f"results, at {stream}"))


def _keep_notice(
    address: str,
    arguments: argparse.Namespace,
    output: Output,
    log: EventLog,
    report: VerificationReport,
    found: VerificationResult,
    since: Start | None,
    made_by: tuple[int, str],
    accepted: Acceptance | None,
) -> None:
    """Keep a notice of this verification beside the log; where that cannot be written, say so."""
    from desk.review.last_verification import Covered, keep, made, record_path
    from events.proofs.since import Start

    at_us, by = made_by
    checks = [
        "events" if since is None else "events since",
        "checkpoints",
        *(f"key {path.name}" for path in arguments.key),
    ]
    checks += [f"witness {arguments.witness.name}"] if arguments.witness is not None else []
    checks += ["round table"] if arguments.rounds is not None else []
    checks += ["verdicts"] if arguments.verdicts else []
    path = record_path(address)
    signed = report.signed
    try:
        verification = made(
            log,
            report.heads,
            at_us=at_us,
            by=by,
            failures=found.failures,
            checks=checks,
            events=report.events,
            signed=signed is not None and signed.checkpoints > 0,
            checkpoint=Covered(signed.statements, signed.root) if signed is not None and signed.statements else None,
            unread=sum(report.unread.values()),
            start=Start(
                at_us=at_us if since is None else since.at_us,
                by=by[:200] if since is None else since.by,
                streams=report.starts,
                results={}
                if report.results is None
                else {name: head.seq for name, head in report.results.heads.items()},
            ),
        )
        keep(path, verification, accepted)
    except OSError as error:
        output.note(f"{path}: {error.strerror}; the pages will not show this verification")


def _compare_rounds(log: EventLog, folder: Path, output: Output) -> dict[str, Any]:
    """Derive a round table again; return the differences, for JSON."""
    from msgspec import to_builtins

    from whatif.table_check import differences

    found = differences(log, folder, lambda stream, rounds: output.progress(rounds, f"rounds made again, at {stream}"))
    output.text(*(f"round table {folder}: {each.where}: {each.what}" for each in found))
    if not found:
        output.text(f"round table {folder}: matches the log")
    return {"round_table": to_builtins(found)}


def _archive(log: EventLog) -> dict[str, Any]:
    """Return how many manifests an archive has, and the digest of the last; nothing for a log."""
    manifests = getattr(log, "manifests", None)
    return {} if manifests is None else {"archive": {"manifests": len(manifests.sealed), "digest": manifests.digest}}


def line(found: Break) -> str:
    """Return a break in one line."""
    from events.archive.manifest import ARCHIVE
    from events.log.contract import QUARANTINE
    from rack.verification.result import RESULT_KINDS

    what = {ARCHIVE: "manifest", QUARANTINE: "entry", "checkpoints": "statement"}.get(found.stream, "event")
    what = "result" if found.kind in RESULT_KINDS else what
    return f"{found.code} {found.stream} {what} {found.seq}: {found.message} ({found.kind.replace('_', ' ')})"


def summary(report: VerificationReport, found: VerificationResult) -> str:
    """Return the result of a verification in one line."""
    held = f", {counted(kept, 'refused line')} in quarantine" if (kept := report.quarantine.entries) else ""
    size = f"{counted(report.events, 'event')} in {counted(report.streams, 'stream')}{held}"
    size += " read since" if report.unread else ""
    return f"log {report.log_id} of {report.property_id}: {size}: {found.state(report)}"


def unread_lines(report: VerificationReport, since: Start) -> list[str]:
    """Return what was not read again, and who vouches for it."""
    from desk.review.last_verification import said_of

    events, results = sum(report.unread.values()), report.results.unread if report.results is not None else 0
    unread = f"NOT READ AGAIN: {counted(events, 'event')} in {counted(len(report.unread), 'stream')}"
    unread += f" and {counted(results, 'result')}; {said_of(since)}, and signed checkpoints state where they end"
    return [
        unread,
        "whether any of these was altered since, the index of repeats, and refused lines from before are for "
        "`rack verify` without --since to find out",
    ]


def quarantine_lines(check: QuarantineCheck) -> list[str]:
    """Return what the chain says nothing about: the entries that no event vouches for."""
    if not check.unvouched:
        return []
    lines = counted(check.unvouched, "refused line")
    return [
        f"the chain does not vouch for {lines} in quarantine (no event states the SHA-256): compared with the name alone"
    ]


def as_json(report: VerificationReport) -> dict[str, Any]:
    """Return the report as JSON values."""
    from msgspec import to_builtins

    breaks = [_break_as_json(found) for found in report.breaks]
    heads = {stream: {"seq": head.seq, "hash": head.hash.hex()} for stream, head in report.heads.items()}
    return {
        "log_id": report.log_id,
        "property_id": report.property_id,
        "events": report.events,
        "unread": report.unread,
        "tables": report.tables,
        "streams": heads,
        "quarantined": report.quarantine.entries,
        "quarantine": report.quarantine.counts,
        "results": report.results.counts if report.results is not None else None,
        "checkpoints": report.signed.checkpoints if report.signed is not None else 0,
        "signed": to_builtins(report.signed),
        "first_break": breaks[0] if breaks else None,
        "breaks": breaks,
    }


def _break_as_json(found: Break) -> dict[str, Any]:
    """Return a break with the table's own name; null where it is not in a table's stream."""
    from msgspec import to_builtins

    table = found.stream.removeprefix("table/") if found.stream.startswith("table/") else None
    return {"table": table, "number": found.seq, **to_builtins(found)}


def overdue(signed: Signatures | None, now_us: int) -> bool:
    """Say whether the last checkpoint promised another one by now."""
    if signed is None or signed.at_us is None or signed.within_s is None:
        return False
    return now_us > signed.at_us + signed.within_s * 1_000_000


def _witness_status(store: CheckpointStore, folder: WitnessFolder, log: EventLog) -> Witnessed | None:
    """Return how far a witness has come; null where the store cannot be read, which the walk has named."""
    from desk.review.witness_status import look
    from events.errors import IntegrityError
    from events.proofs.checkpoint import origin_of

    try:
        return look(store, folder, origin_of(log.log_id, log.property_id))
    except IntegrityError:
        return None


def _witness(arguments: argparse.Namespace) -> WitnessFolder | None:
    if arguments.witness is None:
        return None
    from events.proofs.keys import read_public_key
    from events.proofs.signed_note import KeyKind
    from events.proofs.witness import WitnessFolder

    if not arguments.witness.is_dir():
        raise UsageError(f"{arguments.witness}: no such folder; expected that of a witness")
    folder = WitnessFolder(arguments.witness, read_public_key(arguments.witness_key, KeyKind.WITNESS))
    if not folder.sizes():
        raise UsageError(f"{arguments.witness} holds no cosigned checkpoint; expected the folder of a witness")
    return folder


def _witness_lines(found: Witnessed, signed: Signatures | None, now_us: int) -> list[str]:
    """Return what a witness vouches for, and what not. Where it disagrees with the log, the breaks say so too."""
    lines = []
    if found.newest_size is not None and signed is not None:
        lines.append(f"the witness cosigned statements 1 to {found.newest_size:,} of {signed.statements:,}")
    for each in found.refused:
        made = (
            "a checkpoint"
            if each.at_us is None
            else f"the checkpoint over {each.size:,} statements of {_time(each.at_us)}"
        )
        now = "which the log still holds" if each.stored else "which the log does not hold"
        lines.append(f"REFUSED: {found.witness} was shown {made}, {now}, and kept it: {each.file}")
    if found.waiting_since_us is not None and found.silent(now_us):
        many = counted(found.behind, "checkpoint")
        since = _time(found.waiting_since_us)
        lines.append(f"SILENCE of the witness {found.witness}: {many} without its signature, the first of {since}")
    return lines


def _signature_lines(signed: Signatures | None, late: bool) -> list[str]:
    """Return what the checkpoints prove, and what not."""
    if signed is None or not signed.checkpoints:
        return [
            "no checkpoint: nothing is signed, and the log could be rewritten undetected; sign one with `rack checkpoint`"
        ]
    last = _time(signed.at_us or 0)
    checkpoints, events = counted(signed.checkpoints, "checkpoint"), counted(signed.events, "event")
    lines = [f"{checkpoints} {'covers' if signed.checkpoints == 1 else 'cover'} {events}; the last was signed {last}"]
    for silence in signed.silences:
        pause = f"between {_time(silence.from_us)} and {_time(silence.to_us)}"
        lines.append(f"SILENCE: no checkpoint {pause}, though one was due within {silence.within_s} s")
    if late:
        lines.append(f"SILENCE: no checkpoint since {last}, though one was due within {signed.within_s} s")
    lines += [each.line() for each in signed.earlier]
    lines += [
        f"the key {key}, which you gave, is not named by the log; nothing was checked with it" for key in signed.unnamed
    ]
    lines += [
        f"no earlier key vouches for the key {key}; ask the property who published it" for key in signed.unvouched
    ]
    if not signed.anchored:
        lines.append(
            "the keys come from the log itself and could be replaced with it; give the key that you received with --key"
        )
    return lines


def _time(at_us: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_us // 1_000_000, UTC).isoformat().replace("+00:00", "Z")
