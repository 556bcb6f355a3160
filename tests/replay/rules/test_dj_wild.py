"""Chapter 687a of Annex A: what the golden rounds leave out: late facts, contradicting clocks, what is not on record."""

import pytest

from events.vocabulary import model
from replay.run.adjudicate import Conclusion
from replay.transcript.transcript import judge
from tests.replay.tables import SECOND_US, START_US, Table, lines

WAGERS = "wager seat=2 ante 10.00 blind 10.00\nwager seat=4 ante 10.00 blind 10.00\n"
DEAL = "deal_order seat2=Kd Qc 9h 7s 4d seat4=Kh Qs 9c 7d 4h dealer=Ks Qh 9d 7c 4s\n"
"""The same hand three times: all pushes."""
RAISED = "wager seat=2 raise 20.00\nwager seat=4 raise 20.00\n"


def push(*seats: int) -> str:
    return "".join(
        f"return seat={seat} {wager} push\n" for seat in seats for wager in ("ante 10.00", "blind 10.00", "raise 20.00")
    )


def judged(text: str, words: str = "pa-687a") -> Conclusion:
    (only,) = judge(f"rules {words}\nround 1\n{text}", "dispute.txt")
    return only.conclusion


def verdict(text: str, words: str = "pa-687a") -> tuple[str, list[str]]:
    conclusion = judged(text, words)
    return conclusion.verdict, lines(conclusion)


def dues(conclusion: Conclusion) -> dict[tuple[int, str], int | None]:
    return {(each.seat, each.wager): each.due_cents for each in conclusion.settlements}


def test_a_round_in_order_is_upheld() -> None:
    assert verdict(WAGERS + DEAL + RAISED + "reveal dealer\n" + push(2, 4) + "close\n") == ("UPHELD", [])


# ------------------------------------------------------------------------------------------------------ decisions, .11(b), .1


def test_687a_1_where_the_wagers_are_covered_a_seat_without_a_raise_has_folded() -> None:
    text = WAGERS + "no_more_bets\n" + DEAL + "wager seat=2 raise 20.00\n" + push(2) + "{}close\n"
    taken = "take seat=4 ante 10.00\ntake seat=4 blind 10.00\n"
    assert verdict(text.format(taken)) == ("UPHELD", [])
    assert verdict(text.format("")) == (
        "VARIANCE",
        ["PAY-NOT-TAKEN seat=4 wager=ante +10.00", "PAY-NOT-TAKEN seat=4 wager=blind +10.00"],
    )


def test_687a_11_b_a_decision_that_is_not_on_record_leaves_what_depends_on_it_open() -> None:
    conclusion = judged(WAGERS + DEAL + "wager seat=2 raise 20.00\n" + push(2) + "close\n")
    assert conclusion.verdict == "UNDETERMINED"
    assert (dues(conclusion)[4, "ante"], dues(conclusion)[2, "ante"]) == (None, 0)
    assert "whether seat 4 raised or folded is not on record" in conclusion.undetermined[0]


def test_687a_11_b_a_raise_and_a_fold_of_one_seat_leave_it_open() -> None:
    text = WAGERS + DEAL + "decide seat=2 fold\n" + RAISED + push(2, 4)
    assert dues(judged(text))[2, "ante"] is None


def test_687a_7_c_a_raise_taken_back_counts() -> None:
    """.11(b) excepts making the raise from "no more bets", not withdrawing it (D286)."""
    text = WAGERS + DEAL + RAISED + "withdraw seat=4 raise 20.00\n" + push(2)
    assert dues(judged(text))[4, "raise"] == dues(judged(WAGERS + DEAL + RAISED + push(2)))[4, "raise"]
    assert "WAGER-LATE seat=4 wager=raise" in lines(judged(text))


def test_687a_7_d_1_an_ante_without_a_blind() -> None:
    text = "wager seat=2 ante 10.00\nno_more_bets\ndeal seat2=Kd Qc 9h 7s 4d dealer=Ks Qh 9d 7c 4s\nwager seat=2 raise 20.00\n"
    assert lines(judged(text)) == ["WAGER-LIMIT seat=2 wager=blind"]
    assert lines(judged(text.replace("no_more_bets\n", ""))) == []  # left out, not missing


def test_687a_7_d_1_a_blind_without_an_ante_is_found_once() -> None:
    text = "wager seat=2 blind 10.00\ndeal seat2=Kd Qc 9h 7s 4d dealer=Ks Qh 9d 7c 4s\n"
    assert lines(judged(text)) == ["WAGER-BASE seat=2 wager=blind"]


@pytest.mark.parametrize("seconds", [-1, 1])
def test_687a_11_b_two_clocks_and_the_order_of_decisions(seconds: int) -> None:
    table = Table(words="pa-687a")
    table.say(model.RoundOpened(deck="d-1", observed=[]), 1)
    at_us = START_US + 100 * SECOND_US
    table.say(model.DecisionMade(seat=4, decision="raise"), 1, source="camera", at_us=at_us)
    table.say(model.DecisionMade(seat=2, decision="raise"), 1, source="keypad", at_us=at_us + seconds * SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + 5 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    if seconds > 0:
        assert lines(conclusion) == ["PLAY-ORDER seat=2"]
    else:
        assert conclusion.undetermined == ("the clocks contradict the order of the decisions of seats 4 and 2",)


# --------------------------------------------------------------------------------------------------------- exposed cards, .13(d)

EXPOSED = "exposed seat=2 Kd by dealer\n"
VOID = "void round exposed_card\n"
FOLDED = "".join(f"take seat={{0}} {wager} 10.00\n" for wager in ("ante", "blind"))


def returned(*seats: int) -> str:
    return "".join(f"return seat={seat} {wager} 10.00 void\n" for seat in seats for wager in ("ante", "blind"))


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        (EXPOSED + VOID + returned(2, 4), ("VOID", [])),
        # a raise after it: the round must be void
        (EXPOSED + RAISED + push(2, 4), ("VARIANCE", ["DEAL-EXPOSED seat=2"])),
        # no one had decided, and all fold
        (
            EXPOSED + "decide seat=2 fold\ndecide seat=4 fold\n" + FOLDED.format(2) + FOLDED.format(4),
            (
                "VARIANCE",
                ["DEAL-EXPOSED seat=2", *(f"PAY-VOID seat={s} wager={w} -10.00" for s in (2, 4) for w in ("ante", "blind"))],
            ),
        ),
        # between a raise and a fold it may be read either way: played on, or void
        ("wager seat=2 raise 20.00\n" + EXPOSED + "decide seat=4 fold\n" + FOLDED.format(4) + push(2), ("UPHELD", [])),
        ("wager seat=2 raise 20.00\n" + EXPOSED + VOID + returned(2, 4) + "return seat=2 raise 20.00 void\n", ("VOID", [])),
        # after all decisions there is nothing to void
        (RAISED + EXPOSED + push(2, 4), ("UPHELD", [])),
        (RAISED + EXPOSED + VOID + push(2, 4), ("UNDETERMINED", [])),
        # by the player himself (D28)
        (EXPOSED.replace("dealer", "player") + VOID + returned(2, 4), ("UNDETERMINED", [])),
    ],
)
def test_687a_13_d_a_card_exposed_before_or_after_the_raises(play: str, expected: tuple[str, list[str]]) -> None:
    verdict_, found = verdict(WAGERS + DEAL + play + "close\n")
    assert (verdict_, sorted(found)) == (expected[0], sorted(expected[1]))


def test_687a_13_d_without_decisions_on_record_it_cannot_be_told_when_a_card_was_exposed() -> None:
    conclusion = judged(WAGERS + DEAL + EXPOSED + "close\n")
    assert "a card was exposed, and whether before the raises is not on record" in conclusion.undetermined


def test_687a_13_d_the_dealers_hand_turned_before_a_raise_voids_the_round_and_the_raise_is_late() -> None:
    text = WAGERS + DEAL + "wager seat=2 raise 20.00\nreveal dealer\n{}"
    played = text.format("wager seat=4 raise 20.00\n" + push(2, 4) + "close\n")
    assert verdict(played) == ("VARIANCE", ["DEAL-EXPOSED", "WAGER-LATE seat=4 wager=raise"])
    voided = "void round exposed_dealer\n" + returned(2, 4) + "return seat=2 raise 20.00 void\nclose\n"
    assert verdict(text.format(voided)) == ("VOID", [])


def test_687a_13_d_two_clocks_and_an_exposed_card() -> None:
    table = Table(words="pa-687a")
    table.say(model.RoundOpened(deck="d-1", observed=["deal"]), 1)
    at_us = START_US + 100 * SECOND_US
    table.say(model.CardExposed(whose="dealer", by="dealer", card="Ks"), 1, source="camera", at_us=at_us)
    table.say(model.DecisionMade(seat=2, decision="raise"), 1, source="keypad", at_us=at_us - SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + 5 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    assert conclusion.undetermined == ("the clocks contradict the order of an exposed card and the raises",)


def test_687a_13_d_a_folded_progressive_stays_folded_in_a_void_round() -> None:
    rules = "pa-687a progressive=1 progressive.rate=15%"
    text = (
        "wager seat=2 ante 10.00 blind 10.00 progressive 1.00\nwager seat=4 ante 10.00 blind 10.00 progressive 1.00\n"
        "deal seat2=Qs Qh Qd 8c 5s seat4=8s 8h 8d Kc 6s dealer=Ks Kd Jd Jc 9s\ndeal side=6d\ndecide seat=2 fold\n"
        "exposed dealer Ks by dealer\nvoid round exposed_card\n"
    )
    conclusion = judged(text, rules)
    assert dues(conclusion) == {
        (2, "ante"): 0,
        (2, "blind"): 0,
        (2, "progressive"): -100,
        (4, "ante"): 0,
        (4, "blind"): 0,
        (4, "progressive"): 900,
    }


# ------------------------------------------------------------------------------------------------------------ the deal, .8 to .10


def in_single_cards(*hands: tuple[str, str]) -> str:
    return "".join(f"deal_order {to}={card}\n" for to, cards in hands for card in cards.split())


HANDS = (("seat2", "Kd Qc 9h 7s 4d"), ("seat4", "Kh Qs 9c 7d 4h"), ("dealer", "Ks Qh 9d 7c 4s"))


@pytest.mark.parametrize("method", ["manual_shoe", "hand", "automated_shoe"])
def test_687a_8_d_a_stack_may_come_card_by_card(method: str) -> None:
    text = WAGERS + in_single_cards(*HANDS) + RAISED + push(2, 4) + "close\n"
    assert verdict(text, f"pa-687a deal_method={method}") == ("UPHELD", [])


def test_687a_8_d_one_card_around_the_table_is_no_stack() -> None:
    around = "".join(f"deal_order {to}={cards.split()[turn]}\n" for turn in range(5) for to, cards in HANDS)
    assert lines(judged(WAGERS + around + RAISED + push(2, 4), "pa-687a deal_method=manual_shoe")) == ["DEAL-ORDER"]


@pytest.mark.parametrize(
    ("deal", "found"),
    [
        (DEAL, []),
        (DEAL.replace("seat4=", "seat3=8h 6s 5c 3d 2s seat4="), ["DEAL-ORDER"]),  # no one wagers at seat 3
        (DEAL.replace("dealer=", "seat5=8h 6s 5c 3d 2s dealer="), ["DEAL-ORDER"]),
    ],
)
def test_687a_8_d_cards_go_to_those_who_wager(deal: str, found: list[str]) -> None:
    assert lines(judged(WAGERS + "no_more_bets\n" + deal + RAISED + push(2, 4) + "close\n")) == found


def test_687a_13_c_a_bettor_who_gets_no_cards_voids_the_round() -> None:
    deal = "deal_order seat2=Kd Qc 9h 7s 4d dealer=Ks Qh 9d 7c 4s\n"
    text = WAGERS + deal + "wager seat=2 raise 20.00\n" + push(2) + returned(4) + "close\n"
    assert lines(judged(text)) == ["DEAL-ORDER", "DEAL-COUNT seat=4"]


PROGRESSIVE = "pa-687a progressive=1 progressive.rate=15%"
WITH_PROGRESSIVE = WAGERS.replace("seat=2 ante", "seat=2 progressive 1.00 ante")


@pytest.mark.parametrize(
    ("deal", "found"),
    [
        (DEAL + "deal side=6d\n", []),
        (DEAL, ["DEAL-SIDE"]),
        (DEAL + "deal side=6d\ndeal side=6h\n", ["DEAL-SIDE"]),
        (DEAL + "deal side=6d 6h\n", ["DEAL-SIDE"]),
        (DEAL.replace("dealer=", "side=6d dealer="), ["DEAL-SIDE"]),
        (DEAL.replace("deal_order", "deal"), []),  # the order and the whole of the deal are not on record
    ],
)
def test_687a_8_e_one_side_card_after_the_dealers_hand(deal: str, found: list[str]) -> None:
    assert lines(judged(WITH_PROGRESSIVE + deal + RAISED + push(2, 4) + "close\n", PROGRESSIVE)) == found


@pytest.mark.parametrize(
    ("counts", "found"), [("53 53", []), ("53 52", ["EQUIP-COUNT"]), ("52 53", ["EQUIP-COUNT"]), ("51 52", ["EQUIP-COUNT"])]
)
def test_687a_5_b_a_wrong_count_is_not_cured_by_a_right_one(counts: str, found: list[str]) -> None:
    text = "".join(f"shuffle automated count={count}\n" for count in counts.split()) + WAGERS + DEAL
    assert lines(judged(text)) == found


def test_687a_5_b_a_deck_that_was_removed_and_comes_back_is_counted_anew() -> None:
    text = (
        "rules pa-687a shuffler=automated_counting\ndeck d1 received preshuffled\ndeck d1 in_play\nround 1 deck=d1\n"
        "shuffle automated count=52\ndeck d1 removed incorrect_count\ndeck d1 received preshuffled\ndeck d1 in_play\n"
        f"shuffle automated count=53\n{WAGERS}{DEAL}"
    )
    (only,) = judge(text, "again.txt")
    assert "EQUIP-COUNT" not in lines(only.conclusion)


@pytest.mark.parametrize(("method", "found"), [("manual_shoe", True), ("hand", True), ("automated_shoe", False)])
def test_687a_10_says_nothing_of_the_keypad(method: str, found: bool) -> None:
    """Only .8(c) and .9(b) have the dealer press Start Game."""
    text = WITH_PROGRESSIVE + "accepted seat=2 1.00 meter=2000.15\nlock accepted=1 collected=2\n" + DEAL + "deal side=6d\n"
    assert lines(judged(text, f"{PROGRESSIVE} deal_method={method}")) == ["WAGER-PROGRESSIVE wager=progressive"] * found


@pytest.mark.parametrize(("shuffler", "found"), [("automated", ["OPEN-IDLE"]), ("continuous", [])])
def test_687a_5_g_a_device_that_reshuffles_by_itself_needs_no_wash(shuffler: str, found: list[str]) -> None:
    play = "wager seat=2 ante 10.00 blind 10.00\ndeal seat2=Kd Qc 9h 7s 4d\n"
    text = (
        f"rules pa-687a shuffler={shuffler}\ndeck d1 received preshuffled\ndeck d1 in_play\nseated seat=2 p-2\n"
        f"round 1 deck=d1\n{play}close\nleft seat=2 p-2\nround 2 deck=d1\nseated seat=2 p-3\n{play}"
    )
    assert lines(judge(text, "idle.txt")[1].conclusion) == found


@pytest.mark.parametrize(("depth", "found"), [(10, []), (9, ["DEAL-CUT"])])
def test_687a_5_d_preshuffled_cards_are_cut_as_deep(depth: int, found: list[str]) -> None:
    text = (
        "rules pa-687a\ndeck d1 received preshuffled\ndeck d1 in_play\nround 1 deck=d1\ncovers shuffle\n"
        f"{WAGERS}cut dealer {depth}\n{DEAL}"
    )
    (only,) = judge(text, "cut.txt")
    assert lines(only.conclusion) == found


def test_687a_5_c_2_the_cut_of_a_preshuffled_deck_is_of_the_round_it_is_made_in() -> None:
    """Deck d1 was shuffled last, by the machine; a player's cut of d2 is no fault of the round that is dealt from d1."""
    play = f"covers shuffle\n{WAGERS}{{}}{DEAL}{RAISED}{push(2, 4)}close\n"
    text = (
        "rules pa-687a decks=2\ndeck d1 received\ndeck d1 in_play\ndeck d2 received preshuffled\ndeck d2 in_play\n"
        "round 1 deck=d1\n"
        + play.format("shuffle automated deck=d1\n")
        + "round 2 deck=d2\n"
        + play.format("cut seat=2 20\n").replace("close", "shuffle automated deck=d1\nclose")
        + "round 3 deck=d1\n"
        + play.format("")
    )
    assert [lines(each.conclusion) for each in judge(text, "two.txt")][1:] == [["DEAL-CUT"], []]


# ------------------------------------------------------------------------------------------------ the settlement, .11(c), (e)-(g)

TRIPS = "pa-687a trips=DJWT-04"
TWO_TRIPS = "wager seat=2 ante 10.00 blind 10.00 trips 5.00\nwager seat=4 ante 10.00 blind 10.00 trips 5.00\n"
LOST = "take seat={} trips 5.00\n"


@pytest.mark.parametrize(
    ("settled", "found"),
    [
        (push(2) + LOST.format(2) + push(4) + LOST.format(4), []),
        (push(4) + LOST.format(4) + push(2) + LOST.format(2), []),
        (push(2) + push(4) + LOST.format(4) + LOST.format(2), ["PAY-ORDER seat=2"]),
        (push(2) + LOST.format(2) + LOST.format(4) + push(4), ["PAY-ORDER seat=4"]),
    ],
)
def test_687a_11_e_one_player_at_a_time(settled: str, found: list[str]) -> None:
    assert lines(judged(TWO_TRIPS + DEAL + RAISED + settled + "close\n", TRIPS)) == found


def test_687a_11_e_two_clocks_and_the_order_of_settlement() -> None:
    table = Table(words=TRIPS)
    table.say(model.RoundOpened(deck="d-1", observed=["settlement"]), 1)

    def took(seat: int, wager: str, source: str, second: int) -> None:
        taken = model.WagerTaken(seat=seat, bettor=f"p-{seat}", wager=wager, number=None, amount_cents=500, reason="lost")
        table.say(taken, 1, source=source, at_us=START_US + (100 + second) * SECOND_US)

    took(2, "ante", "one", 0)
    took(4, "ante", "two", 5)
    took(2, "trips", "one", 1)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=START_US + 120 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    assert "the clocks contradict the order of the settlement of seats 4 and 2" in conclusion.undetermined


@pytest.mark.parametrize(
    ("play", "found"),
    [
        (RAISED + push(2) + LOST.format(2) + "collect seat=2 5\n" + push(4) + LOST.format(4) + "collect all 48\n", []),
        (
            RAISED + push(2) + "collect seat=2 5\n" + LOST.format(2) + push(4) + LOST.format(4) + "collect all 48\n",
            ["DEAL-RACK seat=2"],
        ),
        # a folded hand with Trips stays until that is settled
        (
            "decide seat=2 fold\nwager seat=4 raise 20.00\n"
            + FOLDED.format(2)
            + push(4)
            + LOST.format(4)
            + LOST.format(2)
            + "collect all 53\n",
            [],
        ),
        (
            "decide seat=2 fold\nwager seat=4 raise 20.00\n"
            + FOLDED.format(2)
            + "collect seat=2 5\n"
            + push(4)
            + LOST.format(4)
            + LOST.format(2)
            + "collect all 48\n",
            ["DEAL-RACK seat=2"],
        ),
        # without Trips it goes at once
        (
            "decide seat=2 fold\nwager seat=4 raise 20.00\ncollect seat=2 5\n"
            + FOLDED.format(2)
            + LOST.format(2)
            + push(4)
            + LOST.format(4)
            + "collect all 48\n",
            ["DEAL-RACK seat=2"],
        ),
    ],
)
def test_687a_11_c_g_cards_stay_until_their_wagers_are_settled(play: str, found: list[str]) -> None:
    assert lines(judged(TWO_TRIPS + DEAL + play + "close\n", TRIPS)) == found


def test_687a_11_c_a_folded_hand_without_optional_wagers_is_collected_with_them() -> None:
    text = WAGERS + DEAL + "decide seat=2 fold\nwager seat=4 raise 20.00\ncollect seat=2 5\n" + FOLDED.format(2)
    assert verdict(text + push(4) + "collect all 48\nclose\n") == ("UPHELD", [])


TWO_SHARES = (
    "wager seat=2 ante 10.00 blind 10.00 progressive 1.00\nwager seat=4 ante 10.00 blind 10.00 progressive 1.00\n"
    "accepted seat=2 1.00 meter=5000.00\naccepted seat=4 1.00 meter=5000.15\n"
    "deal seat2=As Ks Qs Js Ts seat4=5c 6c 7c 8c 9c\ndeal side=6d\n" + RAISED
)


@pytest.mark.parametrize(
    ("won", "royal", "straight_flush"),
    [
        (
            "won seat=2 meter=5000.15 share=100% after=2000.00\nwon seat=4 meter=2000.00 share=10% after=1800.00\n",
            499_915,
            19_900,
        ),
        (
            "won seat=4 meter=5000.15 share=10% after=4500.14\nwon seat=2 meter=4500.14 share=100% after=2000.00\n",
            449_914,
            49_901,
        ),
        ("", None, None),
    ],
)
def test_687a_12_c_two_shares_by_the_order_in_which_the_meter_served_them(
    won: str, royal: int | None, straight_flush: int | None
) -> None:
    conclusion = judged(TWO_SHARES + won, PROGRESSIVE)
    assert (dues(conclusion)[2, "progressive"], dues(conclusion)[4, "progressive"]) == (royal, straight_flush)
    assert lines(conclusion) == []


def test_687a_12_c_without_the_meters_record_the_order_of_settlement_tells() -> None:
    dealer = TWO_SHARES.replace("\ndeal side", " dealer=Kd Kh Qd Jc 9s\ndeal side")
    settled = "".join(f"pay seat={seat} ante 10.00\n" for seat in (4, 2))
    assert dues(judged(dealer + settled, PROGRESSIVE))[4, "progressive"] == 49_901


def test_687a_12_c_a_meter_after_a_winner_that_does_not_add_up() -> None:
    won = "won seat=2 meter=5000.15 share=100% after=2000.00\nwon seat=4 meter=2000.15 share=10% after=1800.14\n"
    assert lines(judged(TWO_SHARES + won, PROGRESSIVE)) == ["PAY-METER seat=4 wager=progressive"]


def test_687a_12_c_winners_of_a_linked_meter_may_be_served_in_either_order() -> None:
    won = "won seat=2 meter=5100.00 share=100% after=2000.00\nwon seat=4 meter=2050.00 share=10% after=1845.00\n"
    conclusion = judged(TWO_SHARES + won, PROGRESSIVE + " linked=yes")
    assert lines(conclusion) == []
    assert dues(conclusion)[4, "progressive"] == 20_400


def test_687a_12_c_a_payment_at_odds_brings_the_progressive_wager_back() -> None:
    text = "wager seat=2 ante 10.00 blind 10.00 progressive 1.00\ndeal seat2=Qs Qh Qd 8c 5s\ndeal side=6d\n"
    assert lines(judged(text + "pay seat=2 progressive 9.00\n", PROGRESSIVE)) == []


# ------------------------------------------------------------------------------------------------ two clocks, two orders (D132)

TAKEN = model.WagerTaken(seat=2, bettor="p-2", wager="trips", number=None, amount_cents=500, reason="lost")
SIDE = model.CardsDealt(to="side", cards=["6d"], face_up=False)
LAST = model.CardsDealt(to="dealer", cards=["Ks"], face_up=False)
COLLECTED = model.CardsCollected(deck="d-1", of=2, count=5, counted=None)
TURNED, FOLD = model.HandRevealed(position="dealer"), model.DecisionMade(seat=4, decision="fold")


@pytest.mark.parametrize(
    ("first", "second", "code", "doubt"),
    [
        (SIDE, LAST, "DEAL-SIDE", "the clocks contradict the order of the side card and the dealer's hand"),
        (COLLECTED, TAKEN, "DEAL-RACK", "seat 2: the clocks contradict the order of its settlement and of collecting its cards"),
        (TURNED, FOLD, "PLAY-ORDER", "the clocks contradict the order of the last decision and the dealer's turning over"),
    ],
    ids=["DEAL-SIDE", "DEAL-RACK", "PLAY-ORDER"],
)
@pytest.mark.parametrize("contradicting", [False, True])
def test_a_finding_that_rests_on_two_clocks(
    first: model.Event, second: model.Event, code: str, doubt: str, contradicting: bool
) -> None:
    table = Table(words=TRIPS)
    table.say(model.RoundOpened(deck="d-1", observed=["deal"]), 1)
    at_us = START_US + 100 * SECOND_US
    if first is TURNED:
        table.say(model.DecisionMade(seat=2, decision="raise"), 1, source="camera", at_us=at_us - 2 * SECOND_US)
    table.say(first, 1, source="camera", at_us=at_us)
    table.say(second, 1, source="shoe", at_us=at_us - SECOND_US if contradicting else at_us + SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + 5 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    assert (code in [found.code for found in conclusion.findings]) is not contradicting
    assert (doubt in conclusion.undetermined) is contradicting
