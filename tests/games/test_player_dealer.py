"""Face Up Pai Gow Poker in California, worked out by hand from the text of GEGR-002138."""

from collections import Counter
from itertools import product

import pytest

from games.player_dealer import settle as player_dealer
from games.player_dealer.settle import Cover, action_seat, first_seat
from rulebook.cards.cards import parse_cards
from rulebook.chapters.chapters import RulesRefused
from rulebook.chapters.rulebook import Rulebook, chapter, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import Bank, BettingBox, FurtherWager, Hand, TableLayout
from rulebook.settlement.pai_gow import compare
from rulebook.settlement.wagers import Due, Outcome

# ---------------------------------------------------------------------------------------- Round of play: the start, D3

# The player-dealer at seat 4 is one, eight and fifteen; the other seats follow clockwise: 5, 6, 7, 1, 2, 3.
FIRST = {
    1: 4, 2: 5, 3: 6, 4: 7, 5: 1, 6: 2, 7: 3, 8: 4, 9: 5, 10: 6, 11: 7, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6, 18: 7,
}  # fmt: skip


@pytest.mark.parametrize("count", FIRST)
def test_round_of_play_the_first_hand_is_counted_clockwise_from_the_player_dealer(count: int) -> None:
    assert first_seat(count, 4) == FIRST[count]


@pytest.mark.parametrize("count", FIRST)
def test_round_of_play_at_1_8_and_15_the_button_goes_to_the_left_of_the_player_dealer(count: int) -> None:
    assert action_seat(count, 4) == (5 if count in (1, 8, 15) else FIRST[count])


@pytest.mark.parametrize(
    ("bank", "count", "first", "action"), [(7, 8, 7, 1), (7, 9, 1, 1), (1, 15, 1, 2), (1, 7, 7, 7), (6, 3, 1, 1), (7, 14, 6, 6)]
)
def test_round_of_play_the_count_goes_round_from_seat_7_to_seat_1(bank: int, count: int, first: int, action: int) -> None:
    assert (first_seat(count, bank), action_seat(count, bank)) == (first, action)


def test_round_of_play_of_216_rolls_the_left_of_the_player_dealer_gets_the_action_62_times() -> None:
    """Its own 31 (2, 9, 16) and the 31 of the player-dealer (8, 15); the seat counted seventh has 30."""
    pointed = Counter(action_seat(sum(dice), 4) for dice in product(range(1, 7), repeat=3))
    assert pointed == {5: 62, 6: 31, 7: 31, 1: 31, 2: 31, 3: 30}


# ------------------------------------------------------------------------------------------------- Hand rankings, D2


@pytest.mark.parametrize(
    ("high", "dealer_high", "lowest", "second"),
    [
        ("As 2d 3h 4c 5s", "Kd Qh Jc Ts 9d", Outcome.TIE, Outcome.WIN),
        ("As 2d 3h 4c 5s", "6d 5h 4s 3c 2d", Outcome.TIE, Outcome.WIN),
        ("6d 5h 4s 3c 2d", "As 2h 3h 4c 5s", Outcome.WIN, Outcome.TIE),
        ("Ah 2h 3h 4h 5h", "6s 5s 4s 3s 2s", Outcome.TIE, Outcome.WIN),
        ("Jk 2d 3h 4c 5s", "As 2h 3s 4d 5c", Outcome.WIN, Outcome.TIE),  # a six beats the ace, a fifth ace would not
        ("Ad Kh Qc Jd Ts", "As 2h 3s 4d 5c", Outcome.WIN, Outcome.WIN),
    ],
)
def test_hand_rankings_the_wheel_is_the_lowest_straight(high: str, dealer_high: str, lowest: Outcome, second: Outcome) -> None:
    hands = (*(parse_cards(text) for text in (high, "8c 7c", dealer_high, "6c 3d")),)
    assert compare(*hands, wheel="lowest") is lowest
    assert compare(*hands, wheel="second") is second
    assert chapter("ca", "gegr-002138").wheel == "lowest"


# --------------------------------------------------------------------------------------------------------- the paytables


def test_fortune_and_envy_paytable() -> None:
    paytable = chapter("ca", "gegr-002138").paytable("fortune_bonus", "1")
    assert [(line.hand, str(line.odds), line.envy_cents // 100) for line in paytable.lines] == [
        ("seven_card_straight_flush", "2500:1", 1000),
        ("royal_match", "1000:1", 750),
        ("seven_card_straight_flush_joker", "750:1", 250),
        ("five_aces", "250:1", 100),
        ("royal_flush", "125:1", 50),
        ("straight_flush", "50:1", 20),
        ("four_of_a_kind", "25:1", 5),
        ("full_house", "5:1", 0),
        ("flush", "4:1", 0),
        ("three_of_a_kind", "3:1", 0),
        ("straight", "2:1", 0),
    ]


def test_ace_high_paytable() -> None:
    lines = chapter("ca", "gegr-002138").paytable("ace_high_bonus", "1").lines
    assert [str(line.odds) for line in lines] == ["40:1", "15:1", "5:1"]


# ------------------------------------------------------------------------------------------------------------ what is filed


def rules(*words: str) -> Rulebook:
    return parse_submission(submission_from_words(["ca-gegr-002138", *words]))


def test_a_bonus_bet_may_be_less_than_the_table_minimum_but_may_not_exceed_the_limit() -> None:
    book = rules("min=10.00", "max=100.00", "fortune_bonus=yes", "ace_high_bonus=yes", "ace_high_bonus.max=50.00")
    assert (book.offers["fortune_bonus"].min_cents, book.offers["fortune_bonus"].max_cents) == (100, 10_000)
    assert book.offers["ace_high_bonus"].max_cents == 5_000
    with pytest.raises(RulesRefused, match=r"exceeds the limit of 100\.00 of the base wager \(GEGR-002138, Fortune"):
        rules("min=10.00", "max=100.00", "fortune_bonus=yes", "fortune_bonus.max=100.01")


def test_the_settings_have_the_defaults_of_the_decisions() -> None:
    collections = dict.fromkeys(["collection", *(f"collection_{number}" for number in range(2, 6))], 0)
    assert rules().settings == {"coverage": "gross", "envy_holder_must_wager": True, **collections}
    assert rules("coverage=net", "collection=1.00").settings["collection"] == 100
    with pytest.raises(RulesRefused, match="D22"):
        rules("coverage=half")


@pytest.mark.parametrize("word", ["progressive=1", "max_payout=50000.00", "adjacent_boxes=yes", "decks=2"])
def test_what_the_text_does_not_have_cannot_be_filed(word: str) -> None:
    with pytest.raises(RulesRefused):
        rules(word)


# -------------------------------------------------------------------------------------- how far the wager reaches, D22


@pytest.mark.parametrize(
    ("net", "wager", "moves", "covered"),
    [
        (False, 5000, ["+2500", "+2500"], [2500, 2500]),
        (False, 4999, ["+2500", "+2500"], [2500, 2499]),
        (False, 2500, ["+2500", "+2500"], [2500, 0]),
        (False, 2500, ["-2500", "+2500"], [2500, 0]),  # what was taken does not pay a later winner
        (False, 4000, ["-2500", "-2500", "+100"], [2500, 1500, 0]),
        (True, 2500, ["-2500", "+2500"], [2500, 2500]),  # net: it does
        (True, 2500, ["-2500", "-2500", "+5000", "+100"], [2500, 0, 5000, 0]),
        (True, 2500, ["+2500", "+2500", "-2500", "-5000", "-100"], [2500, 0, 2500, 2500, 0]),
    ],
)
def test_coverage(net: bool, wager: int, moves: list[str], covered: list[int]) -> None:
    cover = Cover(wager, net)
    done = [cover.pay(int(move[1:])) if move[0] == "+" else cover.take(int(move[1:])) for move in moves]
    assert done == covered


@pytest.mark.parametrize(
    ("net", "open_", "move", "covered"),
    [
        (False, (2500, 2500), "+7500", 7500),  # 100.00 less 25.00 at the most
        (False, (2500, 2500), "+7501", None),
        (False, (2500, 2500), "-7501", None),
        (False, (10_000, 100), "+1", None),
        (True, (2500, 0), "+7501", None),
        (True, (2500, 0), "-10000", 10_000),  # paying only makes more to take
        (True, (0, 2500), "-7500", 7500),
        (True, (0, 2500), "-7501", None),
    ],
)
def test_coverage_after_a_wager_that_cannot_be_told(net: bool, open_: tuple[int, int], move: str, covered: int | None) -> None:
    cover = Cover(10_000, net)
    cover.leave_open(*open_)
    assert (cover.pay(int(move[1:])) if move[0] == "+" else cover.take(int(move[1:]))) == covered


def test_nothing_is_known_to_be_covered_by_a_wager_that_is_not_known() -> None:
    for net in (False, True):
        cover = Cover(None, net)
        cover.leave_open(100, 100)
        assert (cover.pay(1), cover.take(1)) == (None, None)


# ------------------------------------------------------------------------------------------------------------- a whole round

PLAYER_DEALER = Hand(*(parse_cards(text) for text in ("Kh Kd Jc 9h 8c 5d 3c", "Kh Kd 8c 5d 3c", "Jc 9h")))
WINS = Hand(*(parse_cards(text) for text in ("As Ac 6d 4s 2h Qs 7c", "As Ac 6d 4s 2h", "Qs 7c")))
LOSES = Hand(*(parse_cards(text) for text in ("Js Jh 8d 7s 3h Th 6c", "Js Jh 8d 7s 3h", "Th 6c")))
FOUL = Hand(*(parse_cards(text) for text in ("7h 7d Ah Jd 8h 6h 2d", "Ah Jd 8h 6h 2d", "7h 7d")))
UNSET = Hand(parse_cards("9s 9d Qh Tc 5s 4h 2s"))


def settled(bank: Bank | None, *boxes: BettingBox, words: tuple[str, ...] = ()) -> list[Due]:
    return player_dealer.settle(rules(*words), TableLayout(boxes=boxes, dealer=PLAYER_DEALER, bank=bank))


def nets(dues: list[Due]) -> list[tuple[int, int | None]]:
    return [(due.seat, due.net_cents) for due in dues]


def box(seat: int, hand: Hand, cents: int = 2500) -> BettingBox:
    return BettingBox(seat, f"p-{seat}", hand, {"base": cents})


def test_wagers_are_settled_clockwise_from_the_action() -> None:
    boxes = box(5, WINS), box(1, LOSES), box(7, FOUL)
    assert nets(settled(Bank(4, 4000, 7), *boxes)) == [(7, -2500), (1, -1500), (5, 0)]
    assert nets(settled(Bank(4, 4000, 5), *boxes)) == [(5, 2500), (7, -1500), (1, 0)]


def test_what_is_not_covered_says_so_and_by_which_heading() -> None:
    partly, uncovered = settled(Bank(4, 1500, 5), box(5, WINS), box(6, LOSES))
    assert (partly.outcome, partly.winnings_cents, partly.returned_cents) == (Outcome.WIN, 1500, 2500)
    assert (partly.uncovered_cents, partly.cite) == (1000, "GEGR-002138, Collection procedures")
    assert (uncovered.outcome, uncovered.net_cents, uncovered.returned_cents) == (Outcome.UNCOVERED, 0, 2500)
    taken = settled(Bank(4, 1500, 5), box(5, FOUL))[0]
    assert (taken.outcome, taken.net_cents, taken.returned_cents) == (Outcome.FOUL, -1500, 1000)


def test_whoever_has_the_action_what_all_orders_agree_on_stands() -> None:
    boxes = box(5, WINS), box(6, WINS, 1000)
    assert nets(settled(Bank(4, 3500, None), *boxes)) == [(5, 2500), (6, 1000)]
    assert nets(settled(Bank(4, 3499, None), *boxes)) == [(5, None), (6, None)]


def test_hands_that_were_not_set_use_what_they_could_at_the_most() -> None:
    assert nets(settled(Bank(4, 5000, 5), box(5, UNSET), box(6, WINS))) == [(5, None), (6, 2500)]
    assert nets(settled(Bank(4, 4999, 5), box(5, UNSET), box(6, WINS))) == [(5, None), (6, None)]


@pytest.mark.parametrize("bank", [None, Bank(4, None, 5)])
def test_without_the_player_dealers_wager_only_a_push_is_known(bank: Bank | None) -> None:
    assert nets(settled(bank, box(5, WINS))) == [(5, None)]
    ace_high = TableLayout(boxes=[box(5, UNSET)], dealer=Hand(parse_cards("Ah Kd Jc 9s 8h 4d 3c")), bank=bank)
    assert nets(player_dealer.settle(rules(), ace_high)) == [(5, 0)]


def test_there_is_no_surrender_and_no_void_hand() -> None:
    marked = BettingBox(5, "p-5", WINS, {"base": 2500}, surrendered=True, voided=True, abandoned=True)
    assert nets(settled(Bank(4, 5000, 5), marked)) == [(5, 2500)]


def test_backline_wagers_go_with_the_hand_after_the_base_wager() -> None:
    behind = (FurtherWager("backline", "p-8", None, 1000), FurtherWager("backline", "p-9", None, 500))
    seat = BettingBox(5, "p-5", WINS, {"base": 2500}, behind)
    dues = settled(Bank(4, 3700, 5), seat, words=("backline=yes",))
    assert [(due.wager, due.bettor, due.net_cents) for due in dues] == [
        ("base", "p-5", 2500),
        ("backline", "p-8", 1000),
        ("backline", "p-9", 200),
    ]
    assert settled(Bank(4, 3700, 5), seat)[1].outcome is Outcome.UNKNOWN  # not filed


def test_a_wager_that_is_not_offered_cannot_be_told_and_uses_nothing() -> None:
    seat = BettingBox(5, "p-5", WINS, {"base": 2500, "fortune_bonus": 500, "tiger_9": 500})
    dues = settled(Bank(4, 5000, 5), seat, box(6, WINS))
    assert [(due.wager, due.net_cents) for due in dues] == [
        ("base", 2500),
        ("fortune_bonus", None),
        ("tiger_9", None),
        ("base", 2500),
    ]


def test_an_unread_fortune_hand_can_use_up_the_most_that_its_paytable_pays() -> None:
    """$1 at 2,500 to 1: after the base wager of $25 won (or lost) the next $25 are sure of 2,550.00 only."""
    unread = BettingBox(5, "p-5", Hand(), {"base": 2500, "fortune_bonus": 100})
    for wager, due in ((255_000, 2500), (254_999, None)):
        dues = settled(Bank(4, wager, 5), unread, box(6, WINS), words=("fortune_bonus=yes",))
        assert dues[-1].net_cents == due


def test_envy_bonuses_of_a_seat_come_clockwise_from_the_action_and_use_the_wager() -> None:
    """Seat 5 gets $5 for quads at seat 6 and $20 for a straight flush at seat 7; 22.00 less the lost 5.00 leave 17.00."""
    loses = BettingBox(5, "p-5", Hand(parse_cards("Qc Td 8s 6s 5d 4s 2s")), {"base": 2500, "fortune_bonus": 500})
    quads = BettingBox(6, "p-6", Hand(parse_cards("7s 7h 7d 7c Kc 9d 3s")), {"base": 2500, "fortune_bonus": 100})
    flush = BettingBox(7, "p-7", Hand(parse_cards("2h 3h 4h 5h 6h Qd Tc")), {"base": 2500, "fortune_bonus": 100})
    ace_high = Hand(parse_cards("As Kh Jc 9s 8h 4d 3c"))
    layout = TableLayout(boxes=(flush, quads, loses), dealer=ace_high, bank=Bank(4, 2200, 5))
    envy = [due for due in player_dealer.settle(rules("fortune_bonus=yes"), layout) if due.for_position is not None]
    assert [(due.for_position, due.net_cents, due.uncovered_cents) for due in envy] == [(6, 500, 0), (7, 1200, 800)]
