"""DJ Wild Stud Poker, wager by wager, worked out by hand from Chapter 687a of Annex A, rulemaking 125-223."""

from collections.abc import Mapping
from itertools import pairwise

import pytest

from games.dj_wild.settle import lines, settle
from rulebook.cards.cards import parse_cards
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import RulesRefused
from rulebook.chapters.rulebook import Rulebook, chapter, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import BettingBox, Decision, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.wagers import Due

TRIPS = ("DJWT-04", "DJWT-05", "DJWT-06", "DJWT-07")
BAD_BEAT = ("DJWBB-01", "DJWBB-02", "DJWBB-03", "DJWBB-04")
CHAPTER = chapter("pa", "687a")


def rules(words: str = "") -> Rulebook:
    return parse_submission(submission_from_words(["pa-687a", *words.split()]))


EVERYTHING = rules("trips=DJWT-04 bad_beat=DJWBB-01 progressive=1 progressive.rate=15%")
QUALIFY = rules("trips=DJWT-04 progressive=1 progressive.rate=15% folded_progressive=yes")
STAKES = {"ante": 1000, "blind": 1000, "raise": 2000}


def box(
    cards: str | None,
    stakes: Mapping[str, int] = STAKES,
    seat: int = 2,
    decision: Decision | None = "raise",
    voided: bool = False,
    abandoned: bool = False,
    bettor: str = "",
) -> BettingBox:
    hand = Hand(parse_cards(cards)) if cards is not None else Hand()
    return BettingBox(
        seat=seat, bettor=bettor or f"p-{seat}", hand=hand, stakes=stakes, decision=decision, voided=voided, abandoned=abandoned
    )


def table(
    *boxes: BettingBox,
    dealer: str | None = "Ks Kh Qd Jc 9s",
    book: Rulebook = EVERYTHING,
    side: str | None = None,
    meter: MeterAtSettlement | None = None,
    turns: tuple[int, ...] = (),
    past: bool = False,
) -> dict[tuple[int, str], Due]:
    layout = TableLayout(
        boxes=boxes,
        dealer=Hand(parse_cards(dealer)) if dealer is not None else Hand(),
        side=parse_cards(side)[0] if side is not None else None,
        meter=meter or MeterAtSettlement(),
        turns=turns,
        past_decisions=past,
    )
    return {(due.seat, due.wager): due for due in settle(book, layout)}


def nets(dues: Mapping[tuple[int, str], Due], seat: int = 2) -> dict[str, int | None]:
    return {wager: due.net_cents for (at, wager), due in dues.items() if at == seat}


# --------------------------------------------------------------------------------------------------------- the chapter as data


def test_the_game_is_in_the_catalogue_and_sets_no_hands() -> None:
    assert GAMES["dj_wild"].hands == {}
    assert CHAPTER.deals_to == "bettors"
    assert CHAPTER.base == "ante"


@pytest.mark.parametrize(
    ("wager", "of", "times"), [("ante", None, 1), ("blind", "ante", 1), ("raise", "ante", 2), ("trips", None, 1)]
)
def test_687a_7_d_1_blind_is_the_ante_again_and_the_raise_twice(wager: str, of: str | None, times: int) -> None:
    rule = CHAPTER.wagers[wager]
    assert (rule.of, rule.times) == (of, times)


def test_687a_7_d_1_blind_and_raise_follow_the_filed_limits_of_the_ante() -> None:
    book = rules("ante.min=5.00 ante.max=100.00")
    limits = {wager: (offer.min_cents, offer.max_cents) for wager, offer in book.offers.items()}
    assert limits == {"ante": (500, 10_000), "blind": (500, 10_000), "raise": (1000, 20_000)}


@pytest.mark.parametrize("words", ["min=5.00 max=100.00", "ante.min=5.00 ante.max=100.00"])
def test_the_limits_of_the_first_wager_go_by_its_name_or_without(words: str) -> None:
    assert (rules(words).offers["ante"].min_cents, rules(words).offers["ante"].max_cents) == (500, 10_000)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("progressive=1", "wagers.progressive.rate"),  # D18: the text prints none
        ("progressive=1 progressive.rate=101%", "wagers.progressive.rate"),
        ("progressive=3 progressive.rate=15%", "wagers.progressive.paytable"),
        ("trips=DJWT-03", "wagers.trips.paytable"),
        ("bad_beat=DJWBB-05", "wagers.bad_beat.paytable"),
        ("max_payout=50000.00", "max_payout"),
        ("progressive_deuces=both", "settings.progressive_deuces"),
    ],
)
def test_what_the_chapter_does_not_allow_is_refused(words: str, key: str) -> None:
    with pytest.raises(RulesRefused) as refused:
        rules(words)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("section", "cited"),
    [
        ("13(e)", "687a.13(a)"),
        ("13(g)", "687a.13(c)"),
        ("5(e)", "687a.5(d)"),
        ("8(f)", "687a.8(g)"),
        ("9(e)", "687a.9(f)"),
        ("10(e)", "687a.10(f)"),
        ("12(d)", "687a.12(c)"),
        ("687a.11(b)", "687a.11(b)"),
    ],
)
def test_shared_rules_cite_the_sections_of_this_chapter(section: str, cited: str) -> None:
    assert CHAPTER.cite(section) == f"Annex A, rulemaking 125-223, § {cited}"


@pytest.mark.parametrize(
    "section", ["13(a)", "13(c)", "13(d)", "13(h)", "13(i)", "5(c)", "5(g)(2)", "8(b)(1)", "11(d)", "11(e)", "12(e)"]
)
def test_what_this_chapter_does_not_have_is_not_there(section: str) -> None:
    """No dice, no house way, no election, no offered cut, no lammer, no surrender, no maximum payout."""
    assert not CHAPTER.has(section)


@pytest.mark.parametrize("name", TRIPS)
def test_687a_12_d_a_natural_hand_pays_more_than_the_same_with_a_wild(name: str) -> None:
    odds = {line.hand: line.odds for line in CHAPTER.paytable("trips", name).lines}
    for hand, paid in odds.items():
        if hand.startswith("natural_"):
            wild = odds[hand.removeprefix("natural_") + "_with_wild"]
            assert paid is not None
            assert wild is not None
            assert paid.is_better_than(wild)


@pytest.mark.parametrize(
    ("wager", "name"), [*(("trips", n) for n in TRIPS), *(("bad_beat", n) for n in BAD_BEAT), ("blind", "1")]
)
def test_687a_12_odds_fall_down_a_paytable(wager: str, name: str) -> None:
    printed = [line.odds for line in CHAPTER.paytable(wager, name).lines if line.odds and "natural" not in line.hand]
    assert all(not low.is_better_than(high) for high, low in pairwise(printed))


# ---------------------------------------------------------------------------------------------------------------- the lines


@pytest.mark.parametrize(
    ("cards", "blind", "trips", "progressive"),
    [
        ("2s 2h 2d 2c Jk", "five_wilds", "five_wilds", "four_of_a_kind"),
        ("As Ks Qs Js Ts", "royal_flush", "natural_royal_flush", "royal_flush"),
        ("As Ks Qs Js 2d", "royal_flush", "royal_flush_with_wild", "high_card"),
        ("9s 9h 9d 9c 2s", "five_of_a_kind", "five_of_a_kind", "four_of_a_kind"),
        ("5c 6c 7c 8c 9c", "straight_flush", "natural_straight_flush", "straight_flush"),
        ("2c 3c 4c 5c 6c", "straight_flush", "natural_straight_flush", "straight_flush"),
        ("2d 3c 4c 5c 6c", "straight_flush", "straight_flush_with_wild", "straight"),
        ("9s 9h 9d 9c 4s", "four_of_a_kind", "natural_four_of_a_kind", "four_of_a_kind"),
        ("Ts Th Td 4c 4h", "full_house", "natural_full_house", "full_house"),
        ("Ts Th 2d 4c 4h", "full_house", "full_house_with_wild", "two_pair"),
        ("Kh Jh 8h 5h 2h", "flush", "natural_flush", "flush"),
        ("Kh Jh 8h 5h 2s", "flush", "flush_with_wild", "high_card"),
        ("As 2h 3d 4c 5s", "straight", "natural_straight", "straight"),
        ("As Jk 3d 4c 5s", "straight", "straight_with_wild", "pair"),
        ("Qs Qh Qd 8c 5s", "three_of_a_kind_or_less", "natural_three_of_a_kind", "three_of_a_kind"),
        ("Qs Qh 2d 8c 5s", "three_of_a_kind_or_less", "three_of_a_kind_with_wild", "pair"),
        ("Qs Qh 8d 8c 5s", "three_of_a_kind_or_less", "natural_two_pair", "two_pair"),
        ("Qs 2h 8d 7c 5s", "three_of_a_kind_or_less", "pair_with_wild", "high_card"),
    ],
)
def test_687a_12_lines(cards: str, blind: str, trips: str, progressive: str) -> None:
    """The side card is the five of diamonds."""
    hand, side = parse_cards(cards), parse_cards("5d")[0]
    made = [
        lines(CHAPTER.paytable(wager, name), hand, side)
        for wager, name in (("blind", "1"), ("trips", "DJWT-04"), ("progressive", "1"))
    ]
    assert made == [frozenset((line,)) for line in (blind, trips, progressive)]


# ----------------------------------------------------------------------------------------------- ante, blind, raise, .11(b), (e)


@pytest.mark.parametrize(
    ("cards", "net"), [("As Ah Qc Jd 9h", None), ("Kd Kc Qh Jd 9d", None), ("Kd Kc Qh Jd 8d", -1000), (None, None)]
)
def test_687a_11_b_without_a_decision_only_what_is_lost_either_way_is_told(cards: str | None, net: int | None) -> None:
    assert nets(table(box(cards, {"ante": 1000, "blind": 1000}, decision=None))) == {"ante": net, "blind": net}


@pytest.mark.parametrize(("mine", "dealer"), [(None, "Ks Kh Qd Jc 9s"), ("As Ah Qc Jd 9h", None)])
def test_687a_11_e_without_the_cards_nothing_is_told(mine: str | None, dealer: str | None) -> None:
    assert set(nets(table(box(mine), dealer=dealer)).values()) == {None}


def test_687a_7_b_abandoned_wagers_are_lost_all_of_them() -> None:
    stakes = {**STAKES, "trips": 500, "bad_beat": 500, "progressive": 100}
    assert nets(table(box("As Ah Ac Ad 9h", stakes, abandoned=True))) == {wager: -cents for wager, cents in stakes.items()}


def test_687a_13_a_hand_voided_alone_cannot_be_told() -> None:
    stakes = {**STAKES, "trips": 500, "bad_beat": 500, "progressive": 100}
    assert set(nets(table(box("As Ah Ac Ad 9h", stakes, voided=True))).values()) == {None}


def test_a_wager_that_is_not_offered_cannot_be_told() -> None:
    stakes = {"trips": 500, "bad_beat": 500, "progressive": 100, "fortune_bonus": 500}
    assert set(nets(table(box("As Ah Ac Ad 9h", stakes), book=rules())).values()) == {None}


# ------------------------------------------------------------------------------------------------------- Trips and Bad Beat


@pytest.mark.parametrize(
    ("cards", "dealer", "net"),
    [
        ("Qs Qh Qd 8c 5s", "Ks Kh Kd 7c 5h", 4500),  # three of a kind under three of a kind
        ("Qs Qh Qd 8c 5s", "Qc 2s 2h 8d 5h", -500),  # equal to three queens with wilds
        ("Qs Qh Qd 8c 5s", "Ks Kh Qc Jc 9s", -500),  # over a pair
        ("Qs Qh 8d 8c 5s", "Ks Kh Kd 7c 5h", -500),  # two pair lose and are not paid (D20)
        ("Qs Qh 8d 8c 5s", None, -500),
        ("Qs Qh Qd 8c 5s", None, None),
        ("5s 6h 7d 8c 9s", "6s 7h 8d 9c Th", 50_000),
        ("2s 2h 2d 2c Jk", "As Ks Qs Js Ts", -500),  # nothing beats five wilds
        ("As Ks Qs Js Ts", "2s 2h 2d 2c Jk", 250_000),
        ("As Kh Qs Js Ts", "Ad Kc Qd Jd Td", -500),  # equal straights
        (None, "Ks Kh Kd 7c 5h", None),
    ],
)
def test_687a_12_e_bad_beat(cards: str | None, dealer: str | None, net: int | None) -> None:
    assert nets(table(box(cards, {"bad_beat": 500}), dealer=dealer)) == {"bad_beat": net}


@pytest.mark.parametrize(("decision", "net"), [("raise", 4500), ("fold", -500), (None, None)])
def test_687a_11_b_2_a_fold_forfeits_the_bad_beat(decision: Decision | None, net: int | None) -> None:
    dues = table(box("Qs Qh Qd 8c 5s", {"bad_beat": 500}, decision=decision), dealer="Ks Kh Kd 7c 5h")
    assert nets(dues) == {"bad_beat": net}


# ---------------------------------------------------------------------------------------------------------------- Progressive

PROGRESSIVE = {"progressive": 100}


@pytest.mark.parametrize(
    ("cards", "side", "net"),
    [
        ("Qs Qh Qd 8c 5s", None, 900),
        ("Qs Qh 2d 8c 5s", None, -100),  # a deuce is a two
        ("Jk Qh Qd 8c 5s", "Qs", 900),
        ("Jk Qh Qd 8c 5s", "2s", -100),
        ("Jk Qh Qd 8c 5s", None, None),  # a queen, or something else
        ("Jk Kc Jd 9h 4s", None, -100),  # a pair at most
        ("2s 2h 2d 2c Jk", None, 30_000),  # four twos whatever lies next to
        ("4s 5h 6d 7c 8s", None, 3000),
        ("Kh Jh 8h 5h 3h", None, 4000),
        ("Ts Th Td 4c 4h", None, 5000),
        (None, "Qs", None),
    ],
)
def test_687a_11_f_1_progressive_by_the_cards(cards: str | None, side: str | None, net: int | None) -> None:
    assert nets(table(box(cards, PROGRESSIVE), side=side, dealer=None)) == {"progressive": net}


def test_687a_11_f_1_a_side_card_that_lies_in_another_hand_is_no_reading() -> None:
    """Both other queens are elsewhere, so that queens and the joker cannot become three."""
    dues = table(box("Jk Qh Qd 8c 5s", PROGRESSIVE), box("Qs 9h 7d 4c 3s", {}, seat=3), dealer="Qc Kh Jd 9c 6s")
    assert dues[2, "progressive"].net_cents == -100


@pytest.mark.parametrize(
    ("book", "decision", "past", "net"),
    [
        (EVERYTHING, "raise", True, 900),
        (EVERYTHING, "fold", True, -100),
        (QUALIFY, "fold", True, 900),
        (EVERYTHING, None, True, None),
        (QUALIFY, None, True, 900),
        (EVERYTHING, None, False, 900),
    ],
)
def test_687a_11_b_3_folded_hands_qualify_where_that_is_filed(
    book: Rulebook, decision: Decision | None, past: bool, net: int | None
) -> None:
    dues = table(box("Qs Qh Qd 8c 5s", PROGRESSIVE, decision=decision), book=book, past=past)
    assert nets(dues) == {"progressive": net}


FLUSH = "5c 6c 7c 8c 9c"


def test_687a_12_c_a_share_beside_a_hand_that_may_take_one_is_not_told() -> None:
    dues = table(box(FLUSH, PROGRESSIVE), box(None, PROGRESSIVE, seat=4), meter=MeterAtSettlement(reading=50_001_500))
    assert (dues[2, "progressive"].net_cents, dues[4, "progressive"].net_cents) == (None, None)


def envy(*boxes: BettingBox, side: str | None = None, book: Rulebook = EVERYTHING, past: bool = True) -> dict[int, int | None]:
    dues = table(*boxes, side=side, book=book, past=past)
    return {seat: due.net_cents for (seat, wager), due in dues.items() if wager == "progressive_envy"}


LOSER = "Kd Qc 9h 7s 4d"


@pytest.mark.parametrize(
    ("book", "decision", "expected"),
    [(EVERYTHING, "raise", {4: 30_000}), (EVERYTHING, "fold", {}), (QUALIFY, "fold", {4: 30_000}), (EVERYTHING, None, {4: None})],
)
def test_687a_11_b_3_a_folded_hand_counts_for_envy_where_it_qualifies(
    book: Rulebook, decision: Decision | None, expected: dict[int, int | None]
) -> None:
    assert envy(box(FLUSH, {}, decision=decision), box(LOSER, PROGRESSIVE, seat=4), book=book) == expected


@pytest.mark.parametrize(
    ("book", "decision", "expected"), [(EVERYTHING, "fold", {}), (QUALIFY, "fold", {4: 30_000}), (EVERYTHING, None, {4: None})]
)
def test_687a_11_b_3_a_folded_progressive_gets_envy_where_it_qualifies(
    book: Rulebook, decision: Decision | None, expected: dict[int, int | None]
) -> None:
    assert envy(box(FLUSH, {}), box(LOSER, PROGRESSIVE, seat=4, decision=decision), book=book) == expected


@pytest.mark.parametrize(
    ("cards", "side", "expected"),
    [
        ("5c 6c 7c 8c Jk", "9c", {4: 30_000}),
        ("5c 6c 7c 8c Jk", "9d", {}),
        ("5c 6c 7c 8c Jk", None, {4: None}),
        ("Ks Kh Kc 8c Jk", None, {}),
        (None, "9c", {4: None}),
    ],
)
def test_687a_12_c_an_envy_hand_with_the_joker_is_made_by_the_side_card(
    cards: str | None, side: str | None, expected: dict[int, int | None]
) -> None:
    assert envy(box(cards, {}), box(LOSER, PROGRESSIVE, seat=4), side=side) == expected
