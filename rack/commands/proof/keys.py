"""`rack keys`: make a key, list the keys of a log, or replace a key. Private keys stay in files of mode 0600."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rack.actions import action_parsers, run_action
from rack.arguments import add, add_log, given_path, is_given, option
from rack.errors import UsageError
from rack.output import Output, table
from rack.settings import log_address

if TYPE_CHECKING:
    from desk.keys import KeyBook
    from events.proofs.signed_note import PublicKey

HELP = "Make the keys that sign checkpoints, list the keys of a log, or replace a key"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    action = action_parsers(parser)
    new = action("new", "Make a key for a log and publish it there, or make a witness's key.", _new)
    listed = action("list", "List the keys of a log.", _list)
    rotate = action("rotate", "Make a new key, publish it, and retire the key in force.", _rotate)
    add(new, "file FILE", "The new key file; the public key goes to FILE.pub.", type=given_path)
    add(rotate, "file FILE", "The new key file.", type=given_path)
    for each in (new, listed, rotate):
        add_log(each)
    for each, what in ((new, "publishes"), (rotate, "replaces")):
        add(each, "--by WHO", f"Who {what} the key.", required=each is rotate)
        add(each, "--existing", "Publish the existing key in FILE, such as a key in a device or service.")
    add(new, "--witness NAME", "Make a witness's key of this name instead; no log is changed.")
    add(rotate, "--reason REASON", "Why the key is replaced.", required=True)
    add(rotate, "--old FILE", "The old key file, which vouches for the new key; without it, give auditors the new public key.")


run = run_action
"""Do what was asked; 2 if the log has a key already, or none to replace."""


def _new(arguments: argparse.Namespace, output: Output) -> None:
    if not arguments.witness:
        _publish(arguments, output, lambda book: book.add_first)
        return
    for name in ("log", "by", "existing"):
        if is_given(arguments, name):
            raise UsageError(f"a witness's key is not published in a log; leave out {option(name)}, or --witness")
    from events.proofs.keys import new_key
    from events.proofs.signed_note import KeyKind

    made = new_key(arguments.file, arguments.witness, KeyKind.WITNESS).public_key
    _print_key(str(made), arguments.file, output)


def _rotate(arguments: argparse.Namespace, output: Output) -> None:
    _publish(arguments, output, lambda book: partial(book.replace, reason=arguments.reason, old=arguments.old))


def _publish(
    arguments: argparse.Namespace, output: Output, way: Callable[[KeyBook], Callable[..., tuple[PublicKey, int]]]
) -> None:
    """Publish a key by a method of the key book."""
    from desk.keys import KeyBook
    from rack.opening import log_at

    if arguments.by is None:
        raise UsageError("name who publishes the key with --by (a-z, 0-9 and -), or a witness with --witness")
    if not re.fullmatch(r"[a-z0-9-]{1,32}", arguments.by):
        raise UsageError(f"--by {arguments.by!r}: expected 1 to 32 of a-z, 0-9 and -")
    with closing(log_at(log_address(arguments.log))) as log:
        made, seq = way(KeyBook(log))(arguments.file, arguments.by, existing=arguments.existing)
    _print_key(str(made), arguments.file, output, seq)


def _print_key(text: str, file: Path, output: Output, seq: int | None = None) -> None:
    output.value({"public_key": text, "file": str(file), "event": seq})
    where = "" if seq is None else f", published with property/main event {seq}"
    output.text(f"{file}: a new key{where}; its public key:", text)


def _list(arguments: argparse.Namespace, output: Output) -> None:
    from events.proofs.keys import PROPERTY_STREAM, KeyRing
    from rack.opening import log_at

    with closing(log_at(log_address(arguments.log), read_only=True)) as log:
        ring = KeyRing()
        for record in log.read(PROPERTY_STREAM):  # a break is raised: no key after it is listed
            ring.add(record)
    output.value([entry.values() for entry in ring.entries])
    if not ring.entries:
        output.text("The log has no keys; make the first with `rack keys new`.")
        return
    rows = [
        (each.key.id.hex(), f"event {each.published}", f"event {each.retired}" if each.retired else "in force", each.vouched_for)
        for each in ring.entries
    ]
    output.text(*table(("key", "published", "retired", "vouched for"), rows), *(str(each.key) for each in ring.entries))
