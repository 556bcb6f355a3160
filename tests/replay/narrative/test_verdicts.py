"""The verdict and its reason in one sentence; only what is settled as due may be marked as right."""

from collections.abc import Sequence

import pytest

from replay.findings import NOTHING_SETTLED
from replay.narrative.verdicts import RoundVerdict, SentenceOutcome, Settled, VerdictFinding, because, narrate

DECIDE = "Decide by the video, and correct what is on record."


def settled(seat: int, due: int | None, done: int | None) -> Settled:
    return Settled(seat=seat, wager="base", number=None, staked_cents=2500, due_cents=due, done_cents=done, cite="§ 688a.11(f)")


def found(code: str, seat: int | None, cents: int | None) -> VerdictFinding:
    return VerdictFinding(
        code=code,
        seat=seat,
        wager="base" if cents else None,
        expected="25.00",
        observed="nothing",
        difference_cents=cents,
        cite="§ 688a.11(f)",
        other_reading=None,
    )


def verdict(name: str, wagers: list[Settled], findings: Sequence[VerdictFinding] = (), why: tuple[str, ...] = ()) -> RoundVerdict:
    return RoundVerdict.of({"verdict": name, "undetermined": why, "settlements": wagers, "findings": findings})


@pytest.mark.parametrize(
    ("reasons", "right"),
    [
        (
            ["ou-04-shoe: number 711 never arrived"],
            "because events of ou-04-shoe were lost; evidence missing: sequence number 711 of ou-04-shoe",
        ),
        (
            ["dw-02-shoe: numbers 3108 to 3109 never arrived"],
            "because events of dw-02-shoe were lost; evidence missing: sequence numbers 3108–3109 of dw-02-shoe",
        ),
        (
            [
                "a line was refused at intake (unknown version)",
                "seat 3 base: what is due cannot be told (evidence of the round was lost)",
            ],
            "because intake refused a line (unknown version); evidence missing: that line",
        ),
        (["the round was not closed on record"], "because no event closes the round; evidence missing: the end of the round"),
        (
            [f"seat 3 {wager}: what is due cannot be told (the dealer's cards were not all read)" for wager in ("ante", "blind")],
            "because what is due on the Ante and Blind of seat 3 is not known; evidence missing: the dealer's cards were "
            "not all read",
        ),
        (
            [f"seat {seat} base: what is due cannot be told (the cards of seat {seat} were not all read)" for seat in (1, 5, 6)],
            "because what is due on the Base wager of seat 1, the Base wager of seat 5 and the Base wager of seat 6 is not "
            "known; evidence missing: the cards of seat 1 were not all read; the cards of seat 5 were not all read; the cards "
            "of seat 6 were not all read",
        ),
        (
            ["PAY-UNDER seat=3 wager=base -25.00: evidence was lost that may say otherwise"],
            'because "Wager underpaid" (PAY-UNDER: the Base wager of seat 3, 25.00 too little) is not '
            "certain: evidence that was lost may contradict it",
        ),
        (
            ["PAY-ORDER: a device said two things under one number"],
            'because "Settled out of order" (PAY-ORDER) is not certain: a device reported two things under one sequence number',
        ),
        (
            ["WAGER-LATE seat=3: not in the order of the devices' clocks"],
            'because "Late wager" (WAGER-LATE: seat 3) is not certain: it does not hold in the order of the device clocks',
        ),
        (
            ["the clocks contradict the order of the lock and the first card"],
            "because the device clocks contradict the order of the lock and the first card",
        ),
        (
            ["the correction at event 721 names event 2 by an id that is not its own"],
            "because the correction at event 721 names event 2 by an id that is not its own",
        ),
        (
            ["seat 3 base: what is due cannot be told (the record shows no ground)", "the record shows no ground"],
            "because the record shows no ground; what is due on the Base wager of seat 3 is not known",
        ),
        (
            ["DEAL-BURN: event 40 (dealer_tapped_in) came late, and may say otherwise"],
            'because "Burn card missing" (DEAL-BURN) is not certain: '
            "event 40 (dealer tapped in) came late, and may contradict it",
        ),
        ([], "because what is due is not known"),
    ],
)
def test_why_a_round_is_undetermined(reasons: list[str], right: str) -> None:
    assert because(reasons) == right


@pytest.mark.parametrize(
    ("reasons", "right"),
    [
        (["WAGER-LATE seat=3: not in the order of the devices' clocks"], ["what came first"]),
        (["PAY-ORDER: only the clock of a message that came late says so"], ["what came first"]),
        (["seat 3: the clocks contradict the order of looking and electing"], ["what came first"]),
        (["ou-04-shoe: number 711 never arrived", "DEAL-DECK: evidence was lost that may say otherwise"], ["hand in"]),
        (["a line was refused at intake (unknown version)"], ["rack quarantine redrive"]),
        (["DEAL-BURN: event 40 (dealer_tapped_in) came late, and may say otherwise"], ["when what came late was done"]),
        (["event 40 (rules_filed) came late: the rules of this round may be others"], ["when what came late was done"]),
        (["the round was not closed on record"], ["how the round ended"]),
        (["the correction at event 7 names event 2 by an id that is not its own"], ["Enter the correction again"]),
        (["event 7 (wager_placed) came where no round was open"], ["number of the round"]),
        (["PAY-ORDER: a device said two things under one number"], ["which of the two"]),
        (["the round was not closed on record", "seat 1: the clocks contradict the order"], ["came first", "how the round"]),
        (["seat 5 base: what is due cannot be told (the cards of seat 5 were not all read)"], ["Decide by the video"]),
        ([], ["Decide by the video"]),
    ],
)
def test_every_reason_says_what_to_do(reasons: list[str], right: list[str]) -> None:
    told = narrate(verdict("UNDETERMINED", [], why=tuple(reasons))).sentence
    assert [words for words in right if words not in told] == []
    assert told.count(". ") == len(right)


@pytest.mark.parametrize("seat", [None, 1, 3, 7])
def test_an_undetermined_round_is_undetermined_at_every_seat(seat: int | None) -> None:
    """Though every wager was settled as due by what is on record, or otherwise, or nothing was at stake."""
    judged = verdict("UNDETERMINED", [settled(1, 2500, 2500), settled(3, 2500, 0)], why=("a card was not read",))
    told = narrate(judged, seat, "USD")
    assert told.outcome is SentenceOutcome.UNDETERMINED
    assert told.sentence == told.headline == f"UNDETERMINED because a card was not read. {DECIDE}"


SEVEN = [settled(seat, 2500 if seat < 7 else 0, None) for seat in (1, 1, 2, 3, 4, 5, 7)]


@pytest.mark.parametrize(
    ("wagers", "seat", "due"),
    [
        ([settled(3, 2500, None)], None, "seat 3 is due a win of $25.00 on the Base wager"),
        ([settled(3, 0, None)], 3, "seat 3 is due nothing beyond its stake on the Base wager"),
        ([settled(3, 2500, None)], 4, "nothing was at stake at seat 4"),
        (
            [settled(1, -2500, None), settled(3, 2500, None)],
            None,
            "seat 1 is due a loss of $25.00 on the Base wager; seat 3 is due a win of $25.00 on the Base wager",
        ),
        (
            SEVEN,
            None,
            "seat 1 is due a win of $50.00 in all on 2 wagers; "
            + "; ".join(f"seat {seat} is due a win of $25.00 on the Base wager" for seat in (2, 3, 4, 5))
            + "; seat 7 is due nothing beyond its stake on the Base wager",
        ),
        (SEVEN[:6], 1, "seat 1 is due a win of $25.00 on the Base wager and a win of $25.00 on the Base wager"),
    ],
)
def test_a_round_without_a_settlement_on_record_says_what_is_due(wagers: list[Settled], seat: int | None, due: str) -> None:
    told = narrate(verdict("UNDETERMINED", wagers, why=(NOTHING_SETTLED,)), seat, "USD")
    assert told.headline == f"UNDETERMINED because nothing was recorded of how the round was settled; {due}."
    assert told.outcome is SentenceOutcome.NOT_SETTLED


@pytest.mark.parametrize(
    ("judged", "seat", "outcome"),
    [
        (verdict("UPHELD", [settled(1, 2500, 2500)]), None, SentenceOutcome.AS_DUE),
        (verdict("VOID", [settled(1, 0, 0)]), None, SentenceOutcome.AS_DUE),
        (verdict("UPHELD", [settled(1, 2500, None)]), None, SentenceOutcome.NOT_SETTLED),
        (verdict("UPHELD", []), None, SentenceOutcome.NO_WAGER),
        (verdict("VARIANCE", [settled(1, 2500, 2500)], [found("DEAL-CUT", None, None)]), 1, SentenceOutcome.NOT_CONDUCTED),
        (verdict("VARIANCE", [settled(1, 2500, 2500)], [found("LOG-CLOCK", None, None)]), 1, SentenceOutcome.AS_DUE),
        (verdict("VARIANCE", [settled(1, 2500, 0)], [found("PAY-MISSED", 1, -2500)]), None, SentenceOutcome.UNDERPAID),
        (verdict("VARIANCE", [settled(1, 2500, 2501)], [found("PAY-OVER", 1, 1)]), None, SentenceOutcome.OVERPAID),
        (
            verdict("VARIANCE", [settled(1, 2500, 0), settled(2, 0, 0)], [found("PAY-MISSED", 1, -2500)]),
            2,
            SentenceOutcome.AS_DUE,
        ),
        (
            verdict("VARIANCE", [settled(1, 2500, 0), settled(2, 0, 0)], [found("PAY-MISSED", 1, -2500)], ("a doubt",)),
            2,
            SentenceOutcome.UNDETERMINED,
        ),
        (verdict("VARIANCE", [settled(1, None, 0)], [found("DEAL-CUT", None, None)]), 1, SentenceOutcome.UNDETERMINED),
    ],
)
def test_what_a_sentence_comes_to(judged: RoundVerdict, seat: int | None, outcome: SentenceOutcome) -> None:
    assert narrate(judged, seat).outcome is outcome


def test_a_part_that_is_not_known_says_what_to_do_without_money_too() -> None:
    judged = verdict("VARIANCE", [settled(1, None, 0)], [found("DEAL-CUT", None, None)], ("a card was not read",))
    assert narrate(judged, currency="USD").headline == (
        "VARIANCE: What is due in this round is in part undetermined because a card was not read; "
        "the round was not conducted as the rules say (DEAL-CUT). " + DECIDE
    )


def test_money_that_is_certain_leaves_the_rest_undetermined() -> None:
    judged = verdict("VARIANCE", [settled(1, 2500, 0)], [found("PAY-MISSED", 1, -2500)], ("a card was not read",))
    assert narrate(judged, currency="EUR").headline == (
        "VARIANCE: Seat 1 is owed €25.00: the Base wager was due a win of €25.00 and got nothing beyond its stake "
        "(§ 688a.11(f)). In part undetermined because a card was not read. " + DECIDE
    )
