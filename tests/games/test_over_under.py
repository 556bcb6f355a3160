"""Over/Under, wager by wager, worked out by hand from Annex A, rulemaking 125-223, Chapter 686a."""

from collections.abc import Mapping

import pytest

from games.over_under import settle as over_under
from games.over_under.settle import bonus_lines, points, total
from rulebook.cards.cards import CODE, TEXT, parse_cards
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import BettingBox, Decision, Hand, TableLayout
from rulebook.settlement.wagers import Due

# A hand of three cards for every total there is.
HANDS = {
    6: "2s 2h 2d", 7: "2s 3h 2d", 8: "3c 2h 3d", 9: "4c 2s 3d", 10: "2c 5h 3s", 11: "5d 4c 2h", 12: "3s 4d 5c",
    13: "6h 4s 3c", 14: "9h 3d 2c", 15: "Ah 2c 2d", 16: "Ts 4h 2d", 17: "Jd 5c 2s", 18: "6s 6h 6d", 19: "Qc 7d 2h",
    20: "Kh 7s 3d", 21: "As 8d 2c", 22: "7c Jh 5d", 23: "Td 9c 4h", 24: "8s 8h 8d", 25: "Ad Kc 4h", 26: "Js Qd 6c",
    27: "9s 9h 9d", 28: "Kd Th 8c", 29: "Ac 9h 9s", 30: "Kc Kd Kh", 31: "Tc Jc Ac", 32: "As Ah Qs", 33: "Ac Ad Ah",
}  # fmt: skip


def book(words: str = "pa-686a bonus=yes") -> Rulebook:
    return parse_submission(submission_from_words(words.split()))


def box(
    stakes: Mapping[str, int],
    cards: str | None = None,
    *,
    seat: int = 3,
    decision: Decision | None = None,
    surrendered: bool = False,
    voided: bool = False,
) -> BettingBox:
    hand = Hand(parse_cards(cards) if cards is not None else None)
    return BettingBox(seat, f"p-{seat}", hand, stakes, (), decision, surrendered, voided)


def settled(*boxes: BettingBox, words: str = "pa-686a bonus=yes") -> dict[tuple[int, str], Due]:
    dues = over_under.settle(book(words), TableLayout(boxes=boxes))
    return {(due.seat, due.wager): due for due in dues}


def nets(one: BettingBox, words: str = "pa-686a bonus=yes") -> dict[str, int | None]:
    return {wager: due.net_cents for (_, wager), due in settled(one, words=words).items()}


# ------------------------------------------------------------------------------------------------- cards, § 686a.3(d)


def test_686a_3_d_the_value_of_every_card() -> None:
    by_rank = {rank: points(CODE[f"{rank}c"]) for rank in "23456789TJQKA"}
    assert by_rank == {
        "2": 2,
        "3": 3,
        "4": 4,
        "5": 5,
        "6": 6,
        "7": 7,
        "8": 8,
        "9": 9,
        "T": 10,
        "J": 10,
        "Q": 10,
        "K": 10,
        "A": 11,
    }
    assert all(points(CODE[text[0] + "c"]) == points(card) for card, text in enumerate(TEXT[:52]))


@pytest.mark.parametrize("counted", HANDS)
def test_686a_3_d_the_total_of_three_cards(counted: int) -> None:
    assert total(parse_cards(HANDS[counted])) == counted


def test_686a_3_a_a_joker_has_no_value() -> None:
    assert total(parse_cards("Kh Jk 5d")) is None
    paytable = book().chapter.paytable("bonus", "1")
    assert bonus_lines(paytable, parse_cards("Kh Jk 5d")) == frozenset()
    assert set(nets(box({"ante": 1000, "over": 1000, "bonus": 500}, "Kh Jk 5d")).values()) == {None}


# ------------------------------------------------------------------------------- over and under, § 686a.7(i), (j), D12


@pytest.mark.parametrize(
    ("side", "counted", "section", "net"),
    [
        ("over", 24, "686a.8(a)", 1000),
        ("over", 23, "686a.7(j)", -1000),
        ("over", 18, "686a.7(j)", -1000),
        ("over", 17, "686a.7(j)", -1000),
        ("under", 17, "686a.8(a)", 1000),
        ("under", 18, "686a.7(j)", -1000),
        ("under", 23, "686a.7(j)", -1000),
        ("under", 24, "686a.7(j)", -1000),
    ],
)
def test_d12_the_wrong_side_loses(side: str, counted: int, section: str, net: int) -> None:
    due = settled(box({"ante": 1000, side: 1000}, HANDS[counted]))[3, side]
    assert (due.cite, due.net_cents) == (f"Annex A, rulemaking 125-223, § {section}", net)


# ------------------------------------------------------------------------------------------------- order, what is filed


@pytest.mark.parametrize(
    ("words", "key", "section"),
    [
        ("pa-686a bonus=2", "wagers.bonus.paytable", "§ 686a.8(b)"),
        ("pa-686a shuffler=automated decks=1", "table.decks", "§ 686a.3(b)"),
        ("pa-686a shuffler=none decks=2", "table.decks", "§ 686a.3(b)"),
        ("pa-686a shuffler=continuous decks=2", "table.decks", "§ 686a.3(b)"),
        ("pa-686a shuffler=automated decks=3", "table.decks", "§ 686a.3(b)"),
        ("pa-686a deal_method=hand", "table.deal_method", "§ 686a.7(a)"),
        ("pa-686a max_payout=50000.00", "max_payout", "§ 601a.2"),
        ("pa-686a wrong_side=wins", "settings.wrong_side", "§ 601a.2"),
        ("pa-686a most_boxes=many", "most_boxes", "§ 601a.2"),
    ],
)
def test_what_the_chapter_does_not_allow_is_refused_with_its_section(words: str, key: str, section: str) -> None:
    with pytest.raises(RulesRefused) as refused:
        book(words)
    assert refused.value.key == key
    assert section in refused.value.section


def test_686a_3_b_an_automated_shuffler_takes_two_batches_and_a_continuous_one_a_single() -> None:
    assert [book(f"pa-686a shuffler={name}").decks for name in ("none", "automated", "automated_counting", "continuous")] == [
        1,
        2,
        2,
        1,
    ]


def test_686a_7_g_over_and_under_are_part_of_the_game_with_the_antes_limits() -> None:
    offers = book("pa-686a min=15.00 max=300.00").offers
    assert list(offers) == ["ante", "over", "under"]
    assert {(offer.min_cents, offer.max_cents) for offer in offers.values()} == {(1500, 30000)}
