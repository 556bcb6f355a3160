"""Builds of the gateway without its defenses; a child is one if its environment names it (see `test_broken_builds`)."""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any
from unittest.mock import patch

from starlette.requests import ClientDisconnect, Request

from events.kafka.client import TopicPartition, TopicReader
from intake.appending import LineOutcome
from intake.gateway.app import Gateway
from intake.gateway.connections import BoundedProtocol
from intake.gateway.group_commit import CommitRequest, GroupCommit
from intake.lines import JSON_LINES
from tests.faults.processes import BUILD
from tests.simulation.world import Build

BUILDS: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    BUILDS[function.__name__] = contextlib.contextmanager(function)
    return function


@build
def answers_before_it_stores() -> Iterator[None]:
    real = GroupCommit._store

    def store(self: GroupCommit, group: Sequence[CommitRequest]) -> None:
        for handed in group:
            handed.outcomes.set_result((handed.lines, [LineOutcome(line.stream, 1) for line in handed.lines]))
            handed.outcomes = Future()
        time.sleep(0.05)  # until the answers have left
        real(self, group)

    with patch.object(GroupCommit, "_store", store):
        yield


@build
def keeps_offsets_before_it_stores() -> Iterator[None]:
    real = TopicReader.poll

    def poll(self: TopicReader, *how: float) -> Any:
        polled = real(self, *how)
        if polled:
            self.keep({TopicPartition(*lane): batch[-1].offset + 1 for lane, batch in polled.items()})
        return polled

    with patch.object(TopicReader, "poll", poll):
        yield


@build
def takes_bodies_of_any_length() -> Iterator[None]:
    limits = ("app.MOST_BODY_LINES", "messages.MOST_EVENTS", "group_commit.MOST_LINES")
    with contextlib.ExitStack() as lifted:
        for limit in limits:
            lifted.enter_context(patch(f"intake.gateway.{limit}", 10**9))
        yield


@build
def turns_away_whoever_comes_late() -> Iterator[None]:
    real = BoundedProtocol.connection_made

    def connection_made(self: BoundedProtocol, transport: asyncio.BaseTransport) -> None:
        real(self, transport)
        if len(self.connections) > 5:
            self.transport.abort()

    with patch.object(BoundedProtocol, "connection_made", connection_made), patch.object(BoundedProtocol, "head_s", 3600.0):
        yield


@build
def ends_where_a_client_breaks_off() -> Iterator[None]:
    real = Gateway._body

    async def body(self: Gateway, request: Request) -> bytes:
        try:
            return await real(self, request)
        except ClientDisconnect:
            os._exit(1)

    with patch.object(Gateway, "_body", body):
        yield


@build
def takes_every_content_for_lines() -> Iterator[None]:
    with patch("intake.gateway.app._kind", lambda request, profile: JSON_LINES[0]):
        yield


def in_children(name: str) -> Build:
    """The build as it is in the processes that are started meanwhile."""

    @contextlib.contextmanager
    def named() -> Iterator[None]:
        with patch.dict(os.environ, {BUILD: name}):
            yield

    return named


FOUND_BY = {
    "gateway killed": "answers_before_it_stores",
    "gateway killed, reading a topic": "keeps_offsets_before_it_stores",
    "oversized": "takes_bodies_of_any_length",
    "slow": "turns_away_whoever_comes_late",
    "half": "ends_where_a_client_breaks_off",
    "of the wrong kind": "takes_every_content_for_lines",
    "thousands of connections": "turns_away_whoever_comes_late",
}
"""Fault → the build that it finds out."""
