"""`rack dispute`: the packet of a round, for somebody without the log."""

import argparse
from pathlib import Path

from desk.whole_files import write_whole
from rack.arguments import add, add_log, add_round, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import key_file, log_address

HELP = "Make the signed dispute packet of a round: PDF, JSON bundle and HTML page that need no log to check"

WAIT = 90
"""As `desk.packet.covering.WAIT_S`, which is not loaded for `--help`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_round(parser)
    add(parser, "--seat N", "The seat in dispute.", type=positive)
    add_log(parser)
    add(parser, "--out DIR", "Folder for the files (default: the current folder).", default=Path())
    add(parser, "--key FILE", "The log's key file (`rack keys new`; default: RACK_KEY, or the demo's key).")
    add(parser, "--note FILE", "Use this cosigned checkpoint from the folder of a witness.")
    add(
        parser,
        "--wait T",
        f"Seconds to wait for a checkpoint that covers the round (default: {WAIT}).",
        type=positive,
        default=WAIT,
    )
    add(
        parser,
        "--withhold",
        "Leave out other patrons' parts, keeping their hashes (default if a seat is named).",
        action=argparse.BooleanOptionalAction,
    )
    add(parser, "--by PERSON", "Who makes the packet, as in the property's directory (default: the login name).")
    add(parser, "--reason TEXT", "Reason recorded in the log with the export.", default="dispute packet")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Write the packet, whatever its verdict. The log records the export before the files are written."""
    from getpass import getuser
    from glob import escape as glob_escape

    from desk.packet import packet_at, packet_name
    from events.log.plain_file import read_plain
    from events.proofs.signed_note import MAX_NOTE_BYTES, Note
    from rack.opening import options_of

    withhold = arguments.seat is not None if arguments.withhold is None else arguments.withhold
    if withhold and arguments.seat is None:
        raise UsageError("--withhold leaves out everybody but one patron: name the seat with --seat")
    address = log_address(arguments.log)
    note = Note.decode(read_plain(arguments.note, MAX_NOTE_BYTES + 1)) if arguments.note is not None else None
    name = packet_name(arguments.table, arguments.round, arguments.seat, withheld=withhold)
    present = sorted(arguments.out.glob(f"{glob_escape(name)}.*"))
    if present:
        raise UsageError(f"{present[0]} already exists, and a packet is never overwritten; name another folder with --out")
    output.note(f"reading table {arguments.table} from its first event, then typesetting and signing the packet")
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
        withhold=withhold,
        waiting=lambda left: output.note(
            f"an event of the round is newer than the last checkpoint; waiting up to {left:.0f} s for the next one"
        ),
        **options_of(address),
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    files = {form: str(arguments.out / f"{packet.name}.{form}") for form in packet.forms}
    write_whole({Path(files[form]): data for form, data in packet.forms.items()})
    judged = packet.adjudication
    output.value(
        {
            "files": files,
            "sentence": packet.sentence,
            "caution": packet.caution,
            "verdict": judged.verdict,
            "as_of": judged.as_of,
            "findings": judged.findings,
        }
    )
    if packet.caution:
        output.problem(packet.caution)
    output.text(packet.headline, *files.values())
    return Exit.CLEAN
