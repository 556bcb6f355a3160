"""`rack patrons`: the keyring behind patron tokens: make it, make tokens, begin a new epoch, erase."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from events.log.clock import utc_now_us
from rack.actions import Act, action_parsers, run_action
from rack.arguments import add, moment
from rack.errors import UsageError
from rack.output import Output, counted

if TYPE_CHECKING:
    from intake.patrons import Keyring

HELP = "Manage the keyring of patron tokens; card numbers are read from stdin, never from a flag"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    action = action_parsers(parser, _add_keyring)
    action("new", "Make a keyring.", _new)
    action("list", "List the epochs of a keyring.", _with_keyring(_list))
    token = action("token", "Print the tokens of cards.", _with_keyring(_token))
    rotate = action("rotate", "Begin a new epoch.", _with_keyring(_rotate))
    for each in (token, rotate):
        add(each, "--at TIME", "A time, such as 2026-07-01T00:00:00Z (default: now).", type=moment("--at"))
    action("erase", "Destroy the secrets of cards.", _with_keyring(_erase))
    destroy = action("destroy", "Destroy the key of an epoch.", _with_keyring(_destroy))
    add(destroy, "--epoch N", "The epoch.", type=int, required=True)


def _add_keyring(parser: argparse.ArgumentParser) -> None:
    add(parser, "--keyring FILE", "The keyring file (mode 0600).")


run = run_action
"""Carry it out."""


def _with_keyring(act: Callable[[Keyring, argparse.Namespace, Output], None]) -> Act:
    def acting(arguments: argparse.Namespace, output: Output) -> None:
        from intake.patrons import Keyring

        with Keyring(_named(arguments)) as keyring:
            act(keyring, arguments, output)

    return acting


def _named(arguments: argparse.Namespace) -> Path:
    if arguments.keyring is None:
        raise UsageError("name the keyring with --keyring FILE")
    file: Path = arguments.keyring
    return file


def _new(arguments: argparse.Namespace, output: Output) -> None:
    from intake.patrons import Keyring

    file = _named(arguments)
    Keyring.new(file).close()
    output.value({"keyring": str(file), "epoch": 1})
    output.text(f"{file}: keyring made; keep a copy away from the log")


def _token(keyring: Keyring, arguments: argparse.Namespace, output: Output) -> None:
    at_us = utc_now_us() if arguments.at is None else arguments.at
    tokens = [keyring.token(number, at_us) for number in _numbers()]
    output.value(tokens)
    output.text(*tokens)


def _rotate(keyring: Keyring, arguments: argparse.Namespace, output: Output) -> None:
    now_us = utc_now_us()
    since_us = now_us if arguments.at is None else arguments.at
    if since_us < now_us:
        raise UsageError(
            f"--at {_format_time(since_us)}: a new epoch must begin now or later, because past events already have tokens"
        )
    epoch = keyring.rotate(since_us)
    output.value({"epoch": epoch.number, "since": _format_time(epoch.since_us)})
    output.text(f"epoch {epoch.number} begins {_format_time(epoch.since_us)}")


def _erase(keyring: Keyring, arguments: argparse.Namespace, output: Output) -> None:
    erased = keyring.erase(_numbers())
    output.value({"erased": erased})
    output.text(f"{counted(erased, 'card')} erased; their tokens in the log can no longer be traced to a person")


def _destroy(keyring: Keyring, arguments: argparse.Namespace, output: Output) -> None:
    keyring.destroy(arguments.epoch)
    output.value({"destroyed": arguments.epoch})
    output.text(f"the key of epoch {arguments.epoch} is destroyed; delete its copies too")


def _list(keyring: Keyring, arguments: argparse.Namespace, output: Output) -> None:
    output.value(
        {
            "patrons": keyring.patrons,
            "epochs": [
                {"epoch": each.number, "since": _format_time(each.since_us), "destroyed": each.key is None}
                for each in keyring.epochs
            ],
        }
    )
    output.text(counted(keyring.patrons, "patron"))
    output.text(
        *(
            f"epoch {each.number} since {_format_time(each.since_us)}{'' if each.key else ': destroyed'}"
            for each in keyring.epochs
        )
    )


def _numbers() -> Iterator[str]:
    """Read card numbers, one for each line."""
    for place, line in enumerate(sys.stdin, 1):
        number = line.strip()
        if len(number) > 64 or not number.isprintable() or '"' in number or "\\" in number:
            raise UsageError(f"stdin:{place}: a card number has 1 to 64 characters, no quotes or backslashes")
        if number:
            yield number


def _format_time(at_us: int) -> str:
    return datetime.fromtimestamp(at_us // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at_us else "the beginning"
