"""The 688a chapter as data, and what a rules submission may and may not file (§§ 601a.2, 688a.12)."""

import pickle
from hashlib import sha256

import pytest

from rulebook.cards.cards import parse_cards
from rulebook.cards.ranking import LINES_BY_RANK, seven_card_lines
from rulebook.chapters.money import Odds, show_money
from rulebook.chapters.offer import most_from_smallest_wagers
from rulebook.chapters.rulebook import RulesRefused, chapter, known_chapters, known_rules, parse_submission, simple_submission

PA_688A = chapter("pa", "688a")

# ------------------------------------------------------------------------------------- the paytables, as printed
# Read from the regulation a second time, in its own layout; "/" joins an amount and a share of the meter.

ACE_HIGH = """
1  20  10  8
2  40  15  5
3  30  15  6
4  25  10  7
5  40  12  5
"""

FORTUNE = """
                                  1          2          3          4          5          6
seven_card_straight_flush         5000/1000  8000/5000  5000/3000  2500/1000  5000/2500  5000/2500
royal_match                       1000/250   2000/1000  2000/1000  1000/750   1000/500   2000/500
seven_card_straight_flush_joker   750/100    1000/500   1000/500   750/250    500/250    1000/250
five_aces                         250/50     400/250    400/250    250/100    300/150    400/150
royal_flush                       100/25     150/50     150/50     125/50     100/55     150/55
straight_flush                    50/10      50/20      50/20      50/20      45/25      50/25
four_of_a_kind                    20/5       25/5       25/5       25/5       5/6        25/6
full_house                        5          5          5          5          5          5
flush                             4          4          4          4          4          4
three_of_a_kind                   3          3          3          3          3          3
straight                          2          2          2          2          2          2
three_pair                        push       -          -          -          -          -
"""

PROGRESSIVE = """
                                  1      2      3      4          5      6      7
seven_card_straight_flush_any     100%   -      100%   -          100%   100%   -
seven_card_straight_flush         -      100%   -      5000+100%  -      -      -
royal_match                       -      -      -      5000+20%   -      -      -
seven_card_straight_flush_joker   -      10%    -      5000+10%   -      -      -
five_aces                         10%    -      10%    2500       10%    10%    100%
five_of_a_kind                    -      500    -      -          1000   800    -
royal_flush                       500    300    2500   500        500    400    500
straight_flush                    100    100    500    200        100    75     100
four_of_a_kind                    75     30     375    100        20     10     75
full_house                        4      7      20     -          5      -      5
wager                             1      1      5      5          1      1      1
seed                              10000  10000  10000  10000      5000   2000   1000
rate                              2800   700    2900   100        1700   1700   2600
reserve                           0      0      0      100        0      0      0
joker                             a      w      a      a          w      w      w
returned                          no     no     no     yes        no     no     no
"""
PROGRESSIVE_4_ENVY = {
    "seven_card_straight_flush": 1000,
    "royal_match": 750,
    "seven_card_straight_flush_joker": 250,
    "five_aces": 100,
    "royal_flush": 50,
    "straight_flush": 20,
    "four_of_a_kind": 5,
}


def columns(text):
    """Read a table: paytable name -> row -> cell, without the cells that are not printed."""
    head, *rows = [line.split() for line in text.strip("\n").splitlines()]
    return {name: {row[0]: row[1 + i] for row in rows if row[1 + i] != "-"} for i, name in enumerate(head)}


def test_688a_12_b_ace_high_bonus():
    for name, *odds in (line.split() for line in ACE_HIGH.strip().splitlines()):
        paytable = PA_688A.paytable("ace_high_bonus", name)
        assert [line.hand for line in paytable.lines] == ["both_ace_high", "dealer_ace_high_joker", "dealer_ace_high_no_joker"]
        assert [line.odds for line in paytable.lines] == [Odds(int(number), 1) for number in odds]
        assert not paytable.has_envy


@pytest.mark.parametrize("name", "123456")
def test_688a_12_c_fortune_bonus(name):
    paytable = PA_688A.paytable("fortune_bonus", name)
    printed = columns(FORTUNE)[name]
    assert [line.hand for line in paytable.lines] == list(printed)
    for line in paytable.lines:
        odds, _, envy = printed[line.hand].partition("/")
        assert line.push is (odds == "push")
        assert line.odds == (None if line.push else Odds(int(odds), 1))
        assert line.envy_cents == int(envy or 0) * 100
        assert (line.amount_cents, line.meter_bp) == (0, 0)
    assert paytable.has_envy
    assert paytable.wager_cents is None
    assert paytable.joker == "completes"


@pytest.mark.parametrize("name", "1234567")
def test_688a_12_d_progressive(name):
    paytable = PA_688A.paytable("progressive", name)
    printed = columns(PROGRESSIVE)[name]
    assert paytable.wager_cents == int(printed.pop("wager")) * 100
    assert paytable.seed_cents == int(printed.pop("seed")) * 100
    assert paytable.rate_bp == int(printed.pop("rate"))
    assert paytable.reserve_rate_bp == int(printed.pop("reserve"))
    assert paytable.joker == {"a": "completes", "w": "wild"}[printed.pop("joker")]
    assert paytable.stake_returned is (printed.pop("returned") == "yes")
    assert [line.hand for line in paytable.lines] == list(printed)
    for line in paytable.lines:
        parts = printed[line.hand].split("+")
        assert line.amount_cents == sum(int(part) * 100 for part in parts if "%" not in part)
        assert line.meter_bp == sum(int(part[:-1]) * 100 for part in parts if "%" in part)
        assert line.envy_cents == (PROGRESSIVE_4_ENVY[line.hand] * 100 if name == "4" else 0)
        assert (line.odds, line.push) == (None, False)
    assert paytable.has_envy is (name == "4")


def test_there_are_no_other_paytables_and_every_line_is_cited():
    assert {wager: rule.paytables for wager, rule in PA_688A.wagers.items()} == {
        "base": (),
        "ace_high_bonus": tuple("12345"),
        "fortune_bonus": tuple("123456"),
        "progressive": tuple("1234567"),
    }
    sections = {"ace_high_bonus": "b", "fortune_bonus": "c", "progressive": "d"}
    for (wager, _), paytable in PA_688A.paytables.items():
        cited = f"58 Pa. Code § 688a.12({sections[wager]})"
        assert {paytable.cite, *(line.cite for line in paytable.lines)} == {cited}
    assert PA_688A.wagers["base"].odds == Odds(1, 1)
    assert PA_688A.wagers["base"].odds_cite == "58 Pa. Code § 688a.12(a)"


def test_the_numbers_of_the_chapter():
    assert PA_688A.numbers == {
        "seats": 6,
        "deck_size": 53,
        "jokers": 1,
        "decks_max": 2,
        "deck_age_hand_hours": 4,
        "deck_age_shoe_hours": 8,
        "dice": 3,
        "dice_age_hours": 24,
        "cut_depth_cards": 10,
        "cover_card_from_bottom_cards": 4,
        "shakes": 3,
        "shakes_after_deal": 1,
        "drawn_number_min": 1,
        "drawn_number_max": 7,
        "cards_per_hand": 7,
        "high_hand_cards": 5,
        "low_hand_cards": 2,
        "stub_cards": 4,
        "face_up_cards_allowed": 1,
        "qualifying_wager_cents": 500,
        "max_payout_floor_cents": 5_000_000,
    }
    assert PA_688A.number_cites["cut_depth_cards"] == "58 Pa. Code § 688a.5(e)"
    assert set(PA_688A.number_cites) == set(PA_688A.numbers)
    assert (PA_688A.key, PA_688A.effective, PA_688A.wheel) == ("pa-688a", "2021-05-29", "second")
    numbers = PA_688A.numbers
    seven_hands = numbers["cards_per_hand"] * (numbers["seats"] + 1)
    assert seven_hands + numbers["stub_cards"] == numbers["deck_size"]


def test_known_rules_list_every_wager_and_paytable():
    ours = [rule for rule in known_rules() if rule.chapter == "pa-688a"]
    assert len(ours) == 1 + 5 + 6 + 7 + 1
    assert (ours[-1].house_way, ours[-1].cite) == ("stones", "58 Pa. Code § 688a.11(a)")
    assert (ours[0].wager, ours[0].paytable, ours[0].cite) == ("base", "", "58 Pa. Code § 688a.12(a)")
    assert "pa-688a" in known_chapters()
    for unknown in (("pa", "999a"), ("nj", "688a")):
        with pytest.raises(KeyError):
            chapter(*unknown)


# ------------------------------------------------------------------------------------- which line is paid


@pytest.mark.parametrize(
    ("wager", "paytable", "cards", "hand"),
    [
        ("fortune_bonus", "1", "7s 7d 7h 8c 9c Th Jd", "three_of_a_kind"),  # before the straight: D15
        ("fortune_bonus", "1", "7s 2d 6h 8c 9c Th Jd", "straight"),
        ("fortune_bonus", "1", "7s 7d 8h 8c 9c 9h Ad", "three_pair"),
        ("fortune_bonus", "2", "7s 7d 8h 8c 9c 9h Ad", None),
        ("fortune_bonus", "1", "7s 7d 8h 8c 9c 6h 5d", "straight"),
        ("fortune_bonus", "1", "7s 7d 8h 8c 9c 9h Td", "three_pair"),
        ("fortune_bonus", "1", "7s 7d 8h 8c 9c Jh Ad", None),
        ("fortune_bonus", "5", "7s 7d 7h 7c 9c Jh Jd", "four_of_a_kind"),  # 5 to 1 both: the line printed first
        ("fortune_bonus", "1", "9s 8s 7s 6s 5s 4s 3s", "seven_card_straight_flush"),
        ("fortune_bonus", "1", "9s 8s 7s 6s 5s 4s Jk", "seven_card_straight_flush_joker"),
        ("progressive", "1", "9s 8s 7s 6s 5s 4s 3s", "seven_card_straight_flush_any"),
        ("progressive", "1", "9s 8s 7s 6s 5s 4s Jk", "seven_card_straight_flush_any"),
        ("progressive", "1", "As Ks Qs Js Ts Kh Qh", "royal_flush"),
        ("progressive", "1", "9s 9d 9h 2s 2d 5h 6h", "full_house"),
        ("progressive", "1", "9s 9d 2s 2d Jk 5h 6h", None),
        ("progressive", "1", "9s 8s 7s 2s 3s 5h 6d", None),  # a flush
        ("progressive", "2", "As Ah Ad Ac Jk 5h 6d", "five_of_a_kind"),
        ("progressive", "2", "9s 9d 2s 2d Jk 5h 6h", "full_house"),
        ("progressive", "2", "9s 9d 9h 2d Jk 5h 6h", "four_of_a_kind"),
        ("progressive", "4", "9s 9d 9h 2s 2d 5h 6h", None),  # no line, no win: D18
        ("progressive", "4", "As Ks Qs Js Ts Kh Qh", "royal_match"),
        ("progressive", "4", "9s 8s 7s 6s 5s 4s Jk", "seven_card_straight_flush_joker"),
        ("progressive", "5", "As Ah Ad Ac Jk 5h 6d", "five_aces"),
        ("progressive", "5", "Ks Kh Kd Kc Jk 5h 6d", "five_of_a_kind"),
        ("progressive", "6", "9s 9d 9h 2s 2d 5h 6h", None),
        ("progressive", "7", "Ks Kh Kd Kc Jk 5h 6d", "four_of_a_kind"),
        ("progressive", "7", "9s 8s 7s 6s 5s 4s 3s", "straight_flush"),
    ],
)
def test_the_line_that_is_paid(wager, paytable, cards, hand):
    table = PA_688A.paytable(wager, paytable)
    line = table.best(seven_card_lines(parse_cards(cards), table.joker))
    assert (line.hand if line else None) == hand


def test_every_line_of_a_hand_is_one_that_seven_cards_can_make():
    for (wager, _), paytable in PA_688A.paytables.items():
        for line in paytable.lines:
            made = [name for name in LINES_BY_RANK if line.is_made(frozenset({name}))]
            assert len(made) == {"ace_high_bonus": 0}.get(wager, 2 if line.hand.endswith("_any") else 1)


# ------------------------------------------------------------------------------------- what may be filed

WHOLE = """
chapter = "pa-688a"
name = "Main floor"
effective_gaming_day = 2025-03-01
max_payout = "60000.00"
house_way = "stones"

[table]
deal_method = "hand"
starting = "number"
shuffler = "automated_counting"
decks = 2
adjacent_boxes = true

[wagers.base]
min = "25.00"
max = "1000"

[wagers.ace_high_bonus]
paytable = "1"
min = "5.00"
max = "100.00"

[wagers.fortune_bonus]
paytable = "5"
min = "5.00"
max = "100.00"

[wagers.progressive]
paytable = "4"
amount = "5.00"
meter = "m-1"
linked = true

[settings]
void_reverses_meter = true
fortune_pays = "highest_rank"
progressive_joker = "wild"
"""


def test_a_whole_submission():
    book = parse_submission(WHOLE, "main.toml")
    assert (book.name, book.game, book.effective_gaming_day) == ("Main floor", "face_up_pai_gow", "2025-03-01")
    assert book.digest == sha256(WHOLE.encode()).hexdigest()
    assert book.text == WHOLE
    assert (book.deal_method, book.starting, book.shuffler, book.decks) == ("hand", "number", "automated_counting", 2)
    assert (book.max_payout_cents, book.adjacent_boxes) == (6_000_000, True)
    assert (book.meter, book.linked_meter) == ("m-1", True)
    assert book.house_way.name == "stones"
    assert book.settings == {
        "void_reverses_meter": True,
        "envy_holder_must_wager": False,
        "fortune_pays": "highest_rank",
        "progressive_joker": "wild",
    }
    assert book.cite("12(b)") == "58 Pa. Code § 688a.12(b)"
    limits = {name: (offer.min_cents, offer.max_cents) for name, offer in book.offers.items()}
    assert limits == {
        "base": (2500, 100_000),
        "ace_high_bonus": (500, 10_000),
        "fortune_bonus": (500, 10_000),
        "progressive": (500, 500),
    }
    assert book.offers["base"].paytable is None


def test_settings_that_change_a_paytable_are_in_it():
    filed = parse_submission(WHOLE).offers
    straight_and_trips = frozenset({"straight", "three_of_a_kind"})
    assert filed["fortune_bonus"].paytable.best(straight_and_trips).hand == "straight"
    assert filed["progressive"].paytable.joker == "wild"
    printed = parse_submission(simple_submission(paytables={"fortune_bonus": "5", "progressive": "4"})).offers
    assert printed["fortune_bonus"].paytable == PA_688A.paytable("fortune_bonus", "5")
    assert printed["progressive"].paytable == PA_688A.paytable("progressive", "4")


def test_a_rulebook_can_be_sent_to_another_process():
    book = parse_submission(WHOLE)
    assert pickle.loads(pickle.dumps(book)) == book


def test_a_house_way_inside_the_submission():
    own = """
[house_way]
name = "own"
cite = "as filed"
[[house_way.row]]
name = "every hand"
hand = "any"
play = [{ front = "highest" }]
"""
    text = WHOLE.replace('house_way = "stones"\n', "") + own
    book = parse_submission(text)
    assert book.house_way.name == "own"
    assert str(book.house_way.choose(parse_cards("As Kd Qh Jc 9s 7d 4h"))) == "As Jc 9s 7d 4h / Kd Qh"
    assert parse_submission(text + "\n# a remark\n").house_way.digest == book.house_way.digest
    with pytest.raises(RulesRefused, match=r"main.toml: house_way: main.toml: house_way: row 1 \(every hand\): hand:") as refused:
        parse_submission(text.replace('hand = "any"', 'hand = "all"'), "main.toml")
    assert refused.value.section == "58 Pa. Code § 688a.11(a)"
    with pytest.raises(RulesRefused, match="dates and times have no place"):
        parse_submission(text.replace('cite = "as filed"', "cite = 2025-01-01"))


def changed(old, new):
    assert old in WHOLE
    return WHOLE.replace(old, new)


FILED = "58 Pa. Code § 601a.2"


@pytest.mark.parametrize(
    ("text", "key", "message", "section"),
    [
        ("chapter = ", "(whole file)", "not TOML", FILED),
        (changed('chapter = "pa-688a"\n', ""), "chapter", "missing; expected one of", FILED),
        (changed('"pa-688a"', '"pa-999a"'), "chapter", "'pa-999a' is not known; expected one of", FILED),
        (changed('"pa-688a"', "688"), "chapter", "688; expected one of", FILED),
        (changed('name = "Main floor"\n', ""), "name", "missing", FILED),
        (changed('"Main floor"', '""'), "name", "empty", FILED),
        (changed("2025-03-01", "2021-05-28"), "effective_gaming_day", "before the chapter took effect", FILED),
        (changed("2025-03-01", '"March"'), "effective_gaming_day", "'March'; expected a day such as", FILED),
        (changed("2025-03-01", "2025-03-01T06:00:00"), "effective_gaming_day", "expected a day such as", FILED),
        (changed("2025-03-01", '"20250301"'), "effective_gaming_day", "expected a day such as", FILED),
        (changed('"60000.00"', '"49999.99"'), "max_payout", "49999.99; at least 50000.00", "12(e)"),
        (changed('"60000.00"', "60000"), "max_payout", "60000; expected an amount such as", "12(e)"),
        (changed('"60000.00"', '"60,000.00"'), "max_payout", "is not an amount", "12(e)"),
        (changed('"stones"', '"marbles"'), "house_way", "marbles: no such house way; there is ", "11(a)"),
        (changed('house_way = "stones"\n', ""), "house_way", "missing", "11(a)"),
        (changed('"hand"', '"by hand"'), "table.deal_method", "'by hand'; expected one of manual_shoe, hand", "8"),
        (changed('"number"', '"dice"'), "table.starting", "'dice'; expected one of shaker, number", "5(i)(1)"),
        (changed('"automated_counting"', '"continuous"'), "table.shuffler", "'continuous'; expected one of none", "5(a)"),
        (changed('"automated_counting"', '"none"'), "table.shuffler", "dealing by hand takes an automated", "9(a)(1)"),
        (
            changed('"hand"', '"manual_shoe"').replace('"automated_counting"', '"none"'),
            "table.decks",
            "2 decks take an automated shuffler",
            "3(b)",
        ),
        (changed("decks = 2", "decks = 3"), "table.decks", "3; expected 1 to 2", "3(b)"),
        (changed("decks = 2", "decks = true"), "table.decks", "True; expected a number", FILED),
        (changed("adjacent_boxes = true", 'adjacent_boxes = "yes"'), "table.adjacent_boxes", "'yes'; expected true", "7(f)"),
        (changed("decks = 2", "cards = 53"), "table.cards", "unknown; expected one of deal_method", FILED),
        (changed("[wagers.ace_high_bonus]", "[wagers.tiger_9]"), "wagers.tiger_9", "no such wager", "7(e)(1)"),
        (changed('min = "25.00"\n', ""), "wagers.base.min", "missing", "7(d)"),
        (changed('min = "25.00"', 'min = "1000.01"'), "wagers.base.min", "1000.01 is above the maximum 1000.00", "7(d)"),
        (changed('min = "25.00"', 'min = "0.00"'), "wagers.base.min", "at least one cent", "7(d)"),
        (changed('min = "25.00"', "min = 25"), "wagers.base.min", "25; expected an amount", "7(d)"),
        (changed('max = "1000"', 'max = "1000"\npaytable = "1"'), "wagers.base.paytable", "unknown; expected one of min", FILED),
        (changed('paytable = "1"', 'paytable = "6"'), "wagers.ace_high_bonus.paytable", "'6' is not one; expected", "12(b)"),
        (changed('paytable = "5"', 'paytable = "7"'), "wagers.fortune_bonus.paytable", "'7' is not one", "12(c)"),
        (changed('paytable = "4"', 'paytable = "8"'), "wagers.progressive.paytable", "'8' is not one", "12(d)"),
        (changed('paytable = "4"', "paytable = 4"), "wagers.progressive.paytable", "4; expected a paytable", "12(d)"),
        (
            changed('amount = "5.00"', 'amount = "1.00"'),
            "wagers.progressive.amount",
            "1.00; paytable 4 is for a wager of 5.00",
            "12(d)",
        ),
        (changed('amount = "5.00"', 'max = "10.00"'), "wagers.progressive.max", "is for a wager of 5.00", "12(d)"),
        (changed("linked = true", "shared = true"), "wagers.progressive.shared", "unknown; expected one of paytable", FILED),
        (changed('meter = "m-1"', 'meter = "Meter 1"'), "wagers.progressive.meter", "'Meter 1'; expected", FILED),
        (
            changed("void_reverses_meter = true", 'void_reverses_meter = "yes"'),
            "settings.void_reverses_meter",
            "'yes'; expected false or true",
            FILED,
        ),
        (changed('"highest_rank"', '"highest"'), "settings.fortune_pays", "expected 'best_paid' or 'highest_rank' (D15)", FILED),
        (changed("void_reverses_meter", "void_reverses_all"), "settings.void_reverses_all", "unknown; expected one of", FILED),
        ("settings = 1\n" + WHOLE.partition("[settings]")[0], "settings", "1; expected a table", FILED),
        ("wagers = 1\n" + WHOLE.partition("[wagers.base]")[0], "wagers", "1; expected a table", FILED),
        ('color = "red"\n' + WHOLE, "color", "unknown; expected one of chapter, name", FILED),
    ],
)
def test_what_may_not_be_filed_is_refused_with_file_key_and_section(text, key, message, section):
    with pytest.raises(RulesRefused) as refused:
        parse_submission(text, "main.toml")
    assert refused.value.source == "main.toml"
    assert refused.value.key == key
    assert message in refused.value.message
    assert (section if section == FILED else f"58 Pa. Code § 688a.{section}") in refused.value.section
    assert str(refused.value) == f"main.toml: {key}: {refused.value.message} ({refused.value.section})"


@pytest.mark.parametrize("starting", ["shaker", "player_shaker", "number"])
@pytest.mark.parametrize("wager", ["sum", "match", "beat_it", "tiger_9"])
def test_645c_2_e_wagers_on_the_dice_need_dice(starting, wager):
    """D522: if the start is found by a number drawn, no wager on the dice can be filed."""
    paytables = {wager: "A"} if wager in ("sum", "beat_it") else {wager: "yes"}
    text = simple_submission("pa-645c", paytables=paytables, starting=starting)
    if starting == "number" and wager != "tiger_9":
        with pytest.raises(RulesRefused, match=f"{wager} is on the dice of a shaker") as refused:
            parse_submission(text, "main.toml")
        assert refused.value.key == "table.starting"
        assert "645c.2(e)" in refused.value.section
    else:
        assert parse_submission(text).starting == starting


# ------------------------------------------------------------------------------------- maximum payout, 12(e)


@pytest.mark.parametrize(
    ("paytables", "limits", "most"),
    [
        ({}, {}, 0),
        ({"ace_high_bonus": "1"}, {"ace_high_bonus.min": "5.00"}, 100_00),
        ({"fortune_bonus": "2"}, {"fortune_bonus.min": "5.00"}, 40_000_00),
        ({"fortune_bonus": "2"}, {"fortune_bonus.min": "10.00"}, 80_000_00),
        # The dealer's ace high, with the joker, next to a natural seven-card straight flush: 5,000 and 15 to 1.
        ({"fortune_bonus": "1", "ace_high_bonus": "2"}, {"fortune_bonus.min": "5", "ace_high_bonus.min": "5"}, 25_075_00),
        # The meter is not capped, so it does not count; the five thousand next to it do.
        ({"progressive": "4"}, {}, 5_000_00),
        ({"progressive": "2"}, {}, 500_00),
        ({"fortune_bonus": "1", "progressive": "4"}, {"fortune_bonus.min": "5"}, 30_000_00),
        # Five aces leave the dealer no ace; here the straight flush is worth more all the same.
        ({"ace_high_bonus": "1", "progressive": "7"}, {"ace_high_bonus.min": "1"}, 510_00),
    ],
)
def test_688a_12_e_what_the_smallest_wagers_can_win(paytables, limits, most):
    book = parse_submission(simple_submission(paytables=paytables, **limits))
    assert most_from_smallest_wagers(book.offers) == most


def test_688a_12_e_a_cap_is_at_least_what_the_smallest_wagers_can_win():
    filed = {"paytables": {"fortune_bonus": "2"}, "fortune_bonus.min": "10.00"}
    most = 80_000_00
    assert parse_submission(simple_submission(**filed, max_payout=show_money(most))).max_payout_cents == most
    with pytest.raises(RulesRefused, match=r"79999\.99; the smallest wagers can win 80000\.00") as refused:
        parse_submission(simple_submission(**filed, max_payout=show_money(most - 1)))
    assert refused.value.section == "58 Pa. Code § 688a.12(e)"
    assert parse_submission(simple_submission(max_payout="50000.00")).max_payout_cents == 50_000_00
