"""A transcript in a file or from stdin, and the rules submissions that it names, which lie next to it."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from events.vocabulary.card_numbers import hidden_in_text
from rulebook.chapters.submission import MAX_TEXT

MAX_BYTES = 32 * 1024 * 1024


class TranscriptUnreadable(ValueError):
    """A file has no readable transcript; the message says what was expected."""


def read_text(file: str) -> tuple[str, str]:
    """Return a text without card numbers, and what to call it. Raises `TranscriptUnreadable` if none exists in UTF-8."""
    try:
        if file == "-":
            return hidden_in_text(_bounded(sys.stdin.buffer, "stdin").decode("utf-8-sig")), "stdin"
        with Path(file).open("rb") as content:
            return hidden_in_text(_bounded(content, file).decode("utf-8-sig")), file
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise TranscriptUnreadable(f"{file}:{line}: expected a transcript in UTF-8, {error.reason}; save it as UTF-8") from error
    except FileNotFoundError:
        raise TranscriptUnreadable(f"{file}: no such file; expected a transcript") from None


def _bounded(content: BinaryIO, file: str) -> bytes:
    text = content.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise TranscriptUnreadable(f"{file}: a transcript has at most {MAX_BYTES:,} bytes; divide it between two rounds")
    return text


def rules_beside(file: str) -> Callable[[str], str]:
    """Return a reader of the rules submissions that a transcript names, from files next to it."""
    folder = Path.cwd() if file == "-" else Path(file).parent

    def read(name: str) -> str:
        with (folder / name).open(encoding="utf-8") as text:
            return text.read(MAX_TEXT + 1)  # one that is longer is refused by that

    return read
