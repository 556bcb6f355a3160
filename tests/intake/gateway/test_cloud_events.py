"""CloudEvents 1.0 as the SDKs send them: batch, structured and binary mode; what is refused names the attribute."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from intake.gateway.cloud_events import SINGLE
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import LINES, Reply, Served
from tests.intake.gateway.test_events import cloud_event

UUID = "6E8bc430-9c3a-11d9-9669-0800200c9a66"


def stored(path: Path) -> list[Any]:
    log = SqliteLog(path, read_only=True)
    try:
        return [decode(record.data) for record in log.read(TABLE)]
    finally:
        log.close()


def hand_in_binary(gateway: Served, event: dict[str, Any], **headers: str) -> Reply:
    attributes = {f"ce_{name}": str(value) for name, value in event.items() if name != "data"}
    return gateway.ask("POST", "/v1/events", json.dumps(event["data"]).encode(), **(attributes | headers))


def test_one_event_in_structured_mode(gateway: Served, path: Path) -> None:
    drafts = Drafts()
    for draft in (drafts.day(), drafts.wager()):
        body = json.dumps(cloud_event(draft), indent=2).encode()
        reply = gateway.ask("POST", "/v1/events", body, Content_Type=f"{SINGLE}; charset=UTF-8")
        assert [(each["line"], each["status"]) for each in reply.lines] == [(1, "stored")]
    assert [each.round_no for each in stored(path)] == [None, 7]


@pytest.mark.parametrize("headers", [{"Content_Type": "application/json; charset=utf-8"}, {}], ids=["json", "no type"])
def test_one_event_in_binary_mode_keeps_its_attributes(gateway: Served, path: Path, headers: dict[str, str]) -> None:
    drafts = Drafts()
    wager = drafts.wager()
    assert gateway.hand_in(json.dumps(0).encode()).status == 200
    for draft in (drafts.day(), wager):
        assert [each["status"] for each in hand_in_binary(gateway, cloud_event(draft), **headers).lines] == ["stored"]
    last = stored(path)[-1]
    assert (last.event_id, last.source, last.source_seq, last.round_no) == (wager.event_id, wager.source, wager.source_seq, 7)
    assert last.payload == wager.payload


def test_what_is_refused_in_binary_mode_is_kept_with_its_attributes(gateway: Served, path: Path) -> None:
    assert gateway.hand_in(b"").status == 200
    event = cloud_event(Drafts().wager(), sourceseq="first")
    (answer,) = hand_in_binary(gateway, event, Content_Type="application/json").lines
    assert answer["status"] == "quarantined"
    assert answer["reason"].startswith("sourceseq: ")
    log = SqliteLog(path, read_only=True)
    kept = json.loads(log.quarantined()[-1].data)
    log.close()
    assert (kept["id"], kept["subject"], kept["time"]) == (event["id"], TABLE, event["time"])


@pytest.mark.parametrize("kind", ["application/x-ndjson", "text/csv", "application/xml"])
def test_binary_mode_with_other_data_is_refused_whole(gateway: Served, kind: str) -> None:
    assert hand_in_binary(gateway, cloud_event(Drafts().day()), Content_Type=kind).status == 415


@pytest.mark.parametrize(
    ("changed", "name", "value"),
    [
        ({"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-01", "partitionkey": "fu-07"}, "round_no", 7),
        ({"sampled": True, "count": 3}, "round_no", 7),
        ({"datacontenttype": "application/json; charset=utf-8"}, "round_no", 7),
        ({"datacontenttype": 'Application/JSON;charset="UTF-8"'}, "round_no", 7),
        ({"datacontenttype": "application/vnd.vendor+json"}, "round_no", 7),
        ({"id": UUID}, "event_id", "6e8bc4309c3a11d996690800200c9a66"),
        ({"id": f"urn:uuid:{UUID}"}, "event_id", "6e8bc4309c3a11d996690800200c9a66"),
        ({"source": "urn:bellwether:table:table-07"}, "source", "table-07"),
        ({"source": "URN:bellwether:table-07"}, "source", "table-07"),
        ({"source": f"urn:uuid:{UUID}"}, "source", "6e8bc4309c3a11d996690800200c9a66"),
        ({"time": "2026-03-14t14:53:20z"}, "occurred_at_us", 1_773_500_000_000_000),
        ({"time": "2026-03-14T10:53:20.123456789-04:00"}, "occurred_at_us", 1_773_500_000_123_456),
        ({"roundno": "7"}, "round_no", 7),
    ],
)
def test_what_cloud_events_allow_is_read(gateway: Served, path: Path, changed: dict[str, Any], name: str, value: object) -> None:
    drafts = Drafts()
    events = [cloud_event(drafts.day()), cloud_event(drafts.wager(), **changed)]
    reply = gateway.ask("POST", "/v1/events", json.dumps(events).encode(), Content_Type="application/cloudevents-batch+json")
    assert [each["status"] for each in reply.lines] == ["stored", "stored"], reply.body
    assert getattr(stored(path)[-1], name) == value


@pytest.mark.parametrize(
    ("changed", "attribute"),
    [
        ({"id": "1"}, "id"),
        ({"id": 7}, "id"),
        ({"source": "/tables/7"}, "source"),
        ({"source": "urn:bellwether:Table 7"}, "source"),
        ({"source": ""}, "source"),
        ({"subject": "table/FU"}, "subject"),
        ({"type": "com.vendor.bet"}, "type"),
        ({"time": "14:53"}, "time"),
        ({"sourceseq": 0}, "sourceseq"),
        ({"sourceseq": -1}, "sourceseq"),
        ({"sourceseq": True}, "sourceseq"),
        ({"roundno": "last"}, "roundno"),
        ({"roundno": 2**53}, "roundno"),
        ({"specversion": "0.3"}, "specversion"),
        ({"datacontenttype": "text/xml"}, "datacontenttype"),
        ({"datacontenttype": "application/json; charset=latin-1"}, "datacontenttype"),
        ({"data_base64": "e30="}, "data_base64"),
        ({"Trace": "x"}, "Trace"),
        ({"trace": {"id": 1}}, "trace"),
    ],
)
def test_a_reason_names_the_attribute(gateway: Served, changed: dict[str, Any], attribute: str) -> None:
    drafts = Drafts()
    events = [cloud_event(drafts.day()), cloud_event(drafts.wager(), **changed)]
    reply = gateway.ask("POST", "/v1/events", json.dumps(events).encode(), Content_Type="application/cloudevents-batch+json")
    assert reply.lines[1]["status"] == "quarantined"
    assert reply.lines[1]["reason"].startswith(f"{attribute}: ")


@pytest.mark.parametrize("missing", ["id", "source", "type", "subject", "time", "sourceseq", "data", "specversion"])
def test_a_reason_names_what_is_missing(gateway: Served, missing: str) -> None:
    event = cloud_event(Drafts().wager())
    del event[missing]
    reply = gateway.ask("POST", "/v1/events", json.dumps(event).encode(), Content_Type=SINGLE)
    assert reply.lines[0]["reason"].startswith(f"{missing}: ")


# ------------------------------------------------------------------------------------------- JSON as tools write it


def test_json_as_tools_write_it(gateway: Served) -> None:
    """An array, indented objects one after another, a byte order mark: none is torn into lines."""
    drafts = Drafts()
    from events.vocabulary.codec import encode_draft

    def report(draft: Any) -> dict[str, Any]:
        return {"stream": TABLE} | json.loads(encode_draft(draft))

    day, *wagers = (report(each) for each in (drafts.day(), *(drafts.wager() for _ in range(6))))
    bodies = [
        b"\xef\xbb\xbf" + json.dumps(day).encode(),
        json.dumps(wagers[:2]).encode(),
        json.dumps(wagers[2:3], indent=4).encode(),
        "\n".join(json.dumps(each, indent=1) for each in wagers[3:5]).encode(),
        json.dumps(wagers[5], indent=1).replace("\n", "\r\n").encode(),
    ]
    replies = [gateway.ask("POST", "/v1/events", body, **LINES).lines for body in bodies]
    assert [[each["status"] for each in reply] for reply in replies] == [
        ["stored"],
        ["stored", "stored"],
        ["stored"],
        ["stored", "stored"],
        ["stored"],
    ]
    assert [each["line"] for each in replies[3]] == [1, 1 + json.dumps(wagers[3], indent=1).count("\n") + 1]


def test_a_torn_line_among_sound_ones_is_refused_alone(gateway: Served) -> None:
    from intake.lines import line_of

    drafts = Drafts()
    lines = [line_of(TABLE, each) for each in (drafts.day(), drafts.wager(), drafts.wager())]
    torn = lines[1][:-20]
    assert [each["status"] for each in gateway.hand_in(lines[0], torn, lines[2]).lines] == ["stored", "quarantined", "stored"]
