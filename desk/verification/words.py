"""A verification in words and as JSON: findings, signatures, and what was not checked."""

from typing import Any

import msgspec

from desk.verification.last_verification import said_of
from desk.verification.result import RESULT_KINDS, Verification, VerificationResult
from desk.verification.witness_status import Witnessed
from events.archive.manifest import ARCHIVE
from events.log.clock import ahead_lines
from events.log.contract import QUARANTINE
from events.proofs.quarantine import QuarantineCheck
from events.proofs.since import VerifiedStart
from events.proofs.verify import Break, VerificationReport
from events.proofs.verify_checkpoints import Signatures
from events.proofs.verify_results import ResultsCheck
from replay.narrative.names import plural, utc
from replay.run.verdict_check import VerdictCheck


def lines(made: Verification, now_us: int) -> list[str]:
    """Return the findings of a verification, a sentence each, the result last; `now_us` is the present (UTC microseconds)."""
    found, late = made.found, overdue(made.found.signed, now_us)
    table = f"round table {made.request.rounds}"
    return [
        *(f"{table}: {each.where}: {each.what}" for each in made.rounds),
        *([f"{table}: matches the log"] if made.request.rounds is not None and not made.rounds else []),
        *(break_line(each) for each in found.breaks),
        *made.before.lines(found, made.request.by),
        *(unread_lines(found, made.since) if made.since is not None else ()),
        *quarantine_lines(found.quarantine),
        *result_lines(found.results),
        *([] if found.results is not None else ["no results are next to the archive: none were checked"]),
        *ahead_lines(found.future, made.at_us),
        *(verdict_lines(made.verdicts) if made.verdicts is not None else ()),
        *made.attached.lines("match their SHA-256", "no folder with their files is here, so none was compared"),
        *_signature_lines(found.signed, late),
        *(_witness_lines(made.witnessed, found.signed, now_us) if made.witnessed is not None else ()),
        *_comparison_lines(made),
        summary(found, made.result),
    ]


def as_json(made: Verification, now_us: int) -> dict[str, Any]:
    """Return a verification as JSON values."""
    found, result = made.found, made.result
    values = report_values(found) | {"ok": result.ok, "failures": result.failures, "overdue": overdue(found.signed, now_us)}
    values |= {"cosigned": made.cosigned, "witness": msgspec.to_builtins(made.witnessed)}
    values |= {"foreign": msgspec.to_builtins(found.foreign), "store_faults": msgspec.to_builtins(made.faults)}
    values |= {"verdicts": msgspec.to_builtins(made.verdicts), "attachments": made.attached.counts}
    values |= {"future": msgspec.to_builtins(found.future), "lost": made.before.lost(found)}
    values |= {"accepted": msgspec.to_builtins(made.accepted), "compared": made.compared} | made.archive
    return values | ({"round_table": msgspec.to_builtins(made.rounds)} if made.request.rounds is not None else {})


def break_line(found: Break) -> str:
    """Return a break in one line."""
    what = {ARCHIVE: "manifest", QUARANTINE: "entry", "checkpoints": "statement"}.get(found.stream, "event")
    what = "result" if found.kind in RESULT_KINDS else what
    return f"{found.code} {found.stream} {what} {found.seq}: {found.message} ({found.kind.replace('_', ' ')})"


def summary(report: VerificationReport, found: VerificationResult) -> str:
    """Return the result of a verification in one line."""
    held = f", {plural(kept, 'refused line')} in quarantine" if (kept := report.quarantine.entries) else ""
    size = f"{plural(report.events, 'event')} in {plural(report.streams, 'stream')}{held}"
    size += " read since" if report.unread else ""
    return f"log {report.log_id} of {report.property_id}: {size}: {found.state(report)}"


def unread_lines(report: VerificationReport, since: VerifiedStart) -> list[str]:
    """Return what was not read again, and who vouches for it."""
    events, results = sum(report.unread.values()), report.results.unread if report.results is not None else 0
    unread = f"NOT READ AGAIN: {plural(events, 'event')} in {plural(len(report.unread), 'stream')}"
    unread += f" and {plural(results, 'result')}; {said_of(since)}, and signed checkpoints state where they end"
    return [
        unread,
        "`rack verify` without --since also checks whether any of these was altered since, the index of repeats, and earlier "
        "refused lines",
    ]


def quarantine_lines(check: QuarantineCheck) -> list[str]:
    """Return the quarantine entries that no event vouches for; the chain says nothing about them."""
    if not check.unvouched:
        return []
    lines = plural(check.unvouched, "refused line")
    return [f"the chain does not vouch for {lines} in quarantine (no event states the SHA-256): compared with the name alone"]


def result_lines(check: ResultsCheck | None) -> list[str]:
    """Return what is known and unknown about the results."""
    if check is None or not check.results:
        return []
    results = plural(check.results, "result")
    if check.unchained:
        return [
            f"{plural(check.unchained, 'result')} from before results were chained: nothing shows whether they were changed; "
            "`rack replay` judges every round again and chains them"
        ]
    if not check.stated:
        return [
            f"{results} in {plural(check.streams, 'chain')}; no checkpoint states them: whoever rewrites a whole chain is "
            "revealed only by `rack verify --verdicts`"
        ]
    beyond = check.results - check.stated
    return [
        f"{results} in {plural(check.streams, 'chain')}; signed checkpoints state {check.stated:,} of them"
        + (f", and {beyond:,} came later" if beyond > 0 else "")
    ]


def verdict_lines(check: VerdictCheck) -> list[str]:
    """Return the outcome of judging again."""
    if check.failures():
        return check.failures()
    lines = [f"judged again: all {plural(check.compared, 'result')} are the same"]
    if check.by_conclusion:
        streams = plural(len(check.by_conclusion), "stream")
        lines.append(f"an earlier version judged a part of {streams}: there the conclusions were compared, not the bytes")
    if check.held:
        lines.append(f"{plural(check.held, 'verdict')} of an earlier engine stay in force and were not compared")
    return lines


def report_values(report: VerificationReport) -> dict[str, Any]:
    """Return the report as JSON values."""
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
        "signed": msgspec.to_builtins(report.signed),
        "first_break": breaks[0] if breaks else None,
        "breaks": breaks,
    }


def _break_as_json(found: Break) -> dict[str, Any]:
    """Return a break with the table's own name; None if it is not in a table's stream."""
    table = found.stream.removeprefix("table/") if found.stream.startswith("table/") else None
    return {"table": table, "number": found.seq, **msgspec.to_builtins(found)}


def overdue(signed: Signatures | None, now_us: int) -> bool:
    """Return whether the checkpoint that the last one promised is overdue."""
    if signed is None or signed.at_us is None or signed.within_s is None:
        return False
    return now_us > signed.at_us + signed.within_s * 1_000_000


def _witness_lines(found: Witnessed, signed: Signatures | None, now_us: int) -> list[str]:
    """Return what a witness vouches for and what not. If it disagrees with the log, the breaks say so too."""
    lines = []
    if found.newest_size is not None and signed is not None:
        lines.append(f"the witness cosigned statements 1 to {found.newest_size:,} of {signed.statements:,}")
    for each in found.refused:
        made = "a checkpoint" if each.at_us is None else f"the checkpoint over {each.size:,} statements of {utc(each.at_us)}"
        now = "which the log still holds" if each.stored else "which the log does not hold"
        lines.append(f"REFUSED: {found.witness} was shown {made}, {now}, and kept it: {each.file}")
    if found.waiting_since_us is not None and found.silent(now_us):
        many = plural(found.behind, "checkpoint")
        since = utc(found.waiting_since_us)
        lines.append(f"SILENCE of the witness {found.witness}: {many} without its signature, the first from {since}")
    return lines


def _signature_lines(signed: Signatures | None, late: bool) -> list[str]:
    """Return what the checkpoints prove, and what not."""
    if signed is None or not signed.checkpoints:
        return ["no checkpoint: nothing is signed, and the log could be rewritten undetected; sign one with `rack checkpoint`"]
    last = utc(signed.at_us or 0)
    checkpoints, events = plural(signed.checkpoints, "checkpoint"), plural(signed.events, "event")
    lines = [f"{checkpoints} {'covers' if signed.checkpoints == 1 else 'cover'} {events}; the last was signed {last}"]
    for silence in signed.silences:
        pause = f"between {utc(silence.from_us)} and {utc(silence.to_us)}"
        lines.append(f"SILENCE: no checkpoint {pause}, though one was due within {silence.within_s} s")
    if late:
        lines.append(f"SILENCE: no checkpoint since {last}, though one was due within {signed.within_s} s")
    lines += [each.line() for each in signed.earlier]
    lines += [f"the key {key}, which you gave, is not named by the log; nothing was checked with it" for key in signed.unnamed]
    lines += [f"no earlier key vouches for the key {key}; ask the property who published it" for key in signed.unvouched]
    return lines


def _comparison_lines(made: Verification) -> list[str]:
    """Return what a pass does not prove, because nothing from outside the log shows it (D1380)."""
    compared = made.compared
    if not made.result.ok or compared["witness"]:
        return []
    if compared["checkpoints"]:
        return [f"the log holds the {plural(len(made.request.checkpoints), 'checkpoint')} that you took away"]
    if compared["keys"]:
        return [
            "the key shows who signed, but not whether anything was cut off: an older state of the log with its checkpoints and "
            "notes would pass; give a checkpoint, packet or proof that you took away with --checkpoint, or a --witness"
        ]
    return [
        "this proves only that the log agrees with itself: nothing from outside was compared, and a log replaced together with "
        "its checkpoints and notes would pass; give the key that you received with --key, a checkpoint, packet or proof that "
        "you took away with --checkpoint, or a witness with --witness"
    ]
