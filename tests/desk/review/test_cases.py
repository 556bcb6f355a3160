"""Cases: a dispute with a number and a due date; what is attached is proved each time; an appeal opens the case again."""

from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.review import cases
from desk.review.case_folder import MIB, SETTINGS, AttachmentLost, CaseFolder, CaseSettings
from desk.review.cases import PatronCase
from desk.review.desk import Desk, ReviewRefused
from desk.review.disputes import case_name, case_place
from desk.review.state import TableReview
from events.log.attachments import ATTACHMENTS, attachments_of
from events.vocabulary import model
from events.vocabulary.places import PLACES
from replay.narrative.names import day_words
from tests.desk.people import pay_what_is_owed
from tests.replay.tables import DESK_US


@pytest.fixture
def folder(tmp_path: Path) -> CaseFolder:
    return CaseFolder(tmp_path)


def opened(desk: Desk, claim: str = "not paid", settings: CaseSettings | None = None, seat: int | None = 3) -> PatronCase:
    return cases.open_case(
        desk, "fu-01", 1, by="m.ortiz", settings=settings or CaseSettings(), claim=claim, seat=seat, patron="p-7"
    )


def decided(desk: Desk) -> PatronCase:
    found = opened(desk)
    pay_what_is_owed(desk)
    cases.decide(desk, found.name, outcome="for_patron", by="m.ortiz", reason="the video shows ace high")
    return cases.case(desk, found.name)


def day_after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


# ------------------------------------------------------------------------------------------------- opening and deciding


def test_a_claim_becomes_a_dispute_and_a_case_with_a_number_and_a_due_date(desk: Desk) -> None:
    found = opened(desk)
    assert (found.name, found.case.seat, found.case.patron, found.case.claim) == ("FU-01-C1", 3, "p-7", "not paid")
    assert found.case.due == day_after(desk.today(), 30)
    assert [each.what for each in found.case.history] == ["dispute_opened", "case_opened"]
    dispute = desk.review("fu-01").disputes[found.case.dispute]
    assert (dispute.claim, dispute.seat, dispute.patron, dispute.outcome) == ("not paid", 3, "p-7", None)
    assert opened(desk, "again").name == "FU-01-C2"


@pytest.mark.parametrize("days", [1, 45])
def test_the_days_are_a_setting(desk: Desk, days: int) -> None:
    assert opened(desk, settings=CaseSettings(days=days)).case.due == day_after(desk.today(), days)


def said(day: str) -> str:
    return day_words(date.fromisoformat(day))


def test_the_due_date_is_moved_with_a_reason_and_both_days_stay_on_record(desk: Desk) -> None:
    found = opened(desk)
    was, due = found.case.due, day_after(desk.today(), 45)
    cases.move_due(desk, found.name, due=due, by="s.lee", reason="the patron is abroad")
    moved = cases.case(desk, found.name).case
    assert moved.due == due
    last = moved.history[-1]
    assert (last.by, last.what) == ("s.lee", "case_due_moved")
    assert last.says == f"moved the due date of case 1 from {said(was)} to {said(due)}: the patron is abroad"
    cases.move_due(desk, found.name, due=was, by="s.lee", reason="back again")
    assert cases.case(desk, found.name).case.due == was


def test_a_due_date_is_today_at_the_earliest(desk: Desk) -> None:
    name = opened(desk).name
    with pytest.raises(ReviewRefused, match="has gone by"):
        cases.move_due(desk, name, due=day_after(desk.today(), -1), by="s.lee", reason="x")
    cases.move_due(desk, name, due=desk.today(), by="s.lee", reason="x")
    assert cases.case(desk, name).case.due == desk.today()


def test_a_due_date_is_moved_to_another_day_while_the_case_is_open_by_a_registered_person(desk: Desk) -> None:
    found = opened(desk)
    with pytest.raises(ReviewRefused, match=f"is due on {found.case.due} already"):
        cases.move_due(desk, found.name, due=found.case.due, by="s.lee", reason="x")
    with pytest.raises(ReviewRefused):
        cases.move_due(desk, found.name, due=day_after(found.case.due, 1), by="nobody", reason="x")
    pay_what_is_owed(desk)
    cases.decide(desk, found.name, outcome="settled", by="m.ortiz", reason="x")
    with pytest.raises(ReviewRefused, match="decided already"):
        cases.move_due(desk, found.name, due=day_after(found.case.due, 1), by="s.lee", reason="x")


def test_a_due_date_is_moved_from_the_day_that_stands() -> None:
    """Written past the desk, by somebody who had read an older day."""
    review = TableReview("review/fu-01")
    opened = model.DisputeOpened(by="m.ortiz", dispute="d-1", patron=None, reason="x", seat=None)
    opening = model.CaseOpened(by="m.ortiz", case=1, dispute="d-1", due="2026-04-01", patron=None, seat=None)
    for seq, event in enumerate((opened, opening), 1):
        review.apply(seq, DESK_US, 1, event, "2026-03-01")
    stale = model.CaseDueMoved(by="m.ortiz", case=1, due="2026-05-01", reason="x", was="2026-03-31")
    assert review.objection(stale, 1) == "case 1 is due on 2026-04-01, not on 2026-03-31"
    assert review.objection(model.CaseDueMoved(by="m.ortiz", case=2, due="2026-05-01", reason="x", was="2026-04-01"), 1)


def test_a_dispute_that_is_open_becomes_a_case_once(desk: Desk) -> None:
    desk.open_dispute("fu-01", 1, dispute="d-1", claim="short", by="m.ortiz", seat=2)
    settings = CaseSettings()
    found = cases.open_case(desk, "fu-01", 1, by="s.lee", settings=settings, dispute="d-1", patron="p-9", seat=5)
    assert (found.case.claim, found.case.seat, found.case.patron) == ("short", 2, "p-9"), "the dispute's own seat counts"
    with pytest.raises(ReviewRefused, match="dispute d-1 is case 1 already"):
        cases.open_case(desk, "fu-01", 1, by="s.lee", settings=settings, dispute="d-1")
    with pytest.raises(ReviewRefused, match="no dispute d-2"):
        cases.open_case(desk, "fu-01", 1, by="s.lee", settings=settings, dispute="d-2")
    with pytest.raises(ReviewRefused, match="give one of the two"):
        cases.open_case(desk, "fu-01", 1, by="s.lee", settings=settings)


def test_a_dispute_that_is_closed_or_of_another_round_becomes_no_case(desk: Desk) -> None:
    desk.open_dispute("fu-01", 1, dispute="d-1", claim="short", by="m.ortiz")
    with pytest.raises(ReviewRefused, match="is about round 1"):
        cases.open_case(desk, "fu-01", 2, by="s.lee", settings=CaseSettings(), dispute="d-1")
    pay_what_is_owed(desk)
    desk.close_dispute("fu-01", dispute="d-1", outcome="withdrawn", by="m.ortiz", reason="x")
    with pytest.raises(ReviewRefused, match="closed already"):
        cases.open_case(desk, "fu-01", 1, by="s.lee", settings=CaseSettings(), dispute="d-1")


def test_nothing_is_written_of_a_case_that_cannot_be_opened(desk: Desk) -> None:
    """The dispute and the case are one append."""
    with pytest.raises(ReviewRefused):
        cases.open_case(desk, "fu-01", 1, by="m.ortiz", settings=CaseSettings(), claim="x", patron="Mr Smith")
    assert desk.review("fu-01").seq == 0
    with pytest.raises(ReviewRefused, match="not registered"):
        cases.open_case(desk, "fu-01", 1, by="nobody", settings=CaseSettings(), claim="x")


def test_a_case_is_owned_noted_and_decided(desk: Desk) -> None:
    name = opened(desk).name
    cases.assign(desk, name.lower(), to="s.lee", by="m.ortiz", reason="knows the table")
    cases.note(desk, name, note="asked for the video", by="s.lee")
    pay_what_is_owed(desk)
    cases.decide(desk, name, outcome="for_patron", by="s.lee", reason="ace high")
    found = cases.case(desk, name).case
    assert found.owner == "s.lee"
    assert found.decision is not None
    assert (found.state, found.decision.outcome, found.decision.by) == ("decided", "for_patron", "s.lee")
    assert [each.says for each in found.history[2:]] == [
        "gave case 1 to s.lee: knows the table",
        "noted in case 1: asked for the video",
        "closed dispute case-1, decided for the patron: ace high",
    ]
    with pytest.raises(ReviewRefused, match="closed already"):
        cases.decide(desk, name, outcome="for_house", by="s.lee", reason="no")
    with pytest.raises(ReviewRefused, match="decided already"):
        cases.assign(desk, name, to="s.lee", by="m.ortiz", reason="x")


def test_the_dispute_desk_decides_a_case_too(desk: Desk) -> None:
    found = opened(desk)
    pay_what_is_owed(desk)
    desk.close_dispute("fu-01", dispute=found.case.dispute, outcome="settled", by="m.ortiz", reason="paid now")
    assert cases.case(desk, found.name).case.state == "decided"


def test_an_appeal_opens_the_case_again_with_a_due_date_of_its_own(desk: Desk) -> None:
    found = decided(desk)
    cases.appeal(desk, found.name, by="m.ortiz", reason="the patron says so", settings=CaseSettings(appeal_days=14))
    again = cases.case(desk, found.name).case
    assert (again.state, again.decision, again.appeals) == ("appealed", None, 1)
    assert again.due == day_after(desk.today(), 14)
    assert desk.review("fu-01").disputes[again.dispute].outcome is None
    with pytest.raises(ReviewRefused, match="not decided: there is nothing to appeal"):
        cases.appeal(desk, found.name, by="m.ortiz", reason="x", settings=CaseSettings())
    cases.decide(desk, found.name, outcome="settled", by="s.lee", reason="paid half")
    last = cases.case(desk, found.name).case
    assert last.decision is not None
    assert last.decision.outcome == "settled"
    assert sum(each.what == "dispute_closed" for each in last.history) == 2, "the first decision stays on record"


def test_overdue_begins_the_day_after_the_last_one(desk: Desk) -> None:
    case = opened(desk).case
    assert not case.overdue(case.due)
    assert case.overdue(day_after(case.due, 1))
    assert not decided(desk).case.overdue("2999-01-01"), "a decided case is not late"


def test_cases_are_listed_by_deadline_and_the_decided_last(desk: Desk) -> None:
    for days in (20, 5, 10):
        opened(desk, settings=CaseSettings(days=days))
    pay_what_is_owed(desk)
    cases.decide(desk, "fu-01-c2", outcome="withdrawn", by="m.ortiz", reason="x")
    assert [each.name for each in cases.cases(desk)] == ["FU-01-C3", "FU-01-C1", "FU-01-C2"]
    assert cases.cases(desk, "fu-99") == []


def test_video_marked_of_the_round_belongs_to_the_case(desk: Desk) -> None:
    name = opened(desk).name
    desk.mark_video("fu-01", 1, camera="cam-4", starts_us=0, ends_us=5_000_000, by="m.ortiz", reason="payout")
    (video,) = cases.case(desk, name).videos
    assert "camera cam-4" in video.says.lower()


@pytest.mark.parametrize("name", ["FU-01-C9", "fu-09-c1", "fu-01", "7", "../c1"])
def test_a_case_that_is_not_there_is_named(desk: Desk, name: str) -> None:
    with pytest.raises(ReviewRefused, match="no case"):
        cases.case(desk, name)


@given(st.from_regex(r"[a-z0-9-]{1,32}", fullmatch=True), st.integers(1, 10**9 - 1))
def test_a_name_says_table_and_number(table: str, number: int) -> None:
    assert case_place(case_name(table, number)) == (table, number)


# ------------------------------------------------------------------------------------------------------- attachments


def attached(desk: Desk, folder: CaseFolder, data: bytes = b"slip") -> model.CaseAttached:
    name = opened(desk).name
    cases.attach(desk, folder, name, file="slip.jpg", data=data, by="m.ortiz", note="the slip")
    return cases.case(desk, name).case.attachments[0]


def test_an_attachment_is_kept_under_its_hash_and_read_back(desk: Desk, folder: CaseFolder) -> None:
    it = attached(desk, folder)
    assert (it.digest, it.size, it.name) == (sha256(b"slip").hexdigest(), 4, "slip.jpg")
    assert folder.read("fu-01", it) == b"slip"
    assert folder.path is not None
    assert [path.name for path in (folder.path / ATTACHMENTS).rglob("*") if path.is_file()] == [it.digest]


def test_a_picture_is_attached_to_a_round_and_its_packet_lists_it(desk: Desk, folder: CaseFolder) -> None:
    named: dict[str, Any] = {"file": "felt.jpg", "by": "m.ortiz", "note": "the felt at 21:14"}
    cases.attach_to_round(desk, folder, "fu-01", 1, data=b"photo", **named)
    (it,) = desk.review("fu-01").files_of(1)
    assert (it.digest, it.size, it.name) == (sha256(b"photo").hexdigest(), 5, "felt.jpg")
    assert folder.read("fu-01", it) == b"photo"
    assert [attached for _, attached in attachments_of(desk.log)] == [it]
    assert any(it.digest in entry.says for entry in desk.review("fu-01").of_round(1))
    for data, number, why in ((b"photo", 1, "the same bytes"), (b"other", 9, "no judged round 9")):
        with pytest.raises(ReviewRefused, match=why):
            cases.attach_to_round(desk, folder, "fu-01", number, data=data, **named)
    assert folder.path is not None
    (folder.path / ATTACHMENTS / it.digest[:2] / it.digest).write_bytes(b"phota")
    with pytest.raises(AttachmentLost, match=r"felt\.jpg, attached to a round, was changed"):
        folder.read("fu-01", it)


def stored(folder: CaseFolder, it: model.CaseAttached) -> Path:
    assert folder.path is not None
    return folder.path / ATTACHMENTS / it.digest[:2] / it.digest


@pytest.mark.parametrize("content", [b"slap", b"slip!", b"sli", b""])
def test_an_attachment_that_was_changed_is_named(desk: Desk, folder: CaseFolder, content: bytes) -> None:
    it = attached(desk, folder)
    stored(folder, it).write_bytes(content)
    with pytest.raises(AttachmentLost, match=r"slip\.jpg, attached to case 1, was changed"):
        folder.read("fu-01", it)
    assert len(list(folder.losses("fu-01", [it]))) == 1


def test_an_attachment_that_is_gone_is_named(desk: Desk, folder: CaseFolder) -> None:
    it = attached(desk, folder)
    stored(folder, it).unlink()
    with pytest.raises(AttachmentLost, match="is gone"):
        folder.read("fu-01", it)


def test_what_was_changed_is_never_written_over(desk: Desk, folder: CaseFolder) -> None:
    it = attached(desk, folder)
    stored(folder, it).write_bytes(b"other")
    with pytest.raises(ReviewRefused, match="other bytes than its name says"):
        folder.keep(b"slip")
    assert stored(folder, it).read_bytes() == b"other"


def test_the_same_bytes_are_attached_once(desk: Desk, folder: CaseFolder) -> None:
    attached(desk, folder)
    with pytest.raises(ReviewRefused, match="attached to case 1 already"):
        cases.attach(desk, folder, "fu-01-c1", file="copy.jpg", data=b"slip", by="m.ortiz", note="x")


def test_the_largest_attachment_is_a_setting(desk: Desk, folder: CaseFolder) -> None:
    assert folder.path is not None
    (folder.path / SETTINGS).write_text("largest_mib = 1\n")
    assert folder.keep(bytes(MIB))
    with pytest.raises(ReviewRefused, match="more than the 1 MiB"):
        folder.keep(bytes(MIB + 1))
    with pytest.raises(ReviewRefused, match="empty"):
        folder.keep(b"")


@pytest.mark.parametrize("text", ["days = 0", 'days = "x"', "dayz = 3", "days ="])
def test_a_setting_out_of_form_is_named(folder: CaseFolder, text: str) -> None:
    assert folder.path is not None
    (folder.path / SETTINGS).write_text(text)
    with pytest.raises(ReviewRefused, match=r"cases\.toml: expected days"):
        folder.settings()


def test_without_a_folder_nothing_is_attached(desk: Desk) -> None:
    name = opened(desk).name
    with pytest.raises(ReviewRefused, match="RACK_CASES"):
        cases.attach(desk, CaseFolder(None), name, file="x", data=b"x", by="m.ortiz", note="x")
    assert CaseFolder(None).settings() == CaseSettings()


# ----------------------------------------------------------------------------------------------------- letter and law


def test_a_letter_is_of_the_decision_that_stands(desk: Desk) -> None:
    found = opened(desk)
    with pytest.raises(ReviewRefused, match="not decided"):
        cases.letter_made(desk, found, digest="a" * 64, by="m.ortiz")
    pay_what_is_owed(desk)
    cases.decide(desk, found.name, outcome="settled", by="m.ortiz", reason="x")
    found = cases.case(desk, found.name)
    cases.letter_made(desk, found, digest="a" * 64, by="m.ortiz")
    cases.appeal(desk, found.name, by="m.ortiz", reason="x", settings=CaseSettings())
    cases.decide(desk, found.name, outcome="for_patron", by="s.lee", reason="x")
    with pytest.raises(ReviewRefused, match="is not the decision in force of case 1"):
        cases.letter_made(desk, found, digest="b" * 64, by="m.ortiz")
    assert len(cases.case(desk, found.name).case.letters) == 1


TYPES = ["case_opened", "case_assigned", "case_due_moved", "case_noted", "case_attached", "case_letter_made", "case_appealed"]


@pytest.mark.parametrize("type_", TYPES)
def test_only_the_desk_writes_it_and_only_in_a_review_stream(type_: str) -> None:
    assert PLACES[type_] == {"review": frozenset({"desk"})}


def test_an_event_from_elsewhere_that_contradicts_the_state_changes_nothing() -> None:
    """Written past the desk: of no case, of no dispute, an appeal of what is not decided."""
    review = TableReview("review/fu-01")
    opening = model.CaseOpened(by="m.ortiz", case=1, dispute="d-1", due="2026-04-01", patron=None, seat=None)
    opened = model.DisputeOpened(by="m.ortiz", dispute="d-1", patron=None, reason="x", seat=None)
    noted = model.CaseNoted(by="m.ortiz", case=1, note="x")
    appealed = model.CaseAppealed(by="m.ortiz", case=1, due="2026-05-01", reason="x")
    for event, why in (
        (noted, "there is no case 1"),
        (opening, "there is no dispute d-1"),
        (opened, ""),
        (opening, ""),
        (opening, "there is a case 1 already"),
        (noted, ""),
        (appealed, "is not decided"),
    ):
        objection = review.objection(event, 1)
        assert why in objection
        assert bool(objection) == bool(why)
        review.apply(review.seq + 1, DESK_US, 1, event, "2026-03-01")
    assert len(review.refused) == 4
    assert [each.says for each in review.cases[1].history] == [
        "opened dispute d-1: x",
        "opened case 1 of dispute d-1, due Wed 1 Apr 2026",
        "noted in case 1: x",
    ]


def test_a_case_alone_in_a_packet_keeps_its_number() -> None:
    """A packet holds the review events of one round: case 2 of the table may be the only one in it."""
    review = TableReview("review/fu-01")
    opened = model.DisputeOpened(by="m.ortiz", dispute="d-2", patron=None, reason="x", seat=None)
    opening = model.CaseOpened(by="m.ortiz", case=2, dispute="d-2", due="2026-04-01", patron=None, seat=4)
    for seq, event in enumerate((opened, opening), 5):
        review.apply(seq, DESK_US, 1, event, "2026-03-01")
    assert review.refused == []
    assert review.cases[2].seat == 4
