"""`rack verify`: recompute every hash, root and signature of a log, and name the first break."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rack.actions import taken
from rack.arguments import add, add_log, given_path, is_given, option, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.verification.result import Request, Verification
    from desk.verification.steps import Watch
    from events.log.contract import EventLog

HELP = "Verify every event, root and signature of a log, or a file of `rack dispute`, `rack report` or `rack prove`"

OF_A_LOG = (
    *("log", "rounds", "verdicts", "since", "checkpoint", "witness", "gap", "by", "accept_loss", "report", "sign"),
    "progress",
)
"""The options that do not apply to a file."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(
        parser,
        "file FILE",
        "Verify this file of `rack dispute` (JSON or PDF), `rack report` (PDF) or `rack prove` with --key, without a log.",
        type=given_path,
        nargs="?",
    )
    add_log(parser)
    add(
        parser,
        "--key FILE",
        "The log's public key, as you received it; if several, each is trusted by itself, with the keys for which it vouches "
        "(repeatable; default: the keys that the log names).",
        action="append",
        default=[],
    )
    add(parser, "--verdicts", "Also judge every round again and compare every stored result, byte by byte.")
    add(parser, "--since", "Read only what came after the last verification on record, as far as a signed checkpoint covers it.")
    add(parser, "--rounds DIR", "Also derive this round table again and compare it.")
    add(
        parser,
        "--checkpoint FILE",
        "A checkpoint of this log that you took away, or a packet or proof with one: the log must still hold it (repeatable).",
        action="append",
        default=[],
    )
    add(parser, "--witness DIR", "Folder of a witness; needs --witness-key.")
    add(parser, "--witness-key FILE", "The witness's public key, as you received it.")
    add(
        parser,
        "--gap T",
        "Report every gap of more than this many seconds between checkpoints (default: the promised interval).",
        type=positive,
    )
    add(parser, "--by PERSON", "Who verifies, for the notice kept next to the log (default: the login name).")
    add(
        parser,
        "--accept-loss REASON",
        "Accept, in the name of --by and for this reason, that the log lacks what an earlier verification reached.",
    )
    add(parser, "--report FILE", "Also write what was verified, and what not, as a dated PDF.")
    add(parser, "--sign FILE", "The log's key file, to sign the report (default: RACK_KEY, if set).")
    add(parser, "--progress", "Report each stream on stderr, as a line of JSON.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Verify the log or a file; 4 if anything was changed."""
    if arguments.file is not None:
        return _check_file(arguments, output)
    request = _request(arguments)
    from desk.verification.verification import verify
    from desk.verification.words import as_json, lines
    from events.log.clock import utc_now_us
    from events.log.foreign import foreign_lines

    made = verify(request, _watching(arguments, output))
    for problem in (*made.problems, *(f"evidence can be lost: {fault.line()}" for fault in made.faults)):
        output.problem(problem)
    for note in made.notes:
        output.note(note)
    if arguments.report is not None:
        _write_report(arguments, made, output)
    for problem in foreign_lines(made.found.foreign):
        output.problem(problem)
    now_us = utc_now_us()
    output.value(as_json(made, now_us))
    output.text(*lines(made, now_us))
    return Exit.CLEAN if made.result.ok else Exit.INTEGRITY


def _request(arguments: argparse.Namespace) -> Request:
    """Return the request. Raises `UsageError` if the options do not go together."""
    if (arguments.witness is None) != (arguments.witness_key is None):
        raise UsageError("give --witness and --witness-key together: the folder, and the key that signed its checkpoints")
    _check_report_options(arguments)
    _check_acceptance(arguments)
    import os
    from getpass import getuser

    from desk.verification.result import Request
    from rack.opening import options_of

    address = log_address(arguments.log)
    sign = arguments.sign or (Path(os.environ["RACK_KEY"]) if os.environ.get("RACK_KEY") else None)
    request = Request(
        address=address,
        options=options_of(address),
        by=arguments.by or getuser().lower(),
        keys=arguments.key,
        checkpoints=arguments.checkpoint,
        cases=cases_folder(address),
        gap_s=arguments.gap,
        report=arguments.report is not None,
        sign=sign,
        **taken(arguments, "since", "verdicts", "rounds", "witness", "witness_key", "accept_loss"),
    )
    if request.since and (request.verdicts or request.rounds is not None or request.backend == "archive"):
        raise UsageError("--since reads only what is new; leave out --verdicts and --rounds, and verify an archive whole")
    return request


def _watching(arguments: argparse.Namespace, output: Output) -> Callable[[EventLog], Watch]:
    """Return a callback for the progress: a line on a terminal, or JSON if requested."""
    if not arguments.progress:
        return lambda log: lambda what, stream, count: output.progress(count, f"{what}, at {stream}")
    from msgspec.structs import asdict

    from desk.verification.steps import stepping

    return stepping(lambda step: output.step(asdict(step)))


def _check_file(arguments: argparse.Namespace, output: Output) -> Exit:
    """Check a packet, a report or a proof with only the given keys."""
    from desk.packet.bundle import MAX_BYTES
    from desk.verification.file import check_file
    from events.log.plain_file import read_plain
    from events.proofs.keys import read_public_key
    from events.proofs.signed_note import KeyKind

    for name in OF_A_LOG:
        if is_given(arguments, name):
            raise UsageError(f"a file is verified without the log; leave out {option(name)}, or FILE")
    if not arguments.key:
        raise UsageError("a file is verified with the log's public key; name the key file that you received with --key")
    keys = [read_public_key(path) for path in arguments.key]
    if arguments.witness_key is not None:
        keys.append(read_public_key(arguments.witness_key, KeyKind.WITNESS))
    checked = check_file(read_plain(arguments.file, MAX_BYTES + 1), keys, str(arguments.file))
    output.value(checked.values)
    output.text(*checked.lines)
    return Exit.FINDINGS if checked.differs else Exit.CLEAN


def _check_report_options(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if the report could not be written after the verification."""
    path = arguments.report
    if path is None:
        if arguments.sign is not None:
            raise UsageError("--sign signs the report of a verification; name the report's file with --report")
        return
    if path.exists():
        raise UsageError(f"{path} already exists, and a report is never overwritten; name another file with --report")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path.parent}: no such folder; expected one for the report")


def _write_report(arguments: argparse.Namespace, made: Verification, output: Output) -> None:
    """Write the report; a full disk does not lose the verification."""
    from desk.whole_files import write_whole

    if arguments.sign is not None and made.unsigned:
        output.problem(f"the report is not signed: {made.unsigned}")
    try:
        write_whole({arguments.report: made.pdf})
    except OSError as error:
        output.problem(f"{error.filename}: {error.strerror}; there is no report of this verification, and its result stands")
    else:
        output.note(f"{arguments.report}: the report of this verification")


def _check_acceptance(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if a loss is accepted without a name or a reason, or without reading everything."""
    if arguments.accept_loss is None:
        return
    if not arguments.accept_loss.strip() or len(arguments.accept_loss) > 2_000:
        raise UsageError("--accept-loss needs the reason why the log lacks events, in at most 2,000 characters")
    if not (arguments.by or "").strip():
        raise UsageError("--accept-loss is a person's decision; name the person with --by")
    if arguments.since:
        raise UsageError("--accept-loss needs the whole log to be read; leave out --since")
