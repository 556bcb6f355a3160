"""The fold: rounds that close, change afterward, or never close; lost evidence, late evidence, corrected evidence (D26)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.vocabulary import model
from replay.fold.corrections import Correction, Replacements, Substitute, effective
from replay.fold.device_reports import RECENT_ROUNDS
from replay.fold.table_fold import TableFold
from tests.replay.tables import PAID, SECOND_US, START_US, UNPAID, Table, lines, said

MISSED = ["PAY-MISSED seat=3 wager=base -25.00"]


def paid(cents: int = 2500, **fields: Any) -> model.WagerPaid:
    stated = {"seat": 3, "bettor": "seat-3", "wager": "base", "number": None, "stake_cents": 2500, "source": "slip"}
    return model.WagerPaid(**{**stated, **fields}, winnings_cents=cents)


def taken(cents: int = 1000, seat: int = 1) -> model.WagerTaken:
    return model.WagerTaken(seat=seat, bettor=f"seat-{seat}", wager="base", number=None, amount_cents=cents, reason="lost")


def placed(cents: int = 500, seat: int = 3) -> model.WagerPlaced:
    return model.WagerPlaced(seat=seat, bettor=f"seat-{seat}", wager="base", number=None, amount_cents=cents, form="chips")


def refused() -> model.IntakeRefused:
    return model.IntakeRefused(sha256="0" * 64, size=3, reason="not an event envelope")


# ---------------------------------------------------------------------------------------------------------- rounds


def test_a_round_is_handed_out_when_it_closes() -> None:
    table = Table()
    table.play(1, PAID)
    table.play(2, UNPAID)
    assert said(table) == [(1, "UPHELD", []), (2, "VARIANCE", MISSED)]


def test_a_slip_after_the_close_is_judged_with_its_round() -> None:
    table = Table()
    table.play(1, UNPAID)
    table.play(2, PAID)
    table.say(paid(), 1)
    assert said(table) == [(1, "VARIANCE", MISSED), (2, "UPHELD", []), (1, "UPHELD", [])]


def test_a_slip_for_a_closed_round_while_the_next_is_open() -> None:
    table = Table()
    table.play(1, UNPAID)
    opened = PAID.split("deal ")
    table.play(2, opened[0])
    table.say(paid(), 1)
    assert said(table) == [(1, "VARIANCE", MISSED), (1, "UPHELD", [])]


def test_a_round_that_nobody_closed_ends_with_the_next_and_is_undetermined() -> None:
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    table.play(2, PAID)
    (_, first), (_, second) = table.verdicts()
    assert (first.verdict, first.undetermined) == ("UNDETERMINED", ("the round was not closed on record",))
    assert [each.done_cents for each in first.settlements] == [-1000, None]
    assert second.verdict == "UPHELD"


def test_a_close_that_comes_late_closes_the_round() -> None:
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    table.play(2, PAID)
    table.say(model.RoundClosed(by="d-7"), 1)
    assert said(table) == [(1, "UNDETERMINED", []), (2, "UPHELD", []), (1, "VARIANCE", MISSED)]


def test_a_round_left_open_is_not_judged() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    fold = TableFold(table.stream)
    assert list(table.fold(fold)) == []
    assert fold.open is not None
    assert not fold.at_rest
    fold.leave()
    assert fold.open is None
    assert list(fold.recent) == [1]
    assert fold.at_rest


def test_a_round_is_numbered_by_its_opening_or_counted_on() -> None:
    table = Table()
    table.play(7, PAID)
    table.say(model.RoundOpened(deck="d-1", observed=[]))
    table.say(model.RoundClosed(by="d-7"))
    assert [round_.round_no for round_ in table.fold()] == [7, 8]


def test_only_the_last_rounds_stay_at_hand() -> None:
    table = Table()
    for number in range(1, RECENT_ROUNDS + 3):
        table.play(number, PAID)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert list(fold.recent) == [3, 4, 5, 6]
    assert not fold.needs_refold


def test_a_fact_of_a_round_no_longer_at_hand_asks_for_the_stream_to_be_folded_again() -> None:
    table = Table()
    for number in range(1, RECENT_ROUNDS + 2):
        table.play(number, UNPAID)
    table.say(paid(), 1)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert (fold.needs_refold, fold.missed_rounds) == (True, {1})
    again = TableFold(table.stream)
    again.replacements, again.rounds_to_keep = {}, fold.missed_rounds
    assert [round_.round_no for round_ in table.fold(again)][-1] == 1
    assert list(again.recent) == [1, 2, 3, 4, 5]


# ---------------------------------------------------------------------------------------------------------- strays


LOST = tuple(f"seat {seat} base: what is due cannot be told (evidence of the round was lost)" for seat in (1, 3))


def test_a_fact_of_no_round_leaves_the_next_one_undetermined() -> None:
    table = Table()
    stray = table.say(model.HandExamined(seat=3))
    table.play(1, PAID)
    ((_, conclusion),) = table.verdicts()
    assert conclusion.verdict == "UNDETERMINED"
    assert conclusion.undetermined == (f"event {stray} (hand_examined) came where no round was open", *LOST)


def test_a_fact_of_the_next_round_that_came_before_its_opening_is_of_that_round() -> None:
    table = Table()
    table.play(1, PAID)
    early = table.say(placed(1000, seat=1), 2, source="chip-reader")
    table.play(2, PAID.replace("wager   seat=1 base 10.00\n", ""))
    (_, first), (_, second) = table.verdicts()
    assert (first.verdict, second.verdict, second.undetermined) == ("UPHELD", "UPHELD", ())
    assert [each.staked_cents for each in second.settlements] == [1000, 2500]
    *_, round_ = table.fold()
    assert (round_.first_seq, round_.facts[0]) == (early, round_.opened)


def test_a_fact_of_the_next_round_that_came_before_the_last_one_was_closed() -> None:
    table = Table()
    table.play(1, PAID.replace("close", ""))
    table.say(placed(1000, seat=1), 2, source="chip-reader")
    table.say(model.RoundClosed(by="d-7"), 1)
    table.play(2, PAID.replace("wager   seat=1 base 10.00\n", ""))
    assert said(table) == [(1, "UPHELD", []), (2, "UPHELD", [])]


def test_an_early_acceptance_moves_the_meter_in_its_own_round() -> None:
    """What the meter stood at before the round is what it stood at before the acceptance (§ 688a.12(d))."""
    table = Table(words="pa-688a progressive=2")
    for round_no, reading in ((1, 100_000_000), (2, 100_002_800)):
        table.say(
            model.ProgressiveAccepted(seat=3, meter="m-1", amount_cents=100, reading_centicents=reading, meter_seq=round_no),
            round_no,
            source="progressive",
        )
        table.play(round_no, "wager seat=3 base 25.00 progressive 1.00\nclose")
    _, second = table.fold()
    assert second.before.readings == {"m-1": 100_000_000}


def test_a_fact_of_a_round_after_the_next_is_a_stray_of_the_next() -> None:
    """No one knows whether round 3 will ever open."""
    table = Table()
    table.play(1, PAID)
    stray = table.say(placed(), 3)
    table.play(2, PAID)
    (_, first), (_, second) = table.verdicts()
    assert (first.verdict, second.verdict) == ("UPHELD", "UNDETERMINED")
    assert second.undetermined == (f"event {stray} (wager_placed) came where no round was open", *LOST)


def test_an_early_fact_of_a_round_that_never_opened_is_a_stray_of_the_one_that_did() -> None:
    table = Table()
    table.play(1, PAID)
    stray = table.say(placed(), 2)
    table.play(3, PAID)
    _, (_, third) = table.verdicts()
    assert third.undetermined == (f"event {stray} (wager_placed) came where no round was open", *LOST)


def test_the_tables_own_events_between_rounds_are_no_strays() -> None:
    table = Table()
    table.say(model.FillReceived(amount_cents=500_000, slip="f-1", by="cage"))
    table.say(model.CardsShuffled(deck="d-1", method="automated", count=53))
    table.play(1, PAID)
    assert said(table) == [(1, "UPHELD", [])]


# ------------------------------------------------------------------------------------------------- refused at intake


def test_what_was_refused_in_a_round_makes_its_silences_mean_nothing() -> None:
    """Without the refusal the missing payment would be PAY-MISSED; with it, it may be what was refused (D26)."""
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    table.say(refused(), 1)
    table.say(model.RoundClosed(by="d-7"), 1)
    ((_, conclusion),) = table.verdicts()
    assert (conclusion.verdict, lines(conclusion)) == ("UNDETERMINED", [])
    assert conclusion.undetermined == (
        "a line was refused at intake (not an event envelope)",
        "seat 1 base: what is due cannot be told (evidence of the round was lost)",
        "seat 3 base: what is due cannot be told (evidence of the round was lost)",
    )


def test_what_was_refused_before_a_round_counts_to_it() -> None:
    table = Table()
    table.say(refused())
    table.play(1, UNPAID)
    assert said(table) == [(1, "UNDETERMINED", [])]


def test_what_was_refused_after_a_round_counts_to_it_when_it_names_it() -> None:
    table = Table()
    table.play(1, UNPAID)
    table.say(refused(), 1)
    assert said(table) == [(1, "VARIANCE", MISSED), (1, "UNDETERMINED", [])]


# ----------------------------------------------------------------------------------------------- devices' own counters


def test_a_jump_of_a_devices_counter_is_found_and_the_round_cannot_be_told() -> None:
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    gap = table.last + 1
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=table.next() + 11)
    ((_, conclusion),) = table.verdicts()
    assert conclusion.verdict == "UNDETERMINED"
    assert lines(conclusion) == ["LOG-SOURCE-GAP"]
    assert conclusion.findings[0].evidence == (gap,)
    assert conclusion.findings[0].observed == "table: numbers 10 to 20 never arrived"


def test_a_jump_between_rounds_counts_to_the_next() -> None:
    table = Table()
    table.play(1, PAID)
    table.say(model.CardsShuffled(deck="d-1", method="automated", count=None), source_seq=table.next() + 1)
    table.play(2, PAID)
    assert said(table) == [(1, "UPHELD", []), (2, "UNDETERMINED", ["LOG-SOURCE-GAP"])]


def test_a_gap_that_is_filled_later_is_none() -> None:
    table = Table()
    table.play(1, PAID.split("take ")[0])
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=table.next() + 1)
    table.say(taken(), 1, source_seq=table.next() - 2)
    assert said(table) == [(1, "UNDETERMINED", ["LOG-SOURCE-GAP"]), (1, "UPHELD", []), (1, "UPHELD", [])]


def test_a_gap_that_is_filled_in_part_stays() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=table.next() + 2)
    table.say(model.LightSeen(seat=3), 1, source_seq=table.next() - 2)
    assert [(verdict, found) for _, verdict, found in said(table)][-1] == ("UNDETERMINED", ["LOG-SOURCE-GAP"])


def test_a_gap_of_the_open_round_that_is_filled_before_its_close_is_never_told() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    table.say(model.LightSeen(seat=3), 1, source_seq=table.next() + 1)
    table.say(model.LightSeen(seat=3), 1, source_seq=table.next() - 2)
    table.say(model.RoundClosed(by="d-7"), 1)
    fold = TableFold(table.stream)
    (round_,) = table.fold(fold)
    assert (round_.lost, fold.needs_refold) == (False, False)


def test_a_gap_filled_after_its_round_has_gone_from_hand() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    missing = table.next()
    table.say(model.RoundClosed(by="d-7"), 1, source_seq=missing + 1)
    for number in range(2, RECENT_ROUNDS + 3):
        table.play(number, PAID)
    table.say(model.TableClosed(by="f-1"), source_seq=missing)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert (fold.needs_refold, fold.missed_rounds) == (True, {1})


def test_a_very_long_jump_is_kept_as_a_span_and_a_number_from_its_middle_fills_it() -> None:
    """However far a counter jumps, it takes no more room; what comes late from the middle is no repeat."""
    table = Table()
    table.play(1, PAID)
    first, far = table.next(), 2**52
    table.say(model.RoundOpened(deck="d-1", observed=[]), 2, source_seq=first + far + 1)
    table.say(model.LightSeen(seat=3), 2, source_seq=first + 700)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.state.sources["table"].missing == [(first, first + 699), (first + 701, first + far)]
    assert fold.open is not None
    assert [jump.kind for jump in fold.open.record_faults] == ["gap"]


def test_a_number_that_comes_twice_with_other_content_is_found() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    again = table.say(model.LightSeen(seat=3), 1, source_seq=3)
    table.say(model.RoundClosed(by="d-7"), 1)
    ((_, conclusion),) = table.verdicts()
    assert (conclusion.verdict, lines(conclusion)) == ("UPHELD", ["LOG-SOURCE-REPEAT"])
    assert conclusion.findings[0].evidence == (again,)


def test_a_clock_that_runs_back_is_found_and_condemns_nobody() -> None:
    table = Table()
    table.play(1, PAID.replace("close\n", ""))
    table.say(model.RoundClosed(by="d-7"), 1, at_us=START_US)
    ((_, conclusion),) = table.verdicts()
    assert (conclusion.verdict, lines(conclusion)) == ("UPHELD", ["LOG-CLOCK"])
    assert conclusion.findings[0].severity == "low"


# ------------------------------------------------------------------------------------------ clocks that contradict (D26)


def late_wager(*, source: str, at_us: int) -> Table:
    table = Table()
    table.play(1, "no_more_bets")
    table.say(placed(2500), 1, source=source, at_us=at_us)
    table.play(2, PAID)
    return table


def test_a_wager_after_no_more_bets_by_one_clock_is_late() -> None:
    """§ 688a.7(c). The same device reports both, so that its own order counts."""
    table = late_wager(source="table", at_us=START_US + 30 * SECOND_US)
    assert "WAGER-LATE seat=3 wager=base" in said(table)[0][2]


def test_where_two_clocks_contradict_the_log_lateness_cannot_be_told() -> None:
    table = late_wager(source="chip-reader", at_us=START_US)
    (_, first), _ = table.verdicts()
    assert (first.verdict, lines(first)) == ("UNDETERMINED", [])
    assert first.undetermined == (
        'seat 3 base: the clocks contradict the order of the wager and "no more bets"',
        "seat 3 base: what is due cannot be told (the dealer's cards are not on record)",
    )


def test_two_clocks_that_agree_with_the_log_prove_lateness() -> None:
    table = late_wager(source="chip-reader", at_us=START_US + 60 * SECOND_US)
    assert "WAGER-LATE seat=3 wager=base" in said(table)[0][2]


# ------------------------------------------------------------------------------------------------------- corrections


def test_a_correction_puts_another_payload_in_its_place() -> None:
    table = Table()
    played = table.play(1, PAID)
    table.correct(played["wager_paid"], paid(2000))
    assert said(table) == [(1, "UPHELD", []), (1, "VARIANCE", ["PAY-UNDER seat=3 wager=base -5.00"])]


def test_the_last_correction_of_an_event_counts() -> None:
    table = Table()
    played = table.play(1, UNPAID)
    table.correct(played["wager_taken"], taken(500))
    table.correct(played["wager_taken"], taken())
    assert [found for _, _, found in said(table)] == [MISSED, ["PAY-NOT-TAKEN seat=1 wager=base +5.00", *MISSED], MISSED]


def test_a_correction_can_say_that_an_event_never_was() -> None:
    table = Table()
    played = table.play(1, PAID)
    table.correct(played["wager_paid"], None)
    assert said(table) == [(1, "UPHELD", []), (1, "VARIANCE", MISSED)]


def test_a_correction_within_the_open_round_is_judged_with_it() -> None:
    table = Table()
    played = table.play(1, UNPAID.replace("close\n", ""))
    table.correct(played["wager_taken"], taken(500))
    table.say(model.RoundClosed(by="d-7"), 1)
    assert said(table) == [(1, "VARIANCE", ["PAY-NOT-TAKEN seat=1 wager=base +5.00", *MISSED])]


def test_evidence_names_the_corrected_event_and_the_round_ends_with_the_correction() -> None:
    table = Table()
    played = table.play(1, PAID)
    correction = table.correct(played["wager_paid"], paid(2000))
    *_, corrected = table.fold()
    assert (corrected.first_seq, corrected.last_seq) == (3, correction)
    _, (_, conclusion) = table.verdicts()
    assert played["wager_paid"] in conclusion.findings[0].evidence


REACHING_FURTHER = {
    "rules": lambda table, played: table.correct(2, table.payload(2)),
    "opening": lambda table, played: table.correct(played["round_opened"], table.payload(played["round_opened"])),
    "close": lambda table, played: table.correct(played["round_closed"], None),
    "another round": lambda table, played: table.correct(played["wager_paid"], paid(), 9),
    "a correction": lambda table, played: table.correct(table.correct(played["wager_paid"], paid(2000)), None),
    "an unknown event": lambda table, played: table.correct(1, table.payload(1)),
    "into an event that changes the table": lambda table, played: table.correct(
        played["wager_paid"], model.DeckInPlay(deck="d-1")
    ),
    "no deal": lambda table, played: [
        table.correct(seq, None) for seq, draft in enumerate(list(table.drafts), 1) if isinstance(draft.payload, model.CardsDealt)
    ],
}


def test_what_later_rounds_were_judged_by_asks_for_the_stream_to_be_folded_again() -> None:
    for name, correct in REACHING_FURTHER.items():
        table = Table()
        played = table.play(1, PAID)
        correct(table, played)
        fold = TableFold(table.stream)
        list(table.fold(fold))
        assert fold.needs_refold, name


def test_a_correction_of_accounting_within_a_round_is_folded_again() -> None:
    table = Table()
    fill = model.FillReceived(amount_cents=500_000, slip="f-1", by="cage")
    table.play(1, PAID.replace("close\n", ""))
    seq = table.say(fill, 1)
    table.correct(seq, model.FillReceived(amount_cents=50_000, slip="f-1", by="cage"))
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.needs_refold


def test_folded_again_an_event_that_never_was_is_left_out_and_its_correction_stays() -> None:
    table = Table()
    played = table.play(1, PAID)
    correction = table.correct(played["wager_paid"], None)
    fold = TableFold(table.stream)
    fold.replacements = {played["wager_paid"]: None}
    *_, last = table.fold(fold)
    assert played["wager_paid"] not in [fact.seq for fact in last.facts]
    assert last.last_seq == correction
    assert not fold.needs_refold


def test_effective_corrections() -> None:
    one, other = (None, taken(1)), (None, taken(2))

    def in_force(*stated: tuple[int, int, Substitute]) -> Replacements:
        return effective(Correction(seq, superseded, "", replacement) for seq, superseded, replacement in stated)

    assert in_force((20, 5, one)) == {5: one}
    assert in_force((20, 5, one), (21, 5, other)) == {5: other}
    assert in_force((20, 5, one), (21, 20, None)) == {20: None}
    assert in_force((20, 5, one), (21, 5, other), (22, 21, None)) == {21: None, 5: one}
    assert in_force((20, 5, one), (21, 20, None), (22, 21, None)) == {21: None, 5: one}


@given(st.lists(st.sampled_from(["close", "pay", "take", "examine", "shuffle", "open", "refuse"]), max_size=12))
def test_the_fold_takes_any_order_of_events(names: list[str]) -> None:
    """An event never fails here: what happened happened. The log's appender forbids nothing of this either."""
    table = Table()
    number = 1
    for name in names:
        match name:
            case "open":
                number += 1
                table.say(model.RoundOpened(deck="d-1", observed=["settlement", "deal"]), number)
            case "close":
                table.say(model.RoundClosed(by="d-7"), number)
            case "pay":
                table.say(paid(), number)
            case "take":
                table.say(taken(), max(1, number - 1))
            case "examine":
                table.say(model.HandExamined(seat=2))
            case "shuffle":
                table.say(model.CardsShuffled(deck="d-1", method="manual", count=None))
            case "refuse":
                table.say(refused(), number)
    for _, conclusion in table.verdicts():
        assert conclusion.verdict in ("UPHELD", "VARIANCE", "UNDETERMINED")


# ------------------------------------------------------------------------------------------- an opening reported twice (D550)


def opening(deck: str = "d-1", observed: tuple[str, ...] = ("settlement",)) -> model.RoundOpened:
    return model.RoundOpened(deck=deck, observed=list(observed))


def wagers_of(table: Table) -> dict[int, int]:
    """Wagers placed in each round, as the fold last has it."""
    return {each.round_no: len(each.of(model.WagerPlaced)) for each in table.fold()}


def placed_in(table: Table, round_no: int) -> None:
    wager = model.WagerPlaced(seat=3, bettor="p-3", wager="base", number=None, amount_cents=2500, form="chips")
    table.say(wager, round_no)


@pytest.mark.parametrize("closed_before", [False, True])
def test_d550_an_opening_reported_again_opens_nothing(closed_before: bool) -> None:
    """The wager before the repetition and the one after it are of one round; after its closing nothing begins again."""
    table = Table()
    table.say(opening(), 1)
    placed_in(table, 1)
    if closed_before:
        table.say(model.RoundClosed(by="d-7"), 1)
    table.say(opening(), 1)
    placed_in(table, 1)
    if not closed_before:
        table.say(model.RoundClosed(by="d-7"), 1)
    assert wagers_of(table) == {1: 2}


@pytest.mark.parametrize(
    ("again", "round_no"), [(opening("d-2"), 1), (opening(observed=()), 1), (opening(), 2)], ids=["deck", "claims", "number"]
)
def test_d550_an_opening_in_other_words_begins_a_round(again: model.RoundOpened, round_no: int) -> None:
    table = Table()
    table.say(opening(), 1)
    placed_in(table, 1)
    table.say(again, round_no)
    table.say(model.RoundClosed(by="d-7"), round_no)
    rounds = list(table.fold())
    assert [len(each.of(model.WagerPlaced)) for each in rounds] == [1, 0]
