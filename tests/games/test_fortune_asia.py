"""Fortune Asia Poker, wager by wager, worked out by hand from 58 Pa. Code Chapter 659a."""

from collections.abc import Sequence

import pytest

from games.fortune_asia import settle as fortune_asia
from games.fortune_asia.settle import foul_section, insurance_line, two_of_three
from rulebook.cards.cards import parse_cards
from rulebook.catalogue import GAMES
from rulebook.chapters.money import Odds
from rulebook.chapters.rulebook import Rulebook, RulesRefused, chapter, parse_submission
from rulebook.chapters.submission import simple_submission, submission_from_words
from rulebook.layout import BettingBox, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.bonus import is_qualifying
from rulebook.settlement.wagers import Due, Outcome

PA_659A = chapter("pa", "659a")

# ------------------------------------------------------------------------------------------ the paytables, as printed, .12

FORTUNE = """
                                  A          B          C          D
seven_card_straight_flush         8000/5000  5000/3000  5000/1000  2500/1000
royal_match                       2000/1000  2000/1000  1000/250   1000/750
seven_card_straight_flush_joker   1000/500   1000/500   750/100    750/250
five_aces                         400/250    400/250    250/50     250/100
royal_flush                       150/50     150/50     100/25     125/50
straight_flush                    50/20      50/20      50/10      50/20
four_of_a_kind                    25/5       25/5       20/5       25/5
full_house                        5          5          5          5
flush                             4          4          4          4
three_of_a_kind                   3          3          3          3
straight                          2          2          2          2
three_pair                        -          -          push       -
"""

INSURANCE = """
             A    B    C
nine_high    100  100  100
ten_high     40   50   40
jack_high    10   10   10
queen_high   7    7    7
king_high    6    5    5
ace_high     3    3    3
"""

PROGRESSIVE = {
    "seven_card_straight_flush_any": "100%",
    "five_aces": "10%",
    "royal_flush": "500",
    "straight_flush": "100",
    "four_of_a_kind": "75",
    "full_house": "4",
}


def columns(text: str) -> dict[str, dict[str, str]]:
    """Read a table: paytable name -> row -> cell, without the cells that are not printed."""
    head, *rows = [line.split() for line in text.strip("\n").splitlines()]
    return {name: {row[0]: row[1 + i] for row in rows if row[1 + i] != "-"} for i, name in enumerate(head)}


@pytest.mark.parametrize("name", "ABCD")
def test_659a_12_b_fortune_bonus(name: str) -> None:
    printed = columns(FORTUNE)[name]
    paytable = PA_659A.paytable("fortune_bonus", name)
    assert [line.hand for line in paytable.lines] == list(printed)
    for line in paytable.lines:
        odds, _, envy = printed[line.hand].partition("/")
        assert (line.push, line.odds) == ((True, None) if odds == "push" else (False, Odds(int(odds), 1)))
        assert line.envy_cents == int(envy or 0) * 100


@pytest.mark.parametrize("name", "ABC")
def test_659a_12_c_insurance(name: str) -> None:
    printed = columns(INSURANCE)[name]
    paytable = PA_659A.paytable("insurance", name)
    assert {line.hand: line.odds for line in paytable.lines} == {h: Odds(int(n), 1) for h, n in printed.items()}


@pytest.mark.parametrize(("amount", "times"), [("1.00", 1), ("2.00", 2), ("5.00", 5), ("25.00", 25)])
def test_659a_12_d_the_progressive_is_for_1_and_goes_with_the_wager_filed(amount: str, times: int) -> None:
    """The amounts, the seed ($10,000 for 1) and with them the meter; shares and rate stay (D18)."""
    paytable = book(f"progressive=1 progressive.wager={amount}").offers["progressive"].paytable
    assert paytable is not None
    for line in paytable.lines:
        cell = PROGRESSIVE[line.hand]
        expected = (0, int(cell[:-1]) * 100) if cell.endswith("%") else (int(cell) * 100 * times, 0)
        assert (line.amount_cents, line.meter_bp) == expected
    assert (paytable.wager_cents, paytable.seed_cents) == (100 * times, 1_000_000 * times)
    assert (paytable.rate_bp, paytable.stake_returned, paytable.has_envy) == (2800, False, False)


def test_659a_12_d_a_progressive_wager_that_is_no_multiple_of_one_dollar_is_refused() -> None:
    with pytest.raises(RulesRefused, match=r"659a\.12\(d\)"):
        book("progressive=1 progressive.wager=2.50")


# ---------------------------------------------------------------------------------------------------- what may be filed


def book(words: str = "") -> Rulebook:
    return parse_submission(submission_from_words(["pa-659a", *words.split()]))


def test_659a_7_e_what_can_be_offered() -> None:
    assert list(PA_659A.wagers) == ["base", "fortune_bonus", "insurance", "progressive"]
    assert PA_659A.base == "base"
    assert PA_659A.wagers["base"].odds == Odds(1, 1)
    assert {name: str(rule.cite) for name, rule in PA_659A.wagers.items()} == {
        "base": "58 Pa. Code § 659a.7(d)",
        "fortune_bonus": "58 Pa. Code § 659a.7(e)(1)",
        "insurance": "58 Pa. Code § 659a.7(e)(2)",
        "progressive": "58 Pa. Code § 659a.7(e)(3)",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fortune_bonus=1", r"659a\.12\(b\)"),
        ("insurance=D", r"659a\.12\(c\)"),
        ("progressive=2", r"659a\.12\(d\)"),
        ("max_payout=50000.00", "knows no maximum payout"),
        ("ace_high_bonus=1", "unknown"),
        ("deal_method=hand shuffler=none", r"659a\.9\(a\)\(1\)"),
        ("house_way=stones", r"659a\.11\(c\)"),
        ("fortune_pays=highest_rank", "unknown"),
        ("effective=2019-11-01", "2019-11-02"),
    ],
)
def test_659a_what_the_chapter_does_not_allow_is_refused(words: str, said: str) -> None:
    with pytest.raises(RulesRefused, match=said):
        book(words)


def test_659a_11_c_the_house_way_sets_three_hands_whether_named_or_written_out() -> None:
    named = book()
    assert named.way.name == "asia"
    own = """
[house_way]
name = "own"
cite = "as filed"
hands = "4-2-1"

[[house_way.row]]
name = "every hand"
hand = "any"
play = [{}]
"""
    text = simple_submission("pa-659a").replace('house_way = "asia"\n', "") + own
    assert parse_submission(text).way.name == "own"


# ------------------------------------------------------------------------------------------- fouls, .11(b), (f)(1)(iii)-(v)


@pytest.mark.parametrize(
    ("high", "medium", "low", "section"),
    [
        ("7s 7d 5s 2h", "7h 7c", "Ah", None),  # the text's own example: the pair and two more cards
        ("6s 6h As Qs", "7s 7d", "Td", "iii"),
        ("8s 8d As 6c", "7s 7d", "Th", None),
        ("As Qs 8d 6c", "Ad Qd", "Td", None),  # equal as far as the two cards go: the longer is higher (D7)
        ("As Js 8d 6c", "Ad Qd", "Td", "iii"),
        ("2s 2h 2d 6s", "As Ah", "7d", None),
        ("Ks Kc 6d 3s", "Qd 7d", "As", "iv"),
        ("As Ac 6d 4s", "Ks Qs", "Ad", "iv"),
        ("Qs Qc 6d 4s", "Ad 2s", "Ah", None),
        ("Qs Qc 6d 3s", "4s 4h", "Ah", None),
        ("Ks Kc 6d 3s", "Qs Ts", "Jk", "iv"),  # the joker is an ace
        ("Qs Qc 6d 3s", "As Jk", "Td", "iii"),  # a pair of aces
        ("9s 8s Jk 6c", "As Ad", "2h", None),  # the joker completes a straight of four
        ("As Ac 6d", "Qs 7c 4s", "Th", "v"),
        ("As Ac 6d 4s", "Qs", "Th 7c", "v"),
        ("As Ac 7c 6d 4s", "Qs", "Th", "v"),
        ("Qs 7c", "As Ac 6d 4s", "Th", "v"),
        ("", "", "", "v"),
    ],
)
def test_659a_11_b_each_hand_ranks_higher_than_the_next(high: str, medium: str, low: str, section: str | None) -> None:
    said = foul_section(parse_cards(high), parse_cards(medium), parse_cards(low))
    assert said == (None if section is None else f"659a.11(f)(1)({section})")


# ------------------------------------------------------------------------------------------------- base wager, .11(f), .12(a)

DEALER = "Kh Kd 5d 3c / Jc 9h / 8c"


def hand(text: str) -> Hand:
    """Hands written `high / medium / low`."""
    high, medium, low = (parse_cards(part) for part in text.split("/"))
    return Hand((*high, *medium, *low), high, low, medium)


@pytest.mark.parametrize(
    ("player", "outcome"),
    [
        ("As Ac 6d 4s / Qs 7c / Th", Outcome.WIN),  # all three
        ("As Ac 6d 4s / Qs 7c / 7d", Outcome.WIN),  # high and medium
        ("As Ac 6d 4s / Tc 7c / 9c", Outcome.WIN),  # high and low
        ("Qs Qc 6d 4s / Qd 7c / Td", Outcome.WIN),  # medium and low
        ("As Ac 6d 4s / Qs 7c / 8h", Outcome.WIN),  # the third is a copy: two are won
        ("As Ac 6d 4s / Tc 7c / 6c", Outcome.LOSE),  # one only
        ("Qs Qc 6d 4s / Qd 7c / 6c", Outcome.LOSE),
        ("Qs Qc 6d 4s / Ts 7c / 9c", Outcome.LOSE),
        ("As Ac 6d 4s / Ts 7c / 8h", Outcome.LOSE),  # won, lost, a copy: .11(f)(1)(ii)
        ("As Ac 6d 4s / Js 9c / 8h", Outcome.LOSE),  # won, and two copies: .11(f)(1)(i)
        ("Ks Kc 5s 3s / Jd 9d / 8h", Outcome.LOSE),  # three copies
        ("Ks Kc 5s 4s / Jd 9d / 9c", Outcome.WIN),  # won by the fourth card, and the low card
        ("Qs Qc 6d 4s / Ts 7c / 6c", Outcome.LOSE),
        ("As Ac 6d 4s / Ks Qs / Ad", Outcome.FOUL),
    ],
)
def test_659a_11_f_two_of_three_hands_win_and_nothing_ties(player: str, outcome: Outcome) -> None:
    assert two_of_three(hand(player), hand(DEALER))[0] is outcome


WINS, LOSES = "As Ac 6d 4s / Qs 7c / Th", "Qs Qc 6d 4s / Ts 7c / 6c"


def box(
    seat: int,
    set_: str | None = WINS,
    bettor: str = "",
    *,
    surrendered: bool = False,
    voided: bool = False,
    abandoned: bool = False,
    **stakes: int,
) -> BettingBox:
    held = hand(set_) if set_ is not None else Hand()
    return BettingBox(seat, bettor or f"p-{seat}", held, stakes, surrendered=surrendered, voided=voided, abandoned=abandoned)


def cards_of(seat: int, cards: str, bettor: str = "", **stakes: int) -> BettingBox:
    """A box whose cards are known and not set."""
    return BettingBox(seat, bettor or f"p-{seat}", Hand(parse_cards(cards)), stakes)


def settle(rules: Rulebook, boxes: Sequence[BettingBox], meter: int | None = None, dealer: Hand | None = None) -> list[Due]:
    layout = TableLayout(boxes=boxes, dealer=hand(DEALER) if dealer is None else dealer, meter=MeterAtSettlement(meter))
    return fortune_asia.settle(rules, layout)


def one(rules: Rulebook, player: BettingBox, wager: str = "base", **known: object) -> Due:
    dues = settle(rules, [player], **known)
    return next(due for due in dues if due.wager == wager)


@pytest.mark.parametrize(
    ("player", "outcome", "net", "returned", "section"),
    [
        (box(3, WINS, base=2500), Outcome.WIN, 2500, 2500, "12(a)"),
        (box(3, WINS, base=1250), Outcome.WIN, 1250, 1250, "12(a)"),
        (box(3, LOSES, base=2500), Outcome.LOSE, -2500, 0, "11(f)(1)(i)"),
        (box(3, "6s 6h As Qs / 7s 7d / Td", base=2500), Outcome.FOUL, -2500, 0, "11(f)(1)(iii)"),
        (box(3, "As Ac 6d 4s / Ks Qs / Ad", base=2500), Outcome.FOUL, -2500, 0, "11(f)(1)(iv)"),
        (box(3, "As Ac 6d / Qs 7c 4s / Th", base=2500), Outcome.FOUL, -2500, 0, "11(f)(1)(v)"),
        (box(3, WINS, base=2500, surrendered=True), Outcome.SURRENDERED, -2500, 0, "11(d)"),
        (box(3, WINS, base=2500, abandoned=True), Outcome.ABANDONED, -2500, 0, "7(b)"),
        (box(3, WINS, base=2500, voided=True), Outcome.VOID, 0, 2500, "13(d)"),
    ],
)
def test_659a_11_f_the_base_wager(player: BettingBox, outcome: Outcome, net: int, returned: int, section: str) -> None:
    due = one(book(), player)
    assert (due.outcome, due.net_cents, due.returned_cents) == (outcome, net, returned)
    assert str(due.cite) == f"58 Pa. Code § 659a.{section}"


def test_d26_what_is_not_known_of_the_base_wager_is_not_guessed() -> None:
    seven = parse_cards("As Ac 6d 4s Qs 7c Th")
    high, medium, low = parse_cards("As Ac 6d 4s"), parse_cards("Qs 7c"), parse_cards("Th")
    for held, dealer in (
        (Hand(), hand(DEALER)),
        (Hand(seven), hand(DEALER)),
        (Hand(seven, high), hand(DEALER)),
        (Hand(seven, high, low), hand(DEALER)),
        (Hand(seven, high, None, medium), hand(DEALER)),
        (hand(WINS), Hand()),
        (hand(WINS), Hand(None, high, low)),
    ):
        assert one(book(), BettingBox(3, "p-3", held, {"base": 2500}), dealer=dealer).net_cents is None


def test_d26_a_hand_without_a_medium_hand_is_foul_where_all_seven_cards_lie_in_the_others() -> None:
    seven = parse_cards("As Ac 6d 4s Qs 7c Th")
    due = one(book(), BettingBox(3, "p-3", Hand(seven, parse_cards("As Ac 6d 4s"), parse_cards("Qs 7c Th")), {"base": 2500}))
    assert (due.outcome, due.net_cents) == (Outcome.FOUL, -2500)


def test_d26_a_foul_or_surrendered_hand_loses_whatever_the_dealer_has() -> None:
    assert one(book(), box(3, "As Ac 6d 4s / Ks Qs / Ad", base=2500), dealer=Hand()).net_cents == -2500
    assert one(book(), box(3, None, base=2500, surrendered=True), dealer=Hand()).net_cents == -2500


# -------------------------------------------------------------------------------------------------------- Insurance, .11(h)(2)


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("9s 8d 7h 6c 4s 3d 2h", "nine_high"),
        ("Ts 9d 8h 6c 5s 4d 2h", "ten_high"),
        ("Js 9d 8h 6c 5s 3d 2h", "jack_high"),
        ("Qs Td 9c 7c 5s 4d 2h", "queen_high"),
        ("Ks Jd 9c 8h 6s 4d 2h", "king_high"),
        ("As Qd Th 8s 6c 4d 2h", "ace_high"),
        ("Jk Qd Th 8s 6c 4d 2h", "ace_high"),  # the joker alone is an ace
        ("As Ks Qd Jh 8s 6c 4d", "ace_high"),  # four in a row are nothing in a hand of five
        ("Ks Js 8s 4s 9d 6c 2h", "king_high"),  # nor are four of a suit
        ("Jk Ks Jd 9d 4c 3s 2h", "ace_high"),  # A-4-3-2 is four in a row only
        ("8s 7d 6h 5c 4s 3d 2h", None),  # eight high is always a straight
        ("As Qd Th 8s 6c 2d 2h", None),
        ("Jk As Th 8s 6c 4d 2h", None),  # a pair of aces
        ("Ts 9d 8h 7c 6s Ad 2h", None),
        ("As 2d 3h 4c 5s Jd 9c", None),
        ("Jk Ts 9d 7c 6s 3d 2h", None),  # the joker is the eight
        ("As Qs 8s 6s 2s Td 4h", None),
        ("Jk Qs 8s 6s 2s Td 4h", None),  # the joker is of the suit
        ("As Td Th Ts 6c 4d 2h", None),
    ],
)
def test_659a_12_c_the_line_of_the_insurance(cards: str, line: str | None) -> None:
    assert insurance_line(parse_cards(cards)) == line
    made = GAMES["fortune_asia"].lines(PA_659A.paytable("insurance", "A"), parse_cards(cards), None)
    assert made == (frozenset() if line is None else {line})


@pytest.mark.parametrize(
    ("paytable", "cards", "net", "section"),
    [
        ("A", "Ks Jd 9c 8h 6s 4d 2h", 6000, "12(c)"),
        ("B", "Ks Jd 9c 8h 6s 4d 2h", 5000, "12(c)"),
        ("B", "Ts 9d 8h 6c 5s 4d 2h", 50_000, "12(c)"),
        ("C", "Ts 9d 8h 6c 5s 4d 2h", 40_000, "12(c)"),
        ("A", "As Qd Th 8s 6c 2d 2h", -1000, "11(h)(2)(i)"),
    ],
)
def test_659a_11_h_2_the_insurance(paytable: str, cards: str, net: int, section: str) -> None:
    due = one(book(f"insurance={paytable}"), cards_of(3, cards, base=2500, insurance=1000), "insurance")
    assert (due.net_cents, str(due.cite)) == (net, f"58 Pa. Code § 659a.{section}")


def test_659a_11_h_2_insurance_of_a_void_an_abandoned_and_an_unknown_hand() -> None:
    rules = book("insurance=A")
    assert one(rules, box(3, WINS, base=2500, insurance=500, voided=True), "insurance").net_cents == 0
    assert one(rules, box(3, WINS, base=2500, insurance=500, abandoned=True), "insurance").net_cents == -500
    assert one(rules, box(3, None, base=2500, insurance=500), "insurance").net_cents is None
    assert one(book(), box(3, WINS, base=2500, insurance=500), "insurance").net_cents is None


# ------------------------------------------------------------------------------------- Fortune, Progressive, Envy, .11(h)


def test_659a_12_b_three_of_a_kind_stands_above_a_straight_without_another_reading() -> None:
    """.6(d)(10), (11): the order of the hands and of what they pay agree here, unlike in 688a (D15)."""
    due = one(book("fortune_bonus=A"), cards_of(3, "7s 7h 7d 8c 9c Th Jd", base=2500, fortune_bonus=500), "fortune_bonus")
    assert (due.line, due.net_cents, due.other_reading) == ("three_of_a_kind", 1500, None)
    assert str(due.cite) == "58 Pa. Code § 659a.12(b)"


@pytest.mark.parametrize(
    ("paytable", "outcome", "net"), [("A", Outcome.LOSE, -500), ("C", Outcome.TIE, 0), ("D", Outcome.LOSE, -500)]
)
def test_659a_12_b_three_pair_push_by_paytable_c_and_lose_by_the_others(paytable: str, outcome: Outcome, net: int) -> None:
    player = cards_of(3, "Ks Kd 9h 9c 4s 4d 2h", base=2500, fortune_bonus=500)
    due = one(book(f"fortune_bonus={paytable}"), player, "fortune_bonus")
    assert (due.outcome, due.net_cents) == (outcome, net)


@pytest.mark.parametrize(
    ("cards", "line", "net"),
    [
        ("3h 4h 5h 6h 7h 8h 9h", "seven_card_straight_flush_any", 7_140_140 - 500),
        ("Jk 4d 5d 6d 7d 8d 9d", "seven_card_straight_flush_any", 7_140_140 - 500),
        ("As Ah Ad Ac Jk 9s 4d", "five_aces", 714_014 - 500),
        ("Ks Qs Js Ts Jk 7d 4h", "royal_flush", 250_000 - 500),
        ("As Ks Qs Ts Jk 7d 4h", "royal_flush", 250_000 - 500),  # .6(a): the joker completes a royal flush (D1)
        ("5c 6c 7c 8c 9c Kd 2h", "straight_flush", 50_000 - 500),
        ("7s 7h 7d 7c Kd 9h 3s", "four_of_a_kind", 37_500 - 500),
        ("Qs Qh Qd 6c 6h 9d 2c", "full_house", 2_000 - 500),
        ("Qs Qh Qd Jk 6h 9d 2c", "", -500),
    ],
)
def test_659a_12_d_the_progressive_at_five_dollars(cards: str, line: str, net: int) -> None:
    rules = book("progressive=1 progressive.wager=5.00")
    due = one(rules, cards_of(3, cards, base=2500, progressive=500), "progressive", meter=714_014_099)
    assert (due.line, due.net_cents, due.returned_cents) == (line, net, 0)


def test_659a_1_only_a_fortune_bonus_of_five_dollars_qualifies_for_envy() -> None:
    rules = book("fortune_bonus=A progressive=1 progressive.wager=5.00")
    assert is_qualifying(rules, "fortune_bonus", 500)
    assert not is_qualifying(rules, "fortune_bonus", 499)
    assert not is_qualifying(rules, "progressive", 500)


def test_659a_11_h_1_ii_envy_bonuses_for_every_other_patrons_hand() -> None:
    quads, straight_flush = "7s 7h 7d 7c Kd 9h 3s", "2h 3h 4h 5h 6h Qd Tc"
    boxes = [
        cards_of(1, "Qc Td 8s 6s 5d 4s 2s", base=2500, fortune_bonus=500),
        cards_of(3, quads, base=2500, fortune_bonus=500),
        cards_of(5, straight_flush, base=2500, fortune_bonus=499),
    ]
    envy: dict[int, int] = {}
    for due in settle(book("fortune_bonus=A"), boxes):
        if due.for_position is not None:
            assert str(due.cite) == "58 Pa. Code § 659a.11(h)(1)(ii)"
            envy[due.seat] = envy.get(due.seat, 0) + (due.net_cents or 0)
    assert envy == {1: 2500, 3: 2000}
