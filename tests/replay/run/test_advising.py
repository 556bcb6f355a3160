"""Advice on what was given back: before the end of its wager's time nothing is at stake, after it the wager is due (D864)."""

from collections import Counter
from collections.abc import Callable

import pytest

from events.vocabulary.envelope import unlogged
from events.vocabulary.model import Event
from replay.advice import Advice
from replay.fold.table_fold import TableFold
from replay.run.advising import advise_on
from replay.transcript.transcript import parse

OVER = "rules pa-686a\nwager seat=3 ante 10.00\ndeal seat3=Ts\nwager seat=3 over 10.00\n"
SUM = "rules pa-645c sum=A\nwager seat=3 base 25.00 sum 5.00\n"
RAISE = (
    "rules pa-687a\nwager seat=1 ante 10.00 blind 10.00\ndeal seat1=As Kd 9c 7h 4d dealer=Qs Jd 8c 6h 3d\n"
    "wager seat=1 raise 20.00\n"
)


STACKS = (
    "rules pa-688a\nwager seat=3 base 25.00\ndice 2 2 4 -> dealer\ndeal_order dealer=Kh Kd Jc 9h 8c 5d 3c\n"
    "deal_order seat2=Ad Tc 9s 7h 6h 5c 3s\n"
)
"""Seat 1 comes after the dealer; its stack was set down at seat 2."""
UNPLACED = (
    "rules pa-688a\nwager seat=3 base 25.00\ndeal dealer=Kh Kd Jc 9h 8c 5d 3c seat3=Ad Tc 9s 7h 6h 5c 3s\n"
    "reveal seat=3\ntake seat=4 base 25.00\n"
)


def at_the_pad(payload: Event) -> str:
    return "pad" if payload.TYPE in ("wager_placed", "lammer_placed") else "dealer"


def advised(text: str, device: Callable[[Event], str] = lambda payload: "transcript") -> Advice:
    """Return the advice after the last line of an open round."""
    (script,) = parse(text, "open.txt")
    fold = TableFold("table/t-1")
    inside, counts = False, Counter[str]()
    for seq, each in enumerate(script.events, 1):
        counts[device(each.payload)] += 1
        inside = inside or each.payload.TYPE == "round_opened"
        fold.apply(
            unlogged(
                each.payload,
                stream="table/t-1",
                seq=seq,
                gaming_day=script.gaming_day,
                source=device(each.payload),
                source_seq=counts[device(each.payload)],
                occurred_at_us=each.at_us,
                round_no=script.round_no if inside else None,
            )
        )
    advice = advise_on(fold, seq)
    assert advice is not None
    return advice


@pytest.mark.parametrize(
    ("text", "phase", "warnings", "dues"),
    [
        # 686a.7(f), (g): before the additional cards, whatever the word
        (OVER + "return seat=3 over 10.00 other\n", "dealing", [], {}),
        (OVER + "withdraw seat=3 over 10.00\n", "dealing", [], {}),
        (OVER + "return seat=3 over 10.00 other\nsurrender seat=3\ntake seat=3 ante 10.00 surrendered\n",
         "settling", [], {"ante": -1000}),
        # 686a.7(h), (i): after them the over is due its win, 10 + 9 + 5 = 24
        (OVER + "deal seat3=9h 5d\nreturn seat=3 over 10.00 other\ndeal seat4=2c\n",
         "settling", ["PAY-MISSED seat=3 wager=over -10.00"], {}),
        # 645c.2(f): before the shaker and after it; a total of 8 pays 3 to 1
        (SUM + "return seat=3 sum 5.00 other\n", "betting", [], {}),
        (SUM + "return seat=3 sum 5.00 other\nno_more_bets\ndice 2 2 4\n", "no more bets", [], {}),
        (SUM + "no_more_bets\nreturn seat=3 sum 5.00 other\ndice 2 2 4\n",
         "no more bets", ["PAY-MISSED seat=3 wager=sum -15.00"], {}),
        # 687a.7(c): a raise is not taken back
        (RAISE + "return seat=1 raise 20.00 other\n", "settling", ["PAY-MISSED seat=1 wager=raise -20.00"],
         {"ante": 1000, "blind": 0, "raise": 2000}),
    ],
)  # fmt: skip
def test_what_is_given_back_in_time_is_not_at_stake(text: str, phase: str, warnings: list[str], dues: dict[str, int]) -> None:
    advice = advised(text)
    assert [warning.line() for warning in advice.warnings] == warnings
    assert {due.wager: due.due_cents for due in advice.dues} == dues
    assert advice.phase == phase


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        # D755: the stack set down last can be moved until the next is
        (STACKS, []),
        (STACKS + "moved seat=2 seat=1\n", []),
        (STACKS + "deal_order seat3=Qc Jd Ts 8d 7d 5s 2h\n", ["DEAL-ORDER"]),
        # D850: a wager that is not on record may be handed in late, until its device is heard again
        (UNPLACED, []),
        (UNPLACED + "lammer seat=3 fortune_bonus\n", ["PAY-TAKEN seat=4 wager=base -25.00"]),
    ],
)  # fmt: skip
def test_advice_waits_until_what_it_warns_of_can_no_longer_be_undone(text: str, warnings: list[str]) -> None:
    assert [warning.line() for warning in advised(text, at_the_pad).warnings] == warnings
