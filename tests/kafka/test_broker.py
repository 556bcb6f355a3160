"""The development broker: it is started ready, and only it is ended."""

import os
import socket
from pathlib import Path

import pytest

from events.kafka.development.broker import DevelopmentBroker, free_ports
from rack.cli import main
from tests import kafka_broker


def test_start_status_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port, controller_port = free_ports(2)
    broker = DevelopmentBroker(tmp_path, port, controller_port)
    pid = kafka_broker.start(broker)
    assert (broker.pid(), broker.start()) == (pid, pid)
    socket.create_connection(("127.0.0.1", port), timeout=60).close()
    assert main(["kafka", "status", "--dir", str(tmp_path)]) == 0
    assert main(["kafka", "stop", "--dir", str(tmp_path)]) == 0
    assert broker.pid() is None
    assert main(["kafka", "status", "--dir", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"running as process {pid}\nKafka stopped\nnot running\n"
    assert not broker.stop()


def test_another_process_is_not_taken_for_the_broker(tmp_path: Path) -> None:
    (tmp_path / "pid").write_text(str(os.getpid()))
    broker = DevelopmentBroker(tmp_path)
    assert broker.pid() is None
    assert not broker.stop()


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["kafka", "start", "--dir", str(tmp_path), "--port", str(port)]) == 3
    assert capsys.readouterr().err.startswith(f"rack: port {port} on 127.0.0.1 is taken")
