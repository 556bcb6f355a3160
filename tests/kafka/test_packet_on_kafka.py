"""A dispute packet from a log on Kafka: the same evidence, read through consumers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from events.checkpoint import origin_of
from events.codec import read
from events.kafka_log import KafkaLog
from events.keys import new_key
from events.model import KeyPublished, RecordExported
from events.notes import KeyKind
from replay.packet import check_packet, packet_at
from tests.replay.packet.signed_floor import played
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
    packet = packet_at(address, "fu-01", 6, 3, key=tmp_path / "key", by="m.ortiz", reason="patron asks")
    for form in (packet.json, packet.pdf):
        assert check_packet(form, [signer.public_key]).reproduced
    assert [found.code for found in packet.adjudication.findings] == ["PAY-MISSED"]
    with closing(KafkaLog(address, read_only=True)) as log:
        said = [read(record.data).payload for record in log.read("review/fu-01")]
    assert sorted(each.format for each in said if isinstance(each, RecordExported)) == ["html", "json", "pdf"]
