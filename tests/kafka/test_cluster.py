"""Three nodes for development: three copies, two before an acknowledgment; each role has its rights, strangers have none."""

import contextlib
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.errors import LogUnavailable
from events.kafka.client import Cluster
from events.kafka.development.cluster import ADMINISTRATOR, DEFAULT_PREFIX, USERS, DevelopmentCluster
from events.open import open_log
from rack.cli import main
from tests import kafka_broker
from tests.replay.tables import PAID, PROPERTY, Table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[DevelopmentCluster]:
    running = kafka_broker.cluster()
    running.start()  # whoever killed one has brought it back, or this does
    yield running
    running.stop()  # idle nodes take a sixth of a core


@pytest.fixture(scope="module")
def address(cluster: DevelopmentCluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The log at which the roles have their rights, made with what the administrator's file says."""
    address = f"kafka://{cluster.bootstrap}/{DEFAULT_PREFIX}"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.environment(ADMINISTRATOR).items():
            patch.setenv(name, value)
        from rack.opening import log_at

        folder = tmp_path_factory.mktemp("administrator")
        log_at(address, create=True, property_id=PROPERTY, state_dir=folder).close()
    return address


def append(cluster: DevelopmentCluster, address: str, user: str, folder: Path) -> int:
    table = Table("table/cl-01")
    table.play(1, PAID)
    log = open_log(address, security=cluster.security(user), state_dir=folder / user)
    with contextlib.closing(log):
        return log.append(table.stream, 1, table.drafts).head.seq


def test_the_topics_of_a_new_log_have_three_copies_and_need_two(cluster: DevelopmentCluster, address: str) -> None:
    asking = Cluster(cluster.bootstrap, security=cluster.security("auditor"))
    (settings,) = asking.topic_settings([f"{DEFAULT_PREFIX}.events"]).values()
    assert settings.replicas == 3
    assert settings.values is not None
    assert settings.values["min.insync.replicas"] == "2"


def test_a_role_can_do_its_work_and_no_other(cluster: DevelopmentCluster, address: str, tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="Authorization"):
        append(cluster, address, "auditor", tmp_path)
    assert append(cluster, address, "intake", tmp_path) > 5


def test_nobody_comes_in_without_a_password(cluster: DevelopmentCluster, address: str, tmp_path: Path) -> None:
    wrong = cluster.security("intake") | {"sasl_plain_password": "guessed"}
    with pytest.raises(LogUnavailable):
        open_log(address, security=wrong, state_dir=tmp_path, timeout_s=4.0)


def test_it_listens_on_loopback_only(cluster: DevelopmentCluster) -> None:
    for node in cluster.nodes:
        text = (node.directory / "server.properties").read_text()
        listeners = re.findall(r"^(?:advertised\.)?listeners=(.*)$", text, re.MULTILINE)
        hosts = {listener.split("://")[1].split(":")[0] for line in listeners for listener in line.split(",")}
        assert (len(listeners), hosts) == (2, {"127.0.0.1"})


def test_secrets_are_their_owner_s_alone(cluster: DevelopmentCluster) -> None:
    files = [cluster.user_file(user) for user in USERS]
    files += [cluster.certificates / name for name in ("node.pem", "node-key.pem")]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    for node in cluster.nodes:
        assert "password=" not in (node.directory / "server.properties").read_text()


def test_status_names_each_node_and_a_single_broker_is_not_started_beside_them(
    cluster: DevelopmentCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ["--dir", str(cluster.directory)]
    assert main(["kafka", "status", *folder]) == 0
    assert re.fullmatch(r"(node [123]: running as process \d+\n){3}", capsys.readouterr().out)
    assert main(["kafka", "start", *folder]) == 2
    assert "a cluster of" in capsys.readouterr().err
    assert len(cluster.running()) == 3


def test_stop_ends_nothing_where_nothing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kafka", "stop", "--dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"no Kafka broker of {tmp_path} was running\n"
