"""Each user of a log on Kafka can do its work and nothing else, at a broker that asks for names and passwords."""

import contextlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from events.errors import LogUnavailable
from events.kafka.acls import ROLES, create, rules
from events.kafka.development.broker import DevelopmentBroker, free_ports
from events.log.contract import CheckpointStore, EventLog, Head, QuarantineEntry, ResultStore
from events.open import open_checkpoints, open_log, open_results
from rack.cli import main
from tests import kafka_broker
from tests.replay.tables import PAID, PROPERTY, Table

USERS = ("admin", "stranger", "veteran", *ROLES)
SETTINGS = f"""
listener.security.protocol.map=PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  username="admin" password="admin-secret" {" ".join(f'user_{user}="{user}-secret"' for user in USERS)};
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:admin;User:ANONYMOUS
"""
"""Only the controller's own port, which no one else reaches, lets the node in without a name."""


def security(user: str) -> dict[str, str]:
    return {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": user,
        "sasl_plain_password": f"{user}-secret",
    }


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A log made by the administrator, with a rule for each role."""
    folder = tmp_path_factory.mktemp("broker")
    port, controller_port = free_ports(2)
    broker = DevelopmentBroker(folder, port, controller_port, settings=SETTINGS)
    kafka_broker.start(broker)
    address = f"kafka://{broker.bootstrap}/acl"
    try:
        open_log(address, create=True, property_id=PROPERTY, security=security("admin"), state_dir=folder / "admin").close()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in zip(("PROTOCOL", "MECHANISM", "USERNAME", "PASSWORD"), security("admin").values(), strict=True):
                patch.setenv(f"RACK_KAFKA_{name}", value)
            assert main(["kafka", "acls", address, *(f"{role}=User:{role}" for role in ROLES), "--apply"]) == 0
        yield address
    finally:
        broker.stop()


@contextlib.contextmanager
def opened(address: str, user: str, tmp_path: Path) -> Iterator[EventLog]:
    log = open_log(address, security=security(user), state_dir=tmp_path / user, timeout_s=5.0)
    with contextlib.closing(log):
        yield log


@contextlib.contextmanager
def results(address: str, user: str) -> Iterator[ResultStore]:
    with contextlib.closing(open_results(address, security=security(user), timeout_s=5.0)) as store:
        yield store


def append(log: EventLog, name: str) -> int:
    table = Table(name)
    table.play(1, PAID)
    return log.append(name, 1, table.drafts).head.seq


def find(store: ResultStore) -> None:
    store.commit("engine", {"table/in-01": Head(1, bytes(32))}, {}, [("findings", "k", b"{}")])


def test_intake_appends_and_quarantines_and_finds_nothing(address: str, tmp_path: Path) -> None:
    with opened(address, "intake", tmp_path) as log, results(address, "intake") as store:
        assert append(log, "table/in-01") > 5
        log.quarantine(QuarantineEntry("table/in-01", sha256(b"x").hexdigest(), "smudged", b"x"))
        assert [entry.data for entry in log.quarantined()] == [b"x"]
        assert sum(1 for _ in log.read("table/in-01")) > 5
        with pytest.raises(LogUnavailable, match="Authorization"):
            find(store)


def test_the_replayer_reads_and_finds_and_appends_nothing(address: str, tmp_path: Path) -> None:
    with opened(address, "replayer", tmp_path) as log, results(address, "replayer") as store:
        find(store)
        assert store.latest("findings", "k") == b"{}"
        with pytest.raises(LogUnavailable, match="Authorization"):
            append(log, "table/in-02")


@pytest.mark.parametrize("user", ["reviewer", "sealer", "auditor"])
def test_others_append_no_event_and_find_nothing(address: str, tmp_path: Path, user: str) -> None:
    with opened(address, user, tmp_path) as log, results(address, user) as store:
        with pytest.raises(LogUnavailable, match="Authorization"):
            append(log, f"table/{user}")
        with pytest.raises(LogUnavailable, match="Authorization"):
            find(store)
        assert f"table/{user}" not in log.streams()  # it reads, and nothing was written


def test_the_sealer_alone_stores_checkpoints(address: str, tmp_path: Path) -> None:
    """It writes nothing else; an auditor, as a witness is one, reads them."""

    def store(user: str, *, read_only: bool = False) -> contextlib.closing[CheckpointStore]:
        with opened(address, user, tmp_path) as log:
            log_id = log.log_id
        options = {"security": security(user), "state_dir": tmp_path / user, "timeout_s": 5.0}
        return contextlib.closing(open_checkpoints(address, log_id=log_id, read_only=read_only, **options))

    with store("sealer") as sealer:
        sealer.append(0, b"batch", Head(3, bytes(32)))
    with store("auditor", read_only=True) as auditor:
        assert list(auditor.batches()) == [b"batch"]
    for user in ("intake", "replayer", "reviewer", "auditor"):
        with pytest.raises(LogUnavailable, match="Authorization"):
            store(user)


@pytest.mark.parametrize("user", ROLES)
def test_every_role_reads_the_settings_of_the_topics(address: str, tmp_path: Path, user: str) -> None:
    with opened(address, user, tmp_path) as log:
        assert log.store_faults() == []


def test_who_may_not_read_the_settings_is_told_and_works_on(address: str, tmp_path: Path) -> None:
    """The rights of a user from before settings were looked at."""
    given = [rule for rule in rules("acl", "intake", "User:veteran", 4) if rule.operation != "DESCRIBE_CONFIGS"]
    create(address.split("/")[2], security("admin"), given)
    with opened(address, "veteran", tmp_path) as log:
        assert append(log, "table/vt-01") > 5
        assert {(fault.setting, fault.value, fault.refused) for fault in log.store_faults()} == {
            ("settings", "not readable", False)
        }


def test_a_stranger_sees_no_log(address: str, tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="or no right to read it"), opened(address, "stranger", tmp_path):
        pass


def test_the_rules_of_a_role_name_what_it_writes() -> None:
    said = [str(rule) for rule in rules("rack", "intake", "User:in", 2)]
    assert "User:in may WRITE TOPIC rack.events" in said
    assert "User:in may WRITE TRANSACTIONAL_ID rack.1" in said
    assert not any("WRITE TOPIC rack.findings" in each or "rack.2" in each for each in said)
    assert not [each for each in map(str, rules("rack", "auditor", "User:a", 2)) if "WRITE" in each]


@pytest.mark.parametrize("user", ["intake", "boss=User:x", "intake=x"])
def test_what_names_no_role_and_user_is_refused(user: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kafka", "acls", "kafka://127.0.0.1:1/rack", user]) == 2
    assert "expected ROLE=User:NAME" in capsys.readouterr().err


def test_rules_are_printed_and_created_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """No one listens at this address: what only prints does not notice."""
    asked = ["kafka", "acls", "kafka://127.0.0.1:1/rack", "auditor=User:a"]
    assert main(asked) == 0
    assert capsys.readouterr().out.splitlines()[0] == "User:a may READ TOPIC rack.events"
    assert main([*asked, "--apply"]) == 3
    assert "Kafka at 127.0.0.1:1: " in capsys.readouterr().err


def test_rules_of_no_kafka_log_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kafka", "acls", "sqlite:///floor.db", "auditor=User:a"]) == 2
    assert "write kafka://host:port/prefix" in capsys.readouterr().err
