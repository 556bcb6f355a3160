"""`rack prove`: a small file that proves, with only a public key, that an event is in the log."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from desk.whole_files import write_whole
from rack.arguments import add, add_log, positive
from rack.errors import Exit, UsageError
from rack.export_record import add_custody, record_export
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog

HELP = "Write a proof that events are in the log; `rack verify FILE` checks it without the log"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "table TABLE", "Table (fu-01), or any stream by its full name (meter/m-1).", type=str.lower)
    add(parser, "number NUMBER", "Sequence numbers of the events.", type=positive, nargs="+")
    add_log(parser)
    add(parser, "--out FILE", "File for the proof (default: stdout).")
    add_custody(parser)
    add(parser, "--note FILE", "Use this cosigned checkpoint from the folder of a witness (default: the newest of the log).")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Make the proof; 2 if no checkpoint covers the events yet. The log records the export first."""
    import json
    from contextlib import closing

    from events.log.plain_file import read_plain
    from events.proofs.inclusion import CheckpointMissing, prove
    from events.proofs.signed_note import MAX_NOTE_BYTES, Note
    from rack.opening import log_at, opened_for_proof

    stream = arguments.table if "/" in arguments.table else f"table/{arguments.table}"
    note = Note.decode(read_plain(arguments.note, MAX_NOTE_BYTES + 1)) if arguments.note else None
    address = log_address(arguments.log)
    with opened_for_proof(address) as (log, store):
        try:
            proof = prove(log, store, stream, arguments.number, note=note).encode()
        except CheckpointMissing as error:
            raise UsageError(str(error)) from error
    if stream.startswith(("table/", "meter/", "observed/")):
        with closing(log_at(address, read_only=True, check_heads=False)) as log:
            rounds = _rounds(log, stream, arguments.number)
            record_export(
                address,
                arguments,
                output,
                rounds={stream.partition("/")[2]: rounds},
                what="round",
                digest=sha256(proof).hexdigest(),
                form="proof",
                log_id=log.log_id,
            )
    if arguments.out is None:
        output.value(json.loads(proof))
        output.text(proof.decode().rstrip("\n"))
        return Exit.CLEAN
    write_whole({arguments.out: proof})
    output.value({"file": str(arguments.out), "bytes": len(proof)})
    output.text(f"{arguments.out}: {len(proof):,} bytes")
    return Exit.CLEAN


def _rounds(log: EventLog, stream: str, numbers: Sequence[int]) -> list[int | None]:
    """Return the rounds of these events; None for events of no round."""
    from events.vocabulary.codec import read

    if stream.startswith("observed/"):
        return [None]  # the number of an entry is not that of a round of the table
    found = {read(record.data).round_no for number in numbers for record in log.read(stream, number, number)}
    return sorted(found, key=lambda number: (number is None, number))
