"""§ 687a.7(d)(1), D572: a blind of another amount than the ante is a finding that names its other reading."""

import pytest

from replay.findings import Finding
from replay.transcript.transcript import judge

HANDS = "deal dealer=Qs Qd Th 9h 8c  seat2=As Ad Ac Kc 9d\n"


def found(blind: str, raised: str) -> tuple[Finding, ...]:
    wagers = f"rules pa-687a\nwager seat=2 ante 10.00 blind {blind}\n{HANDS}wager seat=2 raise {raised}\n"
    (judged,) = judge(wagers, "blind")
    return judged.conclusion.findings


@pytest.mark.parametrize("blind", ["9.00", "11.00"])
def test_d572_the_text_gives_no_amount_for_the_blind(blind: str) -> None:
    (limit,) = found(blind, "20.00")
    assert (limit.code, limit.wager) == ("WAGER-LIMIT", "blind")
    assert limit.expected == "10.00, as much as the ante wager"
    assert (limit.other_reading or "").startswith("D572: ")


def test_687a_7_d_1_a_raise_may_not_be_of_any_amount_but_a_short_one_may_be_none() -> None:
    (limit,) = found("10.00", "10.00")
    assert (limit.wager, limit.expected) == ("raise", "20.00, 2 times the ante wager")
    assert (limit.other_reading or "").startswith("D752: ")


def test_687a_7_d_1_equal_wagers_have_no_finding() -> None:
    assert found("10.00", "20.00") == ()
