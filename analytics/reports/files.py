"""The files of a report: a signed PDF, and a CSV file for each of its tables; and the copy of it that was exported before.

The export's reason on record names the report, its period, and the earlier copy from which it differs (D1440).
"""

import re
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from analytics.reports.catalogue import make_report
from analytics.reports.filing import PropertyFiling
from analytics.reports.record_extent import counting_events
from analytics.reports.sources import Sources
from analytics.warehouse.warehouse import Warehouse
from desk.report.content import Report
from desk.report.csv_tables import sheets
from desk.report.document import signed_pdf
from desk.report.single_events import exported_copies
from desk.review.desk import Desk


class ReportFiles(NamedTuple):
    """A report with its files, the PDF first."""

    report: Report
    files: dict[Path, bytes]
    earlier: "EarlierCopy | None"

    @property
    def digest(self) -> str:
        """The SHA-256 of the PDF."""
        return sha256(next(iter(self.files.values()))).hexdigest()

    @property
    def attention(self) -> int:
        """The number of rows that need attention."""
        return sum(len(each.marked) for each in self.report.tables)

    def values(self) -> dict[str, object]:
        """Return the report and its files as JSON values."""
        return {
            "report": self.report.name,
            "from": self.report.first,
            "to": self.report.last,
            "as_of_us": self.report.as_of_us,
            "on_record": self.report.on_record,
            "warning": self.report.warning,
            "attention": self.attention,
            "differs_from": None if self.earlier is None else self.earlier._asdict(),
            "files": {str(path): sha256(data).hexdigest() for path, data in self.files.items()},
        }


class EarlierCopy(NamedTuple):
    """An exported copy of a report of the same period with other bytes, and what was recorded since that counts there."""

    digest: str
    by: str
    at_us: int
    since: tuple[str, ...]

    @property
    def words(self) -> str:
        """The difference in a sentence."""
        why = "; ".join(self.since) or "no event of its tables; what people wrote since, or other settings or software"
        return f"differs from the copy that {self.by} exported before (SHA-256 {self.digest}). Recorded since: {why}"


def named(report: Report, earlier: EarlierCopy | None) -> str:
    """Return the words of an export's reason that name the report, and the copy from which it differs."""
    other = "" if earlier is None else f", differs from SHA-256 {earlier.digest}"
    return f"report {report.name} of {report.first} to {report.last}{other}"


def earlier_copy(report: Report, pdf: bytes, db: Warehouse, desk: Desk) -> EarlierCopy | None:
    """Return the newest exported copy of a report that is not this PDF, or None."""
    own, its_name = sha256(pdf).hexdigest(), re.compile(rf"\b{re.escape(named(report, None))}(?![\w-])")
    streams = sorted({f"review/{table}" for table in report.concerns} & set(desk.log.streams()))
    copies = [
        copy
        for stream in streams
        for copy in exported_copies(desk.log, stream)
        if copy.digest != own and its_name.search(copy.reason)
    ]
    if not copies:
        return None
    newest = max(copies, key=lambda copy: copy.at_us)
    sources = Sources(db=db, desk=desk, first=date.fromisoformat(report.first), last=date.fromisoformat(report.last))
    since = tuple(event.words for event in counting_events(sources) if event.recorded_us > newest.at_us)
    return EarlierCopy(newest.digest, newest.by, newest.at_us, since)


def make_files(
    name: str,
    db: Warehouse,
    desk: Desk,
    key: Path,
    folder: Path,
    *,
    first: date | None,
    last: date | None,
    filing: PropertyFiling,
) -> ReportFiles:
    """Make a report and its files, in memory. Raises the errors of `make_report`."""
    report = make_report(name, db, desk, first=first, last=last, filing=filing)
    pdf = signed_pdf(report, desk.log, key)
    files = {f"{report.file_name}.pdf": pdf, **sheets(report)}
    return ReportFiles(report, {folder / file: data for file, data in files.items()}, earlier_copy(report, pdf, db, desk))
