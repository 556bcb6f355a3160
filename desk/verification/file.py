"""`rack verify FILE`: checks a packet, a report or a proof with only the given keys, msgspec and a signature check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from events.proofs.signed_note import MAX_NOTE_BYTES, Note
from replay.narrative.names import plural, utc

if TYPE_CHECKING:
    from events.proofs.signed_note import PublicKey

PACKET_STARTS = re.compile(rb"\s*(?:%PDF-|\{\s*\"about\")")
"""A PDF, or JSON whose first key is a packet's; whatever else it is, it is not a proof."""


class NotAFile(Exception):
    """A file cannot be verified; the message names the files that can."""


def checkpoint_of(data: bytes, name: str) -> Note:
    """Return the signed checkpoint that a file is, or that is in a packet or a proof; `name` is the file's.

    Raises `NotAFile` for a report or a reading copy, and the errors of each kind's reader.
    """
    if PACKET_STARTS.match(data):
        from desk.packet.attachments import attached
        from desk.packet.bundle import decode

        if data.startswith(b"%PDF-"):
            data = attached(data, "packet.json")
        return Note.decode(decode(data).checkpoint.note.encode())
    if data.lstrip().startswith(b"{"):
        from events.proofs.inclusion import Proof

        return Note.decode(Proof.decode(data).checkpoint.encode())
    if len(data) > MAX_NOTE_BYTES:
        raise NotAFile(f"{name} is no checkpoint; expected a note of three lines, a packet or a proof")
    return Note.decode(data)


class FileCheck(NamedTuple):
    """The result of checking a file: values for JSON, the sentences, and whether the rules here give another verdict."""

    values: dict[str, Any]
    lines: list[str]
    differs: bool = False


def check_file(data: bytes, keys: Sequence[PublicKey], name: str) -> FileCheck:
    """Check a packet, a report or a proof with these keys. Raises `NotAFile` for a reading copy, and the errors of each check."""
    if data.lstrip()[:14].lower() == b"<!doctype html":
        raise NotAFile(f"{name} is a reading copy without a signature; verify the packet's .json or .pdf")
    if not PACKET_STARTS.match(data):
        return _proof(data, keys)
    from desk.report.check import is_report

    return (_report if data.startswith(b"%PDF-") and is_report(data) else _packet)(data, keys)


def _report(data: bytes, keys: Sequence[PublicKey]) -> FileCheck:
    """Check a report for filing: its signature and the tables attached to it. Its figures are not recomputed."""
    from msgspec import to_builtins

    from desk.report.check import check_report

    checked = check_report(data, keys)
    values: dict[str, Any] = {"ok": True, **to_builtins(checked)}
    lines = [
        f"{checked.title} of {checked.property_name or 'a property without a name'}, {checked.first} to {checked.last}: "
        f"signed by the log's key, with {plural(len(checked.sheets), 'table')} attached; "
        f"record as of {utc(checked.as_of_us)}"
    ]
    return FileCheck(values, lines)


def _packet(data: bytes, keys: Sequence[PublicKey]) -> FileCheck:
    """Check a dispute packet."""
    from desk.packet import check_packet
    from replay.run.engine import engine_of

    checked = check_packet(data, keys)
    about, judged = checked.bundle.about, checked.bundle.adjudication
    events = sum(len(part.events) for part in checked.bundle.streams.values())
    made = utc(checked.made.at_us)
    values: dict[str, Any] = {
        "ok": checked.reproduced or about.withheld,
        "reproduced": checked.reproduced,
        "withheld": about.withheld,
        "same_engine": checked.same_engine,
        "table": about.place,
        "round": about.round_no,
        "seat": about.seat,
        "verdict": judged.verdict,
        "findings": [f.line() for f in judged.findings],
        "events": events,
        "software": about.software,
        "covered_by_us": checked.made.at_us,
        "key": str(checked.key),
        "witnesses": [str(each.key) for each in checked.witnesses],
    }
    lines = [
        f"table {about.place}, round {about.round_no}: {judged.verdict}; {plural(events, 'event')}, each in the log "
        f"{checked.checkpoint.origin} when a checkpoint was signed {made}",
        *(f"cosigned by {each.key.name} {utc((each.time_s or 0) * 1_000_000)}" for each in checked.witnesses),
        "other patrons are left out, so that the verdict cannot be worked out again from these events; ask for the whole packet"
        if about.withheld
        else "replayed from these events alone: the same verdict"
        if checked.reproduced
        else f"this program ({engine_of(judged.game)}) reaches another verdict; the packet was made by "
        f"{about.software}, whose rules differ",
    ]
    return FileCheck(values, lines, differs=not (checked.reproduced or about.withheld))


def _proof(data: bytes, keys: Sequence[PublicKey]) -> FileCheck:
    from events.proofs.inclusion import Proof, check

    proven = check(Proof.decode(data), keys)
    made = utc(proven.time.at_us)
    values: dict[str, Any] = {
        "ok": True,
        "origin": proven.checkpoint.origin,
        "stream": proven.stream,
        "events": list(proven.numbers),
        "covered_by_us": proven.time.at_us,
        "key": str(proven.signed.key),
        "witnesses": [str(w.key) for w in proven.witnesses],
    }
    numbers = ", ".join(map(str, proven.numbers))
    lines = [
        f"{proven.stream} event {numbers}: in the log {proven.checkpoint.origin} when a checkpoint was signed {made}",
        *(f"cosigned by {each.key.name} {utc((each.time_s or 0) * 1_000_000)}" for each in proven.witnesses),
    ]
    return FileCheck(values, lines)
