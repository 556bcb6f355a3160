"""688a as first proposed (Annex A, rulemaking 125-223): what differs from the chapter as adopted, read a second time (D14)."""

import pytest

from rulebook.chapters.rulebook import Rulebook, RulesRefused, chapter, parse_submission
from rulebook.chapters.submission import submission_from_words

PROPOSED, ADOPTED = chapter("pa", "688a-proposed"), chapter("pa", "688a")
ANNEX = "Annex A, rulemaking 125-223, § 688a."

# Progressive 3, 4 and 7 as the annex prints them; "+" joins an amount and a share of the meter, "/" the Envy Bonus.
PROGRESSIVE = {
    "3": (
        100,
        200_000,
        2900,
        0,
        "completes",
        False,
        """
        seven_card_straight_flush_any 100%
        five_aces 10%
        royal_flush 500
        straight_flush 100
        four_of_a_kind 75
        full_house 4""",
    ),
    "4": (
        500,
        1_000_000,
        100,
        100,
        "completes",
        True,
        """
        seven_card_straight_flush 5000+100%/5000
        royal_match 5000+20%/3750
        seven_card_straight_flush_joker 5000+10%/1250
        five_aces 2500/500
        royal_flush 500/250
        straight_flush 200/100
        four_of_a_kind 100/25
        full_house 25
        flush 20
        three_of_a_kind 15
        straight 7.50""",
    ),
    "7": (
        100,
        100_000,
        2600,
        0,
        "wild",
        False,
        """
        seven_card_straight_flush_any 100%
        five_aces 10%
        five_of_a_kind 800
        royal_flush 400
        straight_flush 75
        four_of_a_kind 10""",
    ),
}


def cents(text: str) -> int:
    return round(float(text or 0) * 100)


@pytest.mark.parametrize("name", PROGRESSIVE)
def test_688a_12_d_progressives_that_differ(name: str) -> None:
    paytable = PROPOSED.paytable("progressive", name)
    wager, seed, rate, reserve, joker, returned, printed = PROGRESSIVE[name]
    assert (paytable.wager_cents, paytable.seed_cents) == (wager, seed)
    assert (paytable.rate_bp, paytable.reserve_rate_bp) == (rate, reserve)
    assert (paytable.joker, paytable.stake_returned) == (joker, returned)
    lines = []
    for line in paytable.lines:
        share = f"{line.meter_bp // 100}%" if line.meter_bp else ""
        lines.append((line.hand, line.amount_cents, share, line.envy_cents))
    expected = []
    for row in printed.split("\n")[1:]:
        hand, said = row.split()
        paid, _, envy = said.partition("/")
        amount, plus, share = paid.partition("+")
        if not plus and amount.endswith("%"):
            amount, share = "", amount
        expected.append((hand, cents(amount), share, cents(envy)))
    assert lines == expected


def test_688a_12_c_fortune_5_pays_four_of_a_kind_25_to_1() -> None:
    proposed, adopted = PROPOSED.paytable("fortune_bonus", "5"), ADOPTED.paytable("fortune_bonus", "5")
    differ = [
        (one.hand, str(one.odds), str(other.odds))
        for one, other in zip(proposed.lines, adopted.lines, strict=True)
        if (one.hand, one.odds, one.envy_cents) != (other.hand, other.odds, other.envy_cents)
    ]
    assert differ == [("four_of_a_kind", "25:1", "5:1")]


def test_the_other_paytables_are_those_adopted_and_cite_the_annex() -> None:
    own = {("fortune_bonus", "5"), *(("progressive", name) for name in PROGRESSIVE)}
    assert set(PROPOSED.paytables) == set(ADOPTED.paytables)
    for key, paytable in PROPOSED.paytables.items():
        assert paytable.cite.startswith(f"{ANNEX}12(")
        assert {line.cite for line in paytable.lines} == {paytable.cite}
        if key not in own:
            adopted = [
                (line.hand, line.odds, line.push, line.amount_cents, line.meter_bp, line.envy_cents)
                for line in ADOPTED.paytables[key].lines
            ]
            assert adopted == [
                (line.hand, line.odds, line.push, line.amount_cents, line.meter_bp, line.envy_cents) for line in paytable.lines
            ]
    assert {name: wager.paytables for name, wager in PROPOSED.wagers.items()} == {
        name: wager.paytables for name, wager in ADOPTED.wagers.items()
    }


def test_the_numbers_are_those_adopted_but_for_the_maximum_payout() -> None:
    adopted = dict(ADOPTED.numbers)
    del adopted["max_payout_floor_cents"]
    assert PROPOSED.numbers == adopted
    assert (PROPOSED.in_force, ADOPTED.in_force) == (False, True)


@pytest.mark.parametrize(
    ("adopted", "proposed"),
    [
        ("11(a)", "11(c)"),  # the dealer sets
        ("11(b)(3)", "11(a)(3)"),  # what was set is not touched again
        ("11(c)", "11(b)"),  # the players set
        ("11(h)(3)(i)(B)(4)", "11(h)(4)(i)(B)(4)"),
        ("13(i)", "13(i)"),
    ],
)
def test_sections_that_moved(adopted: str, proposed: str) -> None:
    assert PROPOSED.cite(adopted) == ANNEX + proposed


def test_sections_that_are_not_there() -> None:
    assert not PROPOSED.has("11(b)")  # the dealer sets first
    assert not PROPOSED.has("12(e)")  # the maximum payout
    assert PROPOSED.has("688a-proposed.11(c)")
    assert not ADOPTED.has("688a-proposed.11(c)")


def rules(*words: str) -> Rulebook:
    return parse_submission(submission_from_words(["pa-688a-proposed", *words]))


def test_688a_12_there_is_no_maximum_payout_to_file() -> None:
    with pytest.raises(RulesRefused, match="knows no maximum payout"):
        rules("max_payout=60000.00")


@pytest.mark.parametrize(("shuffler", "holds"), [("automated", True), ("automated_counting", False)])
def test_688a_5_h_with_a_counting_device_b_to_g_do_not_apply(shuffler: str, holds: bool) -> None:
    book = rules(f"shuffler={shuffler}")
    assert [not book.exempt(section) for section in ("5(b)(2)", "5(d)", "5(g)")] == [holds] * 3
    assert not book.exempt("5(a)")
    assert not book.exempt("5(i)(1)")


def test_688a_13_i_speaks_of_dealing_from_the_hand() -> None:
    assert (PROPOSED.exposure_voids_by, ADOPTED.exposure_voids_by) == ("hand", "automated_shoe")
