"""`rack completion`: a script that makes a shell complete commands and options."""

import argparse

from rack.arguments import add
from rack.errors import Exit
from rack.output import Output

HELP = "Print the completion script for a shell"
SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "shell", "The shell that loads the script (docs/operator-guide.md).", choices=SHELLS)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print the script."""
    import shtab

    from rack.cli import build_parser

    script = shtab.complete(build_parser(), shell=arguments.shell)
    output.value(script)
    output.text(script)
    return Exit.CLEAN
