"""`rack verdicts`: the changes of a shadow, and its adoption by two people."""

from __future__ import annotations

import argparse
from collections import deque
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

from rack.actions import action_parsers, add_person, run_action, taken
from rack.arguments import add, add_log
from rack.errors import Exit, require_extras
from rack.output import Output
from rack.settings import key_file, log_address

if TYPE_CHECKING:
    from desk.shadows.adopting import WorkAgain
    from desk.shadows.difference import DifferenceGroup, DifferenceGroups
    from events.log.contract import EventLog, ResultStore

HELP = "List what judging by this program's engine would change, and adopt it"

EPILOG = """\
`rack replay --shadow NAME` makes the shadow. Adopting and signing need the role `compliance` in the register of persons.
Exit code of diff: 1 if anything differs."""

AT_WORK_S = 3.0
"""The time that an unseen replayer of a log on Kafka has to put an adoption in force before the command does so."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    action = action_parsers(parser, add_log)
    diff = action("diff", "List every verdict, finding, amount due and calculation that differs, by rule and decision.", _diff)
    adopt = action("adopt", "Put a shadow's verdicts in force; needs two people.", _adopt)
    for each in (diff, adopt):
        add(each, "name NAME", "The shadow.")
    add(diff, "--csv FILE", "Write every line to a new file.")
    add(diff, "--report FILE", "Write a signed report (PDF) to a new file.")
    add(diff, "--key FILE", "The log's key file (default: RACK_KEY, or the demo's key).")
    add_person(adopt, reason="Why it is adopted.")
    add(adopt, "--signed-by PERSON", "The second person, who signs it.", required=True)


run = run_action
"""Carry it out; `diff` is 1 if anything differs, 4 if the shadow was altered."""


def _diff(arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.shadows.adopting import adopted_work, work
    from desk.shadows.difference import DifferenceGroups, differences
    from desk.shadows.report import write_lines
    from rack.opening import desk, shadow_at
    from replay.narrative.names import plural
    from replay.run.shadow import shadow_digest

    if arguments.report is not None:
        require_extras("verdicts diff --report FILE")
    address, groups = log_address(arguments.log), DifferenceGroups()
    with desk(address, read_only=True) as opened, closing(shadow_at(address, arguments.name, read_only=True)) as shadow:
        lines = groups.counting(differences(shadow, opened.results))
        if arguments.csv is not None:
            write_lines(arguments.csv, lines)
        else:
            deque(lines, maxlen=0)
        decided, digest = [*work(opened, shadow, opened.results), *adopted_work(opened)], shadow_digest(shadow)
        if arguments.report is not None:
            _report(arguments, address, opened.log, groups, decided, digest)
    found = groups.all()
    output.value({"shadow": arguments.name, "sha256": digest, "rounds": groups.rounds, "groups": found, "work": decided})
    rows = [
        (each.game or "–", each.kind, each.change, each.rule, each.cite or "–", each.decision or "–", *_sums(each))
        for each in found
    ]
    output.text(f"{plural(groups.rounds, 'round')} judged otherwise; shadow {arguments.name}, SHA-256 {digest}")
    output.table(("game", "what", "change", "rule", "section", "decision", "lines", "up", "down"), rows)
    if decided:
        todo = [(each.table, each.round_no, each.what, each.decided, each.why) for each in decided]
        output.text("", "Decided on these rounds:")
        output.table(("table", "round", "decided on", "state", "verdict"), todo)
    return Exit.FINDINGS if found else Exit.CLEAN


def _sums(group: DifferenceGroup) -> tuple[object, ...]:
    from rulebook.chapters.money import show_money

    return group.lines, *(show_money(cents) if cents else "–" for cents in (group.up_cents, group.down_cents))


def _report(
    arguments: argparse.Namespace, address: str, log: EventLog, groups: DifferenceGroups, decided: list[WorkAgain], digest: str
) -> None:
    from desk.recorded_round import property_configured
    from desk.report.document import signed_pdf
    from desk.shadows.report import difference_report, recorded_until
    from replay.run.engine import engine

    report = difference_report(
        arguments.name,
        groups,
        decided,
        property_configured(log),
        log_id=log.log_id,
        software=engine(),
        as_of_us=recorded_until(log),
        facts=(f"The shadow has SHA-256 {digest}; {groups.rounds:,} rounds differ.",),
    )
    pdf = signed_pdf(report, log, key_file(arguments.key, address))
    with arguments.report.open("xb") as opened:
        opened.write(pdf)


def _adopt(arguments: argparse.Namespace, output: Output) -> None:
    from desk.house.filing import Office
    from desk.shadows.adopting import adopt
    from rack.opening import house_log, now_us, register_of, results_at, shadow_at
    from replay.narrative.names import plural

    address = log_address(arguments.log)
    with ExitStack() as opened:
        log = opened.enter_context(house_log(arguments.log))
        results = opened.enter_context(closing(results_at(address, read_only=True)))
        shadow = opened.enter_context(closing(shadow_at(address, arguments.name, read_only=True)))
        office = Office(log, register_of(arguments.log), now_us())
        made = adopt(office, shadow, results, **taken(arguments, "name", "by", "signed_by", "reason"))
    output.value(made)
    output.text(f"adopted as event {made.seq} of property/main: {plural(made.changed, 'verdict')} changed, SHA-256 {made.sha256}")
    _put_in_force(address, made.seq, output)


def _put_in_force(address: str, seq: int, output: Output) -> None:
    """Run a replay that puts the adoption with this number in force; a running replayer does so itself."""
    from functools import partial

    from events.errors import SecondWriter
    from events.open import parse_address
    from rack.opening import log_at, results_at, shadow_at
    from replay.run.replayer import replay
    from replay.run.shadow import Adoptions

    with closing(log_at(address, read_only=True, check_heads=False)) as log:
        adoptions, summary = Adoptions(partial(shadow_at, address, read_only=True)), None
        with suppress(SecondWriter), closing(results_at(address)) as results:
            if not _is_read(results, seq, AT_WORK_S if parse_address(address)[0] == "kafka" else 0.0):
                summary = replay(log, results, adoptions=adoptions)
    if summary is None:
        output.note("the replayer at work puts it in force")
        return
    for line in summary.judged_again:
        output.problem(line)
    if not summary.held:
        output.text(f"in force: {', '.join(f'{count:,} {name}' for name, count in summary.verdicts.items())}")


def _is_read(results: ResultStore, seq: int, within_s: float) -> bool:
    """Return whether a replayer with this engine commits up to an event of the property within this time."""
    import time

    from events.proofs.keys import PROPERTY_STREAM
    from replay.run.positions import stored_state

    until = time.monotonic() + within_s
    while time.monotonic() < until:
        read = stored_state(results).positions.get(PROPERTY_STREAM)
        if read is not None and read.seq >= seq:
            return True
        time.sleep(0.2)
    return False
