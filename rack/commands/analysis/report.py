"""`rack report`: reports for compliance, as a signed PDF and CSV files; each export is recorded in the log first."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from desk.whole_files import write_whole
from rack.arguments import add, add_log, is_given, option
from rack.errors import Exit, UsageError
from rack.export_record import add_custody, record_export
from rack.output import Output
from rack.settings import key_file, log_address, reports_file
from rack.warehouse_queries import add_warehouse, day, warehouse_at
from trial.property_folder import demo_log

HELP = "Make a report for filing (table games, hold, meters, jackpots, errors, shifts): signed PDF and CSV"

ALL = "all"
"""The name that asks for every report."""

EPILOG = """\
list    every report with its name and the rules that it answers or helps with
NAME    make this report in --out: NAME-FROM-to-TO.pdf, signed, and a CSV file for each of its tables
all     make every report in --out: if one cannot be made, none is

Without --from and --to, the report is of the month of the newest gaming day, up to that day. The same record makes the
same bytes again. Exit code 1: a row of the report needs somebody's attention."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "name NAME", "The report, all, or list.")
    add(parser, "--out DIR", "Folder for the files.")
    add(parser, "--from DAY", "First gaming day, such as 2026-03-01.", dest="first", type=day)
    add(parser, "--to DAY", "Last gaming day.", dest="last", type=day)
    add_warehouse(parser)
    add_log(parser)
    add(parser, "--key FILE", "The log's key file (default: RACK_KEY, or the demo's key).")
    add_custody(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Make a report; 1 if it has a row that needs attention. Or list the reports."""
    from analytics.reports.catalogue import REPORTS
    from analytics.reports.files import make_files, named
    from analytics.reports.filing import read_filing
    from analytics.warehouse.warehouse import reading
    from desk.review.desk import desk_at
    from rack.opening import options_of

    if arguments.name == "list":
        return _list(arguments, output)
    names = list(REPORTS) if arguments.name == ALL else [arguments.name]
    if arguments.name not in (ALL, *REPORTS):
        raise UsageError(f"there is no report {arguments.name!r}; expected list, all, or one of {', '.join(REPORTS)}")
    if arguments.out is None:
        raise UsageError(f"rack report {arguments.name} needs --out, the folder for the files")
    warehouse = warehouse_at(arguments)
    of_demo = demo_log(warehouse.parent) if arguments.log is None else None
    address = of_demo or log_address(arguments.log)
    key, filing = key_file(arguments.key, address), read_filing(reports_file(address))
    with reading(warehouse) as db, desk_at(address, read_only=True, check_heads=False, **options_of(address)) as desk:
        period = {"first": arguments.first, "last": arguments.last}
        made = [make_files(name, db, desk, key, arguments.out, **period, filing=filing) for name in names]
    for each in made:
        if each.earlier is not None:
            output.note(f"{each.report.file_name} {each.earlier.words}")
    _refuse_others({path: data for each in made for path, data in each.files.items()})
    for each in made:
        record_export(
            address,
            arguments,
            output,
            rounds={name: [None] for name in each.report.concerns},
            digest=each.digest,
            form="pdf",
            log_id=each.report.log_id,
            about=named(each.report, each.earlier),
        )
    arguments.out.mkdir(parents=True, exist_ok=True)
    for each in made:
        write_whole(each.files)
        output.text(*(str(path) for path in each.files))
    for warning in dict.fromkeys(each.report.warning for each in made if each.report.warning):
        output.note(warning)
    summaries = [each.values() for each in made]
    output.value(summaries if arguments.name == ALL else summaries[0])
    return Exit.FINDINGS if any(each.attention for each in made) else Exit.CLEAN


def _refuse_others(files: Mapping[Path, bytes]) -> None:
    """Raise `UsageError` if a file exists with other bytes: a filed report is never overwritten."""
    for path, data in files.items():
        if path.exists() and path.read_bytes() != data:
            raise UsageError(
                f"{path} already exists and differs: the record says something else now, and a report is never overwritten; "
                "name another folder with --out"
            )


def _list(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print every report with the rules that it meets or helps with."""
    from analytics.reports.catalogue import REPORTS

    for name in ("out", "first", "last", "warehouse", "log", "key", "by", "reason"):
        if is_given(arguments, name):
            raise UsageError(f"rack report list takes no {option(name)}")
    output.value([{"name": each.name, "title": each.title, "rules": each.rules} for each in REPORTS.values()])
    rows = [
        (each.name, each.title, ", ".join(rule.cite for rule in each.rules if rule.role == "answers") or "–")
        for each in REPORTS.values()
    ]
    output.table(("report", "title", "answers"), rows)
    return Exit.CLEAN
