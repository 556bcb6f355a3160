"""What we use of kafka-python beyond its documented interface, and what we know of it, is of one version.

Another version fails here until somebody has read in it what these names do, and what the client repeats by itself.
"""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from inspect import getsource
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from events.kafka.record_batches import ReadMessage, _Whole
from events.kafka.transactions import AskingOnce

ROOT = Path(__file__).resolve().parents[2]
FILES = tuple(f"events/kafka/{name}.py" for name in ("client", "connections", "record_batches", "transactions", "acls"))
READ = "3.0.12"
"""The version of kafka-python of which the code was read."""

PRIVATE = {
    "_cluster": ("kafka.consumer.group", "KafkaConsumer"),
    "_coordinator": ("kafka.consumer.group", "KafkaConsumer"),
    "_fetcher": ("kafka.consumer.group", "KafkaConsumer"),
    "_metadata": ("kafka.producer.kafka", "KafkaProducer"),
    "_sender": ("kafka.producer.kafka", "KafkaProducer"),
    "_transaction_manager": ("kafka.producer.kafka", "KafkaProducer"),
    "_refresh_loop_future": ("kafka.cluster", "ClusterMetadata"),
}
"""Private attribute → the class that has it."""


def private_attributes(source: str) -> Iterator[str]:
    """Yield the private attributes that are asked of anything but `self` and a reader of ours."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or not re.match(r"_[a-z]", node.attr):
            continue
        if ast.unparse(node.value) not in ("self", "alone", "super()"):
            yield node.attr


UNLIMITED = {
    "admin/client.py": {"self._net.stop()"},
    "net/selector.py": {"event.wait()", "self.stop()"},
    "producer/kafka.py": {"result.wait()"},
}
"""Where the client waits without a limit. `BoundedLoop.run` takes the place of the method with the second one. The third is in
calls of the producer that we do not make; stop() ends a loop that ends by itself."""
NOT_CALLED = {"init_transactions", "commit_transaction", "abort_transaction"}
CLIENTS = {"KafkaConsumer", "KafkaProducer", "KafkaAdminClient"}


def test_no_wait_of_the_client_that_we_come_to_is_without_a_limit() -> None:
    client = Path(import_module("kafka").__file__ or "").parent
    found: dict[str, set[str]] = {}
    for folder in ("admin", "consumer", "coordinator", "net", "producer"):
        for file in (client / folder).rglob("*.py"):
            waits = set(re.findall(r"[\w.]+\.(?:wait|join|stop)\(\)", re.sub('#.*|"""(.|\n)*?"""', "", file.read_text())))
            found |= {str(file.relative_to(client)): waits} if waits else {}
    assert found == UNLIMITED
    for file in (ROOT / "events").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in NOT_CALLED | CLIENTS, f"{file}:{node.lineno}: made by Cluster._made, or not called"
                if file.parent.name == "kafka" and node.func.attr in ("wait", "flush", "get"):
                    assert node.args or node.keywords, f"{file}:{node.lineno}: a wait without a limit"


def test_the_version_is_the_one_that_was_read() -> None:
    assert version("kafka-python") == READ
    assert f"kafka-python=={READ} " in (ROOT / "requirements.lock").read_text()


def test_every_private_attribute_is_listed_and_there() -> None:
    used = {name for file in FILES for name in private_attributes((ROOT / file).read_text())}
    assert used == set(PRIVATE)
    for name, (module, class_name) in PRIVATE.items():
        assert f"self.{name} = " in getsource(getattr(import_module(module), class_name))


def test_what_the_fetcher_does_with_the_records_of_a_batch() -> None:
    """`FetchedRecords` rests on it: the checksum is compared before, and nothing is asked of a record but what it has."""
    fetcher = import_module("kafka.consumer.fetcher").Fetcher
    assert "parsed_records = self.PartitionRecords(fetch_offset, tp, records,\n" in getsource(fetcher._parse_fetched_data)
    unpacked = getsource(fetcher.PartitionRecords._unpack_records)
    assert unpacked.index("batch.validate_crc()") < unpacked.index("for record in batch:")
    assert set(re.findall(r"\brecord\.(\w+)", unpacked)) == {
        name for name in dir(_Whole([ReadMessage(0, None, None, [])])) if not name.startswith("__")
    }
    batch = import_module("kafka.record.default_records").DefaultRecordBatch
    assert {"_buffer", "_pos"} <= set(batch.__slots__)
    assert getsource(batch.__iter__).split("\n")[1:3] == ["        self._maybe_uncompress()", "        return self"]


def test_what_the_producer_repeats_by_itself() -> None:
    """`AskingOnce` rests on it: after a lost connection, and nothing else, an unanswered request is sent again."""
    manager = import_module("kafka.producer.transaction_manager")
    assert "isinstance(response_or_exc, Errors.KafkaConnectionError)" in getsource(manager.TxnRequestHandler.on_complete)
    assert "max_version=3" in getsource(manager.EndTxnHandler), "with version 5 each transaction has its own epoch (KIP-890)"
    assert "self.config['kafka_client'](" in getsource(import_module("kafka.producer.kafka").KafkaProducer.__init__)


def answer_to(request: Any, error: BaseException | None) -> Any:
    given = import_module("kafka.future").Future()
    base = import_module("kafka.net.compat").KafkaNetClient
    with patch.object(base, "send", lambda *_, **__: given):
        answer = AskingOnce.send(AskingOnce.__new__(AskingOnce), 1, request)
    if error is None:
        given.success("answered")
    else:
        given.failure(error)
    return answer


def request(name: str) -> Any:
    return getattr(import_module("kafka.protocol.producer"), name)()


ENDS = ("EndTxnRequest", "TxnOffsetCommitRequest")
OTHERS = ("AddPartitionsToTxnRequest", "AddOffsetsToTxnRequest", "InitProducerIdRequest", "ProduceRequest")


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_transaction_is_asked_for_once(name: str) -> None:
    errors = import_module("kafka.errors")
    answer = answer_to(request(name), errors.KafkaConnectionError("cut"))
    assert not isinstance(answer.exception, errors.KafkaConnectionError | errors.RetriableError)
    assert "no answer to the end of a transaction: " in str(answer.exception)
    other = errors.NodeNotReadyError("paused")
    assert answer_to(request(name), other).exception is other
    assert answer_to(request(name), None).value == "answered"


@pytest.mark.parametrize("name", OTHERS)
def test_other_requests_may_be_repeated(name: str) -> None:
    errors = import_module("kafka.errors")
    lost = errors.KafkaConnectionError("cut")
    assert answer_to(request(name), lost).exception is lost
