"""The files of a report: a signed PDF, and a CSV file for each of its tables."""

from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from analytics.reports.catalogue import make_report
from analytics.reports.filing import PropertyFiling
from analytics.warehouse.warehouse import Warehouse
from desk.report.content import Report
from desk.report.csv_tables import sheets
from desk.report.document import signed_pdf
from desk.review.desk import Desk


class ReportFiles(NamedTuple):
    """A report with its files, the PDF first."""

    report: Report
    files: dict[Path, bytes]

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
            "files": {str(path): sha256(data).hexdigest() for path, data in self.files.items()},
        }


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
    pdf = {folder / f"{report.file_name}.pdf": signed_pdf(report, desk.log, key)}
    return ReportFiles(report, pdf | {folder / file: data for file, data in sheets(report).items()})
