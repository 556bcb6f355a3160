"""`rack verify FILE`: a packet, a report or a proof is checked with the keys that were given, and nothing else.

A JSON file needs msgspec and a signature check: everything more is imported where a PDF is checked.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rack.arguments import is_given, option
from rack.errors import Exit, UsageError
from rack.output import Output, counted

if TYPE_CHECKING:
    from events.proofs.signed_note import PublicKey

PACKET_PREFIXES = (b"%PDF-", b'{"')
"""A PDF, or JSON without white space; a proof has line breaks."""


def check_file(arguments: argparse.Namespace, output: Output) -> Exit:
    """Check a packet or a proof with the keys that were given, and nothing else."""
    from desk.packet.bundle import MAX_BYTES
    from events.proofs.keys import read_public_key
    from events.proofs.signed_note import KeyKind

    for name in (
        "log",
        "rounds",
        "verdicts",
        "since",
        "witness",
        "gap",
        "by",
        "accept_loss",
        "report",
        "sign",
        "progress",
    ):
        if is_given(arguments, name):
            raise UsageError(f"a file is verified without the log; leave out {option(name)}, or FILE")
    if not arguments.key:
        raise UsageError("a file is verified with the log's public key; name the key file that you received with --key")
    keys = [read_public_key(path) for path in arguments.key]
    if arguments.witness_key is not None:
        keys.append(read_public_key(arguments.witness_key, KeyKind.WITNESS))
    with arguments.file.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if data.lstrip()[:14].lower() == b"<!doctype html":
        raise UsageError(f"{arguments.file} is a reading copy without a signature; verify the packet's .json or .pdf")
    if not data.startswith(PACKET_PREFIXES):
        return _proof(data, keys, output)
    if not data.startswith(b"%PDF-"):  # which needs no library for PDF files
        return _packet(data, keys, output)
    from desk.report.document import is_report

    return (_report if is_report(data) else _packet)(data, keys, output)


def _report(data: bytes, keys: Sequence[PublicKey], output: Output) -> Exit:
    """Check a report for filing: its signature and the tables attached to it. What it says is not worked out again."""
    from msgspec import to_builtins

    from desk.report.document import check_report

    checked = check_report(data, keys)
    output.value({"ok": True, **to_builtins(checked)})
    output.text(
        f"{checked.title} of {checked.property_name or 'a property without a name'}, {checked.first} to {checked.last}: "
        f"signed by the log's key, with {counted(len(checked.sheets), 'table')} attached; "
        f"record as of {_time(checked.as_of_us)}"
    )
    return Exit.CLEAN


def _packet(data: bytes, keys: Sequence[PublicKey], output: Output) -> Exit:
    """Check a dispute packet; 1 where it is as it was made, and this program's rules lead to another verdict."""
    from desk.packet import check_packet
    from replay.run.engine import engine

    checked = check_packet(data, keys)
    about, judged = checked.bundle.about, checked.bundle.adjudication
    events = sum(len(part.events) for part in checked.bundle.streams.values())
    made = _time(checked.made.at_us)
    output.value(
        {
            "ok": checked.reproduced or about.withheld,
            "reproduced": checked.reproduced,
            "withheld": about.withheld,
            "same_engine": checked.same_engine,
            "table": about.table,
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
    )
    output.text(
        f"table {about.table}, round {about.round_no}: {judged.verdict}; {counted(events, 'event')}, each in the log "
        f"{checked.checkpoint.origin} when a checkpoint was signed {made}",
        *(f"cosigned by {each.key.name} {_time((each.time_s or 0) * 1_000_000)}" for each in checked.witnesses),
        "other patrons are left out, so that the verdict cannot be worked out again from these events; ask for the whole packet"
        if about.withheld
        else "replayed from these events alone: the same verdict"
        if checked.reproduced
        else f"this program ({engine()}) reaches another verdict; the packet was made by {about.software}, whose rules differ",
    )
    return Exit.CLEAN if checked.reproduced or about.withheld else Exit.FINDINGS


def _proof(data: bytes, keys: Sequence[PublicKey], output: Output) -> Exit:
    from events.proofs.inclusion import Proof, check

    proven = check(Proof.decode(data), keys)
    made = _time(proven.time.at_us)
    output.value(
        {
            "ok": True,
            "origin": proven.checkpoint.origin,
            "stream": proven.stream,
            "events": list(proven.numbers),
            "covered_by_us": proven.time.at_us,
            "key": str(proven.signed.key),
            "witnesses": [str(w.key) for w in proven.witnesses],
        }
    )
    numbers = ", ".join(map(str, proven.numbers))
    output.text(
        f"{proven.stream} event {numbers}: in the log {proven.checkpoint.origin} when a checkpoint was signed {made}",
        *(f"cosigned by {each.key.name} {_time((each.time_s or 0) * 1_000_000)}" for each in proven.witnesses),
    )
    return Exit.CLEAN


def _time(at_us: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_us // 1_000_000, UTC).isoformat().replace("+00:00", "Z")
