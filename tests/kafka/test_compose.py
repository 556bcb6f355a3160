"""`compose.yaml`: what it asks of the container's broker is asked of the real one here; only the container is left out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from events.kafka.client import Cluster
from events.kafka.development.broker import DevelopmentBroker, free_ports
from events.kafka.log import KafkaLog, KafkaResults
from events.log.contract import Head
from tests import kafka_broker
from tests.contract.drafts import TABLE, Drafts, fill

ROOT = Path(__file__).resolve().parents[2]
SERVICE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["kafka"]


class Composed(DevelopmentBroker):
    """A broker with the settings of `compose.yaml` alone, on other ports and in another folder."""

    def _write_properties(self) -> None:
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{properties_name(name)}={value}" for name, value in SERVICE["environment"].items()]
        text = "\n".join(lines).replace("9092", str(self.port)).replace("9093", str(self.controller_port))
        text = text.replace("listeners=PLAINTEXT://:", "listeners=PLAINTEXT://127.0.0.1:")
        self._properties.write_text(text.replace("/var/lib/kafka/data", str(self.data)))


def properties_name(variable: str) -> str:
    """The image's rule: `KAFKA_LOG_DIRS` is `log.dirs`."""
    return variable.removeprefix("KAFKA_").lower().replace("_", ".")


@pytest.fixture
def composed(tmp_path: Path) -> Iterator[DevelopmentBroker]:
    port, controller_port = free_ports(2)
    broker = Composed(tmp_path / "broker", port, controller_port)
    kafka_broker.start(broker)
    yield broker
    broker.stop()


def test_the_image_is_the_version_that_is_tested_and_reached_from_this_machine_alone() -> None:
    pom = (ROOT / "events" / "kafka" / "development" / "pom.xml").read_text()
    version = re.search(r"<artifactId>kafka_[\d.]+</artifactId>\s*<version>([\d.]+)</version>", pom)
    assert version is not None
    assert SERVICE["image"] == f"apache/kafka:{version[1]}"
    assert SERVICE["ports"] == ["127.0.0.1:9092:9092"]
    assert SERVICE["volumes"] == [f"kafka-data:{SERVICE['environment']['KAFKA_LOG_DIRS']}"]


@pytest.mark.nightly
@pytest.mark.kafka
def test_a_log_lives_on_a_broker_with_these_settings(composed: DevelopmentBroker, tmp_path: Path) -> None:
    address = f"kafka://{composed.bootstrap}/rack"
    log = KafkaLog(address, create=True, property_id="bellwether", state_dir=tmp_path / "state")
    assert fill(log, Drafts()) == 13
    results = KafkaResults(address)
    results.commit("5e" * 32, {TABLE: Head(13, bytes(32))}, {}, [("findings", "a", b"1")])
    member = Cluster(composed.bootstrap).member("rack-replay", "rack.events", session_s=10.0)
    shared = next(filter(None, (member.poll() for _ in range(10))))
    member.close()
    results.close()
    log.close()
    composed.stop()
    composed.start()
    again = KafkaLog(address, read_only=True, state_dir=tmp_path / "state")
    assert (len(list(again.read(TABLE))), shared) == (13, {0, 1, 2, 3})
    again.close()
