"""`rack replay`: judge every new round of a log, and store the verdicts next to it."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desk.whole_files import named_errors
from rack import worker_pool
from rack.arguments import add, add_log, as_of
from rack.errors import Exit, UsageError
from rack.output import Output, counted, table
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog, ResultStore
    from replay.run.replayer import Summary
    from replay.run.shadow import Adoptions
    from whatif.kept_table import KeptTable

HELP = "Judge every new round of a log and store the verdicts next to it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(
        parser,
        "--as-of WHEN",
        "Judge the log as it was then: stream=seq (repeatable), or a time such as 2026-03-01T21:14:00Z.",
        action="append",
        default=[],
    )
    add(parser, "--rules FILE", "What-if: judge by this rules submission instead of the filed ones; stores nothing.", type=str)
    add(
        parser,
        "--again",
        "Judge the whole log again from its first event, restore results that were altered or are missing, and revise "
        "verdicts of earlier versions that differ.",
    )
    add(parser, "--follow", "Keep judging new rounds until interrupted.")
    add(parser, "--group NAME", "with --follow, on Kafka: share the partitions with every replayer of this group.")
    add(parser, "--verdicts FILE", "Store the verdicts in this file instead of next to the log.")
    add(
        parser,
        "--shadow NAME",
        "Judge rounds of an earlier engine again, into separate results; `rack verdicts` shows and adopts them.",
    )
    add(parser, "--warehouse FILE", "Build this warehouse from the results; with --follow, renew it every second.")
    add(parser, "--rounds DIR", "Keep the round table in this folder while judging, as `rack rounds` would make it.")
    worker_pool.add_arguments(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Replay; 1 if there are findings, 4 if a stream is broken. `--as-of` and `--rules` store nothing."""
    from desk.verification.any_log import lost_tails
    from rack.opening import log_at, report_clock, report_store_faults, results_at
    from replay.run.replayer import MemoryResults

    worker_pool.check(arguments)
    if worker_pool.is_asked_for(arguments) and (arguments.follow or arguments.as_of or arguments.rules):
        raise UsageError("--workers and --engine judge what is stored now; leave out --follow, --as-of and --rules")
    if arguments.shadow is not None:
        return _replay_shadow(arguments, output)
    what_if = bool(arguments.rules or arguments.as_of)
    stores = arguments.follow, arguments.warehouse, arguments.rounds, arguments.again, arguments.verdicts
    if what_if and any(stores):
        raise UsageError("--as-of and --rules store nothing; leave out --again, --follow, --verdicts, --warehouse and --rounds")
    address = log_address(arguments.log)
    if arguments.group is not None:
        _check_group(arguments, address)
    options = {"read_only": True} if arguments.group is not None else {}
    with closing(log_at(address, read_only=True, check_heads=False)) as log:
        report_store_faults(log, output)
        report_clock(log, output)
        with closing(MemoryResults() if what_if else results_at(address, arguments.verdicts, **options)) as results:
            if arguments.group is not None:
                summary = _replay_in_group(address, arguments.group, results, output)
            else:
                summary = _judge(arguments)(log, results, arguments, output)
            summary.integrity += [lost for lost in lost_tails(log) if lost not in summary.integrity]
            if arguments.warehouse:
                from analytics.warehouse.keeper import build_what_can_be_read

                broken = build_what_can_be_read(arguments.warehouse, log, results)
                summary.integrity += [line for line in broken if line not in summary.integrity]
    if not arguments.follow:  # who follows has said them as they came
        _ReplayNews(output).problems(summary)
    _report(summary, output)
    if summary.integrity:
        return Exit.INTEGRITY
    return Exit.FINDINGS if summary.findings else Exit.CLEAN


def _replay_shadow(arguments: argparse.Namespace, output: Output) -> Exit:
    """Judge next to the verdicts in force; 4 if a stream is broken."""
    from rack.opening import log_at, results_at, shadow_at
    from replay.narrative.names import plural
    from replay.run.shadow import judge_beside

    others = ("as_of", "rules", "again", "follow", "group", "verdicts", "warehouse", "rounds", "workers", "engine")
    if any(getattr(arguments, name, None) for name in others):
        raise UsageError("--shadow leaves the verdicts in force as they are, and takes no other option but --log")
    address = log_address(arguments.log)
    with (
        closing(log_at(address, read_only=True, check_heads=False)) as log,
        closing(results_at(address, None, read_only=True)) as results,
        closing(shadow_at(address, arguments.shadow)) as shadow,
    ):
        summary = judge_beside(
            log, results, shadow, lambda events, rounds: output.progress(rounds, f"rounds judged, {events:,} events read")
        )
    for line in summary.integrity:
        output.problem(line)
    if output.as_json:
        output.value(summary)
    before = f", {summary.before} judged before" if summary.before else ""
    output.text(
        f"{summary.events:,} events read, {summary.rounds:,} rounds judged in {plural(summary.streams, 'stream')}{before}",
        f"the verdicts on {plural(summary.changed, 'round')} differ; `rack verdicts diff {arguments.shadow}` lists them",
    )
    return Exit.INTEGRITY if summary.integrity else Exit.CLEAN


def _adoptions(arguments: argparse.Namespace) -> Adoptions | None:
    """Return a reader of adopted verdicts; None if the replay does not work on the verdicts in force."""
    from rack.opening import shadow_at
    from replay.run.shadow import Adoptions

    if arguments.verdicts or arguments.as_of or arguments.rules:
        return None
    return Adoptions(partial(shadow_at, log_address(arguments.log), read_only=True))


def _judge(arguments: argparse.Namespace) -> Callable[[EventLog, ResultStore, argparse.Namespace, Output], Summary]:
    """Return the judge that the arguments ask for."""
    if arguments.follow:
        return _follow
    return _replay_in_processes if worker_pool.is_asked_for(arguments) else _replay_new


def _replay_in_processes(log: EventLog, results: ResultStore, arguments: argparse.Namespace, output: Output) -> Summary:
    """Judge in several processes, each one stream at a time."""
    from events.open import parse_address
    from rack.opening import results_at
    from whatif.workers.streams import judge_in_units

    address = log_address(arguments.log)
    if parse_address(address)[0] == "kafka":
        raise UsageError(
            "--workers and --engine are for a log in files; on Kafka start several replayers with --follow --group NAME"
        )
    stored = partial(results_at, address, arguments.verdicts, read_only=True)
    with worker_pool.pool(arguments, address) as pool:
        return judge_in_units(
            log,
            results,
            pool,
            stored,
            again=arguments.again,
            progress=lambda events, rounds: output.progress(rounds, f"rounds judged, {events:,} events read"),
            rounds=_rounds(log, arguments.rounds),
        )


def _replay_new(log: EventLog, results: ResultStore, arguments: argparse.Namespace, output: Output) -> Summary:
    from rack.commands.judging.rules import read_submission
    from replay.run.replayer import replay, resolve_time

    positions, at_us = as_of(arguments.as_of)
    if at_us is not None:
        positions = resolve_time(log, at_us)
        if not any(positions.values()):
            output.note("no event was recorded by that time; --as-of uses the time of recording, not the time of play")
    for stream in sorted(positions.keys() - set(log.streams())):
        raise UsageError(f"--as-of {stream}: the log has no such stream; it has {', '.join(log.streams())}")
    for stream, seq in positions.items() if at_us is None else ():
        end = log.head(stream).seq
        if seq > end:
            raise UsageError(f"--as-of {stream}={seq}: the stream ends at event {end}")
    if arguments.rules or arguments.as_of:
        output.note("what if: " + (f"by {arguments.rules}; " if arguments.rules else "") + "verdicts are not stored")
    return replay(
        log,
        results,
        as_of=positions if arguments.as_of else None,
        rules=read_submission(arguments.rules) if arguments.rules else None,
        again=arguments.again,
        rounds=_rounds(log, arguments.rounds),
        progress=lambda events, rounds: output.progress(rounds, f"rounds judged, {events:,} events read"),
        adoptions=_adoptions(arguments),
    )


def _follow(log: EventLog, results: ResultStore, arguments: argparse.Namespace, output: Output) -> Summary:
    """Replay until interrupted; report each batch."""
    from replay.run.replayer import Replay, Summary, follow

    summary, told = Summary(), _ReplayNews(output)
    keeper = None
    if arguments.warehouse:
        from analytics.warehouse.keeper import WarehouseKeeper

        keeper = WarehouseKeeper(arguments.warehouse, *_openers(arguments))
    try:
        rounds = _rounds(log, arguments.rounds)
        for summary in follow(log, results, again=arguments.again, rounds=rounds, adoptions=_adoptions(arguments)):
            told.integrity(summary)  # nothing later in that stream is judged, and somebody must hear of it
            told.progress(summary)
            if keeper is not None:
                keeper.offer(summary.changed)
    except KeyboardInterrupt:
        output.note("stopped; the next replay continues from here")
    finally:
        if keeper is not None:
            keeper.close()
    stored = Replay(log, results)
    stored.summary = summary
    return stored.standing()


def _openers(arguments: argparse.Namespace) -> tuple[Callable[[], EventLog], Callable[[], ResultStore]]:
    """Return functions that open the log and its results for reading."""
    from rack.opening import log_at, results_at

    address = log_address(arguments.log)
    return (
        partial(log_at, address, read_only=True, check_heads=False),
        partial(results_at, address, arguments.verdicts, read_only=True),
    )


def _rounds(log: EventLog, folder: Path | None) -> KeptTable | None:
    """Return the writer of the round table in a folder, if requested."""
    if folder is None:
        return None
    from whatif.kept_table import KeptTable

    with named_errors(folder):
        return KeptTable(folder, log.log_id, log.property_id)


def _check_group(arguments: argparse.Namespace, address: str) -> None:
    from events.open import parse_address

    if not arguments.follow:
        raise UsageError("--group needs --follow")
    if arguments.rounds:
        raise UsageError(
            "--rounds excludes --group: one replayer keeps a round table, and each member of a group has some of the rounds; "
            "run `rack rounds` afterward, or `rack replay --follow --verdicts FILE --rounds DIR` next to the group"
        )
    if arguments.again or arguments.verdicts or arguments.warehouse:
        raise UsageError("--group excludes --again, --verdicts and --warehouse; run those without a group")
    if parse_address(address)[0] != "kafka":
        raise UsageError("--group needs a log on Kafka; use a kafka:// address")
    from events.kafka.consumer_group import NAME

    if not NAME.match(arguments.group):
        raise UsageError(f"--group {arguments.group!r}: expected letters, digits, dots, dashes or underscores")


def _replay_in_group(address: str, name: str, results: ResultStore, output: Output) -> Summary:
    """Replay as a member of a group until interrupted; report this member's partitions and their results."""
    from rack.opening import group_at
    from replay.run.engine import engine
    from replay.run.partition_member import Shared, follow_group
    from replay.run.replayer import standing

    shared, told, partitions = Shared(), _ReplayNews(output), [-1]
    before = signal.signal(signal.SIGTERM, _interrupt)  # as with Ctrl-C, one leaves in order
    with closing(group_at(address, name, engine())) as group, closing(follow_group(group)) as running:
        output.note(f"joining the group {name}")
        try:
            for shared in running:
                if shared.partitions != partitions:
                    partitions = list(shared.partitions)
                    listed = ", ".join(map(str, partitions)) or "none; on standby"
                    output.note(f"partitions of this member: {listed}")
                told.progress(shared)
        except KeyboardInterrupt:
            output.note("stopped; the other members continue from here")
        finally:
            signal.signal(signal.SIGTERM, before)
    return standing(results, shared)


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


class _ReplayNews:
    """Reports a continuing replay, each fact once."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._counts, self._broken, self._again, self._foreign = (0, 0), 0, 0, 0

    def integrity(self, summary: Summary) -> None:
        """Report broken streams."""
        for line in summary.integrity[self._broken :]:
            self._output.problem(line)
        self._broken = len(summary.integrity)

    def problems(self, summary: Summary) -> None:
        """Report stored results and positions that did not fit and were judged again, and skipped foreign records."""
        from events.log.foreign import foreign_lines

        for line in (*summary.judged_again[self._again :], *foreign_lines(summary.foreign, self._foreign)):
            self._output.problem(line)
        self._again, self._foreign = len(summary.judged_again), max(self._foreign, summary.foreign.count)

    def progress(self, summary: Summary) -> None:
        """Report those, and the result of a batch."""
        self.problems(summary)
        if (summary.rounds, summary.changed) != self._counts:
            self._counts = summary.rounds, summary.changed
            counts = f"{counted(summary.events, 'event')}, {counted(summary.rounds, 'round')} judged"
            self._output.note(f"{counts}, {counted(summary.changed, 'new verdict')}")


def _report(summary: Summary, output: Output) -> None:
    for line in summary.integrity:
        output.problem(line)
    if summary.held:
        from replay.narrative.names import plural

        output.note(
            f"the verdicts on {plural(summary.held, 'round')} are an earlier engine's and stay in force; "
            "`rack replay --shadow NAME` judges them by this one, `rack verdicts diff NAME` lists what differs, "
            "`rack verdicts adopt NAME` puts it in force"
        )
    if output.as_json:
        output.value(summary)
        return
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in summary.verdicts.items()) or "no verdicts"
    output.text(
        f"{counted(summary.events, 'event')} read, {counted(summary.rounds, 'round')} judged, "
        f"{counted(summary.changed, 'new or revised verdict')}",
        f"current verdicts: {verdicts}",
    )
    if summary.findings:
        output.text("", *table(("finding", "times"), list(summary.findings.items())))
