"""`rack warehouse`: build it from a log's results, export it, list its columns."""

from __future__ import annotations

import argparse
from pathlib import Path

from rack.arguments import add_log, check_options
from rack.asking import add_warehouse, warehouse_at
from rack.errors import Exit, UsageError
from rack.output import Output, table
from rack.settings import log_address

HELP = "build the analysts' warehouse, export it as Parquet or CSV, list its columns"

EPILOG = """\
build    bring the file up to what log and results hold; reads what is new only (--anew: all)
export   write tables as files into --out: Parquet, or CSV that no spreadsheet takes for formulas
columns  every column and what it means (--markdown: as docs/warehouse.md)"""

TAKES = {"build": ("log", "anew"), "export": ("out", "format", "tables"), "columns": ("markdown",)}
"""Action → its options, beside --warehouse."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    parser.add_argument(
        "action", metavar="ACTION", choices=("build", "export", "columns"), help="build, export, columns"
    )
    add_warehouse(parser)
    add_log(parser)
    parser.add_argument("--anew", action="store_true", help="build: read everything, take nothing over from the file")
    parser.add_argument("--out", metavar="DIR", type=Path, help="export: the folder for the files")
    parser.add_argument("--format", choices=("parquet", "csv"), help="export (default: parquet)")
    parser.add_argument("--tables", metavar="NAMES", default="", help="export: these tables, with commas between")
    parser.add_argument("--markdown", action="store_true", help="columns: as docs/warehouse.md")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Build, export or list."""
    check_options(arguments, "warehouse", arguments.action, TAKES)
    {"build": _build, "export": _export, "columns": _columns}[arguments.action](arguments, output)
    return Exit.CLEAN


def _build(arguments: argparse.Namespace, output: Output) -> None:
    from msgspec import to_builtins

    from analytics.hold import generation
    from analytics.warehouse import reading
    from rack.opening import log_at, results_at
    from rack.warehouse_feed import build_warehouse

    address, path = log_address(arguments.log), warehouse_at(arguments)
    log = log_at(address, read_only=True, check_heads=False)
    try:
        results = results_at(address, read_only=True)
        try:
            built = build_warehouse(path, log, results, anew=arguments.anew)
        finally:
            results.close()
    finally:
        log.close()
    with reading(path) as db:
        made = generation(db)
    output.value({"warehouse": str(path), "built": built, **to_builtins(made)})
    said = f"generation {made.generation}: {made.rounds:,} rounds, {made.wagers:,} wagers, {made.findings:,} findings"
    output.text(f"{path}: {said}" if built else f"{path}: nothing is new; {said}")


def _export(arguments: argparse.Namespace, output: Output) -> None:
    from analytics.exporting import export
    from analytics.warehouse import reading

    if arguments.out is None:
        raise UsageError("rack warehouse export needs --out: the folder for the files")
    names = [name for name in arguments.tables.split(",") if name]
    with reading(warehouse_at(arguments)) as db:
        try:
            written = export(db, arguments.out, arguments.format or "parquet", names)
        except ValueError as error:
            raise UsageError(f"--tables: {error}") from error
    output.value({str(path): rows for path, rows in written.items()})
    output.text(*table(("file", "rows"), [(str(path), rows) for path, rows in written.items()]))


def _columns(arguments: argparse.Namespace, output: Output) -> None:
    from analytics.columns import described, markdown
    from analytics.warehouse import reading

    with reading(warehouse_at(arguments)) as db:
        rows, text = described(db), markdown(db)
    names = ("table", "column", "type", "meaning")
    output.value([dict(zip(names, row, strict=True)) for row in rows])
    output.text(*(text.rstrip("\n").split("\n") if arguments.markdown else table(names, rows)))
