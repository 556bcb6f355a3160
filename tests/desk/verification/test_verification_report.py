"""The report of a verification: what was verified, by whom, with what, each stream's end, and what was not checked."""

from typing import Any

import pytest
from msgspec.structs import replace

from desk.packet import BadPacket
from desk.report.check import check_report
from desk.report.content import Report
from desk.report.document import to_pdf
from desk.verification.report import Verified, verification_report
from desk.verification.witness_status import Witnessed
from events.log.contract import Head
from events.log.foreign import NO_FOREIGN_RECORDS
from events.proofs.keys import FileSigner, new_key
from events.proofs.quarantine import QuarantineCheck
from events.proofs.signed_note import KeyKind
from events.proofs.verify import Break, VerificationReport
from events.proofs.verify_checkpoints import Signatures

AT_US = 1_774_958_490_000_000
"""2026-03-31T12:01:30Z."""
SIGNED = Signatures(checkpoints=2, statements=5, events=30, at_us=AT_US - 60_000_000, keys=("log+1",), anchored=True)
FOUND = VerificationReport(
    ok=True,
    log_id="ab" * 16,
    property_id="bellwether",
    events=42,
    streams=2,
    tables=1,
    signed=SIGNED,
    quarantine=QuarantineCheck(),
    results=None,
    foreign=NO_FOREIGN_RECORDS,
    first_break=None,
    breaks=(),
    heads={"property/main": Head(2, b"\x11" * 32), "table/fu-01": Head(40, b"\x22" * 32)},
)
WITNESS = Witnessed(
    witness="north",
    key="0a0b0c0d",
    cosigned=2,
    newest_size=4,
    newest_s=1_774_958_400,
    checkpoints=(),
    behind=1,
    events_behind=12,
    waiting_since_us=None,
    refused=(),
    trouble="",
)
BROKEN = replace(
    FOUND, ok=False, breaks=(Break(stream="table/fu-01", seq=41, kind="changed", code="LOG-SEAL", message="another hash"),)
)


def report(found: VerificationReport = FOUND, **more: Any) -> Report:
    made = Verified(found=found, failures=(), by="m.ortiz", at_us=AT_US)
    return verification_report(replace(made, **more), None, "0.1.0")


def table(of: Report, name: str) -> tuple[tuple[object, ...], ...]:
    return next(each.rows for each in of.tables if each.name == name)


def checks(of: Report) -> dict[object, object]:
    return {row[0]: row[1] for row in table(of, "checks")}


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> FileSigner:
    return new_key(tmp_path_factory.mktemp("key") / "log.key", f"discard-rack/bellwether/{'ab' * 16}", KeyKind.LOG)


def test_it_is_the_same_bytes_of_the_same_finding_and_time_alone(signer: FileSigner) -> None:
    pdf = to_pdf(report(), signer)
    assert pdf == to_pdf(report(), signer)
    assert pdf != to_pdf(report(at_us=AT_US + 1_000_000), signer)
    summary = check_report(pdf, [signer.public_key])
    assert (summary.name, summary.first, summary.as_of_us) == ("verification", "2026-03-31", AT_US)


def test_one_that_nobody_signs_is_no_signed_report_and_says_why(signer: FileSigner) -> None:
    unsigned = report(unsigned="no key was named")
    assert unsigned.limits[0] == "This report is not signed: no key was named."
    with pytest.raises(BadPacket):
        check_report(to_pdf(unsigned, None), [signer.public_key])


def test_it_says_who_verified_what_when_and_with_which_keys_and_witness(signer: FileSigner) -> None:
    key = signer.public_key
    said = checks(report(keys=(key,), witness=WITNESS, checks=(("Verdicts", "judged again"),)))
    assert said["Result"] == "Passed: no break was found in 42 events in 2 streams"
    assert said["Verified by"] == "m.ortiz"
    assert said["Verified at"] == "31 Mar 2026, 12:01:30 (UTC)"
    assert said["Checkpoints"] == ("2 checkpoints cover 30 events; the last was signed 31 Mar 2026, 12:00:30 by log+1")
    assert said["Key that was given"] == f"{key.name}+{key.id.hex()}"
    assert said["Witness"] == "north (0a0b0c0d) cosigned statements 1 to 4 of 5; 12 events came later"
    assert said["Verdicts"] == "judged again"


def test_every_stream_stands_with_its_end_and_hash() -> None:
    assert table(report(), "streams") == (("property/main", 2, "11" * 32, 0, "sound"), ("table/fu-01", 40, "22" * 32, 0, "sound"))


def test_a_failure_is_the_result_and_its_stream_is_marked() -> None:
    of = report(BROKEN, failures=("LOG-SEAL table/fu-01 event 41",))
    assert checks(of)["Result"] == "FAILED: LOG-SEAL table/fu-01 event 41"
    streams = next(each for each in of.tables if each.name == "streams")
    assert (streams.marked, streams.rows[1][-1], streams.rows[0][-1]) == ((1,), "broken", "sound")
    assert any(each.startswith("Nothing after the first break") for each in of.limits)


def test_without_a_checkpoint_it_says_neither_passed_nor_whole() -> None:
    of = report(replace(FOUND, signed=Signatures()))
    said = checks(of)["Result"]
    assert said == "No break was found in 42 events in 2 streams, but no checkpoint signs the log"
    assert any(each.startswith("No checkpoint signs the log") for each in of.limits)


@pytest.mark.parametrize(
    ("found", "witness", "begins"),
    [
        (FOUND, None, "No witness was asked"),
        (FOUND, WITNESS, "No signature covers the 12 events"),
        (replace(FOUND, signed=replace(SIGNED, anchored=False)), WITNESS, "The keys are those that the log itself names"),
        (replace(FOUND, unread={"table/fu-01": 20}), WITNESS, "20 events at the start of streams were not read again"),
        (FOUND, WITNESS, "The results next to the log were not checked"),
    ],
)
def test_what_was_not_checked_is_named(found: VerificationReport, witness: Witnessed | None, begins: str) -> None:
    assert any(each.startswith(begins) for each in report(found, witness=witness).limits)


def test_what_was_checked_is_not_called_unchecked() -> None:
    of = report(replace(FOUND, signed=replace(SIGNED, events=42)), witness=WITNESS)
    text = " ".join(of.limits)
    for words in ("No witness", "No signature covers", "names", "not read again", "No checkpoint", "first break"):
        assert words not in text
