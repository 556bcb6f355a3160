"""`rack warehouse`: build it from a log's results, export it, list its columns."""

import argparse
from contextlib import closing

from rack.actions import action_parsers, run_action
from rack.arguments import add, add_log
from rack.errors import Exit, UsageError
from rack.export_record import add_custody, record_export
from rack.output import Output, counted, table
from rack.settings import load, log_address
from rack.warehouse_queries import add_warehouse, warehouse_at
from trial.property_folder import demo_log

HELP = "Build the warehouse, export it as Parquet or CSV, or list its columns"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    action = action_parsers(parser, add_warehouse)
    build = action("build", "Update the file from a log and its results, reading only new records.", _build)
    add_log(build)
    add(build, "--anew", "Read everything and replace the file.")
    export = action("export", "Write tables as files; the export is recorded in the log first.", _export)
    add_log(export)
    add(export, "--out DIR", "Folder for the files.")
    add(export, "--format", "File format (default: parquet); CSV is safe in a spreadsheet.", choices=("parquet", "csv"))
    add(export, "--tables NAMES", "Only these tables, separated by commas.", default="")
    add_custody(export)
    columns = action("columns", "List every column with its meaning.", _columns)
    add(columns, "--markdown", "Print as a Markdown document.")


run = run_action
"""Build, export or list."""


def _build(arguments: argparse.Namespace, output: Output) -> Exit:
    """Build; 4 if a stream is broken (its sound part is included)."""
    from msgspec import to_builtins

    from analytics.warehouse.feed import build_warehouse
    from analytics.warehouse.floor_data import generation
    from analytics.warehouse.warehouse import reading
    from rack.opening import log_at, results_at

    address, path = log_address(arguments.log), warehouse_at(arguments)
    broken: dict[str, str] = {}
    with (
        closing(log_at(address, read_only=True, check_heads=False)) as log,
        closing(results_at(address, read_only=True)) as results,
    ):
        built = build_warehouse(path, log, results, anew=arguments.anew, broken=broken)
    with reading(path) as db:
        made = generation(db)
    for line in broken.values():
        output.problem(line)
    output.value({"warehouse": str(path), "built": built, **to_builtins(made), "integrity": list(broken.values())})
    numbers = ((made.rounds, "round"), (made.wagers, "wager"), (made.findings, "finding"))
    totals = f"generation {made.generation}: {', '.join(counted(*each) for each in numbers)}"
    output.text(f"{path}: {totals}" if built else f"{path}: no new events or results; {totals}")
    return Exit.INTEGRITY if broken else Exit.CLEAN


def _export(arguments: argparse.Namespace, output: Output) -> None:
    from analytics.warehouse.exporting import Form, Leaving, NoSuchTable, export
    from analytics.warehouse.floor_data import property_facts
    from analytics.warehouse.warehouse import reading

    if arguments.out is None:
        raise UsageError("rack warehouse export needs --out, the folder for the files")
    names = [name for name in arguments.tables.split(",") if name]
    form: Form = arguments.format or "parquet"
    left: list[Leaving] = []
    with reading(warehouse_at(arguments)) as db:
        log_id = property_facts(db).log_id

        def on_record(leaving: Leaving) -> None:
            left.append(leaving)
            if leaving.tables:
                record_export(
                    _export_log(arguments),
                    arguments,
                    output,
                    rounds={name: [None] for name in leaving.tables},
                    digest=leaving.digest,
                    form=form,
                    log_id=log_id,
                )

        try:
            written = export(db, arguments.out, form, names, on_record=on_record)
        except NoSuchTable as error:
            raise UsageError(f"--tables: {error}") from error
    (leaving,) = left
    files = {str(path): rows for path, rows in written.items()}
    output.value({"files": files, "tables": leaving.tables, "digest": leaving.digest})
    output.table(("file", "rows"), files.items())


def _export_log(arguments: argparse.Namespace) -> str:
    """Return the address of the log that records an export: `--log`, the demo's own, or RACK_LOG."""
    of_demo = demo_log(warehouse_at(arguments).parent) if arguments.log is None else None
    if arguments.log is None and of_demo is None and load().log is None:
        raise UsageError("an export of rounds is recorded in the log first; name the log with --log, or set RACK_LOG")
    return of_demo or log_address(arguments.log)


def _columns(arguments: argparse.Namespace, output: Output) -> None:
    from analytics.warehouse.columns import described, markdown
    from analytics.warehouse.warehouse import reading

    with reading(warehouse_at(arguments)) as db:
        rows, text = described(db), markdown(db)
    names = ("table", "column", "type", "meaning")
    output.value([dict(zip(names, row, strict=True)) for row in rows])
    output.text(*(text.rstrip("\n").split("\n") if arguments.markdown else table(names, rows)))
