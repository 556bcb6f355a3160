"""`rack checkpoint`: sign the head of every stream, once or repeatedly."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rack.arguments import add, add_log, positive
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import log_address

if TYPE_CHECKING:
    from events.errors import IntegrityError
    from events.log.contract import CheckpointStore
    from events.proofs.checkpoint import Checkpoint
    from events.proofs.checkpointer import Checkpointer

HELP = "Sign a checkpoint of every stream, so that no earlier event can be changed undetected"
EVERY, SECONDS = 5_000, 60
SIGNER_WAIT_S = 60.0
"""How long `--follow` waits for another process that signs, such as `rack dispute`."""
POLL_S = 0.5
IMPATIENCE_S = 1.0
"""A signal to a group of processes often comes twice at once; only a later one means that the first was not enough."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--key FILE", "The key file (`rack keys new`).", required=True)
    add(parser, "--follow", "Keep signing until interrupted, even when no event arrives.")
    add(parser, "--every N", f"with --follow: sign after this many events (default: {EVERY}).", type=positive)
    add(
        parser,
        "--seconds T",
        f"Promise the next checkpoint within this many seconds; a longer gap is reported (with --follow: {SECONDS}).",
        type=positive,
    )
    add(
        parser,
        "--results-anew",
        "State the results as they are now, though an earlier checkpoint states others; first run `rack replay --again` and "
        "`rack verify --verdicts`.",
    )


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Make a checkpoint; 4 if the log contradicts earlier signatures, and then nothing is signed.

    If results contradict them, it is 4 too: the streams are signed, but not those results.
    """
    from contextlib import ExitStack, closing

    from events.log.clock import ahead_lines, utc_now_us
    from events.open import stored_results
    from events.proofs.checkpointer import Checkpointer
    from events.proofs.keys import read_signer
    from events.proofs.signing_memory import SigningMemory
    from rack.opening import log_at, options_of

    if arguments.every is not None and not arguments.follow:
        raise UsageError("--every needs --follow")
    within_s = arguments.seconds or (SECONDS if arguments.follow else None)
    signer = read_signer(arguments.key)
    address = log_address(arguments.log)
    with ExitStack() as resources:
        log = resources.enter_context(closing(log_at(address, for_proof=True, read_only=True, check_heads=False)))
        patience_s = SIGNER_WAIT_S if arguments.follow else 0.0
        store = resources.enter_context(closing(_store(address, log.log_id, patience_s, output)))
        memory = SigningMemory(arguments.key, log.log_id)
        if (results := stored_results(address, **options_of(address, for_proof=True))) is not None:
            resources.enter_context(closing(results))
        checkpointer = Checkpointer(
            log, store, signer, memory, clock=utc_now_us, within_s=within_s, results=results, results_anew=arguments.results_anew
        )
        events = checkpointer.read()
        checkpoint = checkpointer.sign()
        output.note(f"{counted(events, 'event')} read; {_line(checkpoint)}")
        for line in ahead_lines(checkpointer.ahead(), utc_now_us()):
            output.problem(line)
        told = _tell(checkpointer.result_faults, (), output)
        if arguments.follow:
            checkpoint = _follow(checkpointer, arguments.every or EVERY, within_s or SECONDS, output)
            _tell(checkpointer.result_faults, told, output)
    output.value(_as_json(checkpoint) | {"results_not_stated": [str(each) for each in checkpointer.result_faults]})
    output.text(checkpoint.text().rstrip("\n"))
    return Exit.INTEGRITY if checkpointer.result_faults else Exit.CLEAN


def _tell(faults: Sequence[IntegrityError], reported: Sequence[str], output: Output) -> list[str]:
    """Report unsigned results with the reason, each once; return all reports."""
    lines = [f"{each.code} {each}; these results were not stated" for each in faults]
    for line in lines:
        if line not in reported:
            output.problem(line)
    return [*reported, *lines]


def _store(address: str, log_id: str, patience_s: float, output: Output) -> CheckpointStore:
    """Open the checkpoints for writing, waiting for another writer to finish. Raises `SecondWriter` if it does not."""
    from events.errors import SecondWriter
    from rack.opening import checkpoints_at

    began, reported = time.monotonic(), False
    while True:
        try:
            return checkpoints_at(address, log_id=log_id)
        except SecondWriter as held:
            if time.monotonic() - began >= patience_s:
                raise
            if not reported:
                output.note(f"{held}; waiting up to {patience_s:.0f} s for it to finish")
                reported = True
            time.sleep(POLL_S)


def _follow(checkpointer: Checkpointer, every: int, within_s: int, output: Output) -> Checkpoint:
    """Sign until SIGINT or SIGTERM, which asks for a last checkpoint; another one, a second later, ends the process at once."""
    asked_at: list[float] = []

    def ask(*_: object) -> None:
        asked_at.append(time.monotonic())
        if asked_at[-1] - asked_at[0] > IMPATIENCE_S:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for checkpoint in checkpointer.follow(every, within_s, lambda: bool(asked_at)):
            output.note(_line(checkpoint))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    output.note("stopped; the last checkpoint promises no further one, and the next checkpoint continues from here")
    return checkpoint


def _line(checkpoint: Checkpoint) -> str:
    return f"signed {counted(checkpoint.size, 'statement')}, root {checkpoint.root.hex()[:16]}…"


def _as_json(checkpoint: Checkpoint) -> dict[str, Any]:
    return {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()}
