"""A finding as a command prints it: what is wrong and where in words, and its code next to them."""

import msgspec
import pytest

from replay.findings import Finding
from replay.narrative.incidents import finding_sentence
from replay.transcript.verdict_text import finding_lines, settlement_table
from tests.dashboards.sample import finding, settlement


def found(code: str, seat: int | None, wager: str | None, cents: int | None) -> Finding:
    return finding("table/fu-01", 1, code, seat, wager, cents, "200.00 paid (both_ace_high)", "100.00 paid")


@pytest.mark.parametrize(
    ("it", "words"),
    [
        (found("PAY-UNDER", 3, "ace_high_bonus", -10_000), "Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00"),
        (found("PAY-OVER", 1, "base", 1), "Wager overpaid · Seat 1 · Base wager · overpaid by $0.01"),
        (found("DEAL-START", None, None, None), "Wrong starting position"),
    ],
)
def test_what_is_wrong_where_and_by_how_much(it: Finding, words: str) -> None:
    assert finding_sentence(it, "USD") == words
    assert finding_lines(it, currency="USD")[0] == f"{words}  ({it.code}, high)"
    assert "  expected    200.00 paid (both ace high)" in finding_lines(it)


def test_money_is_in_the_property_s_currency_or_has_no_symbol() -> None:
    over = found("PAY-OVER", 1, "base", 150)
    assert "  money       seat 1 was paid €1.50 too much" in finding_lines(over, currency="EUR")
    assert "  money       seat 1 was paid 1.50 too much" in finding_lines(over)


def test_settlements_name_wagers_and_lines_in_words() -> None:
    (row,) = settlement_table([settlement(3, "ace_high_bonus", 1000, 20_000, 10_000, "both_ace_high", paytable="1")])[1:]
    assert "Ace High Bonus" in row
    assert "Both ace high" in row
    assert "_" not in row


def test_a_line_that_is_in_doubt_says_why() -> None:
    unknown = settlement(3, "base", 1000, None, 1000, "unknown")
    known = settlement(3, "fortune_bonus", 500, -500, -500, "lose")
    reasons = ["seat 3 base: what is due cannot be told (the dealer's cards were not all read)"]
    _, base, fortune = settlement_table([unknown, known], reasons)
    assert "In doubt: the dealer's cards were not all read" in base
    assert "In doubt" not in fortune


def test_of_two_match_wagers_at_a_seat_only_the_one_that_is_open_is_in_doubt() -> None:
    unknown = msgspec.structs.replace(settlement(3, "match", 200, None, None, "unknown"), number=3)
    known = msgspec.structs.replace(settlement(3, "match", 200, -200, None, "lose"), number=5)
    reasons = ["seat 3 match: what is due cannot be told (the dice were not all read)"]
    _, on_three, on_five = settlement_table([unknown, known], reasons)
    assert "In doubt: the dice were not all read" in on_three
    assert "In doubt" not in on_five
    assert "Lose" in on_five


def test_a_bound_is_said_to_be_one() -> None:
    over = finding("table/fu-01", 1, "PAY-OVER", 3, "base", 49_000, "at most 10.00 paid", "500.00 paid")
    assert "  money       seat 3 was paid at least $490.00 too much" in finding_lines(over, currency="USD")
