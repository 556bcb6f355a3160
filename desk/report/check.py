"""Checks a report for filing with the log's public key alone, without a PDF library."""

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from desk.packet.attachments import attached
from desk.packet.bundle import BadPacket
from desk.packet.signature import check_pdf
from events.errors import EventError
from events.proofs.keys import named
from events.proofs.signed_note import KeyKind, PublicKey
from events.vocabulary.codec import refuse_repeated_keys

SUMMARY = "report.json"
"""The attachment that names the report, its period and the SHA-256 of every other attachment."""


class ReportSummary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A report's facts for a program: name and period, the log and the time of its record, the digests of its tables."""

    name: str
    title: str
    property_name: str
    first: str
    last: str
    as_of_us: int
    log_id: str
    sheets: dict[str, str]


def is_report(pdf: bytes) -> bool:
    """Return whether a PDF is a report, not a packet, by its attached files."""
    try:
        attached(pdf, SUMMARY)
    except BadPacket:
        return False
    return True


def check_report(pdf: bytes, keys: Sequence[PublicKey]) -> ReportSummary:
    """Check a report with the log's public key alone; return its facts. Raises `BadPacket`, which names the fault."""
    signature = check_pdf(pdf)
    signers = [each for each in keys if each.key == signature.public and each.id.hex() == signature.key_id]
    if not signers:
        raise BadPacket("the PDF", f"it is signed by the key {signature.key_id}, which is none that was given")
    try:
        stated = attached(pdf, SUMMARY)
        summary = msgspec.json.decode(stated, type=ReportSummary)
        refuse_repeated_keys(stated)
    except (msgspec.MsgspecError, EventError) as error:
        raise BadPacket(SUMMARY, f"it cannot be read: {error}") from error
    if not any(each.kind is KeyKind.LOG and each.name.endswith(f"/{summary.log_id}") for each in signers):
        raise BadPacket(SUMMARY, f"it is about the log {summary.log_id}, and signed by {named(signers[0])}")
    for name, digest in summary.sheets.items():
        if sha256(attached(pdf, name)).hexdigest() != digest:
            raise BadPacket(name, "it is not the table that the report names")
    return summary
