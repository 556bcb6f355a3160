"""Settings of topics by which evidence can be lost: nothing is written there, readers and metrics say so."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from events.errors import LogUnavailable
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster, TopicSettings
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.topic_settings import EVIDENCE, KEPT, topic_faults
from events.proofs.verify import verify
from rack.cli import main
from tests.contract.drafts import Drafts, fill
from tests.kafka.conftest import Alter, Open


def test_a_new_log_has_no_fault(log: KafkaLog) -> None:
    assert log.store_faults() == []


def test_the_state_is_compacted_before_it_is_large(log: KafkaLog, cluster: Cluster) -> None:
    """Whoever opens results reads the state, of which every commit writes again what changed."""
    settings = cluster.topic_settings([f"{log.prefix}.state"])[f"{log.prefix}.state"].values
    assert settings is not None
    assert (settings["cleanup.policy"], int(settings["segment.bytes"])) == ("compact", 16 << 20)


LOSSY = [
    *((topic, {"cleanup_policy": "compact"}, "cleanup.policy is compact, expected delete") for topic in EVIDENCE),
    ("events", {"cleanup_policy": "compact,delete"}, "cleanup.policy is compact,delete, expected delete"),
    ("events", {"retention_ms": "604800000"}, "retention.ms is 604800000, expected -1"),
    ("reviews", {"retention_bytes": "1000000"}, "retention.bytes is 1000000, expected -1"),
    ("state", {"cleanup_policy": "delete"}, "cleanup.policy is delete, expected compact"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("topic", "settings", "said"), LOSSY)
def test_nothing_is_written_where_evidence_can_be_lost(
    open_log: Open, log: KafkaLog, drafts: Drafts, alter: Alter, tmp_path: Path, topic: str, settings: dict[str, str], said: str
) -> None:
    fill(log, drafts)
    alter(topic, **settings)
    writers: list[Callable[[], object]] = [
        lambda: open_log("elsewhere"),
        lambda: KafkaResults(log.address),
        lambda: KafkaCheckpoints(log.address, log_id=log.log_id, state_dir=tmp_path / "seal"),
        lambda: KafkaGroup(log.address, "floor", "5e" * 32),
    ]
    for open_writer in writers:
        with pytest.raises(LogUnavailable) as refused:
            open_writer()
        assert f"{log.prefix}.{topic}: {said}; mend it: kafka-configs.sh --bootstrap-server" in str(refused.value)
    reader = open_log("elsewhere", read_only=True)
    assert len(list(reader.read("table/fu-07"))) == 13, "who reads is told, not refused"
    assert [(fault.topic, fault.refused) for fault in reader.store_faults()] == [(f"{log.prefix}.{topic}", True)]


def test_a_mended_setting_is_written_to(open_log: Open, log: KafkaLog, drafts: Drafts, alter: Alter) -> None:
    alter("events", retention_ms="604800000")
    with pytest.raises(LogUnavailable, match=r"--add-config retention\.ms=-1"):
        open_log("elsewhere")
    alter("events", retention_ms="-1")
    fill(open_log("elsewhere"), drafts)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("topic", [name for name in EVIDENCE if name != "events"])
def test_partitions_that_were_added(open_log: Open, log: KafkaLog, cluster: Cluster, topic: str) -> None:
    admin = import_module("kafka").KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.create_partitions({f"{log.prefix}.{topic}": 2})
    admin.wait_for_topics([f"{log.prefix}.{topic}"])
    admin.close()
    with pytest.raises(LogUnavailable, match=f"{topic}: partitions is 2, expected 1; their number must never change"):
        open_log("elsewhere")


def test_a_topic_that_was_deleted(open_log: Open, log: KafkaLog, cluster: Cluster) -> None:
    admin = import_module("kafka").KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.delete_topics([f"{log.prefix}.reviews"])
    admin.close()
    with pytest.raises(LogUnavailable, match="reviews: partitions is 0, expected 1"):
        open_log("elsewhere", check_heads=False)


def test_a_walk_does_not_need_the_findings(open_log: Open, log: KafkaLog, drafts: Drafts, cluster: Cluster) -> None:
    fill(log, drafts)
    admin = import_module("kafka").KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.delete_topics([f"{log.prefix}.findings"])
    admin.close()
    reader = open_log("elsewhere", read_only=True)
    assert verify(reader).ok
    assert [(fault.topic, fault.value) for fault in reader.store_faults()] == [(f"{log.prefix}.findings", "0")]


def faults(replicas: int, **values: str) -> list[tuple[str, str, bool]]:
    named = {name.replace("_", "."): value for name, value in values.items()}
    found = TopicSettings(1, replicas, KEPT | {"unclean.leader.election.enable": "false"} | named)
    return [(each.setting, each.value, each.refused) for each in topic_faults("k:1", "t", found, 1, KEPT)]


def test_few_replicas_in_sync_are_told_where_there_are_several() -> None:
    assert faults(1, min_insync_replicas="1") == []
    assert faults(3, min_insync_replicas="2") == []
    assert faults(3, min_insync_replicas="1") == [("min.insync.replicas", "1", False)]
    unclean = {"min_insync_replicas": "2", "unclean_leader_election_enable": "true"}
    assert faults(3, **unclean) == [("unclean.leader.election.enable", "true", False)]


def test_settings_that_may_not_be_read_are_told() -> None:
    (fault,) = topic_faults("k:1", "t", TopicSettings(1, 1, None), 1, KEPT)
    assert (fault.setting, fault.value, fault.refused) == ("settings", "not readable", False)


# --------------------------------------------------------------------------------------------------- on the command line


def test_commands_that_read_say_it_and_metrics_count_it(
    log: KafkaLog,
    drafts: Drafts,
    alter: Alter,
    stranger: object,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    fill(log, drafts)
    alter("events", retention_ms="604800000")
    assert main(["verify", "--log", log.address, "--json"]) == 0
    said = capsys.readouterr()
    assert f"evidence can be lost: {log.prefix}.events: retention.ms is 604800000, expected -1; mend it:" in said.err
    (fault,) = json.loads(said.out)["store_faults"]
    assert (fault["setting"], fault["value"], fault["refused"]) == ("retention.ms", "604800000", True)
    assert main(["metrics", "--log", log.address, "--once", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rack_store_faults"] == 1
    assert main(["replay", "--log", log.address]) == 3
    assert "nothing is written" in capsys.readouterr().err
    assert main(["replay", "--log", log.address, "--as-of", "table/fu-07=13"]) in (0, 1)
    assert "evidence can be lost" in capsys.readouterr().err
