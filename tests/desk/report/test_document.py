"""A report as a document: signed, the same bytes again, checkable with the public key alone; and its tables as files."""

import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace
from pyhanko.pdf_utils.reader import PdfFileReader

from analytics.reports.sources import figures
from dashboards.drawing.names import Formats
from desk.packet import BadPacket
from desk.packet.attachments import attached
from desk.packet.words import Style
from desk.report import check
from desk.report.check import check_report, is_report
from desk.report.content import Kind, Report, ReportColumn, ReportingRule, ReportTable
from desk.report.csv_tables import sheets
from desk.report.document import to_pdf
from desk.report.wording import as_of_words, period_words, time_words, written
from events.proofs.keys import FileSigner, new_key
from events.proofs.signed_note import KeyKind

COLUMNS = (
    ReportColumn(name="table_id", label="Table", kind="table"),
    ReportColumn(name="win_cents", label="Win", kind="difference", meaning="Drop less pay.", cite="D27"),
    ReportColumn(name="note", label="Note", kind="text"),
)
REPORT = Report(
    name="sample",
    title="Sample",
    first="2026-03-01",
    last="2026-03-31",
    as_of_us=1_774_958_490_000_000,
    log_id="ab" * 16,
    property_name="Bellwether",
    currency="USD",
    time_zone="America/New_York",
    concerns=("fu-01",),
    software="0.1.0+1",
    rules=(ReportingRule(cite="58 Pa. Code § 465a.1", role="answers", asks="a sample"),),
    tables=(
        ReportTable(
            name="wins", title="Wins", columns=COLUMNS, rows=(("fu-01", -250, "=1+1"), ("fu-02", None, "牌 #x")), marked=(1,)
        ),
        ReportTable(name="nothing", title="Nothing", columns=(), rows=(), empty="Nothing was filed."),
    ),
)


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> FileSigner:
    return new_key(tmp_path_factory.mktemp("key") / "log.key", f"discard-rack/bellwether/{'ab' * 16}", KeyKind.LOG)


def test_the_same_report_is_the_same_bytes_and_another_is_not(signer: FileSigner) -> None:
    pdf = to_pdf(REPORT, signer)
    assert pdf == to_pdf(REPORT, signer)
    assert pdf != to_pdf(replace(REPORT, title="Another"), signer)


def test_a_report_is_checked_with_the_key_that_signed_it_and_no_other(signer: FileSigner, tmp_path: Path) -> None:
    pdf = to_pdf(REPORT, signer)
    checked = check_report(pdf, [signer.public_key])
    assert (checked.name, checked.first, checked.last, checked.log_id) == ("sample", "2026-03-01", "2026-03-31", "ab" * 16)
    stranger = new_key(tmp_path / "other.key", f"discard-rack/bellwether/{'ab' * 16}", KeyKind.LOG)
    with pytest.raises(BadPacket, match="none that was given"):
        check_report(pdf, [stranger.public_key])


def test_a_signed_report_whose_summary_has_a_key_twice_is_refused(signer: FileSigner, monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = to_pdf(REPORT, signer)
    stated = attached(pdf, check.SUMMARY)
    twice = stated.replace(b'"name":', b'"name":"another","name":', 1)
    monkeypatch.setattr(check, "attached", lambda pdf, name: twice if name == check.SUMMARY else attached(pdf, name))
    with pytest.raises(BadPacket, match="'name' stands twice"):
        check_report(pdf, [signer.public_key])


def test_every_table_is_attached_as_the_file_that_lies_beside_the_report(signer: FileSigner) -> None:
    pdf = to_pdf(REPORT, signer)
    files = sheets(REPORT)
    assert list(files) == ["sample-2026-03-01-to-2026-03-31-wins.csv"]
    assert {name: attached(pdf, name) for name in files} == files
    assert is_report(pdf)


def test_a_table_of_many_figures_leaves_a_name_room_on_paper(signer: FileSigner) -> None:
    """Eight rows of a long name next to ten amounts fit the page that eight of a short one fit: no column has no width."""

    def pages(name: str) -> int:
        amounts = [ReportColumn(name=f"f{n}", label="Handle not compared", kind="money") for n in range(10)]
        columns = (ReportColumn(name="game", label="Game", kind="text"), *amounts)
        table = ReportTable(name="wide", title="Wide", columns=columns, rows=((name, *[181_279_000] * 10),) * 8)
        pdf = to_pdf(replace(REPORT, tables=(table,)), signer)
        return int(PdfFileReader(BytesIO(pdf)).root["/Pages"]["/Count"])

    assert pages("Face Up Pai Gow Poker") == pages("Baccarat") == 1


def test_days_are_words_on_paper_and_iso_in_files() -> None:
    """A time of the record carries the zone of the property; a report of one day names it once."""
    days = ReportTable(
        name="days",
        title="Days",
        columns=(ReportColumn(name="day", label="Day", kind="day"), ReportColumn(name="at_us", label="At", kind="time")),
        rows=(("2026-03-31", 1_774_958_490_000_000),),
    )
    (data,) = sheets(replace(REPORT, tables=(days,))).values()
    assert data.decode("utf-8-sig") == "day,at_utc\r\n2026-03-31,2026-03-31T12:01:30Z\r\n"
    assert period_words(REPORT) == "Sun 1 Mar 2026 to Tue 31 Mar 2026"
    assert period_words(replace(REPORT, first="2026-03-31")) == "Tue 31 Mar 2026"
    style = Style.of("Bellwether", "USD", "America/New_York")
    assert as_of_words(REPORT, style) == "31 Mar 2026, 08:01:30 (America/New_York)"


def test_a_file_has_cents_and_nothing_that_a_spreadsheet_computes() -> None:
    (data,) = sheets(REPORT).values()
    assert data.startswith(b"\xef\xbb\xbf"), "without it Excel reads § as two other characters"
    assert data.decode("utf-8-sig") == "table_id,win_cents,note\r\nfu-01,-250,'=1+1\r\nfu-02,,牌 #x\r\n"


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("money", 123_450, "$1,234.50"),
        ("difference", 250, "+$2.50"),
        ("difference", 0, "$0.00"),
        ("meter", 100_005_601, "$10,000.5601"),
        ("meter", 100_005_600, "$10,000.56"),
        ("percent", -4.727, "−4.73 %"),
        ("points", 3.0, "+3.00"),
        ("count", 1_200, "1,200"),
        ("number", 13_591, "13591"),
        ("time", 1_774_958_490_000_000, "31 Mar 2026, 08:01:30"),
        ("day", "2026-03-31", "Tue 31 Mar 2026"),
        ("day", None, "–"),
        ("table", "fu-01", "FU-01"),
        ("game", "face_up_pai_gow", "Face Up Pai Gow Poker"),
        ("wager", "ace_high_bonus", "Ace High Bonus"),
        ("money", None, "–"),
    ],
)
def test_a_value_as_people_read_it(kind: Kind, value: object, words: str) -> None:
    style = Style.of("Bellwether", "USD", "America/New_York")
    assert written(ReportColumn(name="x", label="X", kind=kind), value, style) == words


def test_no_figure_s_name_in_a_file_says_another_unit_than_its_values() -> None:
    """A name that ends in `_us` has microseconds under it, one in `_cents` cents: a time is written as UTC."""
    for figure in figures().values():
        table = ReportTable(name="x", title="x", columns=(figure,), rows=((VALUES.get(figure.kind, 1),),))
        (data,) = sheets(replace(REPORT, tables=(table,))).values()
        header, value = data.decode("utf-8-sig").splitlines()
        assert header.endswith("_utc") == (figure.kind == "time")
        assert not header.endswith("_us")
        if header.endswith("cents"):
            int(value)


VALUES: dict[Kind, object] = {"text": "x", "table": "fu-01", "game": "x", "wager": "base", "day": "2026-03-31"}


LARGE = -48_941_584_000
"""−$489,415,840.00, larger than any column of a property's year."""


@pytest.mark.parametrize("columns", [1, 6, 11])
@pytest.mark.parametrize("currency", ["USD", "CAD", "CHF"])
def test_no_sign_is_left_alone_at_the_end_of_a_line(signer: FileSigner, columns: int, currency: str) -> None:
    """A reader sees a loss as a win if "−" ends a line and the amount begins the next."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not on this machine: the text of the PDF is not read back")
    money = tuple(ReportColumn(name=f"m{i}_cents", label="Theoretical win", kind="difference") for i in range(columns))
    words = f"It came to {written(money[0], LARGE, Style.of('', currency, 'UTC'))} " * 40
    rows = tuple(("All table games of this property", *[sign * LARGE] * columns) for sign in (1, -1))
    table = ReportTable(name="t", title="T", columns=(COLUMNS[2], *money), rows=rows, note=words)
    pdf = to_pdf(replace(REPORT, tables=(table,), currency=currency), signer)
    text = subprocess.run(["pdftotext", "-raw", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    assert [line for line in text.splitlines() if line.rstrip().endswith(("−", "+"))] == []
    assert len(re.findall(r"−\S*\s?489,415,840\.00", text)) == columns + 40
    assert len(re.findall(r"\+\S*\s?489,415,840\.00", text)) == columns
    assert "\u200b" not in text  # a digest can be copied, and found by searching


@pytest.mark.parametrize(
    ("at_us", "said"),
    [
        (1_793_508_416_000_000, "1 Nov 2026, 00:46:56"),
        (1_793_512_016_000_000, "1 Nov 2026, 01:46:56 EDT"),
        (1_793_515_616_000_000, "1 Nov 2026, 01:46:56 EST"),
        (1_793_519_216_000_000, "1 Nov 2026, 02:46:56"),
    ],
)
def test_the_hour_that_comes_twice_is_told_apart(at_us: int, said: str) -> None:
    style, formats = Style.of("", "USD", "America/New_York"), Formats("USD", ZoneInfo("America/New_York"))
    zone = said[len("1 Nov 2026, 00:46:56") :]
    assert time_words(at_us, style) == said
    assert as_of_words(replace(REPORT, as_of_us=at_us), style) == f"{said} (America/New_York)"
    for shown in (style.clock(at_us), style.time(at_us), formats.clock(at_us), formats.day_and_clock(at_us)):
        assert shown.endswith(f"46:56{zone}")
    assert formats.time_of_day(at_us).endswith(f"46{zone}")
