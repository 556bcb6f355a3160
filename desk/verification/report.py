"""The report of a verification as a PDF, signed if a key is named and in force.

A missing signature never stops a report: a broken log may not even name the key in force. The report then says why it is not
signed.
"""

from pathlib import Path

from msgspec.structs import replace

from desk.recorded_round import property_configured
from desk.report.verification import Verified, verification_report
from events.errors import EventError, IntegrityError
from events.log.contract import EventLog
from events.proofs.checkpointer import KeyNotInForce
from events.proofs.keys import PROPERTY_STREAM, KeyRefused, read_signer
from events.proofs.signed_note import Signer


def signed_report(log: EventLog, made: Verified, key: Path | None) -> tuple[bytes, str]:
    """Return the report of a verification as a PDF, and why it is not signed; empty if it is."""
    from desk.report.document import to_pdf
    from replay.run.engine import engine

    signer, unsigned = _signer(key, log)
    report = verification_report(replace(made, unsigned=unsigned), property_configured(log), engine())
    return to_pdf(report, signer), unsigned


def _signer(path: Path | None, log: EventLog) -> tuple[Signer | None, str]:
    """Return the signer, or None and why no one signs."""
    from desk.packet.make import check_key

    if path is None:
        return None, "no key was named (--sign, RACK_KEY)"
    try:
        signer = read_signer(path)
        check_key(signer, log.read(PROPERTY_STREAM), "the log")
    except (KeyRefused, KeyNotInForce, IntegrityError, EventError) as error:
        return None, str(error)
    return signer, ""
