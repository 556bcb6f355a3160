"""A report as a signed PDF with its tables attached as CSV: the same report and key give the same bytes.

Invariant: the report, never a clock, dates the document and its signature. The log (`record_exported`), or the report of a
verification itself, says who had it made and when. Text reaches Typst only as JSON.
"""

from datetime import UTC, datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from desk.packet.document import compiled
from desk.packet.make import check_key
from desk.packet.signature import sign_pdf
from desk.packet.words import Style
from desk.report.check import SUMMARY, ReportSummary
from desk.report.content import NUMERIC, Report, ReportTable
from desk.report.csv_tables import sheets
from desk.report.wording import as_of_words, period_words, written
from events.log.contract import EventLog
from events.proofs.keys import PROPERTY_STREAM, read_signer
from events.proofs.signed_note import Signer

DATED = {
    "record": ("Gaming days", "Record as of", "It is dated by the record: who had it made, and when, is in the log."),
    "verification": ("Day", "Verified at", "It is dated by the verification; nothing was written to the log."),
}
"""The kind of date of a report → the labels of its period and time, and a note on them."""


def to_pdf(report: Report, signer: Signer | None) -> bytes:
    """Return the document with its CSV files attached, signed with the log's key (None: not signed, and it says so)."""
    tables = sheets(report)
    summary = ReportSummary(
        name=report.name,
        title=report.title,
        property_name=report.property_name,
        first=report.first,
        last=report.last,
        as_of_us=report.as_of_us,
        log_id=report.log_id,
        sheets={name: sha256(data).hexdigest() for name, data in tables.items()},
    )
    attachments = {SUMMARY: msgspec.json.encode(summary, order="deterministic"), **tables}
    template = files("desk.report").joinpath("report.typ").read_bytes()
    key = "" if signer is None else signer.public_key.id.hex()
    shown = _shown(report) | {"attachments": list(attachments), "key": key}
    made = datetime.fromtimestamp(report.as_of_us // 1_000_000, UTC)
    pdf = compiled(template, shown, attachments, made)
    return pdf if signer is None else sign_pdf(pdf, signer, report.as_of_us)


def signed_pdf(report: Report, log: EventLog, key: Path) -> bytes:
    """Return the document of `to_pdf`, signed with the key in a file.

    Raises `KeyRefused` if the file holds no key, `KeyNotInForce` if the key may not sign for this log.
    """
    signer = read_signer(key)
    check_key(signer, log.read(PROPERTY_STREAM), "the log")
    return to_pdf(report, signer)


def _shown(report: Report) -> dict[str, Any]:
    style = Style.of(report.property_name, report.currency, report.time_zone)
    made = datetime.fromtimestamp(report.as_of_us // 1_000_000, UTC)
    period_label, as_of_label, dated = DATED[report.dated_by]
    return {
        "title": report.title,
        "property": report.property_name or "Property not named in the record",
        "period": period_words(report),
        "period_label": period_label,
        "as_of_label": as_of_label,
        "dated": dated,
        "as_of": as_of_words(report, style),
        "on_record": report.on_record,
        "warning": report.warning,
        "made": [made.year, made.month, made.day, made.hour, made.minute, made.second],
        "log": report.log_id,
        "software": report.software,
        "rules": [["Answers" if each.role == "answers" else "Helps with", each.cite, each.asks] for each in report.rules],
        "tables": [_table(each, style) for each in report.tables],
        "figures": [[each.label, each.meaning, each.cite] for each in report.figures],
        "limits": list(report.limits),
        "signatures": list(report.signatures),
    }


def _table(table: ReportTable, style: Style) -> dict[str, Any]:
    return {
        "title": table.title,
        "note": table.note,
        "empty": table.empty,
        "labels": [column.label for column in table.columns],
        "flexible": [column.kind in ("text", "game", "wager") for column in table.columns],
        "numeric": [column.kind in NUMERIC for column in table.columns],
        "rows": [[written(column, value, style) for column, value in zip(table.columns, row, strict=True)] for row in table.rows],
        "marked": list(table.marked),
    }
