"""The list of findings as a file: complete, recorded before it is there, and the only way by which a page hands one out."""

import csv
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from streamlit.testing.v1 import AppTest

from analytics.errors.queue import findings_listed
from analytics.warehouse.warehouse import reading
from dashboards.parts import exports
from dashboards.run import command
from desk.review.desk import desk_at
from tests.dashboards import sample
from tests.dashboards.exporting import MANY, floor_of_many, recorded, saved
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, run, said, start


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    return floor_of_many(tmp_path, monkeypatch)


def test_the_whole_list_is_exported_and_the_log_has_its_digest(floor: Living) -> None:
    log_in("s.lee@bellwether.example", "auditor")
    test = start("queue")
    assert recorded(floor) == []
    file = saved(press(test, "Export list"))
    assert file is not None
    rows = list(csv.DictReader(file.data.decode().splitlines()))
    with reading(floor.warehouse) as db:
        every = findings_listed(db)
    assert [row["finding_id"] for row in rows] == every["finding_id"].to_list()
    assert len(rows) == MANY
    assert {(row["table_id"], row["finding"], row["state"]) for row in rows} == {("fu-01", "Wager underpaid", "open")}
    assert {row["difference_cents"] for row in rows} == {"-10000"}
    (event,) = recorded(floor)
    assert (event.what, event.format, event.by) == ("findings", "csv", "s.lee")
    assert event.digest == sha256(file.data).hexdigest()


def test_what_the_filters_leave_is_exported_and_grouping_leaves_nothing_out(floor: Living) -> None:
    log_in("s.lee", "surveillance")
    test = start("queue", code="PAY-UNDER", alike="true")
    file = saved(press(test, "Export list"))
    assert file is not None
    assert len(file.data.splitlines()) == MANY + 1
    test.selectbox(key="choose-severity").set_value("high").run()
    assert saved(test) is None, "another list is another export"


def test_nothing_leaves_where_it_cannot_be_recorded(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.log.turn.TURN_WAIT_S", 0.1)
    log_in("s.lee", "surveillance")
    test = start("queue")
    with desk_at(floor.log) as at, at.log.turn():
        press(test, "Export list")
    assert "Nothing was exported: the export cannot be recorded" in said(test)
    assert saved(test) is None


@pytest.mark.parametrize("role", ["analyst", "administrator"])
def test_who_may_not_export_cannot(floor: Living, role: str) -> None:
    log_in("a.nalyst", role)
    test = start("queue")
    (button,) = (each for each in test.button if each.label == "Export list")
    assert button.disabled
    assert button.help == "Your role may not export lists."
    assert exports._make(exports.QueueFilters(), None) is None  # as a forged message would have it
    assert recorded(floor) == []


def test_without_a_login_or_a_log_the_button_says_why(floor: Living, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def why(test: AppTest) -> str:
        (button,) = (each for each in test.button if each.label == "Export list")
        assert button.disabled
        return str(button.help)

    assert "may not export lists" in why(start("queue"))
    path = sample.make(tmp_path / "sample.duckdb")
    assert "--log ADDR" in why(run("queue", path, monkeypatch))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1"])
def test_no_text_is_computed_by_a_spreadsheet(text: str) -> None:
    row = dict.fromkeys(exports.COLUMNS) | {"code": "PAY-UNDER", "expected": text, "difference_cents": -5}
    sheet = exports.written(pl.DataFrame([row]), None).decode("utf-8-sig")
    (line,) = csv.DictReader(sheet.splitlines(keepends=True))
    assert (line["expected"], line["difference_cents"], line["dealer"]) == (f"'{text}", "-5", "")


def test_the_lists_themselves_offer_no_download(tmp_path: Path) -> None:
    assert "--client.disableDataExport=true" in command(tmp_path / "w", 8501)
