"""`rack dispute`: the packet of a round, to be given to somebody who does not have the log."""

from __future__ import annotations

import argparse
from pathlib import Path

from rack.arguments import add_log, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import key_file, log_address

HELP = "make the dispute packet of a round: PDF, JSON bundle and HTML page, signed, to be checked without the log"

WAIT = 90
"""As `replay.packet.covering.WAIT_S`, which is not loaded for `--help`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="the table's id, as in fu-01")
    parser.add_argument("round", metavar="ROUND", type=positive, help="the number of the round")
    parser.add_argument("--seat", metavar="N", type=positive, help="the seat in dispute")
    add_log(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path(), help="write the files there (default: here)")
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="the log's key file (`rack keys new`; default: RACK_KEY, or the demo's own)",
    )
    parser.add_argument(
        "--note",
        metavar="FILE",
        type=Path,
        help="under this checkpoint, with the signature of a witness, from its folder",
    )
    parser.add_argument(
        "--wait",
        metavar="T",
        type=positive,
        default=WAIT,
        help=f"where a process signs the log: wait so many seconds for a checkpoint that covers the round ({WAIT})",
    )
    parser.add_argument(
        "--by", metavar="PERSON", help="who makes it, as the directory has it (default: the login name)"
    )
    parser.add_argument(
        "--reason", metavar="TEXT", default="dispute packet", help="why; stands in the log with the export"
    )


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Write the packet, whatever its verdict. The export is in the log before the files are there."""
    from getpass import getuser
    from glob import escape as glob_escape

    from msgspec import to_builtins

    from events.proofs.signed_note import Note
    from rack.opening import options_of
    from replay.packet import packet_at, packet_name

    address = log_address(arguments.log)
    note = Note.decode(arguments.note.read_bytes()) if arguments.note is not None else None
    name = packet_name(arguments.table, arguments.round, arguments.seat)
    present = sorted(arguments.out.glob(f"{glob_escape(name)}.*"))
    if present:
        raise UsageError(
            f"{present[0]} is there already, and a packet is not overwritten; name another folder with --out"
        )
    output.note(f"reading table {arguments.table} from its first event on; then the packet is typeset and signed")
    packet = packet_at(
        address,
        arguments.table,
        arguments.round,
        arguments.seat,
        key=key_file(arguments.key, address),
        by=arguments.by or getuser().lower(),
        reason=arguments.reason,
        note=note,
        wait_s=arguments.wait,
        waiting=lambda left: output.note(
            f"something about the round is newer than the last checkpoint: waiting for the next one, {left:.0f} s at most"
        ),
        **options_of(address),
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = {}
    for form, data in packet.forms.items():
        path = arguments.out / f"{packet.name}.{form}"
        path.write_bytes(data)
        files[form] = str(path)
    judged = packet.adjudication
    output.value(
        {
            "files": files,
            "sentence": packet.sentence,
            "verdict": judged.verdict,
            "as_of": judged.as_of,
            "findings": to_builtins(judged.findings),
        }
    )
    output.text(f"{judged.verdict}: {packet.sentence}", *files.values())
    return Exit.CLEAN
