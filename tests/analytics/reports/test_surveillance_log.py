"""The surveillance daily log and hand-over (9 NYCRR 5314.3, K.A.R. 112-106-6): a day worked out by hand.

On 1 March M. Ortiz makes an entry and signs the swing shift over, S. Lee accepts it; then the grave shift is signed over and
no one has accepted it. FU-01's shuffler failed and works again, its shoe failed and was covered; FU-02's shaker fails the day
after.
"""

import json
from collections.abc import Iterator
from itertools import count

import pytest

from analytics.reports.surveillance_log import surveillance_log
from analytics.warehouse.loading import TableEvent
from desk.report.content import Report
from desk.review import surveillance
from desk.review.desk import Desk
from events.vocabulary import model
from replay.run.replayer import MemoryResults
from tests.analytics.reports.months import log_of, match, played, rows, sources, table
from tests.dashboards.sample import finding
from tests.desk.people import PEOPLE
from tests.replay.tables import SECOND_US, START_US, Table

OPEN = finding("table/fu-01", 1, "PAY-UNDER", 1, "match", -2_500, "25.00 paid", "0.00 paid")


def said(on: Table, payload: model.Event) -> TableEvent:
    """A device says something between rounds; what the warehouse has of it."""
    fields = {name: getattr(payload, name) for name in payload.__struct_fields__}
    return TableEvent(stream=on.stream, seq=on.say(payload), type=payload.TYPE, payload=json.dumps(fields))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("surveillance")
    office, one, two = Table("property/main"), Table("table/fu-01"), Table("table/fu-02")
    office.say(
        model.PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="Bellwether", time_zone="America/New_York")
    )
    devices = [
        said(one, model.DeviceFailed(device="shuffler", fault="jam")),
        said(one, model.DeviceFailed(device="shoe", fault="jam")),
        said(one, model.DeviceFailed(device="shoe", fault="inoperative")),
        said(one, model.DeviceRestored(device="shuffler")),
        said(one, model.DeviceCovered(device="shoe", how="sign")),
    ]
    two.say(model.GamingDayOpened(gaming_day="2026-03-02"), source="pit")
    devices.append(said(two, model.DeviceFailed(device="shaker", fault="stopped")))
    rounds = [played("fu-01", 1, "2026-03-01", [match(1, 2_500, -2_500)], findings=(OPEN,), verdict="VARIANCE")]
    ticks = count(START_US, SECOND_US)
    with log_of(folder, office, one, two) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: next(ticks))
        desk.open_dispute("fu-01", 1, dispute="d-1", claim="not paid", by="m.ortiz", patron="p-1")
        surveillance.make_entry(
            desk, note="patron shouts", by="m.ortiz", happened_us=START_US, table="fu-01", camera="cam-4", persons="p-1"
        )
        surveillance.sign_over(desk, shift="swing", note="watch fu-01", by="m.ortiz")
        surveillance.accept(desk, note="read", by="s.lee")
        surveillance.sign_over(desk, shift="grave", note="quiet", by="s.lee")
        with sources(folder, rounds, first="2026-03-01", last="2026-03-01", log=log, table_events=devices) as given:
            yield surveillance_log(given)


def test_entries_stand_as_they_were_made(report: Report) -> None:
    columns = ("gaming_day", "happened_at_us", "entered_by", "table_id", "camera", "persons", "note")
    assert rows(report, "entries", *columns) == [("2026-03-01", START_US, "m.ortiz", "fu-01", "cam-4", "p-1", "patron shouts")]


def test_shifts_stand_with_both_people_and_one_that_waits_is_marked(report: Report) -> None:
    columns = ("shift", "signed_over_by", "open_incidents", "open_disputes", "note", "accepted_by")
    assert rows(report, "shifts", *columns) == [
        ("swing", "m.ortiz", 0, 1, "watch fu-01", "s.lee"),
        ("grave", "s.lee", 0, 1, "quiet", None),
    ]
    assert table(report, "shifts").marked == (1,)


def test_what_is_open_is_handed_over(report: Report) -> None:
    assert rows(report, "open-incidents", "severity", "table_id", "round_no", "incident") == [
        ("high", "fu-01", 1, "Wager underpaid")
    ]
    assert rows(report, "open-disputes", "dispute", "table_id", "claim") == [("d-1", "fu-01", "not paid")]


def test_a_device_is_out_of_order_until_it_works_again_and_not_before_it_failed(report: Report) -> None:
    """Since its first failure: another one that is reported meanwhile begins nothing anew."""
    assert rows(report, "devices", "table_id", "device", "fault", "remark", "failed_at_us") == [
        ("fu-01", "Shoe", "inoperative", "covered", START_US + (Table("table/fu-01").last + 2) * SECOND_US)
    ]


def test_the_export_is_on_record_of_the_surveillance_log_too(report: Report) -> None:
    assert report.concerns == ("fu-01", "surveillance")
