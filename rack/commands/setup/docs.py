"""`rack docs`: the documents of this version, in an installed copy too."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from rack.arguments import add
from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "Print a document that a message or a help names (docs/NAME.md), or list all of them"
INSTALLED = ("share", "doc", "discard-rack")
"""The folder of the documents in an environment."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "name NAME", "The document, such as alarms or docs/alarms.md.", nargs="?")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print a document, or the names and titles of all."""
    pages = documents()
    if arguments.name is None:
        titles = {name: path.read_text("utf-8").partition("\n")[0].lstrip("# ") for name, path in pages.items()}
        output.value(titles)
        output.text(*(f"{name:24}{title}" for name, title in titles.items()))
        return Exit.CLEAN
    path = pages.get(arguments.name.removeprefix("docs/").removesuffix(".md"))
    if path is None:
        raise UsageError(f"{arguments.name}: no such document; `rack docs` lists them")
    output.value(path.read_text("utf-8"))
    output.text(path.read_text("utf-8").rstrip())
    return Exit.CLEAN


def documents() -> Mapping[str, Path]:
    """Return the documents by name: of the checkout, or those that were installed."""
    folder = Path(__file__).parents[3] / "docs"
    if folder.is_dir():
        return {path.stem: path for path in sorted(folder.glob("*.md"))}
    from importlib.metadata import files

    installed = [file for file in files("discard-rack") or () if file.parts[-4:-1] == INSTALLED]
    return {file.stem: Path(str(file.locate())) for file in sorted(installed)}
