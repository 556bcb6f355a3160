"""The letter to a patron: claim, record, ruling, reckoning and appeal of one seat, and nothing of another patron."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from desk.packet.bundle import BadPacket
from desk.report.check import check_report
from desk.report.letter import OTHER_PATRON, RULINGS, letter, letter_name, signed_letter
from desk.review import cases
from desk.review.case_folder import CaseSettings
from desk.review.cases import PatronCase
from desk.review.contradiction import CODES
from desk.review.desk import Desk, ReviewRefused
from events.open import open_log
from events.proofs.keys import new_key, read_signer
from events.proofs.signed_note import KeyKind
from events.vocabulary import model
from replay.narrative.names import day_words
from replay.narrative.reviews import OUTCOMES
from replay.run.replayer import MemoryResults
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at
from tests.desk.people import PEOPLE
from tests.replay.tables import UNPAID, Table

SETTINGS = CaseSettings(appeal="Write to the board within 30 days.")


def said(value: Any) -> str:
    """Every text of a letter's story as one."""
    if isinstance(value, dict):
        return "\n".join(said(each) for each in value.values())
    return "\n".join(said(each) for each in value) if isinstance(value, list) else str(value)


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    table = Table()
    for seat, patron in ((3, "p-own"), (5, "p-other")):
        table.say(model.PatronSeated(patron=patron, seat=seat))
    table.play(1, UNPAID)
    return floor_at(tmp_path, table)


@pytest.fixture
def desk(floor: Floor) -> Iterator[Desk]:
    with closing(open_log(floor.address)) as log:
        yield Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: NOW_US)


def decided(desk: Desk, claim: str = "ace high not paid", reason: str = "the cards show it", seat: int | None = 3) -> PatronCase:
    values: dict[str, Any] = {"by": "m.ortiz", "settings": SETTINGS, "claim": claim, "seat": seat, "patron": "p-own"}
    found = cases.open_case(desk, "fu-01", 1, **values)
    cases.decide(desk, found.name, outcome="for_patron", by="s.lee", reason=reason)
    return cases.case(desk, found.name)


def test_the_letter_states_claim_record_ruling_reckoning_and_appeal(desk: Desk) -> None:
    story = letter(desk.log, decided(desk), SETTINGS)
    assert (story["claim"], story["patron"]) == ("ace high not paid", "p-own")
    assert "Seat 3 is owed" in story["shows"]
    assert story["ruling"] == "We decided in your favor."
    assert story["reason"] == "the cards show it"
    assert story["appeal"] == "Write to the board within 30 days."
    assert story["reckoning"]
    assert all("Seat" not in each for each in story["reckoning"])
    assert {each["name"] for each in story["hands"]} == {"You", "Dealer"}
    facts = dict(story["facts"])
    assert facts["Table and seat"] == "FU-01, seat 3"
    assert facts["Round"] == "1 of gaming day Sun 1 Mar 2026"
    assert facts["Time"] == "Sun 1 Mar 2026, 16:20:05 to 16:20:14 (America/New_York)"
    assert story["date"] == day_words(date.fromisoformat(story["day"]))


def test_no_identifier_of_another_patron_stands_in_it(desk: Desk) -> None:
    claim, reason = "P-OTHER was paid and I was not", "p-other at seat 5 had the same hand, p-own had not; p-others too"
    story = letter(desk.log, decided(desk, claim, reason), SETTINGS)
    assert story["claim"] == f"{OTHER_PATRON} was paid and I was not"
    assert story["reason"] == f"{OTHER_PATRON} at seat 5 had the same hand, p-own had not; p-others too"
    assert "p-other " not in said(story).lower()
    assert "m.ortiz" not in said(story)
    assert "s.lee" not in said(story)


def test_a_patron_of_another_case_is_left_out_too(desk: Desk) -> None:
    desk.open_dispute("fu-01", 1, dispute="d-9", claim="x", by="m.ortiz", patron="p-third")
    story = letter(desk.log, decided(desk, reason="as with p-third"), SETTINGS)
    assert story["reason"] == f"as with {OTHER_PATRON}"


def test_the_same_decision_gives_the_same_bytes_signed(desk: Desk, floor: Floor) -> None:
    found = decided(desk)
    pdf = signed_letter(desk.log, found, SETTINGS, floor.key)
    cases.letter_made(desk, found, digest="a" * 64, by="m.ortiz")
    assert signed_letter(desk.log, cases.case(desk, found.name), SETTINGS, floor.key) == pdf
    checked = check_report(pdf, [floor.public])
    assert (checked.name, checked.title) == ("letter", "Case FU-01-C1")


@pytest.fixture
def signed(desk: Desk, floor: Floor) -> bytes:
    return signed_letter(desk.log, decided(desk), SETTINGS, floor.key)


def test_a_letter_that_another_logs_key_signed_is_refused_though_that_key_is_trusted(
    desk: Desk, floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who checks two properties holds the keys of both, and each signs for its own log alone; a witness signs no letter."""
    monkeypatch.setattr("desk.report.letter.check_key", lambda *_: None)
    found = decided(desk)
    for kind, name in ((KeyKind.LOG, f"discard-rack/other/{'ab' * 16}"), (KeyKind.WITNESS, f"x/{desk.log.log_id}")):
        other = new_key(tmp_path / kind.name, name, kind).public_key
        monkeypatch.setattr("desk.report.letter.read_signer", lambda path, kind=kind: read_signer(tmp_path / kind.name))
        forged = signed_letter(desk.log, found, SETTINGS, floor.key)
        with pytest.raises(BadPacket, match=r"it is about the log|none that was given"):
            check_report(forged, [floor.public, other])


@pytest.mark.slow
def test_whatever_is_changed_in_a_letter_after_it_was_signed_is_found(signed: bytes, floor: Floor) -> None:
    """Every 40th byte, cut off or added anywhere, also as PDF adds a change to the end."""
    assert check_report(signed, [floor.public]).name == "letter"
    changed = [signed[:at] + bytes([signed[at] ^ 1]) + signed[at + 1 :] for at in range(0, len(signed), 40)]
    update = signed[signed.rindex(b"xref") :]
    changed += [signed + each for each in (b"\n", b"%", update, signed)]
    changed += [signed[:-each] for each in (1, 2, 100)] + [b"\n" + signed, signed.replace(b"settle", b"mettle")[:-1]]
    for data in changed:
        with pytest.raises(BadPacket):
            check_report(data, [floor.public])


def test_a_letter_after_an_appeal_is_another_one_and_says_so(desk: Desk) -> None:
    first = decided(desk)
    cases.appeal(desk, first.name, by="m.ortiz", reason="I have a photograph", settings=SETTINGS)
    cases.decide(desk, first.name, outcome="settled", by="s.lee", reason="paid half")
    second = cases.case(desk, first.name)
    assert letter_name(first) != letter_name(second)
    story = letter(desk.log, second, SETTINGS)
    assert (story["appealed"], story["ruling"]) == (True, "We settled this dispute with you.")


def test_there_is_no_letter_without_a_decision_or_a_seat(desk: Desk) -> None:
    values: dict[str, Any] = {"by": "m.ortiz", "settings": SETTINGS, "claim": "x"}
    with pytest.raises(ReviewRefused, match="is not decided"):
        letter(desk.log, cases.open_case(desk, "fu-01", 1, seat=3, **values), SETTINGS)
    with pytest.raises(ReviewRefused, match="names no seat"):
        letter(desk.log, decided(desk, seat=None), SETTINGS)


def test_every_outcome_has_its_sentence() -> None:
    assert set(RULINGS) == set(OUTCOMES)


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("not conducted as the rules say (DEAL-START).", "not conducted as the rules say."),
        ("as the rules say (DEAL-START, SHAKE-3-X).", "as the rules say."),
        ("got a win of $100.00 (58 Pa. Code § 688a.12(b)).", "got a win of $100.00 (58 Pa. Code § 688a.12(b))."),
    ],
)
def test_codes_of_findings_are_left_out_and_sections_stay(sentence: str, plain: str) -> None:
    assert CODES.sub("", sentence) == plain
