"""The Reports page by AppTest: what it shows, who may take a report away, and that the log has it first."""

import io
import re
import zipfile
from datetime import date
from hashlib import sha256

import pytest
from streamlit.testing.v1 import AppTest

from analytics.reports.catalogue import REPORTS
from dashboards.access import access
from dashboards.access.downloads import DOWNLOADS, Download
from dashboards.parts import report_files
from desk.report.check import check_report
from desk.review.desk import desk_at
from events.proofs.keys import read_public_key
from events.vocabulary.codec import decode
from events.vocabulary.model import RecordExported
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, said, start
from tests.desk.people import PEOPLE


def saved(test: AppTest) -> list[Download]:
    found = [DOWNLOADS.fetch("app-test", token) for token in re.findall(r'href="downloads/([^"]+)"', said(test))]
    return [each for each in found if each is not None]


def exports_of(signing_floor: Living) -> list[RecordExported]:
    """What the log has of exports of the floor's first table."""
    with desk_at(signing_floor.log, read_only=True) as at:
        payloads = [decode(record.data).payload for record in at.log.read("review/fu-01")]
    return [each for each in payloads if isinstance(each, RecordExported)]


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_shown_then_signed_on_record_and_saved(signing_floor: Living, name: str) -> None:
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("reports", report=name)
    assert REPORTS[name].rules[0].cite in said(test)
    press(test, "Make report")
    assert "What this report does not show" in said(test)
    assert saved(test) == []
    files = saved(press(test, "Sign report"))
    pdf = next(each for each in files if each.name.endswith(".pdf"))
    assert check_report(pdf.data, [read_public_key(signing_floor.warehouse.with_name("log.key.pub"))]).name == name
    assert any(each.name.endswith(".csv") for each in files)
    assert [(each.by, each.digest, each.what) for each in exports_of(signing_floor)] == [
        ("s.lee", sha256(pdf.data).hexdigest(), "table")
    ]


def test_all_reports_of_a_month_are_one_file_and_each_is_on_record(signing_floor: Living) -> None:
    """The same PDFs as one by one: each checks with the public key alone, and the log has the digest of each."""
    log_in("s.lee@bellwether.example", "surveillance")
    (file,) = saved(press(start("reports"), "All reports of the month"))
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    key = read_public_key(signing_floor.warehouse.with_name("log.key.pub"))
    pdfs = [data for name, data in packed.items() if name.endswith(".pdf")]
    assert [check_report(data, [key]).name for data in pdfs] == list(REPORTS)
    tables = {name: sha256(data).hexdigest() for name, data in packed.items() if name.endswith(".csv")}
    assert tables == {name: digest for data in pdfs for name, digest in check_report(data, [key]).sheets.items()}
    exported = exports_of(signing_floor)
    assert {each.digest for each in exported} == {sha256(data).hexdigest() for data in pdfs}
    assert {each.by for each in exported} == {"s.lee"}


def test_without_a_login_no_month_can_be_taken_away(signing_floor: Living) -> None:
    button = next(each for each in start("reports").button if each.label == "All reports of the month")
    assert (button.disabled, button.help) == (True, "Your role may not export lists.")


@pytest.mark.parametrize(
    ("last", "newest", "month"),
    [
        (date(2026, 2, 3), date(2026, 4, 7), (date(2026, 2, 1), date(2026, 2, 28))),
        (date(2026, 3, 31), date(2026, 4, 1), (date(2026, 3, 1), date(2026, 3, 31))),
        (date(2026, 4, 1), date(2026, 4, 7), (date(2026, 4, 1), date(2026, 4, 7))),
        (date(2025, 4, 1), date(2026, 4, 7), (date(2025, 4, 1), date(2025, 4, 30))),
    ],
)
def test_a_month_ends_with_its_last_day_or_with_the_record(last: date, newest: date, month: tuple[date, date]) -> None:
    assert report_files.month_of(last, newest) == month


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [("2026-11-23", "2026-11-23", True), ("2026-11-24", "2026-11-23", False), ("2026-11-23", "", False)],
)
def test_the_days_of_a_report_come_with_the_address(signing_floor: Living, first: str, last: str, shown: bool) -> None:
    test = start("reports", report="surveillance-log", **{"from": first, "to": last})
    days = [day.isoformat() for day in test.date_input(key="report-days").value]
    assert (days == [first, last]) == shown


def test_without_a_login_a_report_is_shown_and_cannot_be_taken_away(signing_floor: Living) -> None:
    test = press(start("reports"), "Make report")
    assert "By table game" in said(test)
    assert next(each for each in test.button if each.label == "Sign report").disabled


@pytest.mark.slow
def test_a_role_without_names_reads_reports_without_patrons_people_and_their_words(signing_floor: Living) -> None:
    named = re.compile(r"p-third|m\.ortiz|s\.lee|jane roe", re.IGNORECASE)
    with desk_at(signing_floor.log, persons=PEOPLE) as at:
        at.open_dispute("fu-01", 1, dispute="x-9", claim="Jane Roe was short", by="m.ortiz", seat=3, patron="p-third")
        at.assign(at.cases()[0].finding.id, to="s.lee", by="m.ortiz", reason="video")
    seen = []
    for person, role in (("k.may", "surveillance"), ("c.compton", "compliance")):
        log_in(f"{person}@bellwether.example", role)
        pages = [said(press(start("reports", report=name), "Make report")) for name in REPORTS]
        seen.append({each.lower() for each in named.findall("".join(pages))})
    assert seen == [{"p-third", "m.ortiz", "s.lee", "jane roe"}, set()]


def test_who_takes_reports_or_packets_away_may_see_names() -> None:
    assert all(access.NAMES in rights for rights in access.RIGHTS.values() if rights & {access.EXPORT, access.PACKET})


@pytest.mark.parametrize("role", ["analyst", "administrator"])
def test_reports_are_for_surveillance_and_auditors(signing_floor: Living, role: str) -> None:
    log_in("a.nalyst", role)
    assert not access.may("reports")
