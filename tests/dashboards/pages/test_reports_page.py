"""The Reports page by AppTest: what it shows, who may take a report away, and that the log has it first."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analytics.reports.catalogue import REPORTS
from dashboards.access.downloads import DOWNLOADS, Download
from dashboards.parts import desk
from dashboards.run import KEY_VARIABLE
from events.proofs.keys import read_public_key
from events.vocabulary.codec import decode
from events.vocabulary.model import RecordExported
from replay.report.document import check_report
from replay.review.desk import desk_at
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, said, start


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    desk._read.clear()
    floor = living.make(tmp_path)
    floor.rack("keys", "new", str(tmp_path / "log.key"), "--by", "t-ops", code=0)
    floor.serve(monkeypatch)
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / "log.key"))
    return floor


def click(test: AppTest, label: str) -> AppTest:
    next(each for each in test.button if each.label == label).click().run(timeout=120)
    assert [error.value for error in test.exception] == []
    return test


def saved(test: AppTest) -> list[Download]:
    found = [DOWNLOADS.fetch("app-test", token) for token in re.findall(r'href="downloads/([^"]+)"', said(test))]
    return [each for each in found if each is not None]


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_shown_then_signed_on_record_and_saved(floor: Living, name: str) -> None:
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("reports", report=name)
    assert REPORTS[name].rules[0].cite in said(test)
    click(test, "Make report")
    assert "What this report does not show" in said(test)
    assert saved(test) == []
    files = saved(click(test, "Sign report"))
    pdf = next(each for each in files if each.name.endswith(".pdf"))
    assert check_report(pdf.data, [read_public_key(floor.warehouse.with_name("log.key.pub"))]).name == name
    assert any(each.name.endswith(".csv") for each in files)
    with desk_at(floor.log, read_only=True) as at:
        payloads = [decode(record.data).payload for record in at.log.read("review/fu-01")]
    exported = [each for each in payloads if isinstance(each, RecordExported)]
    assert [(each.by, each.digest, each.what) for each in exported] == [
        ("s.lee", sha256(pdf.data).hexdigest(), "table")
    ]


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [("2026-11-23", "2026-11-23", True), ("2026-11-24", "2026-11-23", False), ("2026-11-23", "", False)],
)
def test_the_days_of_a_report_come_with_the_address(floor: Living, first: str, last: str, shown: bool) -> None:
    test = start("reports", report="surveillance-log", **{"from": first, "to": last})
    days = [day.isoformat() for day in test.date_input(key="report-days").value]
    assert (days == [first, last]) == shown


def test_without_a_login_a_report_is_shown_and_cannot_be_taken_away(floor: Living) -> None:
    test = click(start("reports"), "Make report")
    assert "By table game" in said(test)
    assert next(each for each in test.button if each.label == "Sign report").disabled


@pytest.mark.parametrize("role", ["analyst", "administrator"])
def test_reports_are_for_surveillance_and_auditors(floor: Living, role: str) -> None:
    from dashboards.access import access

    log_in("a.nalyst", role)
    assert not access.may("reports")
