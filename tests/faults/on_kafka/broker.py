"""A broker of one's own that is killed, stopped, cut off, or does not answer; and one that lost what it had."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from events.errors import LogUnavailable, LostTail, SecondWriter
from events.kafka.client import Cluster
from events.kafka.development.broker import BrokerError, DevelopmentBroker, free_ports
from events.kafka.log import KafkaLog, KafkaResults
from tests.faults.floor import check, groups, tables
from tests.faults.killed import create, settled
from tests.faults.processes import ROOT, child
from tests.faults.proxy import APIS, CUT, HELD, REPLY_LATE, REPLY_LOST, REQUEST_LOST, Proxy
from tests.faults.table import Lost, Unavailable, demand, fault

TIMEOUT_S = 2.0


class Behind(DevelopmentBroker):
    """A broker that sends its clients to a proxy's port."""

    def __init__(self, directory: Path, port: int, controller_port: int, proxy_port: int) -> None:
        super().__init__(directory, port, controller_port)
        self.proxy_port = proxy_port

    def _write_properties(self) -> None:
        super()._write_properties()
        text = self._properties.read_text()
        told = f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}"
        self._properties.write_text(text.replace(told, f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.proxy_port}"))


@contextlib.contextmanager
def own_broker(folder: Path) -> Iterator[DevelopmentBroker]:
    port, controller_port = free_ports(2)
    with _running(DevelopmentBroker(folder / "broker", port, controller_port)) as broker:
        yield broker


@contextlib.contextmanager
def _running(broker: DevelopmentBroker) -> Iterator[DevelopmentBroker]:
    try:
        broker.start()
    except BrokerError as error:
        raise Unavailable(str(error)) from error
    try:
        yield broker
    finally:
        pid = broker.pid()
        if pid is not None:
            os.kill(pid, signal.SIGCONT)
        broker.stop()
        shutil.rmtree(broker.directory, ignore_errors=True)


def _kill(broker: DevelopmentBroker) -> None:
    pid = broker.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    broker.stop()  # takes its exit status


@fault(
    "broker",
    "killed, comes back with its log",
    how="kill -9 under a writer and a replayer at work, a start 1 s later",
    held="writer and replayer go on by themselves or are taken up; each event once; findings the same bytes",
    quick=0,
    often=50,
    kafka=True,
)
def killed(folder: Path, times: int) -> int:
    with own_broker(folder) as broker:
        for turn in range(times):
            address, state = create(folder / str(turn), f"kafka://{broker.bootstrap}/killed-{turn}")
            with (
                child("write", address, state, "--pause", 0.05) as writer,
                child("replay", address, state, "--follow") as replayer,
            ):
                writer.until("acknowledged", 1 + turn % 8)
                if turn % 2:
                    replayer.until("judged", 1)
                time.sleep(random.Random(turn).uniform(0, 0.05))
                _kill(broker)
                time.sleep(1.0)
                broker.start()
                demand(writer.end() == 0, f"the writer did not come to its end: {writer.told[-1:]}")
                demand(writer.said("acknowledged") == len(groups()), "the writer left something out")
                replayer.kill()
            log = KafkaLog(address, state_dir=state, timeout_s=10.0)
            results = KafkaResults(address, timeout_s=10.0, resume=False)
            check(log, results)
            results.close()
            log.close()
    return times


@fault(
    "broker",
    "stopped for longer than a client waits",
    how="SIGSTOP of the broker for 6 s under a writer at work, SIGCONT",
    held="the writer goes on by itself; each event once",
    quick=0,
    often=2,
    kafka=True,
)
def stopped(folder: Path, times: int) -> int:
    with own_broker(folder) as broker:
        for turn in range(times):
            address, state = create(folder / str(turn), f"kafka://{broker.bootstrap}/stopped-{turn}")
            with child("write", address, state, "--pause", 0.05) as writer:
                writer.until("acknowledged", 2 + turn % 8)
                pid = broker.pid()
                assert pid is not None
                os.kill(pid, signal.SIGSTOP)
                time.sleep(6.0)
                os.kill(pid, signal.SIGCONT)
                demand(writer.end() == 0, f"the writer did not come to its end: {writer.told[-1:]}")
            settled(KafkaLog(address, state_dir=state, timeout_s=10.0))
    return times


@fault(
    "broker",
    "comes back without the end of its log",
    how="kill -9, the last bytes of the partition's segment cut off, start",
    held="named: LostTail with stream and number",
    quick=0,
    often=3,
    kafka=True,
)
def without_its_tail(folder: Path, times: int) -> int:
    with own_broker(folder) as broker:
        for turn in range(times):
            prefix = f"tail-{turn}"
            address, state = create(folder / str(turn), f"kafka://{broker.bootstrap}/{prefix}")
            log = KafkaLog(address, state_dir=state, timeout_s=10.0)
            for group in groups():
                log.append_groups([group])
            log.close()
            _kill(broker)
            segments = sorted((broker.directory / "data").glob(f"{prefix}.events-*/*.log"))
            segment = max(segments, key=lambda each: each.stat().st_size)
            cut = segment.read_bytes()
            segment.write_bytes(cut[: len(cut) * (turn + 1) // (times + 2)])
            for stale in segment.parent.glob("*.snapshot"):
                stale.unlink()
            broker.start()
            try:
                KafkaLog(address, state_dir=state, timeout_s=10.0).close()
                demand(False, "a partition without its end was not noticed")
            except LostTail as error:
                demand(error.stream in {table.stream for table in tables()}, f"reported was {error}")
    return times


# --------------------------------------------------------------------------------------------------- answers on the way


WAYS = (REPLY_LOST, REQUEST_LOST, CUT, REPLY_LATE)


@fault(
    "network",
    "an answer lost or late, a request lost, a connection cut",
    how="a TCP proxy that knows Kafka's frames, for each kind of request a writer makes, at its n-th",
    held="the producer is thrown away, the tail compared; each event once",
    quick=4,
    often=32,
    kafka=True,
)
def answers(folder: Path, times: int) -> int:
    done = 0
    cases = [(api, how, nth) for nth in (1, 2) for api in APIS for how in WAYS]
    with proxied(folder) as (proxy, address):
        for turn, (api, how, nth) in enumerate(cases[:: max(1, len(cases) // times)]):
            at, state = create(folder / str(turn), f"{address}/answers-{turn}")
            _hand_in(at, state, proxy, api, how, nth)
            done += proxy.happened
    return done


def _hand_in(address: str, state: Path, proxy: Proxy, api: str, how: str, nth: int) -> None:
    """Hand everything in through the proxy, each group until it is acknowledged."""
    log: KafkaLog | None = None
    deadline, taken = time.monotonic() + 60.0, 0
    while taken < len(groups()):
        try:
            log = log or KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
            if taken == 2 and not proxy.happened:
                proxy.plan(api, how, nth, delay_s=TIMEOUT_S * 0.7)
            log.append_groups([groups()[taken]])
            taken += 1
        except LogUnavailable as error:
            if isinstance(error, SecondWriter) or time.monotonic() > deadline:
                raise Lost(f"{how} of {api}: {error}") from error
    assert log is not None
    check(log)
    log.close()


@fault(
    "network",
    "a request held, repeated with success, then delivered",
    how="the same proxy: the connection is cut before the request reaches the broker, which gets it before a later record",
    held="a group is stored whole or not at all; each event once",
    quick=3,
    often=24,
    kafka=True,
)
def held(folder: Path, times: int) -> int:
    done = 0
    kinds = ("end-txn", "produce", "add-partitions-to-txn", "init-producer-id")
    cases = [(api, nth, before) for nth in (1, 2) for before in (2, 1, 4) for api in kinds]
    with proxied(folder) as (proxy, address):
        for turn, (api, nth, before) in enumerate(cases[:times]):
            at, state = create(folder / str(turn), f"{address}/held-{turn}")
            with record_by_record():
                hand_in_held(at, state, proxy, api, nth, before)
            done += proxy.delivered
    return done


@contextlib.contextmanager
def proxied(folder: Path) -> Iterator[tuple[Proxy, str]]:
    """A broker behind a proxy, and its address."""
    port, controller_port, proxy_port = free_ports(3)
    proxy = Proxy(proxy_port, port)
    try:
        with _running(Behind(folder / "broker", port, controller_port, proxy_port)):
            yield proxy, f"kafka://127.0.0.1:{proxy_port}"
    finally:
        proxy.close()


@contextlib.contextmanager
def record_by_record() -> Iterator[None]:
    """Let a producer send each record in a request of its own, so that a transaction has a middle."""
    real = Cluster._producer_settings
    small = {"batch_size": 1, "linger_ms": 0, "max_in_flight_requests_per_connection": 1}
    with patch.object(Cluster, "_producer_settings", lambda self: real(self) | small):
        yield


def hand_in_held(address: str, state: Path, proxy: Proxy, api: str, nth: int, before: int) -> None:
    """Hand everything in, and let a request be held at the third group. After each group, all or nothing of it is there."""
    log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
    for number, (stream, drafts) in enumerate(groups()):
        if number == 2:
            proxy.plan(api, HELD, nth, before=before)
        for _ in range(5):
            try:
                log.append_groups([(stream, drafts)])
                break
            except LogUnavailable as error:
                log.close()
                log = KafkaLog(address, state_dir=state, timeout_s=TIMEOUT_S)
                there = log.head(stream).seq - sum(len(each) for name, each in groups()[:number] if name == stream)
                demand(there in (0, len(drafts)), f"{there} of {len(drafts)} events of a group are there: {error}")
    proxy.calm()
    check(log)
    log.close()


# ----------------------------------------------------------------------------------------------------------- network cut


@fault(
    "network",
    "network cut",
    how="broker and writer in a network namespace of their own, its only link taken down for 3 s",
    held="the writer goes on by itself; each event once",
    quick=0,
    often=3,
    kafka=True,
)
def cut(folder: Path, times: int) -> int:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        raise Unavailable("`unshare` and `ip` are needed for a network namespace")
    if subprocess.run(["unshare", "-rn", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode:
        raise Unavailable("this user may not make a network namespace")
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-m", "tests.faults.on_kafka.broker", str(folder), str(times)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "Unavailable" in done.stderr:
        raise Unavailable(done.stderr.splitlines()[-1])
    demand(done.returncode == 0, done.stderr[-2000:])
    return times


def _cut_here(folder: Path, times: int) -> None:
    """In a namespace of its own: start a broker, and take the link down under a writer."""
    _link("up")
    with own_broker(folder) as broker:
        for turn in range(times):
            address, state = create(folder / str(turn), f"kafka://{broker.bootstrap}/cut-{turn}")
            with child("write", address, state, "--pause", 0.05) as writer:
                writer.until("acknowledged", 2 + turn)
                _link("down")
                time.sleep(3.0)
                _link("up")
                status = writer.end()
                demand(status == 0, f"the writer did not come to its end: {status}, {writer.told[-1:]}")
            settled(KafkaLog(address, state_dir=state, timeout_s=10.0))


def _link(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


if __name__ == "__main__":
    _cut_here(Path(sys.argv[1]), int(sys.argv[2]))
