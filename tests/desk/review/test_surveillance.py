"""The log of the surveillance room: nothing in it is changed, a shift is signed over and accepted by two different people."""

import pytest

from desk.review import surveillance
from desk.review.desk import Desk, ReviewRefused, review_event
from events.errors import WrongPlace
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from events.vocabulary.places import PLACES, check_place
from replay.run.replayer import replay
from tests.desk.people import PEOPLE
from tests.replay.tables import DESK_US, SECOND_US, START_US, Table, append

JAM = model.DeviceFailed(device="shuffler", fault="jam")


def entered(desk: Desk, note: str = "shuffler jams", **fields: object) -> None:
    surveillance.make_entry(desk, note=note, by="m.ortiz", happened_us=START_US, **fields)


def signed_over(desk: Desk, by: str = "m.ortiz") -> int:
    return surveillance.sign_over(desk, shift="swing", note="watch fu-01", by=by).seq


def test_an_entry_stands_as_it_was_made_and_another_one_puts_it_right(desk: Desk) -> None:
    entered(desk, table="fu-01", camera="cam-4", persons="dealer d-7")
    entered(desk, "it was the shoe")
    found = surveillance.log(desk).surveillance
    assert [(each.noted.note, each.noted.table, each.noted.camera) for each in found] == [
        ("shuffler jams", "fu-01", "cam-4"),
        ("it was the shoe", None, None),
    ]
    assert [each.entry.says for each in found] == [
        "entered in the surveillance log of table FU-01, camera cam-4, dealer d-7: shuffler jams",
        "entered in the surveillance log: it was the shoe",
    ]


@pytest.mark.parametrize(("seconds", "is_taken"), [(60, True), (61, False), (86_399, False), (366 * 86_400, False)])
def test_a_time_that_has_not_come_is_refused_but_for_what_clocks_differ(desk: Desk, seconds: int, is_taken: bool) -> None:
    """§ 5314.3 asks for the time of what was seen, in a log that takes nothing back; "23:50" after midnight was yesterday's."""
    happened = {"happened_us": DESK_US + seconds * SECOND_US}
    if is_taken:
        surveillance.make_entry(desk, note="x", by="m.ortiz", **happened)
    else:
        with pytest.raises(ReviewRefused, match=r"E[SD]T has not come: by this machine's clock it is 20.*, with its date if"):
            surveillance.make_entry(desk, note="x", by="m.ortiz", **happened)
    assert len(surveillance.log(desk).surveillance) == is_taken


def test_an_entry_without_a_time_is_of_now(desk: Desk) -> None:
    surveillance.make_entry(desk, note="now", by="m.ortiz")
    assert surveillance.log(desk).surveillance[0].noted.happened_us == DESK_US


def test_a_shift_is_signed_over_with_what_is_open_and_accepted_by_another_person(desk: Desk) -> None:
    desk.open_dispute("fu-01", 1, dispute="d-1", claim="not paid", by="m.ortiz")
    seq = signed_over(desk)
    waiting = surveillance.log(desk).waiting
    assert waiting is not None
    assert (waiting.entry.seq, waiting.signed.incidents, waiting.signed.disputes) == (seq, 1, 1)
    lines = surveillance.hand_over_lines(desk)
    assert [(each.kind, each.words) for each in lines] == [
        ("incidents", "FU-01: 1 open incident"),
        ("alarms", "FU-01: 1 unacknowledged incident"),
        ("disputes", "FU-01: 1 open dispute"),
    ]
    surveillance.accept(desk, note="read", by="s.lee", ticked=lines)
    (shift,) = surveillance.log(desk).hand_overs
    assert shift.accepted is not None
    assert shift.accepted.says.endswith("read (ticked: incidents 1, alarms 1, disputes 1)")
    assert (shift.signed.by, shift.accepted.by) == ("m.ortiz", "s.lee")
    assert surveillance.log(desk).waiting is None


def test_what_is_handed_over_follows_what_was_done_in_the_shift(desk: Desk) -> None:
    """What waits for a signature is no open incident; what was done before the last hand-over is not of this shift."""
    (case,) = desk.cases()
    desk.acknowledge(case.finding.id, note="on my way", by="m.ortiz")
    assert [(each.kind, each.words) for each in surveillance.hand_over_lines(desk)] == [
        ("incidents", "FU-01: 1 open incident"),
        ("changes", "FU-01: 1 acknowledged"),
    ]
    cents = abs(case.finding.difference_cents or 0)
    desk.resolve(case.finding.id, disposition="confirmed_paid_patron", amount_cents=cents, by="m.ortiz", reason="at the cage")
    assert [(each.kind, each.words) for each in surveillance.hand_over_lines(desk)] == [
        ("signatures", "FU-01: 1 awaited signature"),
        ("changes", "FU-01: 1 acknowledged, 1 resolved or signed"),
    ]


def test_a_dispute_that_needs_a_second_signature_is_handed_over_as_a_signature(desk: Desk) -> None:
    """It was decided against the record (D713); once it is signed, nothing of it is left to hand over."""
    desk.open_dispute("fu-01", 1, dispute="d-1", claim="not paid", by="m.ortiz")
    closing = {"dispute": "d-1", "outcome": "for_house", "override": "the video shows it", "reason": "seen"}
    first = review_event(model.DisputeClosed2, by="m.ortiz", signs=None, **closing)
    (entry,) = desk.write_together("fu-01", 1, [first])
    lines = [(each.kind, each.words) for each in surveillance.hand_over_lines(desk) if each.page == "dispute"]
    assert lines == [("signatures", "FU-01: 1 awaited signature")]
    assert surveillance.open_work(desk)[1] == 1
    desk.write_together("fu-01", 1, [review_event(model.DisputeClosed2, by="s.lee", signs=entry.seq, **closing)])
    assert not [each for each in surveillance.hand_over_lines(desk) if each.page == "dispute"]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([], []),
        ([JAM], ["FU-01: shuffler out of order"]),
        ([JAM, model.DeviceCovered(device="shuffler", how="sign")], ["FU-01: shuffler out of order, covered or with a sign"]),
        ([JAM, model.DeviceRestored(device="shuffler")], []),
        ([model.DeviceAlarmed(device="shuffler", alarm="red_light")], ["FU-01: shuffler signaled a fault"]),
    ],
)
def test_a_device_is_handed_over_while_it_is_out_of_order(
    log: SqliteLog, results: SqliteResults, after: list[model.Event], words: list[str]
) -> None:
    table = Table()
    table.play(1, "")
    for event in after:
        table.say(event)
    append(log, table)
    replay(log, results)
    lines = surveillance.hand_over_lines(Desk(log, results, persons=PEOPLE, clock=lambda: DESK_US))
    assert [each.words for each in lines if each.kind == "devices"] == words


def test_who_signed_over_does_not_accept(desk: Desk) -> None:
    signed_over(desk)
    with pytest.raises(ReviewRefused, match="another person"):
        surveillance.accept(desk, note="read", by="M.ORTIZ@bellwether.example")


def test_two_shifts_do_not_wait_at_once_and_nothing_is_accepted_unsigned(desk: Desk) -> None:
    with pytest.raises(ReviewRefused, match="no shift that was handed over waits"):
        surveillance.accept(desk, note="read", by="s.lee")
    seq = signed_over(desk)
    with pytest.raises(ReviewRefused, match=f"event {seq} has not been accepted"):
        signed_over(desk, by="s.lee")
    surveillance.accept(desk, note="read", by="s.lee")
    signed_over(desk, by="s.lee")


def test_people_and_tables_must_be_known(desk: Desk) -> None:
    with pytest.raises(ReviewRefused, match="not registered"):
        surveillance.make_entry(desk, note="x", by="nobody")
    with pytest.raises(ReviewRefused, match="no table 'fu-99'"):
        entered(desk, table="fu-99")
    with pytest.raises(ReviewRefused, match="nothing was written"):
        entered(desk, note="")


def test_without_a_gaming_day_there_is_no_entry(log: SqliteLog, results: SqliteResults) -> None:
    append(log, Table())
    with pytest.raises(ReviewRefused, match="when its gaming day begins"):
        entered(Desk(log, results, persons=PEOPLE, clock=lambda: DESK_US))


@pytest.mark.parametrize("type_", ["surveillance_noted", "shift_signed_over", "shift_accepted"])
def test_only_the_desk_writes_it_and_only_in_a_review_stream(type_: str) -> None:
    assert PLACES[type_] == {"review": frozenset({"desk"})}


def test_the_surveillance_log_stands_in_its_own_stream(desk: Desk) -> None:
    note = review_event(model.SurveillanceNoted, by="m.ortiz", camera=None, happened_us=1, note="x", persons=None, table=None)
    with pytest.raises(ReviewRefused, match="is in review/surveillance"):
        desk.write_together("fu-01", None, [note])
    with pytest.raises(WrongPlace):
        check_place("table/fu-01", note)


def test_an_acceptance_from_elsewhere_that_contradicts_the_state_changes_nothing(desk: Desk) -> None:
    """Written past the desk: by the person who signed over, or of another event."""
    seq = signed_over(desk)
    review = surveillance.log(desk)
    for event, why in (
        (model.ShiftAccepted(by="m.ortiz", note="x", signs=seq), "another person accepts it"),
        (model.ShiftAccepted(by="s.lee", note="x", signs=seq + 1), f"is event {seq}, not event {seq + 1}"),
    ):
        assert why in review.objection(event, None)
        review.apply(review.seq + 1, DESK_US, None, event, "2026-03-01")
    assert review.waiting is not None
    assert len(review.refused) == 2
