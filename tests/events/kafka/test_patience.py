"""No one waits for Kafka without a limit: a broker that takes connections and says nothing, or is gone, costs some seconds."""

import contextlib
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from events.errors import LogUnavailable
from events.kafka import acls, patience
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster
from events.kafka.connections import BoundedLoop
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.patience import HANGS, BrokerAddress, Patience, silent_brokers
from events.kafka.transactions import OutgoingRecord

HANGS_S = 60.0
"""What was not refused after this time waits for ever."""


class Brokers:
    """Ports of 127.0.0.1: brokers that hang (the system takes the connection), one that answers, one where nothing is."""

    def __init__(self, listening: contextlib.ExitStack) -> None:
        self._sockets = [listening.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(5)]
        self.hanging = [self._address(each) for each in self._sockets[:3]]
        self.answering, self.gone = self._address(self._sockets[3]), self._address(self._sockets[4])
        self._sockets[4].close()
        threading.Thread(target=self._answer, args=(self._sockets[3],), daemon=True).start()

    @property
    def bootstrap(self) -> str:
        return ",".join(str(each) for each in self.hanging)

    @staticmethod
    def _address(listening: socket.socket) -> BrokerAddress:
        return BrokerAddress(*listening.getsockname())

    @staticmethod
    def _answer(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                with listening.accept()[0] as connection:
                    connection.recv(1024)
                    connection.sendall(b"whatever")


@pytest.fixture
def brokers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Brokers]:
    monkeypatch.setattr(patience, "_TROUBLES", {})
    with contextlib.ExitStack() as listening:
        yield Brokers(listening)


def calls(bootstrap: str, security: dict[str, str], folder: Path) -> dict[str, Callable[[], object]]:
    """Every way in which a process begins to use Kafka."""
    address, cluster = f"kafka://{bootstrap}/rack", Cluster(bootstrap, security=security)
    options: dict[str, Any] = {"security": security, "state_dir": folder}
    rule = acls.AccessRule("User:x", "READ", "TOPIC", "rack.events")
    return {
        "log": lambda: KafkaLog(address, **options),
        "log made": lambda: KafkaLog(address, create=True, property_id="bellwether", **options),
        "results": lambda: KafkaResults(address, **options),
        "checkpoints": lambda: KafkaCheckpoints(address, log_id="0" * 32, **options),
        "group": lambda: KafkaGroup(address, "floor", "e", **options),
        "reader": cluster.reader,
        "reader that keeps offsets": lambda: cluster.reader(patient=True, offsets_of="gateway"),
        "writer": lambda: cluster.writer("rack.0"),
        "member": lambda: cluster.member("floor", "rack.events", session_s=10.0),
        "quarantine": lambda: cluster.send_plain(OutgoingRecord("rack.quarantine", 0, None, b"x", [])),
        "settings": lambda: cluster.topic_settings(["rack.events"]),
        "topics": lambda: cluster.create_topics({"rack.events": (1, {})}, 1),
        "rules": lambda: acls.create(bootstrap, security, [rule]),
        "users": lambda: acls.create_users(bootstrap, security, {"x": "y"}),
    }


def refusal_of(call: Callable[[], object]) -> queue.Queue[str]:
    """Return where the refusal of a call will be; a thread that hangs does not keep the run from its end."""
    refusals = queue.Queue[str]()

    def wait() -> None:
        with pytest.raises(LogUnavailable) as refused:
            call()
        refusals.put(str(refused.value))

    threading.Thread(target=wait, daemon=True).start()
    return refusals


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL"])
def test_whatever_is_begun_while_brokers_hang_is_refused_in_time(brokers: Brokers, protocol: str, tmp_path: Path) -> None:
    todo = calls(brokers.bootstrap, {"security_protocol": protocol}, tmp_path)
    refusals = {name: refusal_of(call) for name, call in todo.items()}
    named = " and ".join(f"the broker at {each} does not answer" for each in sorted(brokers.hanging))
    for name, refusal in refusals.items():
        text = refusal.get(timeout=HANGS_S)
        assert named in text, name
        assert "end it if it hangs" in text, name


@pytest.mark.slow
@pytest.mark.parametrize("threaded", [True, False], ids=["a thread drives the loop", "whoever waits drives it"])
def test_the_loop_of_the_client_is_waited_for_with_a_limit(brokers: Brokers, threaded: bool) -> None:
    """Everything that a consumer or an administrator asks comes through here; the client itself waits for ever."""
    loop = BoundedLoop(Patience(str(brokers.gone), 30.0))
    if threaded:
        loop.start()

    async def never() -> None:
        await loop.sleep(3600)

    assert f"{brokers.gone} refuses connections" in refusal_of(lambda: loop.run(never)).get(timeout=HANGS_S)
    loop.close()


def test_a_broker_that_hangs_one_that_is_gone_and_one_that_answers_are_told_apart(brokers: Brokers) -> None:
    asked = [brokers.hanging[0], brokers.answering, brokers.gone]
    found = silent_brokers(asked, {})
    assert found == {brokers.hanging[0]: HANGS, brokers.gone: "refuses connections"}


# ------------------------------------------------------------------------------------------------ with a clock of its own


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, silent: dict[BrokerAddress, str]) -> None:
        self.now = 100.0
        monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(patience, "silent_brokers", lambda known, security: dict(silent))
        monkeypatch.setattr(patience, "_TROUBLES", {})

    def waited(self, patient: Patience, limit_s: float | None = None) -> float:
        """Return how long a wait for what never comes lasts."""
        began, wait = self.now, patient.begin(limit_s)
        with contextlib.suppress(LogUnavailable):
            while True:
                self.now += wait.slice_s()
                wait.go_on()
        return self.now - began


HANGING = {BrokerAddress("b", 2): HANGS}


def test_a_cluster_whose_brokers_answer_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, {})
    assert clock.waited(Patience("a:1,b:2", 30.0)) == pytest.approx(30.0)


def test_a_wait_that_a_broker_causes_ends_early_and_what_follows_from_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, HANGING)
    log, results = Patience("a:1,b:2", 30.0), Patience("a:1,b:2", 30.0)
    assert clock.waited(log) == pytest.approx(patience.WAIT_S)
    assert clock.waited(log) == pytest.approx(patience.SHORT_S)
    assert clock.waited(results) == pytest.approx(patience.SHORT_S)
    clock.now += patience.COOL_S
    assert clock.waited(log) == pytest.approx(patience.WAIT_S)


def test_waits_that_follow_each_other_end_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one looked, and was answered late; the second may not begin to count from zero."""
    clock = Clock(monkeypatch, HANGING)
    log = Patience("a:1,b:2", 30.0)
    first = log.begin()
    clock.now += patience.LOOK_S
    first.go_on()
    clock.now += 0.5
    assert clock.waited(log) == pytest.approx(patience.WAIT_S - patience.LOOK_S - 0.5)
    clock = Clock(monkeypatch, HANGING)
    log = Patience("a:1,b:2", 30.0)
    log.look(clock.now)
    clock.now += patience.WAIT_S - 0.1
    assert clock.waited(log) == pytest.approx(patience.LEAST_S), "a cluster that has recovered needs some time as well"


def test_no_client_begins_at_a_broker_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, HANGING)
    log = Patience("a:1,b:2", 30.0)
    assert log.addresses() == "a:1,b:2"
    log.greet()
    assert log.addresses() == "a:1"
    clock.now += patience.AVOIDED_S
    assert log.addresses() == "a:1,b:2"
