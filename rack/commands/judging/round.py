"""`rack round`: one recorded round as a transcript, with its verdict."""

from __future__ import annotations

import argparse

from rack.arguments import add, add_log, positive
from rack.errors import Exit
from rack.output import Output
from rack.settings import log_address

HELP = "Print one recorded round as a transcript, with its verdict"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(
        parser,
        "table TABLE",
        "Table id, such as fu-01; observed/fu-01 for a round that a person entered.",
        type=str.lower,
    )
    add(parser, "round ROUND", "Round number.", type=positive)
    add_log(parser)
    add(parser, "--rules FILE", "What-if: judge by this rules submission instead of the filed one.", type=str)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show the round; 1 if it has findings."""
    from desk.recorded_round import recorded_round
    from desk.review.state import review_of
    from rack.commands.judging.rules import read_submission
    from rack.opening import log_at
    from replay.incidents import incidents
    from replay.narrative.events import sentence
    from replay.narrative.ruling import ruling
    from replay.narrative.verdicts import RoundVerdict, narrate
    from replay.transcript.verdict_text import incident_values, verdict_lines

    log = log_at(log_address(arguments.log), read_only=True, check_heads=False)
    try:
        rules = read_submission(arguments.rules) if arguments.rules else None
        recorded = recorded_round(log, arguments.table, arguments.round, rules)
        disposed = review_of(log, arguments.table).disposed
    finally:
        log.close()
    judged = recorded.adjudication
    for broken in recorded.broken:
        output.problem(f"later in this stream: {broken}")
    if output.as_json:
        from msgspec import to_builtins

        events = [
            {
                "seq": event.seq,
                "type": event.type,
                "occurred_at_us": event.occurred_at_us,
                "source": event.source,
                "sentence": sentence(event.payload, recorded.currency),
                "payload": to_builtins(event.payload),
                "corrected_by": recorded.corrections[event.seq].seq if event.seq in recorded.corrections else None,
            }
            for event in recorded.events
        ]
        made = incidents(judged.findings)
        ruled = ruling(made, judged.settlements, judged.chapter, None, recorded.currency, disposed)
        account = narrate(RoundVerdict.of(judged), currency=recorded.currency, settled=ruled.settled)
        output.value(
            to_builtins(judged)
            | {
                "sentence": account.sentence,
                "incidents": [incident_values(incident, recorded.currency, disposed) for incident in made],
                "transcript": recorded.transcript(),
                "events": events,
            }
        )
    else:
        output.text(
            recorded.transcript().rstrip("\n"),
            "",
            *verdict_lines(judged, judged.chapter, currency=recorded.currency, disposed=disposed),
        )
    return Exit.FINDINGS if judged.findings else Exit.CLEAN
