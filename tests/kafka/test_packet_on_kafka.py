"""What people do with a log on Kafka: a dispute packet of the same evidence, and the days of a house without sensors."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dashboards.run import CASES_VARIABLE, LOG_VARIABLE, PERSONS_VARIABLE
from desk.house.table_lines import TableRecord
from desk.packet import NotCovered, check_packet, packet_at
from desk.review.observed_table import ObservedTable, verdict_of
from events.kafka.log import KafkaLog, KafkaResults
from events.open import open_checkpoints
from events.proofs.checkpoint import origin_of
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.model import KeyPublished, RecordExported
from rack.cli import main
from tests.dashboards.living import SHORT
from tests.dashboards.running import said, start
from tests.desk.packet.signed_floor import played
from tests.rack.signing import signing
from tests.replay.tables import PROPERTY, Table, append


def test_a_packet_is_made_and_its_export_is_in_the_log(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the writer's files are kept in the working folder
    with closing(KafkaLog(address, property_id=PROPERTY, create=True, partitions=2)) as log:
        signer = new_key(tmp_path / "key", origin_of(log.log_id, PROPERTY), KeyKind.LOG)
        office = Table("property/main")
        office.say(KeyPublished(by="custodian", public_key=str(signer.public_key), vouch=None))
        append(log, office, played())
    key, asked = tmp_path / "key", {"by": "m.ortiz", "reason": "patron asks"}
    with pytest.raises(NotCovered, match=r"none was promised.*`rack checkpoint` makes"):
        packet_at(address, "fu-01", 6, 3, key=key, **asked)  # who signs elsewhere cannot be known, and is not fenced
    assert main(["checkpoint", "--log", address, "--key", str(key), "--quiet"]) == 0
    packet = packet_at(address, "fu-01", 6, 3, key=key, **asked)
    for form in (packet.json, packet.pdf):
        assert check_packet(form, [signer.public_key]).reproduced
    assert [found.code for found in packet.adjudication.findings] == ["PAY-MISSED"]
    with closing(KafkaLog(address, read_only=True)) as log:
        said = [read(record.data).payload for record in log.read("review/fu-01")]
    assert sorted(each.format for each in said if isinstance(each, RecordExported)) == ["html", "json", "pdf"]


@pytest.mark.nightly
def test_a_packet_never_takes_the_right_to_sign_from_a_process_on_another_machine(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each packet writes its export down, so that the next one of the round is newer than the last checkpoint."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with closing(KafkaLog(address, property_id=PROPERTY, create=True, partitions=2)) as log:
        signer = new_key(tmp_path / "key", origin_of(log.log_id, PROPERTY), KeyKind.LOG)
        office = Table("property/main")
        office.say(KeyPublished(by="custodian", public_key=str(signer.public_key), vouch=None))
        append(log, office, played())
    with signing(address, tmp_path / "key", tmp_path / "elsewhere", seconds=4) as running:
        running.until("signed")
        for _ in range(2):
            packet = packet_at(address, "fu-01", 6, key=tmp_path / "key", by="m.ortiz", reason="patron asks")
            assert check_packet(packet.json, [signer.public_key]).reproduced
        running.until("signed", running.signed() + 1)
        assert running.stop() == 0, running.said
    with closing(open_checkpoints(address, log_id=packet_log_id(packet.json), read_only=True)) as store:
        assert len(list(store.batches())) == running.signed(), "no checkpoint but its own"


def packet_log_id(bundle: bytes) -> str:
    log_id: str = json.loads(bundle)["about"]["log_id"]
    return log_id


PEOPLE = ("m.ortiz", "s.kane")


def rack(*words: str, code: int = 0) -> None:
    assert main(["--quiet", *words]) == code, words


@pytest.fixture
def day(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A property of one table whose file names the log on Kafka, two people, and today's gaming day."""
    monkeypatch.chdir(tmp_path)
    today = (datetime.now(UTC) - timedelta(hours=6)).date().isoformat()
    words = ["--name", "Bellwether", "--zone", "UTC", "--cutover", "06:00", "--currency", "USD", "--first-day", today]
    rack("init", str(tmp_path), *words, "--tables", "1 face_up_pai_gow")
    file, rules = tmp_path / "property.toml", tmp_path / "rules" / "face_up_pai_gow.toml"
    text = file.read_text().replace("first_day", f'log = "{address}"\nfirst_day')
    for number, who in enumerate(PEOPLE, 1):
        text = text.replace(f'"person-{number}"', f'"{who}"')
    file.write_text(text)
    offered = '\n[wagers.ace_high_bonus]\npaytable = "1"\nmin = "5.00"\nmax = "100.00"\n'
    rules.write_text(rules.read_text() + offered)
    monkeypatch.setenv("RACK_LOG", address)
    monkeypatch.setenv("RACK_PERSONS", str(tmp_path / "persons.toml"))
    monkeypatch.setenv("RACK_CASES", str(tmp_path))
    return today


@pytest.mark.nightly
def test_a_house_is_set_up_counted_and_observed_on_kafka(
    day: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rack("plan", str(tmp_path), code=1)  # no log yet: everything is new
    rack("apply", str(tmp_path), "--by", "m.ortiz")
    rack("plan", str(tmp_path))
    capsys.readouterr()
    rack("apply", str(tmp_path), "--by", "m.ortiz", "--json")
    assert json.loads(capsys.readouterr().out)["events"] == 0
    assert f"RACK_LOG={address}\n" in (tmp_path / "units" / "rack.env").read_text()
    rack("rules", "sign", "fu-01", "--by", "s.kane")
    rack("pit", "open", "fu-01", "--by", "m.ortiz", "--amount", "20,000.00", "--dealer", "d-07")
    rack("pit", "fill", "fu-01", "--by", "s.kane", "--amount", "2,000.00", "--slip", "4711")
    rack("pit", "close", "fu-01", "--by", "m.ortiz", "--amount", "19,500.00", "--verified-by", "s.kane")
    rack("count", "enter", "fu-01=100.00", "--day", day, "--by", "m.ortiz")
    rack("count", "again", "fu-01=100.00", "--day", day, "--by", "s.kane")

    entry = tmp_path / "entry.txt"
    entry.write_text(SHORT.format(number=1).replace("close\n", ""))
    observed = ["--table", "fu-01", "--observer", "m.ortiz", "--camera", "cam-1", "--day", day]
    rack("ingest", str(entry), *observed)
    rack("observe", "confirm", "--table", "fu-01", "--round", "1", "--by", "s.kane")
    rack("replay", code=1)
    capsys.readouterr()
    rack("doctor", str(tmp_path), "--json", code=1)
    parts = {each["name"]: each["ok"] for each in json.loads(capsys.readouterr().out)}
    assert (parts["property"], parts["filings"], parts["log"]) == (True, True, True)

    monkeypatch.setenv(LOG_VARIABLE, address)
    monkeypatch.setenv(PERSONS_VARIABLE, str(tmp_path / "persons.toml"))
    monkeypatch.setenv(CASES_VARIABLE, str(tmp_path))
    assert "Every filing has its second signature" in said(start("setup"))

    with closing(KafkaLog(address, read_only=True)) as log:
        record = TableRecord(log, "fu-01")
        kinds = [type(event) for _, event in record.counting(model.FillReceived, model.DropCounted)]
        assert kinds[-1] is model.DropCounted
        assert len(kinds) == 2
        assert record.closer_cents == 1_950_000
        assert ObservedTable(log, "fu-01").round(1).confirmed_by == ["s.kane"]
    with closing(KafkaResults(address, read_only=True)) as results:
        found = verdict_of(results, "observed/fu-01#1")
    assert found is not None
    assert [each.line() for each in found.findings] == ["PAY-UNDER seat=3 wager=ace_high_bonus -100.00"]
