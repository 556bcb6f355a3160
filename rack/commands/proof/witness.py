"""`rack witness`: a second party's process, which cosigns a log's checkpoints only if the log just grew."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rack.arguments import add_log, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from events.proofs.witness import CosignedCheckpoint, Witness

HELP = "cosign the checkpoints of a log, as another party, if they only add to those seen before"
SECONDS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    parser.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        required=True,
        help="the witness's key file (`rack keys new FILE --witness NAME`)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        required=True,
        help="the witness's own folder: what it cosigned is kept there",
    )
    parser.add_argument(
        "--log-key",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="the log's public key, as it was given to the witness (repeatable; default: the keys that the log names)",
    )
    parser.add_argument("--follow", action="store_true", help="go on, until interrupted")
    parser.add_argument("--seconds", type=positive, metavar="T", help=f"with --follow: look so often ({SECONDS})")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Cosign the newest checkpoint; 4 where it does not extend what the witness has seen, and then nothing is cosigned."""
    from contextlib import ExitStack, closing

    from events.proofs.keys import read_public_key, read_signer
    from events.proofs.witness import Witness, WitnessFolder
    from events.sqlite.log import utc_now_us
    from rack.opening import checkpoints_at, log_at

    if arguments.seconds is not None and not arguments.follow:
        raise UsageError("--seconds goes with --follow")
    signer = read_signer(arguments.key)
    anchors = [read_public_key(path) for path in arguments.log_key]
    folder = WitnessFolder(arguments.folder, signer.public_key)
    address = log_address(arguments.log)
    with ExitStack() as resources:
        log = resources.enter_context(closing(log_at(address, read_only=True, check_heads=False)))
        store = resources.enter_context(closing(checkpoints_at(address, log_id=log.log_id, read_only=True)))
        witness = Witness(log, store, signer, folder, anchors=anchors, clock=utc_now_us)
        if witness.last is None:
            output.note(f"{folder.path} holds nothing of this log: what is there now is taken as its beginning")
        seen = _follow(witness, arguments.seconds or SECONDS, output) if arguments.follow else witness.look()
    last = seen or witness.last
    output.value(None if last is None else _as_json(last, new=seen is not None))
    output.text(
        "there is no checkpoint yet" if last is None else _line(last, "cosigned" if seen else "nothing new since")
    )
    return Exit.CLEAN


def _follow(witness: Witness, seconds: int, output: Output) -> CosignedCheckpoint | None:
    seen = None
    try:
        while True:
            found = witness.look()
            if found is not None:
                seen = found
                output.note(_line(found, "cosigned"))
            time.sleep(seconds)
    except KeyboardInterrupt:
        output.note("stopped; the next look goes on from here")
    return seen


def _line(seen: CosignedCheckpoint, what: str) -> str:
    return f"{what} {seen.checkpoint.size:,} statements, root {seen.checkpoint.root.hex()[:16]}…"


def _as_json(seen: CosignedCheckpoint, *, new: bool) -> dict[str, object]:
    return {
        "new": new,
        "origin": seen.checkpoint.origin,
        "size": seen.checkpoint.size,
        "root": seen.checkpoint.root.hex(),
        "time_s": seen.signed.time_s,
    }
