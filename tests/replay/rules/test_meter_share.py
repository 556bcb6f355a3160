"""Who funds what was paid: the meter its share, the house all else, by slip too (58 Pa. Code § 688a.12; D352, D690)."""

import pytest

from replay.transcript.transcript import judge

OTHERS = "dealer=Kh Kd Jc 9h 8c 5d 2c"
ROYAL_MATCH = "As Ks Qs Js Ts Kc Qc"
FIVE_ACES = "As Ah Ad Ac Jk 9s 4d"
STRAIGHT_FLUSH = "3h 4h 5h 6h 7h 8h 9h"

ACCEPTED = "accepted seat=3 5.00 meter=20000.00\nlock accepted=1 collected=1\n"
WAGER = "wager seat=3 base 25.00 progressive 5.00\n"


def paid(rules: str, wager: str, hand: str, lines: str, name: str = "progressive") -> tuple[int, int | None]:
    """Return what was paid by slip and what a meter paid of it."""
    text = f"rules pa-688a {rules}\n{wager}deal {OTHERS} seat3={hand}\n{lines}return seat=3 base 25.00 push\nclose\n"
    (one,) = [each.conclusion for each in judge(text, "test")]
    (settled,) = [each for each in one.settlements if each.wager == name]
    return settled.by_slip_cents, settled.from_meter_cents


WON_ALL = "won seat=3 meter=20000.00 share=20% after=16000.00\n"


@pytest.mark.parametrize(
    ("rules", "wager", "hand", "lines", "by_slip", "from_meter"),
    [
        # Paytable 4, royal match: $5,000 and a fifth of the meter.
        ("progressive=4", WAGER + ACCEPTED, ROYAL_MATCH, WON_ALL + "pay seat=3 progressive 9000.00 slip\n", 900_000, 400_000),
        ("progressive=4", WAGER + ACCEPTED, ROYAL_MATCH, "pay seat=3 progressive 9000.00 slip\n", 900_000, 400_000),
        (
            "progressive=4",
            WAGER + ACCEPTED,
            ROYAL_MATCH,
            WON_ALL + "pay seat=3 progressive 5000.00\npay seat=3 progressive 4000.00 slip\n",
            400_000,
            400_000,
        ),
        ("progressive=4", WAGER + ACCEPTED, ROYAL_MATCH, "pay seat=3 progressive 5000.00\n", 0, None),
        ("progressive=4", WAGER + ACCEPTED, ROYAL_MATCH, WON_ALL + "pay seat=3 progressive 9500.00 slip\n", 950_000, 400_000),
        ("progressive=4", WAGER, ROYAL_MATCH, "pay seat=3 progressive 9000.00 slip\n", 900_000, 400_000),
        # Paytable 4, five aces: $2,500 and nothing of the meter.
        ("progressive=4", WAGER + ACCEPTED, FIVE_ACES, "pay seat=3 progressive 2500.00 slip\n", 250_000, 0),
        ("progressive=4", WAGER + ACCEPTED, FIVE_ACES, "pay seat=3 progressive 2500.00\n", 0, None),
        ("progressive=4", WAGER, FIVE_ACES, "pay seat=3 progressive 2500.00 slip\n", 250_000, 0),
        # Paytable 1, five aces: a tenth of the meter.
        (
            "progressive=1",
            WAGER.replace("5.00\n", "1.00\n") + ACCEPTED.replace(" 5.00", " 1.00"),
            FIVE_ACES,
            "pay seat=3 progressive 2000.00 slip\n",
            200_000,
            200_000,
        ),
        (
            "progressive=1",
            WAGER.replace("5.00\n", "1.00\n") + ACCEPTED.replace(" 5.00", " 1.00"),
            FIVE_ACES,
            "pay seat=3 progressive 1500.00 slip\n",
            150_000,
            150_000,
        ),
        # The hand was not read: a slip over a fixed amount is the house's, another is the meter's.
        ("progressive=4", WAGER + ACCEPTED, "?? ?? ?? ?? ?? ?? ??", "pay seat=3 progressive 2500.00 slip\n", 250_000, 0),
        ("progressive=4", WAGER + ACCEPTED, "?? ?? ?? ?? ?? ?? ??", "pay seat=3 progressive 9000.00 slip\n", 900_000, 900_000),
    ],
    ids=[
        "share and fixed amount on one slip",
        "the controller recorded nothing: by the line",
        "fixed amount in chips, share by slip",
        "only the fixed amount was paid",
        "what is paid beyond both is the house's",
        "the meter is not on record: what is beyond the fixed amount",
        "a fixed line by slip",
        "a fixed line in chips",
        "a fixed line by slip, the meter not on record",
        "a share alone",
        "a share paid short",
        "not read, a fixed amount",
        "not read, another amount",
    ],
)
def test_688a_12_d_only_the_share_is_the_meters(
    rules: str, wager: str, hand: str, lines: str, by_slip: int, from_meter: int | None
) -> None:
    assert paid(rules, wager, hand, lines) == (by_slip, from_meter)


@pytest.mark.parametrize(
    ("lines", "by_slip", "from_meter"),
    [
        ("pay seat=3 fortune_bonus 40000.00 slip\n", 4_000_000, 0),
        ("pay seat=3 fortune_bonus 40000.00\n", 0, None),
        ("pay seat=3 fortune_bonus 45000.00 slip\n", 4_500_000, 0),
    ],
    ids=["by slip", "in chips", "too much by slip"],
)
def test_688a_12_c_fixed_odds_are_never_the_meters(lines: str, by_slip: int, from_meter: int | None) -> None:
    wager = "wager seat=3 base 25.00 fortune_bonus 5.00\n"
    assert paid("fortune_bonus=1", wager, STRAIGHT_FLUSH, lines, "fortune_bonus") == (by_slip, from_meter)


def test_688a_11_h_3_a_fixed_amount_in_chips_is_no_share_though_the_meter_is_not_on_record() -> None:
    """Royal match on paytable 4 pays $5,000 and a fifth of the meter: the $5,000 may come from the inventory."""
    text = (
        f"rules pa-688a progressive=4\n{WAGER}deal {OTHERS} seat3={ROYAL_MATCH}\n"
        "pay seat=3 progressive 5000.00\npay seat=3 progressive 4000.00 slip\nreturn seat=3 base 25.00 push\nclose\n"
    )
    (one,) = [each.conclusion for each in judge(text, "test")]
    assert "PAY-SOURCE" not in {finding.code for finding in one.findings}
