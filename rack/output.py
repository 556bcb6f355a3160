"""All printing is here. Results go to stdout; progress, notes and problems to stderr.

With `--json` stdout carries one JSON value and nothing else. With `--quiet` stderr carries problems only.
"""

import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that a terminal may obey instead of showing them."""


class Output:
    """The output of one command."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._line_open = False
        self._drawn_at = 0.0

    def value(self, value: Any) -> None:
        """Print the result as JSON, if requested; structs become objects."""
        if self.as_json:
            print(_json(value, indent=2), flush=True)

    def line(self, value: Any) -> None:
        """Print one of many results as a line of JSON, if requested."""
        if self.as_json:
            print(_json(value), flush=True)

    def text(self, *lines: str) -> None:
        """Print the result as text, unless JSON was requested."""
        if not self.as_json:
            self._end_line()
            for line in lines:
                print(printable(line))
            sys.stdout.flush()

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "") -> None:
        """Print the result as a table; `empty` is printed if there are no rows."""
        shown = list(rows)
        self.text(*([empty] if empty and not shown else table(header, shown)))

    def note(self, line: str) -> None:
        """Print a note on stderr."""
        if not self.quiet:
            self._end_line()
            print(printable(line), file=sys.stderr, flush=True)

    def problem(self, line: str) -> None:
        """Print a problem on stderr, even when quiet."""
        self._end_line()
        print(printable(line), file=sys.stderr, flush=True)

    def progress(self, done: int, what: str) -> None:
        """Redraw the progress count, at most five times a second, on a terminal."""
        now = time.monotonic()
        if self.quiet or not sys.stderr.isatty() or now - self._drawn_at < 0.2:
            return
        self._drawn_at, self._line_open = now, True
        print(f"\r{done:,} {what} …\x1b[K", end="", file=sys.stderr, flush=True)

    def step(self, value: Any) -> None:
        """Print the progress as a line of JSON on stderr, for a program that requested it."""
        print(_json(value), file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        if self._line_open:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._line_open = False


def printable(text: str) -> str:
    """Return a text without terminal controls.

    Control characters (but not line breaks and tabs) and changes of direction become escapes. Texts come from receivers of
    webhooks, devices, files and patrons.

    >>> print(printable("404 \\x1b[2J\\u202e"))
    404 \\x1b[2J\\u202e
    """
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _json(value: Any, indent: int | None = None) -> str:
    """Return JSON with all control characters escaped, also those that are not ASCII."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_builtins)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _builtins(value: Any) -> Any:
    """Return a struct as JSON values."""
    from msgspec import to_builtins

    return to_builtins(value)


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun in the right number.

    >>> counted(1, "round"), counted(2400, "event"), counted(2, "box", "boxes")
    ('1 round', '2,400 events', '2 boxes')
    """
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table (`replay.narrative.text_table`)."""
    from replay.narrative import text_table  # `rack --help` loads nothing of what judges

    return text_table.table(header, rows)


def money(cents: int) -> str:
    """Return cents as dollars with the sign of the difference."""
    from replay.narrative import text_table

    return text_table.money(cents)


def unsigned(cents: int | None) -> str:
    """Return an amount as dollars without a sign; a dash if unknown."""
    return "–" if cents is None else money(cents).lstrip("+")
