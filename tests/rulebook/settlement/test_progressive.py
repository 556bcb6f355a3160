"""Progressive meters in hundredths of a cent (§ 688a.12(d), D18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.settlement.progressive import WHOLE_METER_BP, after_winner, contribution, share_cents

METERS = st.integers(0, 2**53 - 1)


# Worked out by hand: wager in cents, rate in hundredths of a percent, what the meter rises by in hundredths of a cent.
@pytest.mark.parametrize(
    ("wager_cents", "rate_bp", "rise"),
    [
        (100, 2800, 2800),  # 28 % of $1.00 is 28 cents
        (100, 700, 700),
        (500, 2900, 14_500),  # 29 % of $5.00 is $1.45
        (100, 1, 1),  # one hundredth of a percent of a dollar is one hundredth of a cent
        (1, 2800, 28),
        (100, 0, 0),
        (100, 10_000, 10_000),
    ],
)
def test_688a_12_d_contribution(wager_cents: int, rate_bp: int, rise: int) -> None:
    assert contribution(wager_cents, rate_bp) == rise


# The meter in hundredths of a cent, the share, what is paid in cents: rounded down, never up.
@pytest.mark.parametrize(
    ("meter", "share_bp", "paid"),
    [
        (100_000_000, 10_000, 1_000_000),
        (100_000_099, 10_000, 1_000_000),
        (100_000_100, 10_000, 1_000_001),
        (100_000_000, 1_000, 100_000),
        (100_000_999, 1_000, 100_000),
        (100_001_000, 1_000, 100_001),
        (0, 10_000, 0),
    ],
)
def test_688a_12_d_share(meter: int, share_bp: int, paid: int) -> None:
    assert share_cents(meter, share_bp) == paid


def test_688a_12_d_the_whole_meter_goes_back_to_the_seed() -> None:
    assert after_winner(123_456_789, WHOLE_METER_BP, 1_000_000) == 100_000_000
    assert after_winner(5, WHOLE_METER_BP, 1_000_000) == 100_000_000


def test_688a_12_d_a_tenth_leaves_the_rest() -> None:
    assert after_winner(123_456_789, 1_000, 1_000_000) == 123_456_789 - 12_345_600


def test_688a_12_d_two_tenths_are_not_a_fifth() -> None:
    """The second winner of a tenth finds the meter that the first one left: 1,000.00, then 900.00."""
    meter, paid = 100_000_000, []
    for _ in range(2):
        paid.append(share_cents(meter, 1_000))
        meter = after_winner(meter, 1_000, 1_000_000)
    assert (paid, meter) == ([100_000, 90_000], 81_000_000)


@given(METERS, st.integers(0, WHOLE_METER_BP))
def test_what_is_paid_and_what_is_left_are_the_meter(meter: int, share_bp: int) -> None:
    paid = share_cents(meter, share_bp)
    assert 0 <= meter * share_bp - paid * 100 * WHOLE_METER_BP < 100 * WHOLE_METER_BP
    if share_bp != WHOLE_METER_BP:
        assert after_winner(meter, share_bp, 1_000_000) + paid * 100 == meter
