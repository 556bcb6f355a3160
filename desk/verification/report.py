"""The report of a verification as a PDF: who verified what, when, with which keys and witness, and what was not verified.

Invariant: it reports only what the verification found, and names everything not checked. The verification dates it, so that the
same findings of the same time give the same bytes. A missing signature never stops a report: a broken log may not even name the
key in force. The report then says why it is not signed.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from desk.packet.words import Style
from desk.recorded_round import property_configured
from desk.report.content import Report, ReportColumn, ReportTable
from desk.report.wording import time_words
from desk.verification.witness_status import Witnessed
from events.errors import EventError, IntegrityError
from events.log.contract import QUARANTINE, EventLog
from events.proofs.checkpointer import KeyNotInForce
from events.proofs.keys import PROPERTY_STREAM, KeyRefused, read_signer
from events.proofs.signed_note import PublicKey, Signer
from events.proofs.verify import VerificationReport
from events.vocabulary.model import PropertyConfigured
from replay.narrative.names import plural

NAME = "verification"
BESIDE = (QUARANTINE, "checkpoints")
"""The places of faults that are no stream of events."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A verification: its findings, its failures in sentences, by whom, and when (UTC microseconds).

    `keys` are the given public keys of the log, `witness` is the state of the named witness. `checks` are the other comparisons
    with their results; `omitted` those not made; `unsigned` is why no one signs the report.
    """

    found: VerificationReport
    failures: Sequence[str]
    by: str
    at_us: int
    keys: Sequence[PublicKey] = ()
    witness: Witnessed | None = None
    checks: Sequence[tuple[str, str]] = ()
    omitted: Sequence[str] = ()
    unsigned: str = ""


def signed_report(log: EventLog, made: Verified, key: Path | None) -> tuple[bytes, str]:
    """Return the report of a verification as a PDF, and why it is not signed; empty if it is."""
    from desk.report.document import to_pdf
    from replay.run.engine import engine

    signer, unsigned = _signer(key, log)
    report = verification_report(replace(made, unsigned=unsigned), property_configured(log), engine())
    return to_pdf(report, signer), unsigned


def _signer(path: Path | None, log: EventLog) -> tuple[Signer | None, str]:
    """Return the signer, or None and why no one signs."""
    from desk.packet.make import check_key

    if path is None:
        return None, "no key was named (--sign, RACK_KEY)"
    try:
        signer = read_signer(path)
        check_key(signer, log.read(PROPERTY_STREAM), "the log")
    except (KeyRefused, KeyNotInForce, IntegrityError, EventError) as error:
        return None, str(error)
    return signer, ""


def verification_report(made: Verified, configured: PropertyConfigured | None, software: str) -> Report:
    """Return the report of a verification; `configured` is the property's configuration, None if it cannot be read."""
    style = Style(configured)
    day = style.time(made.at_us)[:10]
    return Report(
        name=NAME,
        title="Verification of the log",
        first=day,
        last=day,
        as_of_us=made.at_us,
        log_id=made.found.log_id,
        property_name=style.name or made.found.property_id,
        currency=style.currency,
        time_zone=style.zone_name,
        concerns=(),
        software=software,
        dated_by="verification",
        rules=(),
        tables=(_result(made, style), _failures(made), _streams(made.found)),
        limits=tuple(_not_checked(made)),
        signatures=("Verified by", "Received by"),
    )


def _result(made: Verified, style: Style) -> ReportTable:
    found, signed = made.found, made.found.signed
    size = f"{plural(found.events, 'event')} in {plural(found.streams, 'stream')}"
    rows = [
        ("Result", _sentence(made, size)),
        ("Verified by", made.by),
        ("Verified at", f"{time_words(made.at_us, style)} ({style.zone_name})"),
        ("Events", f"{size}: numbering, chain, canonical bytes, envelopes, gaming days, high-water marks"),
        ("Refused lines", f"{plural(found.quarantine.entries, 'entry', 'entries')} in quarantine, compared with the chain"),
    ]
    if found.results is not None:
        rows.append(("Results", f"{plural(found.results.results, 'result')}: their chains, and what checkpoints state of them"))
    if signed is not None and signed.checkpoints and signed.at_us is not None:
        words = f"{plural(signed.checkpoints, 'checkpoint covers', 'checkpoints cover')} {plural(signed.events, 'event')}; "
        rows.append(("Checkpoints", f"{words}the last was signed {time_words(signed.at_us, style)} by {', '.join(signed.keys)}"))
    rows += [("Key that was given", f"{key.name}+{key.id.hex()}") for key in made.keys]
    if made.witness is not None:
        rows.append(("Witness", _witness(made.witness, 0 if signed is None else signed.statements)))
    rows += made.checks
    columns = (ReportColumn(name="check", label="Check", kind="text"), ReportColumn(name="said", label="Finding", kind="text"))
    return ReportTable(name="checks", title="What was verified", columns=columns, rows=tuple(rows))


def _sentence(made: Verified, size: str) -> str:
    if made.failures:
        return f"FAILED: {made.failures[0]}"
    if made.found.signed is None or not made.found.signed.checkpoints:
        return f"No break was found in {size}, but no checkpoint signs the log"
    return f"Passed: no break was found in {size}"


def _witness(found: Witnessed, statements: int) -> str:
    if found.newest_size is None:
        return f"{found.witness} ({found.key}): none of its signatures counts"
    cosigned = f"cosigned statements 1 to {found.newest_size:,} of {statements:,}"
    return f"{found.witness} ({found.key}) {cosigned}; {plural(found.events_behind, 'event')} came later"


def _failures(made: Verified) -> ReportTable:
    return ReportTable(
        name="failures",
        title="Failures",
        columns=(ReportColumn(name="failure", label="Failure", kind="text"),),
        rows=tuple((each,) for each in made.failures),
        marked=tuple(range(len(made.failures))),
        empty="None was found.",
    )


def _streams(found: VerificationReport) -> ReportTable:
    broken = {each.stream for each in found.breaks if each.stream not in BESIDE}
    rows = [
        (stream, head.seq, head.hash.hex(), found.unread.get(stream, 0), "broken" if stream in broken else "sound")
        for stream, head in sorted(found.heads.items())
    ]
    return ReportTable(
        name="streams",
        title="Where each stream ends",
        columns=(
            ReportColumn(name="stream", label="Stream", kind="text"),
            ReportColumn(name="end", label="Last event confirmed", kind="count"),
            ReportColumn(name="hash", label="Chain hash there", kind="text"),
            ReportColumn(name="not_read", label="Not read again", kind="count"),
            ReportColumn(name="finding", label="Finding", kind="text"),
        ),
        rows=tuple(rows),
        marked=tuple(i for i, row in enumerate(rows) if row[0] in broken),
        empty="The log has no streams.",
    )


def _not_checked(made: Verified) -> Iterator[str]:
    """Return what this verification did not or could not check."""
    found, signed = made.found, made.found.signed
    if made.unsigned:
        yield f"This report is not signed: {made.unsigned}."
    if any(each.stream in found.heads for each in found.breaks):
        yield "Nothing after the first break of a stream was relied on; above, the stream ends where it was last confirmed."
    if found.unread:
        many = plural(sum(found.unread.values()), "event")
        vouched = "an earlier verification read them, and a signed checkpoint states them"
        yield f"{many} at the start of streams were not read again: {vouched}."
    if signed is None or not signed.checkpoints:
        yield "No checkpoint signs the log: if somebody replaced all of it with its high-water marks, that would not show."
    else:
        if not signed.anchored:
            yield "The keys are those that the log itself names; no key that was received in another way confirms them."
        after = sum(head.seq for head in found.heads.values()) - signed.events
        if after > 0:
            yield f"No signature covers the {plural(after, 'event')} after the last checkpoint."
        yield from (f"No older key vouches for the key {key}." for key in signed.unvouched)
    if made.witness is None:
        yield "No witness was asked: a second history, signed with the same key, would not show."
    if found.quarantine.unvouched:
        yield f"No event vouches for {plural(found.quarantine.unvouched, 'refused line')}: compared with the name alone."
    if found.results is None:
        yield "The results next to the log were not checked."
    yield from made.omitted
    yield "No verification of a log can show that devices reported what happened, and all of it."
