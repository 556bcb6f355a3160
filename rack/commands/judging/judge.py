"""`rack judge`: what each wager should have paid, from a transcript."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rack.arguments import add
from rack.errors import Exit, UsageError
from rack.output import Output

if TYPE_CHECKING:
    from replay.findings import Finding
    from replay.transcript.transcript import JudgedRound

HELP = "Judge a transcript: what each wager should have paid"

MAX_BYTES = 32 * 1024 * 1024
GRAVEST_FIRST = ("VARIANCE", "UNDETERMINED", "VOID", "UPHELD")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "file FILE", "A transcript (docs/transcript.md); - reads stdin.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Judge the transcript; 1 if something was done otherwise than the rules say."""
    from replay.transcript.transcript import judge
    from replay.transcript.verdict_text import verdict_lines

    text, source = read_text(arguments.file)
    judged = judge(text, source, rules_beside(arguments.file))
    if output.as_json:
        output.value(as_json(judged))
    for number, each in enumerate(judged):
        if len(judged) > 1:
            output.text(*([""] if number else []), f"table {each.table} round {each.round_no}")
        output.text(*verdict_lines(each.conclusion, each.book.chapter.key, lines_of(source, each.lines)))
    return Exit.FINDINGS if any(each.conclusion.findings for each in judged) else Exit.CLEAN


def lines_of(source: str, lines: Mapping[int, int]) -> Callable[[Finding], str]:
    """Return a function that names the evidence of a finding by lines of the transcript."""

    def where(finding: Finding) -> str:
        numbers = sorted({lines[seq] for seq in finding.evidence if seq in lines})
        return f"{source} line {', '.join(map(str, numbers))}"

    return where


def as_json(judged: Sequence[JudgedRound]) -> dict[str, Any]:
    """Return the verdict as JSON values: of the file as a whole, and of each round."""
    from msgspec import to_builtins

    from replay.incidents import incidents
    from replay.narrative.verdicts import RoundVerdict, narrate
    from replay.transcript.verdict_text import incident_values

    rounds = [
        {
            "table": each.table,
            "round": each.round_no,
            "sentence": narrate(RoundVerdict.of(each.conclusion)).sentence,
            "incidents": [incident_values(incident, "USD") for incident in incidents(each.conclusion.findings)],
        }
        | to_builtins(each.conclusion)
        for each in judged
    ]
    whole: dict[str, Any] = {"verdict": min((each["verdict"] for each in rounds), key=GRAVEST_FIRST.index)}
    for key in ("settlements", "findings", "undetermined"):
        whole[key] = [value for each in rounds for value in each[key]]
    return whole | {"rounds": rounds}


def read_text(file: str) -> tuple[str, str]:
    """Return a text without card numbers, and what to call it. Raises `UsageError` if none exists in UTF-8."""
    from events.vocabulary.card_numbers import hidden_in_text

    try:
        if file == "-":
            return hidden_in_text(_bounded(sys.stdin.buffer, "stdin").decode("utf-8-sig")), "stdin"
        with Path(file).open("rb") as content:
            return hidden_in_text(_bounded(content, file).decode("utf-8-sig")), file
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file}:{line}: expected a transcript in UTF-8, {error.reason}; save it as UTF-8") from error
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file; expected a transcript") from None


def _bounded(content: BinaryIO, file: str) -> bytes:
    text = content.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise UsageError(f"{file}: a transcript has at most {MAX_BYTES:,} bytes; divide it between two rounds")
    return text


def rules_beside(file: str) -> Callable[[str], str]:
    """Return what reads the rules submissions that a transcript names: they lie next to it."""
    from rulebook.chapters.submission import MAX_TEXT

    folder = Path.cwd() if file == "-" else Path(file).parent

    def read(name: str) -> str:
        with (folder / name).open(encoding="utf-8") as text:
            return text.read(MAX_TEXT + 1)  # one that is longer is refused by that

    return read
