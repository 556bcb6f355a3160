"""A dispute packet from a log on Kafka: the same evidence, read through consumers."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from desk.packet import NotCovered, check_packet, packet_at
from events.kafka.log import KafkaLog
from events.open import open_checkpoints
from events.proofs.checkpoint import origin_of
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from events.vocabulary.codec import read
from events.vocabulary.model import KeyPublished, RecordExported
from rack.cli import main
from tests.desk.packet.signed_floor import played
from tests.rack.signing import signing
from tests.replay.tables import PROPERTY, Table, append


def test_a_packet_is_made_and_its_export_is_in_the_log(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
