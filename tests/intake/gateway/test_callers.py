"""Who may hand in what: tokens, sources, names of this machine, and requests out of form."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from events.vocabulary.model import WagerPaid
from intake.devices import add_device, revoke_device
from intake.gateway import app
from intake.lines import line_of
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import LINES, Served, opening, serving

AT = "2026-11-23T08:00:00Z"


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    return tmp_path / "devices.toml"


@pytest.fixture
def token(devices: Path) -> str:
    return add_device(devices, "table-07", ["table-07"], None, AT)


@pytest.fixture
def guarded(path: Path, devices: Path, token: str) -> Iterator[Served]:
    with serving(opening(path), devices) as served:
        yield served


def events(path: Path) -> int:
    log = SqliteLog(path, read_only=True)
    count = log.head(TABLE).seq
    log.close()
    return count


def test_a_device_hands_in_for_its_own_source(guarded: Served, token: str, path: Path) -> None:
    assert guarded.hand_in(line_of(TABLE, Drafts().day()), token=token).status == 200
    assert events(path) == 1


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer table-07.wrong", "Basic dGFibGU6eA==", "Bearer x.y"])
def test_whoever_shows_no_token_is_not_let_in(guarded: Served, path: Path, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    reply = guarded.hand_in(line_of(TABLE, Drafts().day()), **headers)
    assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
    assert events(path) == 0


def test_a_revoked_device_is_not_let_in_any_more(guarded: Served, devices: Path, token: str) -> None:
    drafts = Drafts()
    assert guarded.hand_in(line_of(TABLE, drafts.day()), token=token).status == 200
    revoke_device(devices, "table-07", AT)
    assert guarded.hand_in(line_of(TABLE, drafts.wager()), token=token).status == 401


def test_nothing_of_a_request_that_names_another_source_is_taken(guarded: Served, token: str, path: Path) -> None:
    drafts = Drafts()
    foreign = line_of(TABLE, drafts.wager(source="table-08"))
    reply = guarded.hand_in(line_of(TABLE, drafts.day()), foreign, token=token)
    assert reply.status == 403
    assert b"line:2" in reply.body
    assert b"table-08" in reply.body
    garbled = foreign.replace(b'"seat":3', b'"seat":99')  # not even as a refused line in that table's stream
    assert guarded.hand_in(line_of(TABLE, drafts.day()), garbled, token=token).status == 403
    assert events(path) == 0


@pytest.mark.parametrize("cut", [0, 40])
def test_a_refused_payment_that_names_where_the_chips_came_from_is_quarantined(guarded: Served, token: str, cut: int) -> None:
    """A payload may have a `source` too: of what cannot be read, the device is not judged by that."""
    drafts = Drafts()
    paid = WagerPaid(seat=3, bettor="p-9", wager="base", number=None, stake_cents=1, winnings_cents=1, source="inventory")
    line = line_of(TABLE, drafts(paid, round_no=7)).replace(b'"seat":3', b'"seat":99')
    reply = guarded.hand_in(line_of(TABLE, drafts.day()), line[: len(line) - cut], token=token)
    assert (reply.status, reply.lines[1]["status"]) == (200, "quarantined")


def test_a_device_with_streams_of_its_own_writes_to_no_other(path: Path, devices: Path) -> None:
    token = add_device(devices, "table-07", ["table-07"], None, AT, streams=[TABLE])
    drafts = Drafts()
    day, wager = drafts.day(), line_of("table/fu-08", drafts.wager())
    with serving(opening(path), devices) as served:
        assert served.hand_in(line_of(TABLE, day), token=token).status == 200
        assert b"table/fu-08" in served.hand_in(wager, token=token).body
        garbled = served.hand_in(wager.replace(b'"seat":3', b'"seat":99'), token=token)
        assert (garbled.status, b"table/fu-08" in garbled.body) == (403, True)
    log = SqliteLog(path, read_only=True)
    assert (log.streams(), log.quarantined()) == ([TABLE], [])
    log.close()


def test_a_register_that_cannot_be_read_lets_nobody_in(guarded: Served, devices: Path, token: str) -> None:
    devices.write_text("[device")
    assert guarded.hand_in(line_of(TABLE, Drafts().day()), token=token).status == 503
    assert guarded.ask("GET", "/readyz").status == 503


def test_the_log_of_requests_names_the_device_and_nothing_that_it_reports(guarded: Served, token: str) -> None:
    drafts = Drafts()
    guarded.hand_in(line_of(TABLE, drafts.day()), line_of(TABLE, drafts.wager(amount_cents=47110815)), token=token)
    guarded.hand_in(b'{"secret":"47110815"}', token=token)
    assert '"device":"table-07"' in guarded.told[0]
    assert '"stored":2' in guarded.told[0]
    assert '"quarantined":1' in guarded.told[1]
    assert not any("47110815" in line or token.partition(".")[2] in line for line in guarded.told)


def test_without_tokens_only_names_of_this_machine_are_answered(gateway: Served) -> None:
    line = line_of(TABLE, Drafts().day())
    assert gateway.hand_in(line, Host="rebound.example:8600").status == 403
    assert gateway.hand_in(line, Host=f"localhost:{gateway.port}").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({}, 415),
        (LINES | {"Content_Encoding": "gzip"}, 415),
        ({"Content_Type": "application/x-ndjson; charset=utf-8"}, 200),
    ],
)
def test_only_what_can_be_read_is_taken(gateway: Served, headers: dict[str, str], status: int) -> None:
    body = line_of(TABLE, Drafts().day())
    assert gateway.ask("POST", "/v1/events", body, **{k.replace("-", "_"): v for k, v in headers.items()}).status == status


def test_a_body_of_the_largest_size_is_taken_and_one_byte_more_is_not(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    line = line_of(TABLE, Drafts().day())
    monkeypatch.setattr(app, "MOST_BODY", len(line) + 1)
    assert gateway.hand_in(line).status == 200
    assert gateway.hand_in(line + b" ").status == 413


def test_a_request_of_too_many_lines_is_refused(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BODY_LINES", 3)
    drafts = Drafts()
    assert gateway.hand_in(line_of(TABLE, drafts.day()), line_of(TABLE, drafts.wager())).status == 200
    assert gateway.hand_in(*[line_of(TABLE, drafts.wager())] * 3).status == 413


def test_a_body_without_a_stated_length_is_measured_too(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BODY", 1_000)
    connection = gateway.connect()
    connection.request("POST", "/v1/events", iter([b" " * 600] * 2), LINES, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_card_number_without_a_keyring_stores_nothing(gateway: Served, path: Path) -> None:
    drafts = Drafts()
    line = line_of(TABLE, drafts.wager()).replace(b'"p-9"', b'"card:4711"')
    reply = gateway.hand_in(line_of(TABLE, drafts.day()), line)
    assert (reply.status, b"--patrons" in reply.body) == (422, True)
    assert events(path) == 0


def test_other_addresses_and_methods(gateway: Served) -> None:
    assert gateway.ask("GET", "/v1/events").status == 405
    assert gateway.ask("GET", "/v2/events").status == 404
    assert b'rack_gateway_requests_total{status="200"} 1.0' in (
        gateway.hand_in(line_of(TABLE, Drafts().day())) and gateway.ask("GET", "/metrics").body
    )
