"""Makes sure that a checkpoint covers a round, even while another process signs the log.

Invariant: the right to sign is never taken from another process. If a process signs, its next checkpoint is awaited; only if no
one can hold the right is one made here. On Kafka that cannot be known, so none is made here.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from desk.packet.make import NotCovered, Statements
from desk.review.disputes import round_stream
from events.errors import OwnerUnknown, SecondWriter
from events.log.contract import CheckpointStore, Clock, EventLog
from events.open import open_checkpoints, stored_results
from events.proofs.checkpointer import Checkpointer
from events.proofs.signed_note import Signer
from events.proofs.signing_memory import SigningMemory
from events.vocabulary import model
from events.vocabulary.codec import read

WAIT_S = 90.0
"""The wait for a checkpoint: a signer that promises one a minute makes it after 45 seconds."""
POLL_S = 0.5
GRACE_S = 10.0
"""How much later than promised a checkpoint may come before its signer counts as gone."""

Waiting = Callable[[float], None]
"""Called once, with the seconds that are waited at most, when there is something to wait for."""


def beyond(log: EventLog, statements: Statements, table: str, round_no: int) -> dict[str, int]:
    """Return what a checkpoint lacks of a round and its table's corrections: stream → last number."""
    found: dict[str, int] = {}
    for stream in {round_stream(table), f"review/{table}"} & set(log.streams()):
        for record in log.read(stream, statements.size(stream) + 1):
            said = read(record.data)
            if said.round_no == round_no or isinstance(said.payload, model.EventCorrected):
                found[stream] = record.seq
    return found


def cover(
    log: EventLog,
    address: str,
    table: str,
    round_no: int,
    *,
    signer: Signer,
    key: Path,
    clock: Clock,
    wait_s: float = WAIT_S,
    waiting: Waiting | None = None,
    **options: Any,
) -> None:
    """Return when a checkpoint covers all events of a round. Raises `NotCovered` if none came and none can be made."""
    with closing(open_checkpoints(address, log_id=log.log_id, read_only=True, **options)) as store:
        statements = Statements(log, store)
        wanted, began = beyond(log, statements, table, round_no), time.monotonic()
        told = False
        while any(statements.size(stream) < seq for stream, seq in wanted.items()):
            held = _make(log, address, signer, key, clock, options)
            if held is None:
                return
            left = began + wait_s - time.monotonic()
            if isinstance(held, OwnerUnknown):
                left = min(left, _expected(statements, clock))
            if left <= 0:
                raise NotCovered(_why_not(wanted, statements, wait_s, held))
            if waiting is not None and not told:
                waiting(left)
                told = True
            _next(store, statements.total, left)
            statements = Statements(log, store)


def _make(
    log: EventLog, address: str, signer: Signer, key: Path, clock: Clock, options: Mapping[str, Any]
) -> SecondWriter | None:
    """Make a checkpoint over all events and results if no one else can; return why not, None if it was made."""
    try:
        with ExitStack() as resources:
            store = resources.enter_context(closing(open_checkpoints(address, log_id=log.log_id, if_free=True, **options)))
            results = stored_results(address, **options)
            if results is not None:
                resources.callback(results.close)
            memory = SigningMemory(key, log.log_id)
            checkpointer = Checkpointer(log, store, signer, memory, clock=clock, results=results)
            checkpointer.read()
            checkpointer.sign()
    except SecondWriter as held:
        return held
    return None


def _expected(statements: Statements, clock: Clock) -> float:
    """Return how many seconds the signer's promise leaves for the next checkpoint."""
    if statements.promised_us is None:
        return 0.0
    return (statements.promised_us - clock()) / 1e6 + GRACE_S


def _next(store: CheckpointStore, size: int, left_s: float) -> None:
    """Wait until the store holds more statements than this, or the time is over."""
    end = time.monotonic() + left_s
    while not any(True for _ in store.batches(size)) and time.monotonic() < end:
        time.sleep(min(POLL_S, max(0.0, end - time.monotonic())))


def _why_not(wanted: Mapping[str, int], statements: Statements, wait_s: float, held: SecondWriter) -> str:
    ends = ", ".join(f"{stream} up to event {seq}" for stream, seq in sorted(wanted.items()))
    if isinstance(held, OwnerUnknown):
        why = "the process that signs promised one and did not make it" if statements.promised_us else "none was promised"
        return f"no checkpoint covers {ends}, and {why}: {held}"
    return f"no checkpoint came to cover {ends} in {wait_s:.0f} s, though another process signs ({held}); wait longer"
