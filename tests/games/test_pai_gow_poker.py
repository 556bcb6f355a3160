"""Pai Gow Poker and its Tiger 9, worked out by hand from 58 Pa. Code § 645c.1; the chapter as data and what may be filed."""

import re

import pytest

from games.pai_gow_poker import settle as pai_gow_poker
from rulebook.cards.cards import parse_cards
from rulebook.chapters.citation import Citation
from rulebook.chapters.money import Odds
from rulebook.chapters.rulebook import Rulebook, RulesRefused, chapter, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import NO_HAND, BettingBox, Hand, TableLayout
from rulebook.settlement.wagers import Due, Outcome

PA_645C = chapter("pa", "645c")
TEXT = "58 Pa. Code § 645c."


def book_of(words: str = "") -> Rulebook:
    return parse_submission(submission_from_words(["pa-645c", *words.split()]))


def hand(high: str, low: str) -> Hand:
    return Hand(parse_cards(f"{high} {low}"), parse_cards(high), parse_cards(low))


DEALER = hand("Ks Kh 8c 5d 3c", "Jc 9h")
TIGER_9 = hand("Ks Kh 6d 4h 2c", "9s 8c")
HIGHER, LOWER = ("As Ac 6s 4s 2h", "Qs 7c"), ("Js Jh 8d 7d 4s", "Ts 6c")


def settled(book: Rulebook, dealer: Hand, held: Hand, stakes: dict[str, int], **box: bool) -> dict[str, Due]:
    one = BettingBox(3, "p-3", held, stakes, **box)
    return {due.wager: due for due in pai_gow_poker.settle(book, TableLayout(boxes=[one], dealer=dealer))}


def base(dealer: Hand, held: Hand, words: str = "", **box: bool) -> Due:
    return settled(book_of(words), dealer, held, {"base": 2500}, **box)["base"]


# -------------------------------------------------------------------------------------------------------- Tiger 9, .1(h)


@pytest.mark.parametrize(
    ("low", "is_one"),
    [
        ("9s 8c", True),
        ("9s 2c", True),
        ("2s 9c", True),
        ("9s 9c", False),
        ("8s 7c", False),
        ("Ts 9c", False),
        ("As 9c", False),
        ("Jk 9c", False),
        ("9c Jk", False),
        ("9s", False),
        ("9s 8c 7d", False),
    ],
)
def test_645c_1_h_a_tiger_9_is_a_nine_high_low_hand(low: str, is_one: bool) -> None:
    assert pai_gow_poker.is_tiger_9(parse_cards(low)) is is_one


@pytest.mark.parametrize(
    ("held", "box"),
    [
        (hand(*HIGHER), {}),
        (hand(*LOWER), {}),
        (hand("As Jh Td 5c 3h", "7s 7d"), {}),  # foul
        (Hand(parse_cards("As Jh Td 5c 3h 7s 7d")), {}),  # never set
        (NO_HAND, {}),  # never read
        (hand(*LOWER), {"surrendered": True}),
        (hand(*LOWER), {"abandoned": True}),
    ],
)
def test_645c_1_e_1_a_tiger_9_pushes_every_base_wager(held: Hand, box: dict[str, bool]) -> None:
    due = base(TIGER_9, held, **box)
    assert (due.outcome, due.net_cents, due.returned_cents) == (Outcome.TIGER_9_PUSH, 0, 2500)
    assert due.cite == TEXT + "1(e)(1)"


def test_645c_1_e_1_a_hand_voided_by_election_is_void_before_the_push() -> None:
    assert base(TIGER_9, hand(*LOWER), voided=True).outcome is Outcome.VOID


@pytest.mark.parametrize(
    ("high", "low", "outcome", "net"),
    [
        (*HIGHER, Outcome.WIN, 2500),
        (*LOWER, Outcome.LOSE, -2500),
        ("As Ac 6s 4s 2h", "8s 7c", Outcome.TIE, 0),
        ("Js Jh 8d 7d 4s", "Qs 7c", Outcome.TIE, 0),
        ("Kd Kc 8d 5s 3d", "Jd 9c", Outcome.LOSE, -2500),  # both are copies (D8)
        ("As Ac 6s 4s 2h", "Jd 9c", Outcome.TIE, 0),
        ("As Jh Td 5c 3h", "7s 7d", Outcome.FOUL, -2500),
    ],
)
def test_645c_1_e_2_without_a_tiger_9_the_hands_are_compared(high: str, low: str, outcome: Outcome, net: int) -> None:
    due = base(DEALER, hand(high, low))
    assert (due.outcome, due.net_cents) == (outcome, net)
    assert due.cite.startswith("58 Pa. Code § 688a.11(f)")
    assert due.cite.assumed


def test_645c_1_e_2_the_dealers_ace_high_pushes_nobody() -> None:
    """D13: the ace-high push is not played."""
    ace_high = hand("Ah 9s 8h 4d 3c", "Kd Jc")
    assert base(ace_high, hand("Qs Qh Qd 5s 5d", "6h 6c")).outcome is Outcome.WIN


def test_645c_1_e_what_is_not_known_of_the_dealer_decides() -> None:
    unset = Hand(parse_cards("Kh Kd 6d 4h 2c 9s 8c"))
    for dealer in (unset, NO_HAND):
        dues = settled(book_of("tiger_9=yes"), dealer, hand("As Jh Td 5c 3h", "7s 7d"), {"base": 2500, "tiger_9": 500})
        assert [dues[wager].net_cents for wager in ("base", "tiger_9")] == [None, None]


@pytest.mark.parametrize(
    ("dealer", "net", "cite"),
    [(TIGER_9, 15_000, "1(g)"), (DEALER, -500, "1(e)(2)"), (hand("Ah Kh Jh 6h 4h", "9s 9c"), -500, "1(e)(2)")],
)
def test_645c_1_g_the_tiger_9_wager_pays_30_to_1_whatever_the_player_holds(dealer: Hand, net: int, cite: str) -> None:
    for held in (hand(*LOWER), NO_HAND, hand("As Jh Td 5c 3h", "7s 7d")):
        due = settled(book_of("tiger_9=yes"), dealer, held, {"base": 2500, "tiger_9": 500})["tiger_9"]
        assert (due.net_cents, due.cite) == (net, TEXT + cite)


def test_645c_1_g_a_maximum_payout_does_not_cap_the_tiger_9_wager() -> None:
    """D19 caps other wagers."""
    book = book_of("tiger_9=yes max_payout=50000.00")
    due = settled(book, TIGER_9, hand(*LOWER), {"base": 2500, "tiger_9": 200_000})["tiger_9"]
    assert due.net_cents == 6_000_000


def test_645c_1_c_2_a_tiger_9_wager_that_is_not_filed_cannot_be_told() -> None:
    due = settled(book_of(), TIGER_9, hand(*LOWER), {"base": 2500, "tiger_9": 500})["tiger_9"]
    assert due.net_cents is None


def test_645c_1_e_a_tiger_9_wager_comes_back_with_a_voided_hand() -> None:
    due = settled(book_of("tiger_9=yes"), TIGER_9, NO_HAND, {"base": 2500, "tiger_9": 500}, voided=True)["tiger_9"]
    assert (due.net_cents, due.returned_cents) == (0, 500)


# ---------------------------------------------------------------------------------------------------- vigorish, .1(a), D13


@pytest.mark.parametrize(
    ("stake", "words", "taken"),
    [
        (2500, "", 125),
        (10_000, "", 500),
        (500, "", 25),
        (499, "", 0),  # 5 % of 4.99 is under a quarter
        (1200, "", 50),  # 0.60, down to a quarter
        (1499, "", 50),
        (1500, "", 75),
        (1200, "vigorish_rounding=up", 75),
        (1000, "vigorish_rounding=up", 50),  # just at a quarter
        (1200, "vigorish_rounding=nearest", 50),  # 0.60
        (1250, "vigorish_rounding=nearest", 75),  # 0.625: half a quarter above
        (1249, "vigorish_rounding=nearest", 50),
        (1200, "vigorish_step=0.01", 60),
        (1200, "vigorish_step=1.00", 0),
        (1219, "vigorish_step=0.00", 60),  # 60.95 cents: whole cents at least
    ],
)
def test_645c_1_a_vigorish_is_five_percent_of_a_winning_base_wager(stake: int, words: str, taken: int) -> None:
    dues = settled(book_of(f"commission_free=no {words}"), DEALER, hand(*HIGHER), {"base": stake})
    assert (dues["base"].vigorish_cents, dues["base"].net_cents) == (taken, stake - taken)


def test_645c_1_h_no_vigorish_in_the_commission_free_game() -> None:
    due = base(DEALER, hand(*HIGHER))
    assert (due.vigorish_cents, due.net_cents) == (0, 2500)


def test_645c_1_a_with_vigorish_there_is_no_tiger_9_push() -> None:
    due = base(TIGER_9, hand(*LOWER), "commission_free=no")
    assert (due.outcome, due.net_cents, due.vigorish_cents) == (Outcome.TIE, 0, 0)
    assert base(TIGER_9, hand("Qs Qc Td 7s 3h", "8h 5d"), "commission_free=no").net_cents == -2500
    assert base(NO_HAND, hand("As Jh Td 5c 3h", "7s 7d"), "commission_free=no").outcome is Outcome.FOUL


# ------------------------------------------------------------------------------------------------------ the chapter as data


def test_645c_2_g_the_odds_of_the_dice_wagers_as_printed() -> None:
    printed = {
        "sum A": "17 25, 16 6, 8 3",
        "sum B": "3 25, 8 4, 9 2",
        "sum C": "three 3, two 1",
        "sum D": "series 15:2",
        "match 1": "triple 100, double 6",
        "beat_it A": "four 50, two 10, ties 1",
        "beat_it B": "four 60, two 10, ties 1",
        "beat_it C": "die 5:2",
    }
    for key, lines in printed.items():
        paytable = PA_645C.paytable(*key.split())
        expected = [line.split() for line in lines.split(", ")]
        assert len(paytable.lines) == len(expected)
        for line, (part, odds) in zip(paytable.lines, expected, strict=True):
            assert part in line.hand.split("_")
            assert line.odds == Odds.parse(odds if ":" in odds else f"{odds}:1")
            assert line.cite == TEXT + {"sum": "2(g)(1)", "match": "2(g)(2)", "beat_it": "2(g)(3)"}[key.split()[0]]


# § 645c.3(c)(4): minimum progressive wager, minimum and maximum dollar value, contribution in hundredths of a percent.
CONFIGURATIONS = {
    "A-1": (1, 100, 200, 200), "A-2": (2, 100, 200, 150), "A-5": (5, 100, 250, 100),
    "B-1": (1, 100, 500, 500), "B-2": (2, 100, 500, 350), "B-5": (5, 100, 500, 200),
    "C-1": (1, 250, 500, 200), "C-2": (2, 250, 500, 150), "C-5": (5, 250, 500, 50),
    "D-1": (1, 250, 1000, 500), "D-2": (2, 250, 1000, 300), "D-5": (5, 250, 1000, 200),
}  # fmt: skip


def test_645c_3_c_4_the_twelve_configurations_as_printed() -> None:
    assert PA_645C.wagers["mystery"].paytables == tuple(CONFIGURATIONS)
    for name, (least, low, high, rate) in CONFIGURATIONS.items():
        paytable = PA_645C.paytable("mystery", name)
        said = (paytable.least_wager_cents, paytable.seed_cents, paytable.maximum_cents, paytable.rate_bp)
        assert said == (least * 100, low * 100, high * 100, rate)


def test_645c_1_c_1_fortune_and_progressive_are_those_of_688a_and_say_that_they_are_assumed() -> None:
    other = chapter("pa", "688a")
    assert PA_645C.wagers["fortune_bonus"].paytables == other.wagers["fortune_bonus"].paytables
    for key, paytable in other.paytables.items():
        if key[0] == "ace_high_bonus":
            assert key not in PA_645C.paytables
            continue
        mine = PA_645C.paytables[key]
        assert [(line.hand, line.odds, line.amount_cents) for line in mine.lines] == [
            (line.hand, line.odds, line.amount_cents) for line in paytable.lines
        ]
        assert mine.cite == f"{paytable.cite}, assumed (D13)"
        assert isinstance(mine.cite, Citation)
        assert mine.cite.assumed
    assert PA_645C.numbers["cards_per_hand"] == 7
    assert PA_645C.number_cites["cards_per_hand"] == "58 Pa. Code § 688a.8(d), assumed (D13)"
    assert PA_645C.number_cites["shake_ms"] == TEXT + "2(b)(2)"


def test_d13_shared_rules_hold_as_in_688a_but_where_the_text_differs() -> None:
    held = {section: PA_645C.has(section) for section in ("11(b)", "12(a)", "13(c)", "11(f)", "645c.2(f)", "688a.11(b)")}
    assert held == {"11(b)": False, "12(a)": False, "13(c)": True, "11(f)": True, "645c.2(f)": True, "688a.11(b)": False}
    assert not chapter("pa", "688a").has("645c.2(f)")


# ----------------------------------------------------------------------------------------------------- what may be filed


@pytest.mark.parametrize(
    ("words", "key", "section"),
    [
        ("tiger_9=yes commission_free=no", "wagers.tiger_9", "1(c)(2)"),
        ("mystery=A-1", "wagers.mystery", "3(a)"),
        ("mystery=A-2 progressive=1", "wagers.mystery.paytable", "3(c)(4)"),
        ("mystery=A-5 progressive=1", "wagers.mystery.paytable", "3(c)(4)"),
        ("mystery=E-1 progressive=1", "wagers.mystery.paytable", "3(c)(4)"),
        ("mystery=A-1 progressive=1 meter=m-1 mystery.meter=m-1", "wagers.mystery.meter", "3(c)(4)"),
        ("sum=E", "wagers.sum.paytable", "2(g)(1)"),
        ("beat_it=D", "wagers.beat_it.paytable", "2(g)(3)"),
    ],
)
def test_645c_a_filing_that_the_chapter_does_not_allow(words: str, key: str, section: str) -> None:
    with pytest.raises(RulesRefused, match=re.escape(f"({TEXT}{section})")) as refused:
        book_of(words)
    assert refused.value.key == key


@pytest.mark.parametrize(
    "words",
    [
        "mystery=A-1 progressive=3",  # at least $1
        "mystery=A-5 progressive=3",
        "mystery=D-2 progressive=3 mystery.meter=m-7 mystery.linked=yes",
        "mystery=A-2 progressive=1 progressive.wager=2.00",  # 688a.12(d) prints paytable 1 for $1
        "fortune_bonus=1 max_payout=100.00",  # 688a.12(e) would ask for 50,000.00
        "deal_method=hand shuffler=none",  # 688a.9(a)(1) would ask for a shuffler
        "decks=3",  # 688a.3(b) would allow two
        "starting=player_shaker",
        "commission_free=no fortune_bonus=2 sum=A match=yes beat_it=C",
    ],
)
def test_645c_nobody_is_refused_by_a_section_that_is_only_assumed(words: str) -> None:
    """D13."""
    assert book_of(words).chapter.key == "pa-645c"


@pytest.mark.parametrize("amount", ["1.00", "2.00", "7.00"])
def test_645c_a_progressive_of_another_amount_pays_what_is_printed(amount: str) -> None:
    """D662: 645a is not held, so that the amount a paytable is for refuses no one (D13); its amounts stand as printed (D18)."""
    offer, printed = (book_of(f"progressive=1 progressive.wager={amount}").offers["progressive"], book_of("progressive=1"))
    assert (offer.min_cents, offer.max_cents) == (int(float(amount) * 100),) * 2
    assert offer.paytable is not None
    assert printed.offers["progressive"].paytable is not None
    assert offer.paytable.lines == printed.offers["progressive"].paytable.lines
    assert offer.paytable.seed_cents == printed.offers["progressive"].paytable.seed_cents


def test_645c_a_progressive_is_of_one_amount() -> None:
    with pytest.raises(RulesRefused, match="expected one amount for the wager") as refused:
        book_of("progressive=1 progressive.min=1.00 progressive.max=5.00")
    assert refused.value.key == "wagers.progressive.max"
    with pytest.raises(RulesRefused, match="at least one cent"):
        book_of("progressive=1 progressive.wager=0.00")


def test_645c_3_the_meter_of_the_mystery_bonus() -> None:
    book = book_of("mystery=A-1 progressive=1 meter=m-1 mystery.meter=m-7 mystery.linked=yes")
    assert (book.meter, book.mystery_meter, book.linked_meter, book.linked_mystery) == ("m-1", "m-7", False, True)
    assert book_of("mystery=A-1 progressive=1").mystery_meter == "mystery"
    assert book_of().mystery_meter is None
