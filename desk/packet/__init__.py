"""The dispute packet: a round's verdict with all its evidence, which anybody can check without the log.

`make_packet` makes one from an open log. `packet_at` opens the log at an address and records that a copy left it. `check_packet`
checks the bundle or the PDF with only a public key. docs/dispute-packet.md describes the format.
"""

import contextlib
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from desk.packet.attachments import attached
from desk.packet.bundle import BadPacket, Bundle
from desk.packet.check import PacketCheck, check_bundle
from desk.packet.covering import WAIT_S, Waiting, cover
from desk.packet.document import typeset
from desk.packet.evidence import RoundUnknown
from desk.packet.make import NotCovered, make_bundle
from desk.packet.page import to_html
from desk.packet.signature import check_pdf, sign_pdf
from desk.packet.story import tell
from desk.packet.withholding import NotWithheld
from desk.review import desk as review
from desk.review.desk import Desk, Entry
from events.log.clock import utc_now_us
from events.log.contract import CheckpointStore, EventLog
from events.open import open_checkpoints, open_log
from events.proofs.keys import KeyRefused, read_signer
from events.proofs.signed_note import Note, PublicKey, Signer
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults

__all__ = ["BadPacket", "Bundle", "NotCovered", "PacketCheck", "RoundUnknown"]
"""Names of this room's files that are available here too."""

REFUSALS = (*review.REFUSALS, RoundUnknown, NotCovered, NotWithheld, BadPacket, KeyRefused)
"""Whatever `packet_at` raises if no packet is made: each says why, and nothing left the log."""


class Packet(msgspec.Struct, frozen=True, kw_only=True):
    """A packet in its three forms, with its verdict. `name` is the name of its files without the ending.

    `sentence` is the verdict in words, `headline` the same after the verdict's name; `caution` warns whoever hands it over, or is
    empty.
    """

    name: str
    table: str
    round_no: int
    adjudication: Adjudication
    sentence: str
    headline: str
    caution: str
    json: bytes
    pdf: bytes
    html: bytes

    @property
    def forms(self) -> dict[str, bytes]:
        """The files by ending."""
        return {"json": self.json, "pdf": self.pdf, "html": self.html}


def packet_name(table: str, round_no: int, seat: int | None = None, *, withheld: bool = False) -> str:
    """Return the name of a packet's files without the ending; `withheld`: other patrons are left out.

    >>> packet_name("fu-01", 6, 3), packet_name("observed/fu-01", 6)
    ('fu-01-6-seat-3', 'observed-fu-01-6')
    """
    return (
        f"{table.replace('/', '-')}-{round_no}"
        + (f"-seat-{seat}" if seat is not None else "")
        + ("-withheld" if withheld else "")
    )


def make_packet(
    log: EventLog,
    table: str,
    round_no: int,
    seat: int | None = None,
    *,
    checkpoints: CheckpointStore,
    signer: Signer,
    clock: Callable[[], int] | None = None,
    note: Note | None = None,
    by: str = "",
    reason: str = "",
    withhold: bool = False,
) -> Packet:
    """Return the packet of a round (and seat), as of the newest checkpoint, signed with the log's key, and checked.

    `note` is a checkpoint with witnesses' signatures to use instead. `by` asked for the packet, for a `reason`. `withhold` leaves
    out what concerns patrons at other seats.

    Raises `RoundUnknown` if there is no such table, round or seat, `NotCovered` if no checkpoint covers the round, `NotWithheld`
    if others cannot be left out, `KeyNotInForce` if the key may not sign, and an `IntegrityError` if the log is inconsistent.
    """
    bundle, judged = make_bundle(
        log,
        checkpoints,
        table,
        round_no,
        seat=seat,
        signer=signer,
        clock=clock or utc_now_us,
        note=note,
        by=by,
        reason=reason,
        withhold=withhold,
    )
    data = bundle.encode()
    check_bundle(data, [signer.public_key])
    shown = tell(bundle, judged)
    made = bundle.about.made_at_us
    return Packet(
        name=packet_name(table, round_no, seat, withheld=withhold),
        table=table,
        round_no=round_no,
        adjudication=bundle.adjudication,
        sentence=shown["sentence"],
        headline=shown["headline"],
        caution=judged.caution,
        json=data,
        pdf=sign_pdf(typeset(shown, data, made), signer, made),
        html=to_html(shown),
    )


def log_export(log: EventLog, packet: Packet, *, by: str, reason: str, clock: Callable[[], int] | None = None) -> list[Entry]:
    """Record in the log that the three files leave it, each with its digest. Call this before they leave."""
    desk = Desk(log, MemoryResults(), clock=clock)
    return [
        desk.exported(
            packet.table, packet.round_no, what="packet", digest=sha256(data).hexdigest(), form=form, by=by, reason=reason
        )
        for form, data in packet.forms.items()
    ]


def packet_at(
    address: str,
    table: str,
    round_no: int,
    seat: int | None = None,
    *,
    key: Path,
    by: str,
    reason: str,
    clock: Callable[[], int] | None = None,
    note: Note | None = None,
    wait_s: float = WAIT_S,
    waiting: Waiting | None = None,
    withhold: bool = False,
    **options: Any,
) -> Packet:
    """Make the packet of a round of the log at an address, with the log's key from a file, and record the export.

    If the newest checkpoint does not cover the round, wait for one that does or make it (`cover`), unless `note` names one. The
    right to write to the log is taken only for the export. The backends get the options (`security`). Raises what `cover`,
    `make_packet`, `events.proofs.keys.read_signer` and the log raise; then nothing leaves.
    """
    signer, now = read_signer(key), clock or utc_now_us
    with contextlib.closing(open_log(address, read_only=True, **options)) as log:
        if note is None:
            cover(log, address, table, round_no, signer=signer, key=key, clock=now, wait_s=wait_s, waiting=waiting, **options)
        with contextlib.closing(open_checkpoints(address, log_id=log.log_id, read_only=True, **options)) as store:
            packet = make_packet(
                log,
                table,
                round_no,
                seat,
                checkpoints=store,
                signer=signer,
                clock=now,
                note=note,
                by=by,
                reason=reason,
                withhold=withhold,
            )
    with contextlib.closing(open_log(address, **options)) as log:
        log_export(log, packet, by=by, reason=reason, clock=clock)
    return packet


def check_packet(data: bytes, keys: Sequence[PublicKey]) -> PacketCheck:
    """Check a packet (bundle or PDF) with only the public keys of its log and its witnesses. Raises `BadPacket`."""
    if not re.match(rb"%PDF-", data[:1024]):
        return check_bundle(data, keys)
    signature = check_pdf(data)
    checked = check_bundle(attached(data, "packet.json"), keys)
    if checked.key.key != signature.public or checked.key.id.hex() != signature.key_id:
        raise BadPacket("the PDF", f"it is signed by the key {signature.key_id}, its bundle by {checked.key.id.hex()}")
    return checked
