"""The settings of a log's topics that could lose evidence (D437): compaction, retention, partitions, replicas.

A topic with evidence keeps every record forever; only the state is compacted. If that is not so, nothing is written, since
acknowledged events could vanish, and readers get a warning. Settings that lose acknowledged events only if a broker is lost cause
a warning, never a refusal: development has one broker. A topic that the broker compresses again by a codec of its own causes a
warning, and a refusal if this installation could not read it (D820).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from events.errors import LogUnavailable
from events.log.foreign import StoreFault

if TYPE_CHECKING:
    from events.kafka.client import Cluster
from events.kafka.client import TopicSettings, unreadable_codecs

EVIDENCE: Final = ("events", "reviews", "findings", "checkpoints", "quarantine")
"""Topics that keep every record."""
STATE: Final = "state"
STATE_PARTITIONS: Final = 2

KEPT: Final = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
"""Settings of a topic that keeps every record."""
COMPACTED: Final = {"cleanup.policy": "compact"}
AS_SENT: Final = ("producer", "zstd")
"""Values of `compression.type` by which records stay as our writers send them."""


def store_faults(cluster: Cluster, prefix: str, partitions: int) -> list[StoreFault]:
    """Return the faults of a log's topics, given its number of event partitions.

    A missing right to read the settings is a fault, too. Raises `LogUnavailable` if there is no answer.
    """
    shapes = {f"{prefix}.{name}": partitions if name == "events" else 1 for name in EVIDENCE}
    shapes[f"{prefix}.{STATE}"] = STATE_PARTITIONS
    found = cluster.topic_settings(list(shapes))
    faults: list[StoreFault] = []
    for topic, count in shapes.items():
        expected = COMPACTED if topic.endswith(f".{STATE}") else KEPT
        faults += topic_faults(cluster.bootstrap, topic, found.get(topic), count, expected)
    return faults


def topic_faults(
    bootstrap: str, topic: str, found: TopicSettings | None, partitions: int, expected: dict[str, str]
) -> Iterator[StoreFault]:
    """Yield the faults of one topic; None: it does not exist."""
    if found is None or found.partitions != partitions:
        value = "0" if found is None else str(found.partitions)
        remedy = "their number must never change: restore the topic from a backup or an archive"
        yield StoreFault(topic, "partitions", value, str(partitions), remedy, refused=True)
        return
    if found.values is None:
        remedy = "give this user the right DESCRIBE_CONFIGS on it: rack kafka acls"
        yield StoreFault(topic, "settings", "not readable", "readable", remedy, refused=False)
        return
    for setting, value in expected.items():
        if found.values.get(setting) != value:
            yield _fault(bootstrap, topic, setting, found.values, value, refused=True)
    codec = found.values.get("compression.type", "producer")
    if codec not in AS_SENT:
        yield _fault(bootstrap, topic, "compression.type", found.values, "producer", refused=codec in unreadable_codecs())
    if found.replicas > 1:
        if int(found.values.get("min.insync.replicas", "1")) < 2:
            yield _fault(bootstrap, topic, "min.insync.replicas", found.values, "2", refused=False)
        if found.values.get("unclean.leader.election.enable", "false") != "false":
            yield _fault(bootstrap, topic, "unclean.leader.election.enable", found.values, "false", refused=False)


def _fault(bootstrap: str, topic: str, setting: str, values: dict[str, str], expected: str, *, refused: bool) -> StoreFault:
    remedy = (
        f"mend it: kafka-configs.sh --bootstrap-server {bootstrap} --alter --entity-type topics --entity-name {topic} "
        f"--add-config {setting}={expected}"
    )
    return StoreFault(topic, setting, values.get(setting, "not set"), expected, remedy, refused)


def refuse_faults(faults: Sequence[StoreFault]) -> None:
    """Raise `LogUnavailable` if a topic can lose evidence; nothing is written."""
    lossy = [fault for fault in faults if fault.refused]
    if lossy:
        more = f" ({len(lossy) - 1} more such settings)" if len(lossy) > 1 else ""
        raise LogUnavailable(f"evidence could be lost, so nothing is written: {lossy[0].line()}{more}")
