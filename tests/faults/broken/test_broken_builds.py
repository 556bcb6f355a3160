"""Each fault of the table is shown to be found out on a build that is broken on purpose: a check that cannot fail shows nothing.

What needs a real broker, or ends processes of its own on one, has its counterpart in the simulated cluster (`COUNTERPARTS`).
"""

import contextlib
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from analytics import shown_events
from desk.verification import last_verification
from events.errors import EventError, IntegrityError
from events.kafka.foreign_records import StreamPlaces
from events.kafka.partition_reader import Chains
from events.log.contract import AppendResult, Record
from events.log.foreign import ForeignRecord, ForeignTally
from events.proofs import verify
from events.proofs.keys import KeyRing
from events.proofs.quarantine import compare_quarantine
from events.proofs.signed_note import PublicKey
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.model import Event, EventCorrected
from intake import writer_rights
from replay.run.stream_worker import StreamWorker
from tests.faults import all_faults
from tests.faults.broken import alarms as broken_alarms
from tests.faults.broken import gateway as broken_gateway
from tests.faults.broken import local as broken_local
from tests.faults.broken import results as broken_results
from tests.faults.broken.pages import BUILDS as HERE_ON_PAGES
from tests.faults.broken.pages import FOUND_BY as ON_PAGES
from tests.faults.gateway import Device
from tests.faults.served import served_in_memory
from tests.faults.table import Fault, Lost
from tests.faults.three_nodes.fewer_copies import LOSING
from tests.simulation.broken import BUILDS as ON_SQLITE
from tests.simulation.broken_kafka import BUILDS as ON_KAFKA
from tests.simulation.world import Build

HERE: dict[str, Build] = {**HERE_ON_PAGES, **broken_results.BUILDS, **broken_local.BUILDS} | {
    name: broken_gateway.in_children(name) for name in (*broken_gateway.BUILDS, *broken_alarms.BUILDS)
}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    HERE[function.__name__] = contextlib.contextmanager(function)
    return function


def _appends(change: Callable[[Any], Any]) -> contextlib.AbstractContextManager[Any]:
    """A log to which other groups are appended than were handed in, and which answers as if nothing were missing."""
    real = SqliteLog.append_groups

    def append_groups(self: SqliteLog, groups: Any) -> list[AppendResult]:
        handed_in = list(groups)
        real(self, change(handed_in))
        return [
            AppendResult(stream=stream, seqs=tuple(range(1, len(drafts) + 1)), head=self.head(stream))
            for stream, drafts in handed_in
        ]

    return patch.object(SqliteLog, "append_groups", append_groups)


@build
def commits_each_event_by_itself() -> Iterator[None]:
    real = SqliteLog.append_groups

    def append_groups(self: SqliteLog, groups: Any) -> list[AppendResult]:
        return [real(self, [(stream, [draft])])[0] for stream, drafts in groups for draft in drafts]

    with patch.object(SqliteLog, "append_groups", append_groups):
        yield


@build
def overlooks_what_was_removed() -> Iterator[None]:
    real = verify._StreamVerification.run

    def run(self: Any, since: Any = None) -> None:
        real(self, since)
        self.breaks = [each for each in self.breaks if each.kind != "removed"]

    with patch.object(verify._StreamVerification, "run", run):
        yield


@build
def drops_what_comes_after_another_table() -> Iterator[None]:
    last: list[str] = []

    def change(groups: Any) -> Any:
        kept = [each for each in groups if not last or each[0] == last[-1]]
        last.extend(stream for stream, _ in groups)
        return kept

    with _appends(change):
        yield


@build
def takes_the_clock_as_it_comes() -> Iterator[None]:
    with patch("events.log.appender.max", lambda now, before: now, create=True):
        yield


@build
def drops_what_seems_older() -> Iterator[None]:
    newest: dict[str, int] = {}

    def change(groups: Any) -> Any:
        kept = []
        for stream, drafts in groups:
            new = [draft for draft in drafts if draft.occurred_at_us >= newest.get(stream, 0)]
            newest[stream] = max([newest.get(stream, 0), *(draft.occurred_at_us for draft in drafts)])
            kept.append((stream, new))
        return kept

    with _appends(change):
        yield


@build
def passes_over_what_it_cannot_read() -> Iterator[None]:
    real = StreamWorker.take

    def take(self: StreamWorker, record: Record) -> Any:
        try:
            return real(self, record)
        except IntegrityError:
            return ()

    with patch.object(StreamWorker, "take", take):
        yield


@build
def forgets_what_it_said_first() -> Iterator[None]:
    real = SqliteResults.results

    with patch.object(SqliteResults, "results", lambda self, kind: islice(real(self, kind), 1, None)):
        yield


@build
def takes_no_lock() -> Iterator[None]:
    with patch("events.log.turn.fcntl.flock"):
        yield


@build
def lets_anybody_write_anything_anywhere() -> Iterator[None]:
    with patch("intake.writer_rights.check_writer"), patch("events.log.appender.check_place"):
        yield


@build
def believes_what_the_warehouse_shows() -> Iterator[None]:
    with patch.object(shown_events, "_compare", lambda *about: None):
        yield


@build
def asks_at_the_door_and_not_at_redriving() -> Iterator[None]:
    with patch("intake.quarantine.check_line"):
        yield


@build
def looks_at_the_type_of_a_correction_only() -> Iterator[None]:
    real = writer_rights.check_writer

    def check_writer(writer: Any, stream: str, payload: Event) -> None:
        if not isinstance(payload, EventCorrected):
            real(writer, stream, payload)

    with patch("intake.writer_rights.check_writer", check_writer), patch("events.log.appender.check_place"):
        yield


@build
def reserves_no_source() -> Iterator[None]:
    with patch("intake.writer_rights.RESERVED", {}), patch("intake.writer_rights.RESERVED_BEGINNINGS", {}):
        yield


@build
def lets_devices_file_everywhere() -> Iterator[None]:
    with patch("intake.filings.check_of_device"), patch("intake.quarantine.check_of_device"):
        yield


@build
def lets_notices_be_taken_back() -> Iterator[None]:
    with patch("intake.appending.check_correction"), patch("intake.quarantine.check_correction"):
        yield


@build
def believes_what_quarantine_holds() -> Iterator[None]:
    def compare(entries: Any, notices: Any) -> Any:
        return msgspec.structs.replace(compare_quarantine(entries, notices), faults=(), changed=0, missing=0)

    with (
        patch.object(verify, "compare_quarantine", compare),
        patch("events.archive.write.compare_quarantine", compare),
        patch("intake.quarantine.compare_quarantine", compare),
    ):
        yield


@build
def knows_a_card_number_by_its_first_bytes() -> Iterator[None]:
    def without(data: bytes, token: Any) -> bytes:
        return re.sub(rb'"card:([^"]*)"', lambda match: b'"%s"' % (token(match[1].decode()) or "").encode(), data)

    with patch("intake.patrons.without_card_numbers", without):
        yield


@build
def lets_any_verification_answer_a_failure() -> Iterator[None]:
    with patch.object(last_verification, "_answers", lambda passed, failure: True):
        yield


@build
def takes_foreign_records_for_events() -> Iterator[None]:
    with patch.object(StreamPlaces, "foreign", lambda self, message: None):
        yield


@build
def takes_a_record_for_an_event_in_any_partition() -> Iterator[None]:
    real = StreamPlaces._reason

    def reason(self: StreamPlaces, key: bytes | None, headers: Any, data: bytes | None) -> str | None:
        said = real(self, key, headers, data)
        return None if said is not None and "belongs in" in said else said

    with patch.object(StreamPlaces, "_reason", reason):
        yield


@build
def takes_foreign_records_for_checkpoints() -> Iterator[None]:
    with patch("events.kafka.checkpoints.foreign_checkpoint", lambda message: None):
        yield


@build
def takes_foreign_records_for_refused_bytes() -> Iterator[None]:
    def entry(message: Any) -> None:
        message.headers = [("stream", b""), ("reason", b""), ("at_us", b"0")]

    with patch("events.kafka.log.foreign_entry", entry):
        yield


@build
def counts_a_foreign_record_whenever_it_is_read() -> Iterator[None]:
    real = ForeignTally.add

    def add(self: ForeignTally, record: ForeignRecord) -> None:
        self._counted_to.clear()
        real(self, record)
        real(self, msgspec.structs.replace(record, offset=record.offset + 1))

    with patch.object(ForeignTally, "add", add):
        yield


@build
def says_nothing_of_foreign_records() -> Iterator[None]:
    with patch.object(ForeignTally, "add", lambda self, record: None):
        yield


@build
def takes_what_does_not_fit_for_foreign() -> Iterator[None]:
    """Whatever does not extend the chain is skipped, evidence of tampering too."""
    real = Chains.accept

    def accept(self: Chains, key: bytes | None, headers: Any, data: bytes | None) -> Record | None:
        try:
            return real(self, key, headers, data)
        except IntegrityError:
            return None

    with patch.object(Chains, "accept", accept):
        yield


@build
def asks_the_headers_alone_what_is_an_event() -> Iterator[None]:
    with patch.object(StreamPlaces, "_names_itself", lambda self, stream, data: False):
        yield


@build
def writes_whatever_the_topics_lose() -> Iterator[None]:
    with patch("events.kafka.log.refuse_faults", lambda faults: None):
        yield


@build
def lets_retired_keys_vouch() -> Iterator[None]:
    real = KeyRing._voucher

    def voucher(self: KeyRing, key: PublicKey, vouch: str) -> PublicKey:
        ring = KeyRing()
        ring.entries = [msgspec.structs.replace(entry, retired=0) for entry in self.entries]
        return real(ring, key, vouch)

    with patch.object(KeyRing, "_voucher", voucher):
        yield


@build
def lets_a_key_vouch_for_itself() -> Iterator[None]:
    real = KeyRing._voucher

    def voucher(self: KeyRing, key: PublicKey, vouch: str) -> PublicKey:
        return key if vouch.startswith(f"— {key.name} ") and key.id == _id_in(vouch) else real(self, key, vouch)

    with patch.object(KeyRing, "_voucher", voucher):
        yield


def _id_in(vouch: str) -> bytes:
    return b64decode(vouch.rsplit(" ", 1)[1])[:4]


@build
def says_nothing_of_vouches_by_unknown_keys() -> Iterator[None]:
    real = KeyRing.add

    def add(self: KeyRing, record: Record) -> None:
        real(self, record)
        for seq in [seq for seq, fault in self.faults.items() if "no event before" in fault]:
            del self.faults[seq]

    with patch.object(KeyRing, "add", add):
        yield


@build
def lets_retired_keys_sign() -> Iterator[None]:
    real = KeyRing.in_force

    def in_force(self: KeyRing, size: int) -> list[PublicKey]:
        retired = [entry.key for entry in self.entries if 0 < entry.retired <= size]
        return [*real(self, size), *retired]

    with patch.object(KeyRing, "in_force", in_force):
        yield


@build
def calls_what_an_earlier_key_signed_forged() -> Iterator[None]:
    with patch.object(KeyRing, "earlier", lambda self, anchors: []):
        yield


FOUND_BY = (
    {
        "full disk": "ends_a_transaction_halfway",
        "EIO": "acknowledges_before_it_is_written",
        "torn write": "acknowledges_before_it_is_written",
        "process dies": "acknowledges_before_it_is_written",
        "power loss": "acknowledges_before_it_is_on_the_disk",
        "last record torn, acknowledged": "never_marks",
        "last record torn, not acknowledged": "commits_each_event_by_itself",
        "mark torn": "forgets_what_was_reported",
        "database bytes changed": "believes_the_stored_hash",
        "bit flipped": "believes_the_stored_hash",
        "record removed": "overlooks_what_was_removed",
        "record inserted": "believes_the_stored_hash",
        "records swapped": "believes_the_stored_hash",
        "stream truncated": "never_looks_at_the_marks",
        "record forged and the chain computed anew": "never_looks_at_the_marks",
        "event of a shown round altered in the log": "believes_the_stored_hash",
        "event of a shown round altered in the warehouse": "believes_what_the_warehouse_shows",
        "failed verification hidden": "lets_any_verification_answer_a_failure",
        "duplicates": "forgets_what_was_reported",
        "stale deliveries": "forgets_what_was_reported",
        "reordered between tables": "drops_what_comes_after_another_table",
        "reordered within a table": "drops_what_comes_after_another_table",
        "the log's clock days off, or running back": "takes_the_clock_as_it_comes",
        "a device's clock days off, or running back": "drops_what_seems_older",
        "a line of an unknown version, or of rubbish": "keeps_no_refused_bytes",
        "a finding disposed of and signed by a device": "lets_anybody_write_anything_anywhere",
        "a look or an export by nobody": "lets_anybody_write_anything_anywhere",
        "a key published or retired by a device": "lets_anybody_write_anything_anywhere",
        "the property configured by a device": "lets_anybody_write_anything_anywhere",
        "a pit terminal that reports as the office": "reserves_no_source",
        "an observer in another's name": "lets_anybody_write_anything_anywhere",
        "rules filed by a device where the office files": "lets_devices_file_everywhere",
        "an event in a stream of another kind": "lets_anybody_write_anything_anywhere",
        "a forged event in a correction": "looks_at_the_type_of_a_correction_only",
        "a forged line out of quarantine": "asks_at_the_door_and_not_at_redriving",
        "a device in the name of another writer": "reserves_no_source",
        "a refusal taken back by a device": "lets_notices_be_taken_back",
        "a retired key vouches for a new one": "lets_retired_keys_vouch",
        "a key vouches for itself": "lets_a_key_vouch_for_itself",
        "an unknown key vouches for a new one": "says_nothing_of_vouches_by_unknown_keys",
        "a checkpoint by a retired key": "lets_retired_keys_sign",
        "a sound log checked with the new key alone": "calls_what_an_earlier_key_signed_forged",
        "refused bytes changed, renamed or deleted in quarantine": "believes_what_quarantine_holds",
        "refused bytes replaced in quarantine, on a Kafka cluster in memory": "believes_what_quarantine_holds",
        "a card number written another way": "knows_a_card_number_by_its_first_bytes",
        "a stored record that cannot be decoded": "passes_over_what_it_cannot_read",
        "SQLite writer killed": "forgets_what_was_reported",
        "SQLite replayer killed": "forgets_what_it_said_first",
        "SQLite writer stopped, a second one comes": "takes_no_lock",
        **ON_PAGES,
        **broken_results.FOUND,
    }
    | broken_local.FOUND_BY
    | broken_gateway.FOUND_BY
    | broken_alarms.FOUND_BY
)
"""Fault that needs no broker → a build that it finds out."""

SERVED = (
    "believes_the_stored_hash",
    "takes_another_event_of_a_number_for_a_repeat",
    "calls_every_repeat_a_fork",
    "goes_on_after_a_gap",
)
"""Builds that the records which a broker serves find out, here served by the simulated cluster."""

FOREIGN = {
    "takes_foreign_records_for_events": "foreign records on a Kafka cluster in memory",
    "takes_a_record_for_an_event_in_any_partition": "foreign records on a Kafka cluster in memory",
    "takes_foreign_records_for_checkpoints": "foreign records on a Kafka cluster in memory",
    "takes_foreign_records_for_refused_bytes": "foreign records on a Kafka cluster in memory",
    "counts_a_foreign_record_whenever_it_is_read": "foreign records on a Kafka cluster in memory",
    "says_nothing_of_foreign_records": "foreign records on a Kafka cluster in memory",
    "takes_what_does_not_fit_for_foreign": "forgeries among foreign records in memory",
    "asks_the_headers_alone_what_is_an_event": "forgeries among foreign records in memory",
    "writes_whatever_the_topics_lose": "topics that lose evidence, in memory",
}
"""Build → the fault that finds it out, tried as often as it has kinds."""

SAME_ON_A_BROKER = (
    "foreign records on Kafka",
    "forgeries among foreign records on Kafka",
    "topics that lose evidence",
    "refused bytes replaced in quarantine, on Kafka",
    *broken_results.SAME_ON_KAFKA,
)
"""Faults whose check runs on the simulated cluster too, where it finds the builds of `FOREIGN` out."""

COUNTERPARTS = {
    "Kafka producer killed": "marks_before_it_commits",
    "Kafka replayer killed": "commits_its_position_first",
    "zombie writer": "fences_nobody",
    "zombie replayer": "takes_an_unclear_answer_for_kept_results",
    "Kafka checkpointer killed": "marks_before_it_commits",
    "group member killed": "keeps_no_open_rounds",
    "killed, comes back with its log": "takes_an_unclear_answer_for_a_yes",
    "stopped for longer than a client waits": "swallows_what_goes_wrong_in_a_commit",
    "comes back without the end of its log": "never_marks",
    "an answer lost or late, a request lost, a connection cut": "takes_an_unclear_answer_for_a_yes",
    "a request held, repeated with success, then delivered": "lets_the_client_repeat_the_end_of_a_transaction",
    "network cut": "forgets_that_the_tail_was_not_read",
    "leader killed during an append": "takes_an_unclear_answer_for_a_yes",
    "leader killed during a replay's commit": "takes_an_unclear_answer_for_kept_results",
    "leader killed during a witness's reading": "goes_on_after_a_gap",
    "paused leader comes back as a stale one": "takes_an_unclear_answer_for_a_yes",
    "disk full on one node": "swallows_what_goes_wrong_in_a_commit",
    "two of three killed": "swallows_what_goes_wrong_in_a_commit",
    "partition moved under load": "forgets_that_the_tail_was_not_read",
    "rolling restart": "takes_an_unclear_answer_for_a_yes",
}
"""Fault that needs a real broker → the build that the same check finds out in the simulated cluster (tests/simulation)."""


@pytest.mark.parametrize("name", FOREIGN)
def test_a_broken_build_is_found_out_by_foreign_records(name: str, tmp_path: Path) -> None:
    (fault,) = (each for each in all_faults() if each.name == FOREIGN[name])
    with pytest.raises((Lost, IntegrityError, EventError)), HERE[name]():
        fault.run(tmp_path, fault.often)


def test_every_fault_has_a_build_that_it_finds_out() -> None:
    named = {
        *FOUND_BY,
        *COUNTERPARTS,
        *LOSING,  # on a cluster, by `make faults`
        *FOREIGN.values(),
        *SAME_ON_A_BROKER,
        "records as a Kafka broker serves them",
        "every record as a Kafka cluster serves it",
        "all of these keys, on Kafka",  # and so here
        "all of these, on Kafka",  # its checks are those of the rows above it
    }
    assert named == {fault.name for fault in all_faults()}
    assert set(FOUND_BY.values()) <= {*HERE, *ON_SQLITE}
    assert {*SERVED, *COUNTERPARTS.values()} <= set(ON_KAFKA)


def play(fault: Fault, folder: Path) -> None:
    """Play a fault, and up to twice again: a machine under load may play it too slowly for it to be met."""
    for attempt in range(3):
        place = folder / str(attempt)
        place.mkdir()
        fault.run(place, fault.quick)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a dead process cannot tidy up
@pytest.mark.parametrize("name", FOUND_BY)
def test_a_broken_build_is_found_out_by_the_fault(name: str, tmp_path: Path) -> None:
    (fault,) = (each for each in all_faults() if each.name == name)
    which = FOUND_BY[name]
    broken = HERE[which] if which in HERE else ON_SQLITE[which][0]
    with pytest.raises((Lost, IntegrityError, EventError)), broken(), patch.object(Device, "patience_s", 5.0):
        play(fault, tmp_path)


@pytest.mark.parametrize("name", SERVED)
def test_a_broken_fold_is_found_out_by_what_a_cluster_serves(name: str, tmp_path: Path) -> None:
    with pytest.raises(Lost), ON_KAFKA[name][0]():
        served_in_memory(tmp_path, 400)
