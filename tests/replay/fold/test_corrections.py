"""A correction names what it supersedes by number and id (D140): one that does not fit changes nothing, and is found.

And a round whose opening is taken back has no verdict left.
"""

import msgspec
import pytest

from events.vocabulary import model
from replay.findings import Adjudication, digest
from replay.fold.corrections import Correction
from replay.fold.device_reports import RECENT_ROUNDS
from replay.run.replayer import MemoryResults, adjudications, findings, ledger, replay
from replay.run.stream_worker import WITHDRAWN
from tests.replay.stored import one_run, stored, verdicts
from tests.replay.streams import METER, advanced, fill, meter, paid
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table, filed

OTHER = "0f" * 16
CLOSED = model.RoundClosed(by="d-7")
MISSED = "PAY-MISSED seat=3 wager=base -25.00"


def said(results: MemoryResults) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return (round, verdict, findings) as they are."""
    return [(each.round_no, each.verdict, tuple(found.line() for found in each.findings)) for each in adjudications(results)]


def in_all_ways(table: Table) -> MemoryResults:
    """Return the results of a replay at once, having seen that taken up anywhere, and by another engine, it says the same."""
    whole, log = one_run(table), MemoryLog([table])
    for cut in range(1, table.last):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        replay(log, results)
        assert stored(results) == stored(whole), f"cut after event {cut}"
    results.reset()
    replay(log, results)
    assert stored(results) == stored(whole)
    return whole


@pytest.mark.parametrize(
    ("seq", "superseded", "event_id", "why"),
    [
        (7, 5, "ab", ""),
        (7, 6, "ab", "event 6 by an id that is not its own"),
        (7, 7, "ab", "event 7, which does not stand before it"),
        (7, 8, "ab", "event 8, which does not stand before it"),
        (7, 4, "ab", "event 4 by an id that is not its own"),  # none exists
    ],
)
def test_what_counts_and_what_does_not(seq: int, superseded: int, event_id: str, why: str) -> None:
    objection = Correction(seq, superseded, event_id, None).objection({5: "ab", 6: "cd", 7: "ab", 8: "ab"})
    assert objection == (f"the correction at event {seq} names {why}" if why else "")


def test_with_another_id_it_changes_nothing_and_leaves_a_doubt() -> None:
    table = Table()
    played = table.play(1, PAID.replace("close\n", ""))
    wrong = table.correct(played["wager_paid"], None, event_id=OTHER)
    table.say(CLOSED, 1)
    results = in_all_ways(table)
    assert said(results) == [(1, "UNDETERMINED", ("LOG-CORRECTION",))]
    (found,) = findings(results)
    assert (found.evidence, found.severity, found.round_no) == ((wrong,), "high", 1)
    assert found.observed == (f"the correction at event {wrong} names event {played['wager_paid']} by an id that is not its own")
    assert adjudications(results)[0].undetermined == (found.observed,)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("later", [0, 1, RECENT_ROUNDS + 2], ids=lambda n: f"{n} rounds later")
@pytest.mark.parametrize("between", [False, True], ids=["between rounds", "in a later round"])
def test_it_counts_in_the_round_of_the_event_that_it_names(later: int, between: bool) -> None:
    """After the last round of the day too, and in no innocent round (D851)."""
    table = Table()
    played = table.play(1, PAID)
    for number in range(2, 2 + later):
        table.play(number, PAID if between or number <= later else PAID.replace("close\n", ""))
    table.correct(played["wager_paid"], None, event_id=OTHER)
    if later and not between:
        table.say(CLOSED, 1 + later)
    innocent = [(number, "UPHELD", ()) for number in range(2, 2 + later)]
    assert said(in_all_ways(table)) == [(1, "UNDETERMINED", ("LOG-CORRECTION",)), *innocent]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("later", [0, RECENT_ROUNDS + 2], ids=lambda n: f"{n} rounds later")
@pytest.mark.parametrize("named", ["itself", "by the replacement"])
def test_it_counts_in_the_round_that_it_names(named: str, later: int) -> None:
    """The right round and a wrong event: another round's, by an id that is not its own."""
    table = Table()
    table.play(1, PAID)
    other = table.play(2, PAID)
    for number in range(3, 3 + later):
        table.play(number, PAID)
    replacement = model.Replacement(
        type="light_seen", version=1, round_no=1 if named == "by the replacement" else None, payload={"seat": 3}
    )
    table.say(
        model.EventCorrected(
            supersedes_seq=other["wager_paid"],
            supersedes_event_id=OTHER,
            replacement=replacement,
            by="sv-1",
            reason="video shows otherwise",
        ),
        1 if named == "itself" else None,
        source="office",
    )
    table.play(3 + later, PAID)
    innocent = [(number, "UPHELD", ()) for number in range(2, 4 + later)]
    assert said(in_all_ways(table)) == [(1, "UNDETERMINED", ("LOG-CORRECTION",)), *innocent]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("later", [0, 1, RECENT_ROUNDS + 2], ids=lambda n: f"{n} rounds later")
@pytest.mark.parametrize("slip", ["id", "number"])
def test_the_right_one_after_it_leaves_no_doubt(slip: str, later: int) -> None:
    table = Table()
    played = table.play(1, PAID)
    paid_seq = played["wager_paid"]
    right_id = table.drafts[paid_seq - 1].event_id
    if slip == "id":
        table.correct(paid_seq, paid(cents=2000, source="inventory"), event_id=OTHER)
    else:
        table.correct(paid_seq - 1, paid(cents=2000, source="inventory"), event_id=right_id)
    for number in range(2, 2 + later):
        table.play(number, PAID)
    table.correct(paid_seq, paid(cents=2000, source="inventory"))
    innocent = [(number, "UPHELD", ()) for number in range(2, 2 + later)]
    results = in_all_ways(table)
    assert said(results) == [(1, "VARIANCE", ("PAY-UNDER seat=3 wager=base -5.00",)), *innocent]
    assert [found.code for found in findings(results)] == ["PAY-UNDER"]


@pytest.mark.parametrize("further", [0, 1])
def test_it_cannot_name_itself_or_what_is_to_come(further: int) -> None:
    """Not even by the right id: nothing that is not there yet can have been found wrong."""
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    seq = table.last + 1 + further
    to_come = Table(table.stream)
    to_come.drafts = [*table.drafts]
    while to_come.last < seq:
        to_come.say(model.LightSeen(seat=3), 1)
    table.say(
        model.EventCorrected(
            supersedes_seq=seq,
            supersedes_event_id=to_come.drafts[seq - 1].event_id,
            replacement=None,
            by="sv-1",
            reason="a number too far",
        ),
        source="office",
    )
    table.say(CLOSED, 1)
    results = in_all_ways(table)
    assert said(results) == [(1, "UNDETERMINED", ("LOG-CORRECTION",))]
    assert f"names event {seq}, which does not stand before it" in findings(results)[0].observed


@pytest.mark.slow
def test_far_back_it_is_found_by_folding_the_stream_again() -> None:
    table = Table()
    played = table.play(1, PAID)
    for number in range(2, 9):
        table.play(number, PAID)
    table.correct(2, filed("pa-688a max=20.00"), event_id=OTHER)  # the rules that all rounds were judged by
    table.play(9, PAID)
    table.correct(played["wager_paid"], paid(cents=2000, source="inventory"), event_id=OTHER)
    table.play(10, PAID)
    doubtful = (1, 9)  # the round of the payment, and the one after the rules were not corrected
    assert said(in_all_ways(table)) == [
        (number, "UNDETERMINED", ("LOG-CORRECTION",)) if number in doubtful else (number, "UPHELD", ()) for number in range(1, 11)
    ]


def test_right_ones_beside_it_count() -> None:
    table = Table()
    played = table.play(1, PAID)
    table.correct(played["wager_paid"], None, event_id=OTHER)
    table.correct(played["wager_paid"], paid(cents=2000, source="inventory"))
    table.correct(2, filed("pa-688a max=30.00"))
    table.play(2, PAID)
    assert said(in_all_ways(table)) == [(1, "VARIANCE", ("PAY-UNDER seat=3 wager=base -5.00",)), (2, "UPHELD", ())]


def test_as_of_before_it_there_is_no_doubt() -> None:
    table = Table()
    played = table.play(1, PAID.replace("close\n", ""))
    right = table.correct(played["wager_paid"], paid(cents=2000, source="inventory"))
    wrong = table.correct(played["wager_paid"], paid(source="inventory"), event_id=OTHER)
    table.say(CLOSED, 1)
    table.play(2, PAID)
    log, short = MemoryLog([table]), ("PAY-UNDER seat=3 wager=base -5.00",)
    for end, verdict, lines in ((right, "", ()), (wrong + 1, "VARIANCE", (*short, "LOG-CORRECTION"))):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: end})
        assert said(results) == ([(1, verdict, lines)] if verdict else [])


def test_one_that_was_taken_back_itself_leaves_no_doubt() -> None:
    table = Table()
    played = table.play(1, PAID.replace("close\n", ""))
    wrong = table.correct(played["wager_paid"], None, event_id=OTHER)
    table.say(CLOSED, 1)
    table.correct(wrong, None)
    results = in_all_ways(table)
    assert verdicts(results) == [(1, 1, "UNDETERMINED"), (1, 2, "UPHELD")]
    assert findings(results) == []


def test_one_refused_takes_back_no_other() -> None:
    table = Table()
    played = table.play(1, PAID)
    right = table.correct(played["wager_paid"], paid(cents=2000, source="inventory"))
    table.correct(right, None, event_id=OTHER)
    table.play(2, PAID)
    underpaid = "PAY-UNDER seat=3 wager=base -5.00"
    assert said(in_all_ways(table)) == [(1, "VARIANCE", (underpaid, "LOG-CORRECTION")), (2, "UPHELD", ())]


@pytest.mark.parametrize("in_round", [False, True])
def test_the_ledger_stays_as_it_was(in_round: bool) -> None:
    table = Table()
    if in_round:
        table.play(1, PAID.replace("close\n", ""))
    filled = table.say(fill(500_000), 1 if in_round else None)
    table.correct(filled, fill(50_000), event_id=OTHER)
    table.correct(filled, None, event_id=OTHER)
    other = table.say(fill(7_000), 1 if in_round else None)
    if in_round:
        table.say(CLOSED, 1)
    else:
        table.play(1, PAID)
    table.correct(other, fill(9_000))
    results = in_all_ways(table)
    assert [entry.amount_cents for entry in ledger(results)] == [500_000, 9_000]
    assert said(results) == [(1, "UNDETERMINED", ("LOG-CORRECTION",) * 2)]


def test_a_meter_stays_as_it_was() -> None:
    table = meter()
    wrong = table.correct(4, advanced(100_005_600, seat=4), event_id=OTHER)
    results = in_all_ways(table)
    assert [(each.code, each.evidence) for each in findings(results)] == [("PAY-METER", (4,)), ("LOG-CORRECTION", (wrong,))]
    (_, refused) = findings(results)
    assert (refused.stream, refused.round_no, refused.severity) == (METER, None, "high")
    assert refused.cite == "Log contract, corrections"
    table.correct(4, advanced(100_005_600, seat=4))
    table.correct(5, advanced(100_008_400, seat=5))
    assert findings(in_all_ways(table)) == []


# --------------------------------------------------------------------------------------------- a round that never opened


def all_said(results: MemoryResults) -> list[Adjudication]:
    return [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]


def test_the_verdict_on_a_round_that_was_never_opened_is_withdrawn() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    table.play(2, PAID)
    table.correct(played["round_opened"], None)
    table.play(3, PAID)
    results = in_all_ways(table)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (2, 1, "UPHELD"), (1, 2, "UNDETERMINED"), (3, 1, "UPHELD")]
    first, _, second, _ = all_said(results)
    assert [each.line() for each in first.findings] == [MISSED]
    assert (second.undetermined, second.findings, second.settlements) == ((WITHDRAWN,), (), ())
    assert (second.supersedes, second.withdrawn) == (digest(first), tuple(each.id for each in first.findings))
    assert findings(results) == []


def test_what_comes_late_for_it_is_no_stray() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    table.correct(played["round_opened"], None)
    table.say(paid(), 1)
    table.play(2, PAID)
    table.say(paid(), 1)
    table.play(3, PAID)
    assert [verdict for _, verdict, _ in said(in_all_ways(table))] == ["UNDETERMINED", "UPHELD", "UPHELD"]


def test_opened_after_all_it_is_judged_again() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    never = table.correct(played["round_opened"], None)
    table.correct(never, None)
    results = in_all_ways(table)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UNDETERMINED"), (1, 3, "VARIANCE")]
    assert [each.line() for each in findings(results)] == [MISSED]


def test_opened_again_under_its_number_it_is_a_round() -> None:
    table = Table()
    wrong = table.say(model.RoundOpened(deck="d-9", observed=[]), 1)
    table.play(1, PAID)
    table.correct(wrong, None)
    table.play(2, PAID)
    assert said(in_all_ways(table))[-1] == (2, "UPHELD", ())
    assert (1, "UPHELD", ()) in said(in_all_ways(table))


def test_a_round_that_was_given_another_number_leaves_none_under_the_old() -> None:
    table = Table()
    opening = table.say(model.RoundOpened(deck="d-1", observed=[]), 1)
    table.say(CLOSED)
    renamed = table.correct(opening, table.payload(opening), round_no=5)
    results = in_all_ways(table)
    assert [(each.round_no, each.undetermined) for each in adjudications(results)] == [(1, (WITHDRAWN,)), (5, ())]
    table.correct(renamed, None)
    results = in_all_ways(table)
    assert [(each.round_no, each.undetermined) for each in adjudications(results)] == [(1, ()), (5, (WITHDRAWN,))]


def test_a_round_that_was_not_judged_has_nothing_to_withdraw() -> None:
    table = Table()
    opening = table.say(model.RoundOpened(deck="d-1", observed=[]), 1)
    table.correct(opening, None)
    table.play(2, PAID)
    assert said(in_all_ways(table)) == [(2, "UPHELD", ())]


def test_a_round_that_is_open_again_has_its_verdict_until_it_is_closed_anew() -> None:
    table = Table()
    table.play(1, PAID)
    played = table.play(2, PAID)
    table.correct(played["round_closed"], None)
    table.say(paid(), 2)
    table.say(CLOSED, 2)
    table.play(3, PAID)
    results = in_all_ways(table)
    assert verdicts(results) == [(1, 1, "UPHELD"), (2, 1, "UPHELD"), (2, 2, "VARIANCE"), (3, 1, "UPHELD")]
    _, first, second, _ = all_said(results)
    assert second.supersedes == digest(first)
    assert [each.code for each in findings(results)] == ["PAY-OVER"]
