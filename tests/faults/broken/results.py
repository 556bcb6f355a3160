"""Builds that believe what lies next to the chain: results, positions, snapshots, and a second replayer."""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import msgspec

from events.kafka.foreign_records import ResultPlaces
from events.kafka.results import KafkaResults
from events.log.result_chain import ResultChains
from replay.run.comparison import StreamComparison
from tests.simulation.world import Build

BUILDS: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    BUILDS[function.__name__] = contextlib.contextmanager(function)
    return function


@build
def believes_stored_results() -> Iterator[None]:
    with (
        patch.object(ResultChains, "_fault", lambda self, stored: None),
        patch.object(ResultChains, "end", lambda self, before, after: None),
    ):
        yield


@build
def believes_a_chain_that_fits() -> Iterator[None]:
    def compare(*about: Any) -> StreamComparison:
        return StreamComparison()

    with patch("replay.run.verdict_check.compare", compare), patch("replay.run.replayer.compare", compare):
        yield


@build
def reads_results_as_they_come() -> Iterator[None]:
    def read_result(kind: str, key: str, data: bytes, type_: Any) -> Any:
        try:
            return msgspec.json.decode(data, type=type_)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return type_() if len(type_.__struct_defaults__) == len(type_.__struct_fields__) else None

    with patch("replay.run.replayer.read_result", read_result), patch("replay.run.stream_worker.read_result", read_result):
        yield


@build
def believes_stored_positions() -> Iterator[None]:
    with (
        patch("events.sqlite.results.position_digest", lambda engine, stream, position: b""),
        patch("replay.run.positions._fault", lambda log, stream, position: ""),
        patch("events.proofs.verify.position_faults", lambda *about: []),
    ):
        yield


@build
def lets_a_second_replayer_in() -> Iterator[None]:
    with patch("events.sqlite.results.take_lock", lambda path: os.open(os.devnull, os.O_RDONLY)):
        yield


@build
def takes_a_strangers_verdict() -> Iterator[None]:
    """A record without a place is taken for a result of before there were chains."""
    with (
        patch.object(ResultPlaces, "foreign", lambda self, message: None),
        patch.object(ResultChains, "needs_place", lambda self, stream: False),
    ):
        yield


@build
def forgets_from_where_it_went_on() -> Iterator[None]:
    with patch.object(KafkaResults, "_must_be_as_begun", lambda self: None):
        yield


FOUND = {
    "results removed": "believes_stored_results",
    "a result altered": "believes_stored_results",
    "results altered and their chain computed anew": "believes_a_chain_that_fits",
    "a stored result that cannot be read": "reads_results_as_they_come",
    "a snapshot altered": "believes_stored_positions",
    "a position raised": "believes_stored_positions",
    "a position or snapshot forged with its digest": "believes_a_chain_that_fits",
    "a second replayer on one machine": "lets_a_second_replayer_in",
    "forged results on a Kafka cluster in memory": "takes_a_strangers_verdict",
    "a second replayer on a Kafka cluster in memory": "forgets_from_where_it_went_on",
}
"""Fault that needs no broker → a build that it finds out."""

SAME_ON_KAFKA = ("forged results on Kafka", "a second replayer on Kafka")
"""Faults whose check runs on the simulated cluster too."""
