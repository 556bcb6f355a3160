"""The replay of a log: resumable anywhere, repeatable, honest about corrections, as of any time, under any rules."""

import functools
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from replay.findings import Adjudication, digest
from replay.narrative.verdicts import what_to_do
from replay.run import replayer
from replay.run.replayer import MemoryResults, adjudications, findings, replay, resolve_time
from replay.run.shadow import judge_beside
from rulebook.chapters.rulebook import parse_submission
from tests.contract.backends import SqliteTamper
from tests.replay.stored import Stored, by_stream, one_run, stored, verdicts
from tests.replay.streams import METER, eventful, meter, paid, taken
from tests.replay.tables import PAID, SECOND_US, START_US, UNPAID, MemoryLog, Table, append, filed, rules_text

MISSED = "PAY-MISSED seat=3 wager=base -25.00"


@functools.cache
def eventful_at_once() -> tuple[Table, Stored]:
    table = eventful()
    return table, stored(one_run(table))


# ------------------------------------------------------------------------------------- taken up again, and repeated


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.nightly)])
def test_taken_up_after_any_number_of_events_a_replay_ends_with_the_same_bytes(step: int) -> None:
    table, whole = eventful_at_once()
    log = MemoryLog([table])
    for cut in range(1, table.last, step):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        replay(log, results)
        assert stored(results) == whole, f"cut after event {cut} ({table.payload(cut).TYPE})"


def test_committed_after_every_event_a_replay_ends_with_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    table, whole = eventful_at_once()
    monkeypatch.setattr(replayer, "COMMIT_EVERY", 1)
    results = MemoryResults()
    replay(MemoryLog([table], batch=1), results)
    assert stored(results) == whole


def test_resumed_after_every_single_event() -> None:
    table, whole = eventful_at_once()
    log, results = MemoryLog([table]), MemoryResults()
    for seq in range(1, table.last + 1):
        replay(log, results, as_of={table.stream: seq})
    assert stored(results) == whole


def test_the_same_from_a_file(log: SqliteLog, results: SqliteResults) -> None:
    table, whole = eventful_at_once()
    append(log, table)
    assert replay(log, results).events == table.last
    renamed = [(key, msgspec.json.decode(data)) for key, data in stored(results)["adjudications"]]
    assert renamed == [(key, msgspec.json.decode(data)) for key, data in whole["adjudications"]]
    assert stored(results) == whole


def test_replaying_twice_changes_nothing(log: SqliteLog, results: SqliteResults) -> None:
    append(log, eventful(), meter())
    first = replay(log, results)
    before = stored(results)
    again = replay(log, results)
    assert (again.events, again.rounds, again.changed) == (0, 0, 0)
    assert stored(results) == before
    assert (again.findings, again.verdicts) == (first.findings, first.verdicts)


def test_another_engine_reads_everything_again_and_says_nothing_that_was_said(
    log: SqliteLog, results: SqliteResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(log, eventful(), meter())
    replay(log, results)
    before = stored(results)
    monkeypatch.setattr("replay.run.engine._digest", lambda *_: "another")
    again = replay(log, results)
    assert again.events == log.head("table/fu-01").seq + log.head(METER).seq
    assert again.changed == 0
    assert stored(results) == before
    assert results.positions("shared+another") == {"table/fu-01": log.head("table/fu-01"), METER: log.head(METER)}


def test_another_engine_that_concludes_otherwise_supersedes_in_its_shadow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts are new revisions; nothing that was said in between is said again."""
    table = Table()
    table.play(1, UNPAID)
    table.play(2, PAID)
    table.say(paid(), 1)
    results = MemoryResults()
    log = MemoryLog([table])
    replay(log, results)
    results.reset()
    monkeypatch.setattr("replay.run.engine._digest", lambda *_: "another")
    monkeypatch.setattr("replay.run.stream_worker.rulebook", lambda *_: parse_submission(rules_text("pa-688a max=20.00")))
    replay(log, results)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (2, 1, "UPHELD"), (1, 2, "UPHELD")]
    shadow = MemoryResults()
    judge_beside(log, results, shadow)
    assert verdicts(shadow) == [(1, 3, "VARIANCE"), (2, 2, "VARIANCE")]
    newest = {each.round_no: each for each in adjudications(shadow)}
    assert newest[1].supersedes is not None
    assert [each.as_of for each in newest.values()] == [{table.stream: table.last}] * 2


def test_thrown_away_snapshots_are_made_again(log: SqliteLog, results: SqliteResults) -> None:
    append(log, eventful(), meter())
    replay(log, results)
    before = stored(results)
    results.reset()
    assert replay(log, results).changed == 0
    assert stored(results) == before


def test_a_restart_reads_only_what_is_new(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    table.play(1, PAID)
    append(log, table)
    assert replay(log, results).events == table.last
    done = table.last
    table.play(2, UNPAID)
    append(log, table, after={table.stream: done})
    summary = replay(log, results)
    assert (summary.events, summary.rounds, summary.changed) == (table.last - done, 1, 1)
    assert verdicts(results) == [(1, 1, "UPHELD"), (2, 1, "VARIANCE")]


def test_a_replay_cut_within_a_round_goes_on_within_it(log: SqliteLog, results: SqliteResults) -> None:
    table = Table()
    played = table.play(1, PAID)
    append(log, table)
    replay(log, results, as_of={table.stream: played["hand_set"]})
    assert verdicts(results) == []
    summary = replay(log, results)
    assert (summary.events, verdicts(results)) == (table.last - played["hand_set"], [(1, 1, "UPHELD")])


def test_a_stream_that_begins_later_is_replayed_like_any_other(results: SqliteResults) -> None:
    first, second = Table(), Table("table/fu-02")
    first.play(1, UNPAID)
    second.play(1, UNPAID)
    second.say(paid(), 1)
    replay(MemoryLog([first]), results)
    replay(MemoryLog([first, second]), results)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 1, "VARIANCE"), (1, 2, "UPHELD")]


@pytest.mark.slow
@given(order=st.permutations([0] * 12 + [1] * 23 + [2] * 5), batch=st.integers(1, 40))
@settings(max_examples=25)
def test_how_streams_interleave_never_matters(order: list[int], batch: int) -> None:
    first, second, third = Table(), Table("table/fu-02"), meter()
    first.play(1, UNPAID)
    second.play(1, UNPAID)
    second.say(paid(), 1)
    second.play(2, PAID.replace("close\n", ""))
    assert [first.last, second.last, third.last] == [12, 23, 5]
    results = MemoryResults()
    replay(MemoryLog([first, second, third], order, batch), results)
    apart = [by_stream(one_run(each)) for each in (first, second, third)]
    assert by_stream(results) == {stream: said for each in apart for stream, said in each.items()}


# ------------------------------------------------------------------------------------------- corrections and late facts


def test_a_correction_supersedes_and_withdraws() -> None:
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    wrong = table.say(taken(400, seat=1), 1)
    table.say(model.RoundClosed(by="d-7"), 1)
    table.correct(wrong, paid(source="inventory"))
    results = one_run(table)
    first, second = [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]
    assert [each.line() for each in first.findings] == ["PAY-TAKEN seat=1 wager=base -4.00", MISSED]
    assert [each.line() for each in second.findings] == ["PAY-ORDER seat=3"]
    assert (second.verdict, second.revision, second.as_of) == ("VARIANCE", 2, {table.stream: table.last})
    assert (first.supersedes, second.supersedes) == (None, digest(first))
    assert set(second.withdrawn) == {each.id for each in first.findings}
    assert {each.id for each in findings(results)} == {each.id for each in second.findings}


def test_a_finding_withdrawn_and_made_again_stands() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    table.say(paid(), 1)
    slip = table.last
    table.correct(slip, None)
    results = one_run(table)
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UPHELD"), (1, 3, "VARIANCE")]
    assert [each.line() for each in findings(results)] == [MISSED]
    assert played["round_closed"] < slip


def test_a_correction_of_the_rules_judges_every_round_again() -> None:
    table = Table()
    for number in range(1, 8):
        table.play(number, PAID)
    table.correct(2, filed("pa-688a max=20.00"))
    results = one_run(table)
    assert verdicts(results)[:7] == [(number, 1, "UPHELD") for number in range(1, 8)]
    assert verdicts(results)[7:] == [(number, 2, "VARIANCE") for number in range(1, 8)]
    assert {each.line() for each in findings(results)} == {"WAGER-LIMIT seat=3 wager=base"}


def test_a_second_correction_after_the_stream_was_folded_again() -> None:
    table = Table()
    table.play(1, PAID)
    table.correct(2, filed("pa-688a max=20.00"))
    table.correct(2, filed("pa-688a max=30.00"))
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (1, 2, "VARIANCE"), (1, 3, "UPHELD")]


def test_a_correction_that_is_itself_withdrawn_does_not_count() -> None:
    table = Table()
    played = table.play(1, PAID)
    wrong = table.correct(played["wager_paid"], paid(cents=2000))
    table.correct(wrong, None)
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (1, 2, "VARIANCE"), (1, 3, "UPHELD")]


def test_a_slip_many_rounds_later_reaches_its_round() -> None:
    table = Table()
    table.play(1, UNPAID)
    for number in range(2, 12):
        table.play(number, PAID)
    table.say(paid(), 1)
    results = one_run(table)
    assert verdicts(results)[-1] == (1, 2, "UPHELD")
    assert findings(results) == []


def test_a_gap_filled_many_rounds_later_is_none() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    lost = table.next()
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=lost + 1)
    for number in range(2, 12):
        table.play(number, PAID)
    table.say(model.LightSeen(seat=3), 1, source_seq=lost)
    results = one_run(table)
    assert verdicts(results)[0] == (1, 1, "UNDETERMINED")
    assert verdicts(results)[-1] == (1, 2, "UPHELD")
    assert findings(results) == []


def payment_without_a_round(*, heard_again_in: int) -> tuple[Table, int]:
    """Rounds 1 to 7; the payment of round 1 comes after round 6. Its device was heard again in this round."""
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    table.say(model.LightSeen(seat=1), 1, source="felt")
    for number in range(1, 8):
        if number > 1:
            table.play(number, PAID.replace("close\n", ""))
        if number == heard_again_in:
            table.say(model.LightSeen(seat=3), number, source="felt", source_seq=3)
        if number == 7:
            late = table.say(paid(), source="felt", source_seq=2)
        table.say(model.RoundClosed(by="d-7"), number)
    return table, late


def last_verdicts(table: Table) -> dict[int, tuple[str, tuple[str, ...]]]:
    results = one_run(table)
    assert findings(results) == []
    return {each.round_no or 0: (each.verdict, each.undetermined) for each in adjudications(results)}


def test_what_comes_late_without_a_round_is_of_the_one_that_its_devices_numbers_show() -> None:
    said = last_verdicts(payment_without_a_round(heard_again_in=1)[0])
    assert said == dict.fromkeys(range(1, 8), ("UPHELD", ()))


def test_what_may_be_of_two_rounds_leaves_both_undetermined_until_it_is_corrected() -> None:
    table, late = payment_without_a_round(heard_again_in=2)
    said = last_verdicts(table)
    assert [number for number, (verdict, _) in said.items() if verdict == "UNDETERMINED"] == [1, 2]
    assert f"event {late} (wager_paid) came late, and names no round" in said[2][1]
    assert what_to_do([f"event {late} (wager_paid) came late, and names no round"]) == (
        "Correct the number of the round in that event."
    )
    table.correct(late, paid(), 1)
    assert last_verdicts(table) == dict.fromkeys(range(1, 8), ("UPHELD", ()))


# ------------------------------------------------------------------------------------------------ as of, and what if


def test_as_of_gives_the_verdict_before_a_correction() -> None:
    table = Table()
    played = table.play(1, PAID)
    correction = table.correct(played["wager_paid"], paid(cents=2000))
    log, results = MemoryLog([table]), one_run(table)
    then = MemoryResults()
    replay(log, then, as_of={table.stream: correction - 1})
    assert stored(then)["adjudications"] == stored(results)["adjudications"][:1]
    now = MemoryResults()
    replay(log, now, as_of={table.stream: correction})
    assert stored(now) == stored(results)


def test_as_of_leaves_out_streams_that_it_does_not_name() -> None:
    first, second = Table(), Table("table/fu-02")
    first.play(1, PAID)
    second.play(1, UNPAID)
    results = MemoryResults()
    summary = replay(MemoryLog([first, second]), results, as_of={second.stream: second.last})
    assert (summary.verdicts, summary.events) == ({"VARIANCE": 1}, second.last)


def test_as_of_a_time_goes_by_when_events_were_recorded(log: SqliteLog) -> None:
    """The devices' clocks say nothing here: the slip names a time long before it was recorded."""
    table = Table()
    table.play(1, UNPAID)
    append(log, table)
    done = table.last
    asked_us = START_US
    table.say(paid(), 1, at_us=START_US)
    append(log, table, after={table.stream: done})
    assert resolve_time(log, asked_us) == {table.stream: done}
    assert resolve_time(log, asked_us - 1) == {table.stream: 0}
    results = MemoryResults()
    replay(log, results, as_of=resolve_time(log, asked_us))
    assert verdicts(results) == [(1, 1, "VARIANCE")]
    replay(log, results, as_of=resolve_time(log, asked_us + SECOND_US))
    assert verdicts(results) == [(1, 1, "VARIANCE"), (1, 2, "UPHELD")]


def test_as_of_a_time_in_a_broken_stream_goes_to_the_break(log: SqliteLog, tmp_path: Path) -> None:
    """The replay then meets it there, and names it; the other streams are judged."""
    first, second = Table(), Table("table/fu-02")
    first.play(1, PAID)
    second.play(1, PAID)
    append(log, first, second)
    tamper = SqliteTamper(tmp_path / "floor.db")
    tamper.replace(first.stream, 5, tamper.data(first.stream, 5).replace(b"table", b"tablE"))
    assert resolve_time(log, START_US + 100 * SECOND_US) == {first.stream: 5, second.stream: second.last}
    summary = replay(log, MemoryResults(), as_of=resolve_time(log, START_US + 100 * SECOND_US))
    assert (len(summary.integrity), summary.verdicts) == (1, {"UPHELD": 1})


def test_what_other_rules_would_have_led_to() -> None:
    table = Table()
    table.play(1, PAID)
    results = MemoryResults()
    summary = replay(MemoryLog([table]), results, rules=parse_submission(rules_text("pa-688a max=20.00")))
    assert summary.findings == {"WAGER-LIMIT": 1}


# ------------------------------------------------------------------------------------------------------- rules in force


def test_rules_that_take_effect_later_are_not_in_force() -> None:
    """§ 601a.2; the contract *Rules in force*: the last filed whose effective gaming day has come."""
    table = Table()
    table.say(filed("pa-688a max=20.00 effective=2026-03-02"), source="pit")
    table.play(1, PAID)
    table.say(model.GamingDayOpened(gaming_day="2026-03-02"), source="pit")
    table.play(2, PAID)
    first, second = adjudications(one_run(table))
    assert (first.verdict, second.verdict) == ("UPHELD", "VARIANCE")
    assert first.rules_digest == parse_submission(rules_text()).digest
    assert second.rules_digest != first.rules_digest
    assert (first.gaming_day, second.gaming_day) == ("2026-03-01", "2026-03-02")


def test_no_rules_no_verdict() -> None:
    table = Table(words=None)
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert (only.verdict, only.rules_digest, only.settlements) == ("UNDETERMINED", "", ())
    assert only.undetermined == ("no rules submission is in force at this table",)


def test_rules_that_are_refused_are_no_rules() -> None:
    table = Table(words=None)
    table.say(msgspec.structs.replace(filed(), toml='chapter = "nowhere"'), source="pit")
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert only.verdict == "UNDETERMINED"
    assert "nowhere" in only.undetermined[0]


PROPOSED = "pa-688a-proposed ace_high_bonus=1"


def test_rules_of_a_chapter_that_never_was_in_force_do_not_come_into_force() -> None:
    """D14: 688a as first proposed serves what-if replays; filed at a table it has no effect."""
    table = Table(words=PROPOSED)
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert (only.verdict, only.rules_digest, only.settlements) == ("UNDETERMINED", "", ())
    assert only.undetermined == (
        "the rules on file are of pa-688a-proposed, which never was in force: they serve what-if replays only",
    )


def test_what_was_filed_before_them_stays_in_force() -> None:
    table = Table()
    table.say(filed(PROPOSED), source="pit")
    table.play(1, PAID)
    (only,) = adjudications(one_run(table))
    assert (only.verdict, only.chapter) == ("UPHELD", "pa-688a")


def test_what_would_have_been_under_the_rules_as_proposed() -> None:
    """Four of a kind on Fortune paytable 5: adopted 5 to 1, proposed 25 to 1 (Annex A, § 688a.12(c))."""
    table = Table(words="pa-688a fortune_bonus=5")
    table.play(
        1,
        """
        wager   seat=3 base 25.00 fortune_bonus 5.00
        deal    dealer=As Kh Jc 9s 8h 4d 3c  seat3=7s 7h 7d 7c Kd 9h 3s
        return  seat=3 base 25.00 push
        pay     seat=3 fortune_bonus 25.00
        close
        """,
    )
    assert [each.verdict for each in adjudications(one_run(table))] == ["UPHELD"]
    results = MemoryResults()
    proposed = parse_submission(rules_text("pa-688a-proposed fortune_bonus=5"))
    assert replay(MemoryLog([table]), results, rules=proposed).findings == {"PAY-UNDER": 1}
    (said,) = adjudications(results)
    assert said.findings[0].cite == "Annex A, rulemaking 125-223, § 688a.12(c)"


def test_other_rules_of_one_game_leave_the_tables_of_another_alone() -> None:
    table = Table()
    table.say(model.TableOpened(game="face_up_pai_gow", deal_method="automated_shoe", seats=6, shuffler="automated"))
    table.play(1, PAID)
    california = parse_submission(rules_text("ca-gegr-002138"))
    assert replay(MemoryLog([table]), MemoryResults(), rules=california).verdicts == {"UPHELD": 1}


@pytest.mark.parametrize(
    ("before", "in_it", "dealt_by"),
    [
        pytest.param("d-1", "", "d-1", id="who sits there at the opening"),
        pytest.param("d-1", "opening", "d-2", id="relieved between the opening and the first card"),
        pytest.param("d-1", "cards", "d-1", id="relieved after the cards"),
        pytest.param("", "opening", "d-2", id="the table's first dealer comes after the opening"),
        pytest.param("", "cards", "", id="who dealt is not known"),
        pytest.param("d-1", "corrected", "d-3", id="who came was named wrongly"),
    ],
)
def test_a_round_is_of_the_dealer_who_dealt_it(before: str, in_it: str, dealt_by: str) -> None:
    """The rates and the register of errors count a round for a dealer: whoever left before the cards did none of it."""
    table = Table()
    if before:
        table.say(model.DealerTappedIn(dealer=before))
    start, cards = PAID.split("deal ", 1)
    relieved = f"{start}dealer d-2\ndeal {cards}" if in_it in ("opening", "corrected") else PAID
    said = table.play(1, relieved if in_it != "cards" else PAID.replace("close", "dealer d-2\nclose"))
    if in_it == "corrected":
        table.correct(said["dealer_tapped_in"], model.DealerTappedIn(dealer="d-3"), 1)
    assert adjudications(one_run(table))[-1].dealer == dealt_by
