"""`POST /v1/events`: what was answered is stored, once, and each line has its answer."""

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.errors import AppendRefused, BrokenSeal, LogUnavailable
from events.log.contract import AppendResult, EventLog
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from intake.appending import BATCH
from intake.gateway import app, group_commit
from intake.gateway.cloud_events import BATCH as CLOUD_EVENTS
from intake.gateway.group_commit import CommitRequest, GroupCommit, NotStored, QueueFull
from intake.lines import line_of, read_line
from tests.contract.drafts import DAY, TABLE, Drafts
from tests.intake.gateway.conftest import PROPERTY, Served, opening, serving, until


def stored(path: Path, stream: str = TABLE) -> list[Draft]:
    log = SqliteLog(path, read_only=True)
    try:
        return [decode(record.data).draft() for record in log.read(stream)]
    finally:
        log.close()


@pytest.fixture
def drafts() -> Drafts:
    return Drafts()


def day_and_wagers(drafts: Drafts, wagers: int = 3) -> list[bytes]:
    return [line_of(TABLE, each) for each in (drafts.day(), *(drafts.wager() for _ in range(wagers)))]


# ------------------------------------------------------------------------------------------------------------- answers


def test_every_line_is_answered_with_its_number(gateway: Served, path: Path, drafts: Drafts) -> None:
    reply = gateway.hand_in(*day_and_wagers(drafts))
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert reply.lines == [{"line": number, "status": "stored", "stream": TABLE, "seq": number} for number in (1, 2, 3, 4)]
    assert len(stored(path)) == 4


def test_a_repeat_is_a_duplicate_and_not_stored(gateway: Served, path: Path, drafts: Drafts) -> None:
    lines = day_and_wagers(drafts)
    gateway.hand_in(*lines[:2])
    reply = gateway.hand_in(*lines)
    assert [(each["status"], each.get("seq")) for each in reply.lines] == [
        ("duplicate", None),
        ("duplicate", None),
        ("stored", 3),
        ("stored", 4),
    ]
    assert len(stored(path)) == 4


def test_a_line_that_cannot_be_read_is_quarantined_and_the_others_are_stored(gateway: Served, path: Path, drafts: Drafts) -> None:
    day, first, second = day_and_wagers(drafts, 2)
    reply = gateway.hand_in(
        day, first, first.replace(b'"seat":3', b'"seat":9').replace(b'"source_seq":2', b'"source_seq":9'), b"", second
    )
    assert [(each["line"], each["status"], each.get("seq")) for each in reply.lines] == [
        (1, "stored", 1),
        (2, "stored", 2),
        (3, "quarantined", 3),
        (5, "stored", 4),
    ]
    assert "seat" in reply.lines[2]["reason"]
    log = SqliteLog(path, read_only=True)
    assert [entry.sha256 for entry in log.quarantined()] == [reply.lines[2]["sha256"]]
    log.close()
    again = gateway.hand_in(
        day, first, first.replace(b'"seat":3', b'"seat":9').replace(b'"source_seq":2', b'"source_seq":9'), b"", second
    )
    assert [each["status"] for each in again.lines] == ["duplicate", "duplicate", "quarantined", "duplicate"]
    assert len(stored(path)) == 4


def test_a_line_that_only_the_log_refuses_is_quarantined(gateway: Served, drafts: Drafts) -> None:
    reply = gateway.hand_in(line_of(TABLE, drafts.wager()))
    assert (reply.status, reply.lines[0]["status"]) == (200, "quarantined")
    assert "gaming_day_opened" in reply.lines[0]["reason"]


def test_a_last_line_without_an_end_and_windows_line_ends_are_lines(gateway: Served, drafts: Drafts) -> None:
    body = b"\r\n".join(day_and_wagers(drafts))
    reply = gateway.ask("POST", "/v1/events", body, Content_Type="application/jsonl")
    assert [each["seq"] for each in reply.lines] == [1, 2, 3, 4]


def test_nothing_handed_in_is_answered_with_nothing(gateway: Served) -> None:
    assert gateway.hand_in(b"").body == b""


def test_more_lines_than_a_group_are_all_answered(gateway: Served, path: Path, drafts: Drafts) -> None:
    reply = gateway.hand_in(*day_and_wagers(drafts, 2 * BATCH + 5))
    assert [each["seq"] for each in reply.lines] == list(range(1, 2 * BATCH + 7))
    assert len(stored(path)) == 2 * BATCH + 6


# --------------------------------------------------------------------------------------------------------- CloudEvents


def cloud_event(draft: Draft, **changed: Any) -> dict[str, Any]:
    line = json.loads(line_of(TABLE, draft))
    event = {
        "specversion": "1.0",
        "id": line["event_id"],
        "source": line["source"],
        "type": f"{line['type']}.v{line['version']}",
        "subject": TABLE,
        "time": "2026-03-14T14:53:20.000001+00:00",
        "sourceseq": line["source_seq"],
        "data": line["payload"],
    }
    if line["round_no"] is not None:
        event["roundno"] = line["round_no"]
    return event | changed


def test_a_batch_of_cloud_events_says_the_same_as_its_lines(gateway: Served, path: Path, drafts: Drafts) -> None:
    day, wager = drafts.day(), drafts.wager()
    events = [cloud_event(day), cloud_event(wager, sourceseq=str(wager.source_seq))]
    reply = gateway.ask("POST", "/v1/events", json.dumps(events).encode(), Content_Type=CLOUD_EVENTS)
    assert [(each["line"], each["status"], each["seq"]) for each in reply.lines] == [(1, "stored", 1), (2, "stored", 2)]
    at_us = 1_773_500_000_000_001
    assert [(each.payload, each.occurred_at_us, each.round_no) for each in stored(path)] == [
        (day.payload, at_us, None),
        (wager.payload, at_us, 7),
    ]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"specversion": "0.3"}, "specversion"),
        ({"type": "wager_placed"}, "type and version"),
        ({"time": "2026-03-14T14:53:20"}, "names no zone"),
        ({"time": "yesterday"}, "isoformat"),
        ({"sourceseq": "first"}, "first"),
        ({"data": {}}, "wager_placed"),
        ({"data_base64": "e30="}, "data_base64"),
        ({"subject": "table/FU"}, "stream"),
    ],
)
def test_a_cloud_event_out_of_form_is_quarantined_alone(
    gateway: Served, drafts: Drafts, changed: dict[str, Any], reason: str
) -> None:
    events = [cloud_event(drafts.day()), cloud_event(drafts.wager(), **changed), cloud_event(drafts.wager())]
    reply = gateway.ask("POST", "/v1/events", json.dumps(events).encode(), Content_Type=CLOUD_EVENTS)
    assert [each["status"] for each in reply.lines] == ["stored", "quarantined", "stored"]
    assert reason in reply.lines[1]["reason"]


def test_a_body_that_is_no_array_of_cloud_events_is_refused_whole(gateway: Served) -> None:
    assert gateway.ask("POST", "/v1/events", b'{"a":1}', Content_Type=CLOUD_EVENTS).status == 400


# --------------------------------------------------------------------------------------------- groups, and what is full


class Slow(SqliteLog):
    """A log whose commits wait until they may."""

    gate, at_gate = threading.Event(), threading.Event()

    def append_groups(self, groups: Any) -> list[AppendResult]:
        self.at_gate.set()
        self.gate.wait()
        return super().append_groups(groups)


def test_requests_that_come_together_share_a_commit(path: Path, drafts: Drafts) -> None:
    commits: list[int] = []
    Slow.gate.clear()
    commit = GroupCommit(lambda: Slow(path, create=True, property_id=PROPERTY), lambda lines, _: commits.append(lines))
    lines = [read_line(line, f"line:{n}") for n, line in enumerate(day_and_wagers(drafts, 9), 1)]
    handed = [CommitRequest(partial(list, [line]), 1, 100) for line in lines]
    for each in handed:
        commit.hand_in(each)
    Slow.gate.set()
    assert [each.outcomes.result()[1][0].seq for each in handed] == list(range(1, 11))
    commit.close()
    assert sum(commits) == 10
    assert len(commits) <= 2


def test_what_is_too_much_is_refused_at_once_and_taken_later(path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MOST_LINES", 10)
    Slow.gate.clear()
    lines = day_and_wagers(drafts, 9)
    with serving(lambda: Slow(path, create=True, property_id=PROPERTY)) as served, ThreadPoolExecutor(1) as pool:
        first = pool.submit(served.hand_in, *lines[:8])
        until(lambda: served.commit.waiting_lines >= 8)
        refused = served.hand_in(*lines[8:])
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        Slow.gate.set()
        assert [each["seq"] for each in first.result().lines] == list(range(1, 9))
        assert [each["seq"] for each in served.hand_in(*lines[8:]).lines] == [9, 10]
        assert (served.commit.waiting_lines, served.commit.waiting_bytes) == (0, 0)
    assert len(stored(path)) == 10


def test_a_request_of_more_lines_than_may_wait_is_taken_where_nothing_waits(
    path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MOST_LINES", 2)
    with serving(opening(path)) as served:
        assert served.hand_in(*day_and_wagers(drafts)).status == 200


# ------------------------------------------------------------------------------------------------------------- failures


class Failing(SqliteLog):
    """A log that raises what it is told to, before or after it stored a group."""

    errors: Sequence[tuple[str, Exception]] = ()

    def append_groups(self, groups: Any) -> list[AppendResult]:
        if not Failing.errors:
            return super().append_groups(groups)
        (when, error), *Failing.errors = Failing.errors
        if when == "after":
            super().append_groups(groups)
        raise error


@pytest.mark.parametrize(
    ("when", "error"),
    [
        ("before", AppendRefused("the disk is full")),
        ("before", LogUnavailable("the disk failed")),
        ("after", LogUnavailable("the answer was lost")),
        ("after", RuntimeError("a defect")),
    ],
)
def test_a_log_that_fails_is_answered_503_and_the_repeat_stores_each_line_once(
    path: Path, drafts: Drafts, when: str, error: Exception
) -> None:
    lines = day_and_wagers(drafts)
    with serving(lambda: Failing(path, create=True, property_id=PROPERTY)) as served:
        Failing.errors = [(when, error)]
        reply = served.hand_in(*lines)
        assert reply.status == 503
        assert b'"status"' not in reply.body
        again = served.hand_in(*lines)
        assert (again.status, {each["status"] for each in again.lines}) == (200, {"duplicate" if when == "after" else "stored"})
        assert served.ask("GET", "/readyz").status == 200
    assert len(stored(path)) == 4


def test_while_the_log_cannot_be_opened_the_gateway_is_not_ready_and_then_is_by_itself(
    path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "REOPEN_S", 0.02)
    broken = threading.Event()

    def open_log() -> EventLog:
        if broken.is_set():
            raise LogUnavailable("the disk is not there")
        return Failing(path, create=True, property_id=PROPERTY)

    with serving(open_log) as served:
        Failing.errors = [("before", LogUnavailable("the disk failed"))]
        broken.set()
        assert served.hand_in(*day_and_wagers(drafts)).status == 503
        until(lambda: served.ask("GET", "/readyz").body == b"the disk is not there\n")
        assert served.ask("GET", "/healthz").status == 200
        broken.clear()
        until(lambda: served.ask("GET", "/readyz").status == 200)


def test_a_stream_that_cannot_be_continued_keeps_no_other_request_waiting(path: Path, drafts: Drafts) -> None:
    class Damaged(SqliteLog):
        def append_groups(self, groups: Any) -> list[AppendResult]:
            groups = list(groups)
            if any(stream == "table/fu-08" for stream, _ in groups):
                raise BrokenSeal("table/fu-08", 3, "its bytes were changed")
            return super().append_groups(groups)

    commit = GroupCommit(lambda: Damaged(path, create=True, property_id=PROPERTY))
    lines = [line_of("table/fu-08", drafts.day()), line_of(TABLE, drafts.day())]
    handed = [CommitRequest(partial(list, [read_line(line, "line:1")]), 1, 100) for line in lines]
    for each in handed:
        commit.hand_in(each)
    with pytest.raises(NotStored, match="LOG-SEAL table/fu-08 event 3"):
        handed[0].outcomes.result()
    assert handed[1].outcomes.result()[1][0].seq == 1
    commit.close()


# ----------------------------------------------------------------------------------------------------------- the end


def test_what_was_taken_is_stored_and_answered_before_the_end(path: Path, drafts: Drafts) -> None:
    commit = GroupCommit(opening(path))
    lines = [read_line(line, "line:1") for line in day_and_wagers(drafts)]
    handed = CommitRequest(lambda: lines, 4, 100)
    commit.hand_in(handed)
    commit.close()
    assert [each.seq for each in handed.outcomes.result(timeout=0)[1]] == [1, 2, 3, 4]
    with pytest.raises(NotStored, match="being stopped"):
        commit.hand_in(CommitRequest(lambda: lines, 4, 100))
    commit.close()


def test_the_queue_takes_nothing_beyond_its_bytes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MOST_BYTES", 100)
    held, release = threading.Event(), threading.Event()

    def read() -> list[Any]:
        held.set()
        release.wait()
        return []

    commit = GroupCommit(opening(path))
    commit.hand_in(CommitRequest(read, 1, 60))
    held.wait()
    with pytest.raises(QueueFull):
        commit.hand_in(CommitRequest(list, 1, 41))
    commit.hand_in(CommitRequest(list, 1, 40))
    release.set()
    commit.close()


def test_nothing_is_answered_before_it_is_stored(path: Path, drafts: Drafts) -> None:
    Slow.gate.clear()
    Slow.at_gate.clear()
    lines = day_and_wagers(drafts)
    commit = GroupCommit(lambda: Slow(path, create=True, property_id=PROPERTY))
    handed = CommitRequest(lambda: [read_line(line, "line:1") for line in lines], len(lines), 100)
    answer = handed.outcomes
    commit.hand_in(handed)
    Slow.at_gate.wait()
    early = answer.done()
    Slow.gate.set()
    assert len(answer.result()[1]) == len(lines)
    commit.close()
    assert not early


def test_the_limits_named_to_devices_are_those_of_the_log() -> None:
    assert app.MOST_BODY == 8 * 1024 * 1024
    assert DAY
