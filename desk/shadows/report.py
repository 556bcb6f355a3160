"""The report on adopting a shadow: the changes by rule and decision, and the decisions of people concerned."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from desk.packet.words import Style
from desk.report.content import Report, ReportColumn, ReportTable
from desk.report.csv_tables import defused
from desk.shadows.adopting import WorkAgain
from desk.shadows.difference import DifferenceGroup, DifferenceGroups, VerdictDifference
from events.log.contract import EventLog
from events.vocabulary.codec import decode
from events.vocabulary.model import PropertyConfigured

_COLUMNS = (
    ReportColumn(name="game", label="Game", kind="game"),
    ReportColumn(name="kind", label="What", kind="text", meaning="A verdict, finding, amount due or calculation."),
    ReportColumn(name="change", label="Change", kind="text"),
    ReportColumn(name="rule", label="Rule", kind="text", meaning="The code of a finding, or the wager."),
    ReportColumn(name="cite", label="Section", kind="text"),
    ReportColumn(name="decision", label="Decision", kind="text"),
    ReportColumn(name="lines", label="Lines", kind="count"),
    ReportColumn(name="rounds", label="Rounds", kind="count"),
    ReportColumn(name="up", label="Up", kind="difference", meaning="By how much amounts rise for patrons, over all lines."),
    ReportColumn(name="down", label="Down", kind="difference", meaning="By how much amounts fall for patrons."),
)
_WORK = (
    ReportColumn(name="table", label="Table", kind="table"),
    ReportColumn(name="round", label="Round", kind="number"),
    ReportColumn(name="what", label="What", kind="text"),
    ReportColumn(name="decided", label="State", kind="text"),
    ReportColumn(name="why", label="Verdict", kind="text"),
)


def recorded_until(log: EventLog) -> int:
    """Return when the last event of a log was recorded (UTC microseconds)."""
    times = [0]
    for stream in log.streams():
        end = log.head(stream).seq
        times += [decode(record.data).recorded_at_us for record in log.read(stream, end, end)]
    return max(times)


def difference_report(
    name: str,
    groups: DifferenceGroups,
    work: Sequence[WorkAgain],
    configured: PropertyConfigured | None,
    *,
    log_id: str,
    software: str,
    as_of_us: int,
    facts: Sequence[str],
) -> Report:
    """Return the report on a shadow; `facts` are sentences about its basis."""
    style = Style(configured)
    day = style.time(as_of_us)[:10]
    first, last = groups.days if groups.days[1] else (day, day)
    return Report(
        name=f"verdicts-{name}",
        title=f"Verdicts that change: {name}",
        first=first,
        last=last,
        as_of_us=as_of_us,
        log_id=log_id,
        property_name=style.name,
        currency=style.currency,
        time_zone=style.zone_name,
        concerns=(),
        software=software,
        rules=(),
        tables=(
            ReportTable(
                name="changes",
                title="Changes by rule and decision",
                columns=_COLUMNS,
                rows=tuple(map(_row, groups.all())),
                empty="Nothing differs.",
            ),
            ReportTable(
                name="work",
                title="Decisions of people on rounds whose verdict changes",
                columns=_WORK,
                rows=tuple((each.table, each.round_no, each.what, each.decided, each.why) for each in work),
                empty="None.",
                marked=tuple(range(len(work))),
            ),
        ),
        limits=tuple(facts),
    )


def _row(group: DifferenceGroup) -> tuple[object, ...]:
    return (
        group.game or None,
        group.kind,
        group.change,
        group.rule,
        group.cite,
        group.decision,
        group.lines,
        group.rounds,
        group.up_cents,
        group.down_cents,
    )


def write_lines(file: Path, lines: Iterable[VerdictDifference]) -> None:
    """Write every line as CSV to a new file."""
    names = VerdictDifference.__struct_fields__
    with file.open("x", encoding="utf-8", newline="") as opened:
        written = csv.writer(opened, lineterminator="\n")
        written.writerow(names)
        for line in lines:
            values = (getattr(line, name) for name in names)
            written.writerow([defused(each) if isinstance(each, str) else each for each in values])
