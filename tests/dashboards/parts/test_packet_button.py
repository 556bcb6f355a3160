"""The dispute packet from a page by AppTest: who may make one, that it checks, and that the log has the export."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.access.downloads import DOWNLOADS
from dashboards.parts import packets
from dashboards.run import KEY_VARIABLE
from desk.packet import Packet, check_packet
from desk.review.desk import desk_at
from events.proofs.keys import read_public_key
from tests.dashboards import sample
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, run, said, start


@pytest.mark.parametrize("others", [False, True])
def test_a_packet_in_one_click_checks_with_the_public_key_alone_and_is_on_record(signing_floor: Living, others: bool) -> None:
    """Other patrons are left out of the packet of a seat, unless somebody asks for them."""
    log_in("s.lee", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    if others:
        next(each for each in test.checkbox if each.label == "Include other patrons").check().run()
    next(each for each in test.button if each.label == "Dispute packet").click().run(timeout=120)
    assert [error.value for error in test.exception] == []
    packet = test.session_state[f"packet fu-01 2 3 {not others}"]
    assert isinstance(packet, Packet)
    assert packet.name == "fu-01-2-seat-3" + ("" if others else "-withheld")
    key = read_public_key(signing_floor.warehouse.with_name("log.key.pub"))
    for form in (packet.json, packet.pdf):
        checked = check_packet(form, [key])
        assert (checked.judged is not None, checked.bundle.about.withheld) == (others, not others)
    addresses = re.findall(r'href="downloads/([^"]+)"[^>]*>([^<]+)<', said(test))
    assert [words for _, words in addresses] == ["PDF, signed", "Bundle for an expert", "Page"]
    files = [DOWNLOADS.fetch("app-test", token) for token, _ in addresses]
    assert [each.data for each in files if each] == [packet.pdf, packet.json, packet.forms["html"]]
    assert DOWNLOADS.fetch("another", addresses[0][0]) is None
    assert not test.get("download_button"), "Streamlit would serve it to anybody"
    with desk_at(signing_floor.log, read_only=True) as at:
        exported = [entry for entry in at.review("fu-01").custody if entry.what == "record_exported"]
    assert [entry.by for entry in exported] == ["s.lee"] * 3


@pytest.mark.parametrize("role", ["analyst", "administrator"])
def test_who_may_not_take_a_packet_away_cannot(signing_floor: Living, role: str) -> None:
    log_in("a.nalyst", role)
    test = start("round", table="fu-01", round="2")
    made = next(each for each in test.button if each.label == "Dispute packet")
    assert made.disabled
    assert packets._make("fu-01", 2, None, "x", False) is None  # as a forged message would have it
    with desk_at(signing_floor.log, read_only=True) as at:
        assert not [entry for entry in at.review("fu-01").custody if entry.what == "record_exported"]


def test_without_a_login_or_a_log_or_a_key_the_button_says_why(
    signing_floor: Living, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def why(test: AppTest) -> str:
        made = next(each for each in test.button if each.label == "Dispute packet")
        assert made.disabled
        return str(made.help)

    assert "may not make dispute packets" in why(start("round", table="fu-01", round="2"))
    path = sample.make(tmp_path / "sample.duckdb")
    assert "--log ADDR" in why(run("round", path, monkeypatch, table="fu-01", round="17"))
    signing_floor.serve(monkeypatch)
    log_in("s.lee", "surveillance")
    monkeypatch.delenv(KEY_VARIABLE)
    assert "RACK_KEY" in why(start("round", table="fu-01", round="2"))


def test_a_key_that_may_not_sign_makes_no_packet(signing_floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in("s.lee", "surveillance")
    monkeypatch.setenv(KEY_VARIABLE, str(signing_floor.warehouse))
    test = start("round", table="fu-01", round="2")
    next(each for each in test.button if each.label == "Dispute packet").click().run(timeout=120)
    assert "No packet was made, and nothing left the log" in said(test)
