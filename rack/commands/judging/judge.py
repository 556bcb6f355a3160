"""`rack judge`: the amount due for each wager of a transcript."""

import argparse

from rack.arguments import add
from rack.errors import Exit
from rack.output import Output

HELP = "Judge a transcript: what each wager should have paid"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "file FILE", "A transcript (docs/transcript.md); - reads stdin.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Judge the transcript; 1 if something differs from the rules."""
    from replay.transcript.file import read_text, rules_beside
    from replay.transcript.transcript import judge
    from replay.transcript.verdict_text import judged_values, lines_of, verdict_lines

    text, source = read_text(arguments.file)
    judged = judge(text, source, rules_beside(arguments.file))
    if output.as_json:
        output.value(judged_values(judged))
    for number, each in enumerate(judged):
        if len(judged) > 1:
            output.text(*([""] if number else []), f"table {each.table} round {each.round_no}")
        output.text(*verdict_lines(each.conclusion, each.book.chapter.key, lines_of(source, each.lines)))
    return Exit.FINDINGS if any(each.conclusion.findings for each in judged) else Exit.CLEAN
