"""`rack demo`: the whole way once, on a simulated gaming day whose faults are known."""

from __future__ import annotations

import argparse
from typing import Any

from rack import settings
from rack.arguments import add, positive
from rack.errors import Exit
from rack.output import Output, money, table

HELP = "Simulate a gaming day with planted faults, replay it, and compare findings with faults"

ROUNDS_OF_SEVERAL_GAMES = 1_200
"""Rounds of each game if several are played: enough to plant every fault twice."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "--seed", "Seed of the simulation (default: %(default)s).", type=int, default=settings.DEMO_SEED)
    add(
        parser,
        "--games NAMES",
        "Games, by name and separated by commas, or all (default: Face Up Pai Gow).",
        default="",
    )
    add(
        parser,
        "--rounds",
        f"Rounds of each game (default: {settings.DEMO_ROUNDS}; {ROUNDS_OF_SEVERAL_GAMES} with several games).",
        type=positive,
    )
    add(parser, "--out DIR", "Folder for the results (default: RACK_OUT, or demo).")
    add(parser, "--log ADDR", "An empty log to use instead of floor.db in DIR.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Run the demo; 0 if every planted fault was found and nothing else, 1 otherwise."""
    from rack import demo

    out = arguments.out or settings.load().out
    games = demo.parse_games(arguments.games)
    rounds = arguments.rounds or (settings.DEMO_ROUNDS if len(games) == 1 else ROUNDS_OF_SEVERAL_GAMES)
    done = demo.run(arguments.seed, rounds, out, arguments.log, output, games)
    report = demo.report(done)
    demo.write_report(out, report)
    output.value(report)
    output.text(*lines(report))
    return Exit.CLEAN if done.perfect else Exit.FINDINGS


def lines(report: dict[str, Any]) -> list[str]:
    """Return the report as text."""
    from replay.narrative.names import plural

    findings, planted, found = report["findings"], report["planted"], report["found"]
    codes = sorted({*findings, *planted})
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in report["verdicts"].items())
    return [
        f"{report['events']:,} events, {report['rounds']:,} rounds: {verdicts}",
        "",
        *table(
            ("code", "planted", "found", "findings"),
            [(code, planted.get(code, 0), found.get(code, 0), findings.get(code, 0)) for code in codes],
        ),
        "",
        *_legitimate(report["legitimate"]),
        f"incidents     {report['incidents']:>10,} in {plural(sum(findings.values()), 'finding')}",
        f"missed        {report['missed']:>10,} of {sum(planted.values()):,} planted faults{_codes(report['missed_codes'])}",
        f"false alarms  {report['false_alarms']:>10,}{_codes(report['false_alarm_codes'])}",
        *_audit(report["audit"]),
        f"overpaid      {money(report['overpaid_cents']).lstrip('+'):>10}",
        f"underpaid     {money(report['underpaid_cents']).lstrip('+'):>10}",
        f"appended      {report['events_per_s']:>10,} events per second, each durable before it is acknowledged",
        f"replayed      {report['rounds_per_s']:>10,} rounds per second",
        *(f"  missed: {_place(label)}" for label in report["missed_faults"]),
        *(f"  false alarm: {_place(finding)}" for finding in report["false_alarm_findings"]),
        "",
        f"verify: rack verify --log {report['log']} --key {report['out']}/demo.key.pub",
        f"log {report['log']}; results in {report['out']}/. Next: rack dashboard --out {report['out']}",
    ]


def _legitimate(times: dict[str, int]) -> list[str]:
    return [*table(("handled correctly (no finding expected)", "times"), list(times.items())), ""] if times else []


def _audit(audit: dict[str, Any] | None) -> list[str]:
    if audit is None:
        return []
    found = audit["planted"] - audit["missed"]
    return [
        f"audit         {found:>10,} of {audit['planted']:,} errors found in {audit['entered']:,} rounds of "
        f"{audit['dealer'].upper()} that a person entered, {audit['false_alarms']:,} false alarms; {audit['sentence']}"
    ]


def _codes(counts: dict[str, int]) -> str:
    return f" ({', '.join(f'{code} {count:,}' for code, count in counts.items())})" if counts else ""


def _place(said: dict[str, Any]) -> str:
    seat = "" if said["seat"] is None else f" seat={said['seat']}"
    wager = "" if said["wager"] is None else f" wager={said['wager']}"
    return f"{said['code']} {said['stream']} round {said['round_no']}{seat}{wager}"
