"""`rack witness`: run by another party; cosigns the checkpoints of a log only if the log has only grown."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from rack.arguments import add, add_log, positive
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import log_address

if TYPE_CHECKING:
    from events.proofs.witness import CosignedCheckpoint, Witness

HELP = "Cosign the checkpoints of a log, as another party, if the log has only grown"
SECONDS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--key FILE", "The witness's key file (`rack keys new FILE --witness NAME`).", required=True)
    add(parser, "--folder DIR", "The witness's own folder for cosigned checkpoints.", required=True)
    add(
        parser,
        "--log-key FILE",
        "The log's public key, as the witness received it (repeatable; default: the keys that the log names).",
        action="append",
        default=[],
    )
    add(parser, "--follow", "Keep cosigning until interrupted.")
    add(parser, "--seconds T", f"with --follow: seconds between checks (default: {SECONDS}).", type=positive)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Cosign the newest checkpoint; 4, without cosigning, if it does not extend the last one seen."""
    from events.log.clock import utc_now_us
    from events.proofs.keys import read_public_key, read_signer
    from events.proofs.witness import Witness, WitnessFolder
    from rack.opening import opened_for_proof

    if arguments.seconds is not None and not arguments.follow:
        raise UsageError("--seconds needs --follow")
    signer = read_signer(arguments.key)
    anchors = [read_public_key(path) for path in arguments.log_key]
    folder = WitnessFolder(arguments.folder, signer.public_key)
    address = log_address(arguments.log)
    with opened_for_proof(address) as (log, store):
        witness = Witness(log, store, signer, folder, anchors=anchors, clock=utc_now_us)
        if witness.last is None:
            output.note(f"{folder.path} holds no checkpoint of this log; the witness starts from the log as it is now")
        seen = _follow(witness, arguments.seconds or SECONDS, output) if arguments.follow else witness.look()
    last = seen or witness.last
    output.value(None if last is None else _as_json(last, new=seen is not None))
    signed = " signed with the key of --log-key, or one for which it vouches" if anchors else ""
    output.text(
        f"The log has no checkpoint yet{signed}; sign one with `rack checkpoint`."
        if last is None
        else _line(last, "cosigned" if seen else "no new checkpoint since")
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
        output.note("stopped; the next run continues from here")
    return seen


def _line(seen: CosignedCheckpoint, what: str) -> str:
    return f"{what} {counted(seen.checkpoint.size, 'statement')}, root {seen.checkpoint.root.hex()[:16]}…"


def _as_json(seen: CosignedCheckpoint, *, new: bool) -> dict[str, object]:
    return {
        "new": new,
        "origin": seen.checkpoint.origin,
        "size": seen.checkpoint.size,
        "root": seen.checkpoint.root.hex(),
        "time_s": seen.signed.time_s,
    }
