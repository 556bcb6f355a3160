"""Run by test_outage.py in a process of its own: a broker is killed under its writer and comes back.

(The client leaves sockets that it could not connect to the garbage collector, which here may warn as it likes.)
"""

import os
import signal
import sys
from pathlib import Path

import pytest

from events.errors import LogUnavailable
from events.kafka.development.broker import DevelopmentBroker, free_ports
from events.kafka.log import KafkaLog, KafkaResults
from events.log.contract import Head
from events.proofs.verify import verify
from tests.contract.drafts import TABLE, Drafts, fill

ENGINE = "5e" * 32


def outage(broker: DevelopmentBroker, folder: Path) -> None:
    """Append, kill the broker, append in vain, start it again, repeat: each event is there once."""
    address, drafts = f"kafka://{broker.bootstrap}/rack", Drafts()
    log = KafkaLog(address, create=True, property_id="bellwether", state_dir=folder, timeout_s=2.0)
    results = KafkaResults(address, timeout_s=2.0)
    fill(log, drafts)
    results.commit(ENGINE, {TABLE: Head(13, bytes(32))}, {}, [("findings", "a", b"1")])
    pid = broker.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    group = drafts.round()
    with pytest.raises(LogUnavailable):
        log.append_groups([(TABLE, group)])
    with pytest.raises(LogUnavailable):
        results.commit(ENGINE, {TABLE: Head(19, bytes(32))}, {}, [("findings", "a", b"2")])
    broker.start()
    appended = log.append_groups([(TABLE, group)])[0]
    assert appended.seqs == tuple(range(14, 20))
    results.commit(ENGINE, {TABLE: Head(19, bytes(32))}, {}, [("findings", "a", b"2")])
    assert [record.seq for record in log.read(TABLE)] == list(range(1, 20))
    assert list(results.results("findings")) == [("a", b"1"), ("a", b"2")]
    assert log.acknowledged() == {TABLE: appended.head}
    assert verify(log).ok
    results.close()
    log.close()


def main(folder: Path) -> None:
    """Do it with a broker in this folder, which is ended whatever happens."""
    port, controller_port = free_ports(2)
    broker = DevelopmentBroker(folder / "broker", port, controller_port)
    broker.start()
    try:
        outage(broker, folder)
    finally:
        broker.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
