"""`rack docs`: the documents of this version and their parts, those with only a summary in `docs/` made whole."""

import argparse
from collections.abc import Callable, Mapping

from desk.documents import decisions, documents, findings, parts, place_of
from rack.arguments import add
from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "Print a document that a message names (docs/NAME.md), a finding (PAY-UNDER) or a decision (D13), or list all documents"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    words = "The document, such as alarms, docs/alarms.md or alarms#severity; the code of a finding; the number of a decision."
    add(parser, "name NAME", words, nargs="?")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print a document or a part of one, or the names and titles of all."""
    pages = documents()
    if arguments.name is None:
        titles = {name: path.read_text("utf-8").partition("\n")[0].lstrip("# ") for name, path in pages.items()}
        output.value(titles)
        output.text(*(f"{name:24}{title}" for name, title in titles.items()))
        return Exit.CLEAN
    name, anchor = place_of(arguments.name)
    if name not in pages:
        raise UsageError(f"{arguments.name}: no such document; `rack docs` lists them")
    text = WHOLE[name]() if name in WHOLE else pages[name].read_text("utf-8")
    part = text if anchor is None else parts(text).get(anchor)
    if part is None:
        raise UsageError(f"{arguments.name}: docs/{name}.md has no such part")
    output.value(part)
    output.text(part.rstrip())
    return Exit.CLEAN


def _events() -> str:
    from events.vocabulary.schema import table_text

    return table_text()


def _warehouse() -> str:
    from analytics.warehouse.columns import summary

    return summary()


WHOLE: Mapping[str, Callable[[], str]] = {
    "decisions": decisions,
    "events": _events,
    "findings": findings,
    "warehouse": _warehouse,
}
"""Documents that are made here whole, by name."""
