"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rack.errors import UsageError


def output_flags() -> argparse.ArgumentParser:
    """Return a parent with `--json` and `--quiet`, which every command and action takes."""
    flags = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    flags.add_argument("--json", action="store_true", help="print the result as JSON, and nothing else, on stdout")
    flags.add_argument("--quiet", action="store_true", help="print no progress and no notes on stderr")
    return flags


def add_log(parser: argparse.ArgumentParser) -> None:
    """Add `--log`."""
    parser.add_argument(
        "--log", metavar="ADDR", help="the log: sqlite:///path/file.db or kafka://host:port/prefix (default: RACK_LOG)"
    )


def positive(text: str) -> int:
    """Read a number from 1 on, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got {text}")
    return number


def as_of(values: Sequence[str]) -> tuple[dict[str, int], int | None]:
    """Read `--as-of`: stream=seq any number of times, or one time. Returns positions and the time in UTC microseconds.

    >>> as_of(["table/fu-01=120", "meter/m-1=7"])
    ({'table/fu-01': 120, 'meter/m-1': 7}, None)
    >>> as_of(["2026-03-01T21:14:00Z"])
    ({}, 1772399640000000)
    """
    from datetime import UTC, datetime

    positions: dict[str, int] = {}
    at_us: int | None = None
    for value in values:
        stream, equals, seq = value.partition("=")
        if equals:
            if not (seq.isascii() and seq.isdigit()):
                raise UsageError(f"--as-of {value}: expected stream=seq, as in table/fu-01=120")
            positions[stream] = int(seq)
            continue
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise UsageError(
                f"--as-of {value}: expected stream=seq (table/fu-01=120) or a time (2026-03-01T21:14:00Z)"
            ) from None
        if moment.tzinfo is None:
            raise UsageError(f"--as-of {value}: name the time zone (2026-03-01T21:14:00Z, or …-05:00)")
        if at_us is not None:
            raise UsageError("--as-of: give one time only")
        delta = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        at_us = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    if positions and at_us is not None:
        raise UsageError("--as-of: give positions or a time, not both")
    return positions, at_us
