"""`rack advise`: print the advice on every open round, as stored by the replay that follows the log."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from rack.arguments import add, add_log
from rack.errors import Exit
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from replay.advice import Advice

POLL_S = 0.2
"""How often the results are read."""

HELP = "Print what the wagers of open rounds are due, and what to correct now"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--follow", "Print what changes, until interrupted.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print the advice that a replay stored, with --json a line for each table; 1 if something must be corrected now."""
    from desk.recorded_round import currency_of
    from rack.opening import desk
    from replay.advice import advice_in

    known: dict[str, Advice] = {}
    with desk(log_address(arguments.log), read_only=True) as open_desk:
        currency = currency_of(open_desk.log)
        try:
            while True:
                given = advice_in(open_desk.results)
                for stream in sorted(given):
                    if given[stream] != known.get(stream):
                        _print(given[stream], currency, output)
                known = given
                if not arguments.follow:
                    break
                time.sleep(POLL_S)
        except KeyboardInterrupt:
            output.note("stopped")
    return Exit.FINDINGS if any(advice.warnings for advice in known.values()) else Exit.CLEAN


def _print(advice: Advice, currency: str, output: Output) -> None:
    from replay.narrative.advice import due_sentences, remedies, warning_sentences
    from replay.narrative.names import table_name

    output.line(advice)
    output.text(f"{table_name(advice.stream.partition('/')[2])} · round {advice.round_no:,} · {advice.phase}")
    output.text(*(f"  ! {line}" for line in [*warning_sentences(advice, currency), *remedies(advice, currency)]))
    output.text(*(f"  {line}" for line in due_sentences(advice, currency)))
