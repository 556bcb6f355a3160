"""§ 645c.2(e), D553: a wager on the dice next to no base wager is a finding that names its other reading."""

import pytest

from replay.transcript.transcript import judge

RULES = "rules pa-645c sum=A match=yes tiger_9=yes\n"


@pytest.mark.parametrize(("wager", "other"), [("sum 5.00", "D553"), ("match 5.00 number=2", "D553"), ("tiger_9 5.00", "D114")])
def test_d553_only_a_wager_on_the_dice_may_be_read_to_stand_alone(wager: str, other: str | None) -> None:
    (judged,) = judge(f"{RULES}wager seat=3 {wager}\n", "alone")
    (found,) = judged.conclusion.findings
    assert found.code == "WAGER-BASE"
    assert (found.other_reading or "").partition(":")[0] == (other or "")


def test_d553_beside_a_base_wager_there_is_no_finding() -> None:
    (judged,) = judge(f"{RULES}wager seat=3 base 25.00 sum 5.00\n", "beside")
    assert judged.conclusion.findings == ()
