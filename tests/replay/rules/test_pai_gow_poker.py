"""What the golden rounds of 645c leave out: its rules at their edges, on transcripts of a few lines."""

from hashlib import sha256

import msgspec
import pytest

from events.vocabulary import model
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import fold_script, judge, parse

# The dealer has a Tiger 9 (K-K-6-4-2 and 9-8): the base wagers push.
DEALER = "dealer=Kh Kd 9s 8c 6d 4h 2c"
HANDS = (
    f"{DEALER} seat1=2s 2h 5c 7d Tc Qs Kc seat2=Ad 6s 6c 9d Jh 4c 3s seat3=As Qd Th 9h 7c 5s 2d "
    "seat4=Ah Qh Js 8h 6h 4s 3c seat5=Ks Qc Td 8d 7h 5d 3h seat6=Ac Jd Ts 9c 8s 5h 3d"
)
PUSHED = "return seat=3 base 25.00 push\nclose\n"


def conclusions(words: str, text: str) -> list[Conclusion]:
    return [each.conclusion for each in judge(f"rules pa-645c starting=player_shaker {words}\n{text}", "test")]


def found(words: str, text: str) -> list[str]:
    (one,) = conclusions(words, text)
    return [each.line() for each in one.findings]


def due(words: str, text: str, seat: int = 3, wager: str = "sum") -> int | None:
    (one,) = conclusions(words, text)
    return next(each.due_cents for each in one.settlements if (each.seat, each.wager) == (seat, wager))


# -------------------------------------------------------------------------------------------------- the shaker, 645c.2

ROLLED = "dice 2 2 4 total=8 -> dealer\nannounce_dice 2 2 4\npay seat=3 sum 15.00\n"


def sum_round(shaken: str, before: str = "no_more_bets\n", wager: str = "wager seat=3 base 25.00 sum 5.00\n") -> str:
    return f"{wager}{before}{shaken}{ROLLED}deal_order {HANDS}\nshaker_covered\nshake 1\n{PUSHED}"


@pytest.mark.parametrize(
    ("shaken", "findings"),
    [
        ("activate seat=3\nshake 5000 ms\n", []),
        ("activate seat=3\nshake 3000 ms\nshake 2000 ms\n", []),
        ("activate seat=3\nshake 3000 ms\nshake 1999 ms\n", ["DEAL-SHAKE"]),
        ("activate seat=3\n", ["DEAL-SHAKE"]),  # never shaken
        ("activate seat=3\nshake 5000 ms uncovered\n", ["DEAL-SHAKE"]),
        ("shake 5000 ms\n", []),  # who activated it is not on record
        ("shake 3\n", []),
        ("shake 3 uncovered\n", ["DEAL-SHAKE"]),
        ("shake 2 uncovered\n", ["DEAL-SHAKE", "DEAL-SHAKE"]),
        ("seated seat=5 p-5\nactivate seat=5\nshake 5000 ms\n", []),  # a player who sits this round out
        ("activate seat=5\nshake 5000 ms\n", ["DEAL-SHAKE"]),
    ],
)
def test_645c_2_b_f_how_and_by_whom_the_dice_are_shaken(shaken: str, findings: list[str]) -> None:
    wager = "seated seat=3 seat-3\nwager seat=3 base 25.00 sum 5.00\n"
    assert found("sum=A", sum_round(shaken, wager=wager)) == findings


def test_645c_2_f_2_without_wagers_on_the_dice_an_open_shaker_is_645as_matter() -> None:
    text = f"wager seat=3 base 25.00\nno_more_bets\nshake 3 uncovered\ndice 2 2 4 -> dealer\ndeal_order {HANDS}\n"
    assert found("", f"{text}shaker_covered\nshake 1\n{PUSHED}") == []


@pytest.mark.parametrize(
    ("before", "cover", "findings"),
    [
        ("no_more_bets\n", "", []),
        ("", "covers wagering\n", ["DEAL-NOBETS"]),  # never said: found once, with the first card
        ("", "", []),  # the record does not cover it
    ],
)
def test_645c_2_f_no_more_bets_comes_before_the_shaker(before: str, cover: str, findings: list[str]) -> None:
    assert found("sum=A", cover + sum_round("activate seat=3\nshake 5000 ms\n", before)) == findings


def test_645c_2_f_no_more_bets_is_missed_before_any_card() -> None:
    assert found("sum=A", "covers wagering\nwager seat=3 base 25.00\nactivate seat=3\nshake 5000 ms\n") == ["DEAL-NOBETS"]


@pytest.mark.parametrize(
    ("words", "colours", "findings"),
    [
        ("beat_it=A", "red,blue,blue", []),
        ("beat_it=B", "white,white,white", ["EQUIP-DICE"]),
        ("beat_it=A", "red,red,blue", ["EQUIP-DICE"]),
        ("beat_it=C", "white,white,white", []),
        ("sum=A", "white,white,white", []),
    ],
)
def test_645c_2_c_one_red_and_two_blue_dice(words: str, colours: str, findings: list[str]) -> None:
    text = f"wager seat=3 base 25.00\nactivate seat=3\nshake 5000 ms\ndice 6 2 1 colours={colours}\n"
    assert found(words, text) == findings


@pytest.mark.parametrize(
    ("announced", "findings"),
    [
        ("announce_dice 2 2 4\n", []),
        ("announce_dice 2 3 4\n", ["PAY-ANNOUNCED"]),
        ("announce_dice 2 3 4\nannounce_dice 2 2 4\n", []),  # the last word counts
        ("", []),
    ],
)
def test_645c_2_g_the_value_of_each_die_is_announced(announced: str, findings: list[str]) -> None:
    text = f"wager seat=3 base 25.00 sum 5.00\nactivate seat=3\nshake 5000 ms\ndice 2 2 4\n{announced}pay seat=3 sum 15.00\n"
    assert found("sum=A", text) == findings


@pytest.mark.parametrize(("said", "findings"), [("2 2 4", []), ("2 2 6", []), ("2 4 6", ["PAY-ANNOUNCED"])])
def test_645c_2_g_an_unread_die_may_be_as_announced(said: str, findings: list[str]) -> None:
    text = f"wager seat=3 base 25.00\nactivate seat=3\nshake 5000 ms\ndice 2 ? 2\nannounce_dice {said}\n"
    assert found("sum=A", text) == findings


def test_645c_2_g_of_two_valid_rolls_that_differ_neither_is_believed() -> None:
    text = "wager seat=3 base 25.00 sum 5.00\nactivate seat=3\nshake 5000 ms\ndice 2 2 4\nshake 5000 ms\ndice {}\n"
    assert due("sum=A", text.format("1 2 4")) is None
    assert due("sum=A", text.format("2 2 4")) == 1500


def test_645c_2_g_2_each_number_gets_its_own_stake_back() -> None:
    placed = "wager seat=3 match 5.00 number=4\nwager seat=3 match 2.00 number=1\n"
    text = f"wager seat=3 base 25.00\n{placed}pay seat=3 match 30.00 number=4\n"
    (script,) = parse(f"rules pa-645c match=yes starting=player_shaker\n{text}", "test")
    assert [each.payload.stake_cents for each in script.events if isinstance(each.payload, model.WagerPaid)] == [500]


def test_645c_2_g_the_doubt_says_what_is_missing() -> None:
    (one,) = conclusions("beat_it=A", "wager seat=3 base 25.00 beat_it 5.00\nactivate seat=3\nshake 5000 ms\ndice 6 2 1\n")
    assert any("which die is red is not on record" in reason for reason in one.undetermined)


# ------------------------------------------------------------------------------------------------------------ voids, D23

VOID = f"deal_order {HANDS}\nstub 3\n"
UNSETTLED = ["PAY-ORDER seat=3"]
"""No one had settled the wager on the dice when the cards were dealt (§ 645c.2(h), D531)."""


@pytest.mark.parametrize(
    ("before", "after", "sum_due", "findings"),
    [
        ("pay seat=3 sum 15.00\n", "void round stub_count\nreturn seat=3 base 25.00 void\nclose\n", 1500, []),
        ("", "void round stub_count\nreturn seat=3 base 25.00 void\nreturn seat=3 sum 5.00 void\nclose\n", 0, UNSETTLED),
        (
            "",
            "void round stub_count\nreturn seat=3 base 25.00 void\npay seat=3 sum 15.00\nclose\n",
            0,
            [*UNSETTLED, "PAY-VOID seat=3 wager=sum +15.00"],
        ),
        ("", "void round stub_count\nreturn seat=3 base 25.00 void\nclose\n", 0, UNSETTLED),  # left with the patron
        (
            "return seat=3 sum 5.00 push\n",
            "void round stub_count\nreturn seat=3 base 25.00 void\nclose\n",
            1500,
            ["PAY-MISSED seat=3 wager=sum -15.00"],
        ),
    ],
)
def test_d23_a_wager_on_the_dice_stands_where_it_was_settled(before: str, after: str, sum_due: int, findings: list[str]) -> None:
    text = "wager seat=3 base 25.00 sum 5.00\nno_more_bets\nactivate seat=3\nshake 5000 ms\ndice 2 2 4 total=8 -> dealer\n"
    assert found("sum=A", f"{text}{before}{VOID}{after}") == findings
    assert due("sum=A", f"{text}{before}{VOID}{after}") == sum_due


def test_d23_a_round_void_before_a_valid_roll_returns_the_wagers_on_the_dice() -> None:
    text = "wager seat=3 base 25.00 sum 5.00\nshake 3\ndice 2 2 4 fell_out\nvoid round device_failed\n"
    assert due("sum=A", text) == 0


def test_where_evidence_was_lost_nobody_knows_what_is_due_nor_whether_the_void_left_it_settled() -> None:
    text = "wager seat=3 base 25.00 sum 5.00\nactivate seat=3\nshake 5000 ms\ndice 2 2 4\nvoid round device_failed\n"
    (script,) = parse(f"rules pa-645c sum=A starting=player_shaker\n{text}", "test")
    round_ = fold_script(TableFold("table/t-1"), script)
    round_.refusals.append(round_.facts[-1])
    round_.refusals[0] = type(round_.facts[-1])(99, 1, "t", model.IntakeRefused(sha256="0" * 64, size=3, reason="torn"))
    dues = {each.wager: each.due_cents for each in adjudicate(round_, script.book).settlements}
    assert dues == {"base": None, "sum": None}


# ------------------------------------------------------------------------------------------- setting and payment, 645c.1


@pytest.mark.parametrize(
    ("deal", "findings"),
    [
        ("deal seat3=As Ac Td 7s 3h Qh Jd dealer=Kh Kd 9s 8c 6d 4h 2c", []),
        ("deal seat3=As Ac Td 7s 3h Qh Jd\ndeal dealer=Kh Kd 9s 8c 6d 4h 2c face_up", ["SET-EARLY seat=3"]),
    ],
)
def test_645c_1_d_the_dealers_cards_lie_face_down(deal: str, findings: list[str]) -> None:
    text = f"covers setting\nwager seat=3 base 25.00\n{deal}\nset seat=3 high=As Ac Td 7s 3h low=Qh Jd\n{PUSHED}"
    assert found("", text) == findings


def test_645c_1_d_each_player_who_set_late_is_named() -> None:
    text = (
        f"covers setting\nwager seat=3 base 25.00\nwager seat=5 base 25.00\nwager seat=6 base 25.00\ndeal {HANDS}\n"
        "set seat=6 high=Ac Jd 9c 8s 5h low=Ts 3d\nset dealer house_way\nset seat=5 high=Ks Td 8d 7h 5d low=Qc 3h\n"
        "set seat=3 high=As 9h 7c 5s 2d low=Qd Th\n"
    )
    assert found("", text) == ["SET-EARLY seat=5", "SET-EARLY seat=3"]


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("exposed dealer Kh by dealer\n", "UNDETERMINED"),
        ("exposed seat=5 Ks by player\n", "UPHELD"),
        ("reveal dealer\nexposed dealer Kh by dealer\n", "UPHELD"),
    ],
)
def test_d13_what_follows_from_an_exposed_card_of_the_dealer_is_not_held(line: str, verdict: str) -> None:
    (one,) = conclusions("", f"wager seat=3 base 25.00\ndeal {HANDS}\n{line}{PUSHED}")
    assert one.verdict == verdict


def test_d13_a_void_for_the_dealers_exposed_card_is_not_said_to_be_wrong() -> None:
    text = f"wager seat=3 base 25.00\ndeal_order {HANDS}\nexposed dealer Kh by dealer\nvoid round exposed_dealer\n"
    (one,) = conclusions("", f"{text}return seat=3 base 25.00 void\nclose\n")
    assert (one.verdict, one.findings) == ("UNDETERMINED", ())


# The dealer has K-K-8-5-3 and J-9, seat 3 A-A-6-4-2 and Q-7: 25.00 won, 1.25 of it vigorish if it is played with.
WON = (
    "wager seat=3 base 25.00\ndeal dealer=Kh Kd Jc 9h 8c 5d 3c seat3=As Ac 6d 4s 2h Qs 7c\n"
    "set seat=3 high=As Ac 6d 4s 2h low=Qs 7c\n"
)


@pytest.mark.parametrize(
    ("words", "done", "findings"),
    [
        ("commission_free=no", "pay seat=3 base 25.00\nvigorish seat=3 1.25\n", []),
        ("commission_free=no", "pay seat=3 base 25.00\nvigorish seat=3 1.00\nvigorish seat=3 0.25\n", []),
        ("commission_free=no", "pay seat=3 base 30.00\nvigorish seat=3 1.50\n", ["PAY-OVER seat=3 wager=base +4.75"]),
        ("commission_free=no", "pay seat=3 base 23.75\n", []),  # kept back at once: the net is right
        ("commission_free=no", "take seat=3 base 25.00\n", ["PAY-TAKEN seat=3 wager=base -48.75"]),
        ("", "pay seat=3 base 20.00\nvigorish seat=3 1.00\n", ["PAY-UNDER seat=3 wager=base -6.00"]),
        ("", "pay seat=3 base 25.00\nvigorish seat=5 1.00\n", ["PAY-VIG seat=5 wager=base -1.00"]),  # of no one's wager
    ],
)
def test_645c_1_a_vigorish_counts_in_what_the_wager_came_to(words: str, done: str, findings: list[str]) -> None:
    assert found(words, f"{WON}{done}close\n") == findings


@pytest.mark.parametrize(("words", "assumed"), [("", False), ("commission_free=no", True)])
def test_d13_a_wrong_vigorish_rests_on_an_assumed_rate_only_where_one_is_played(words: str, assumed: bool) -> None:
    (one,) = conclusions(words, f"{WON}pay seat=3 base 25.00\nvigorish seat=3 2.00\nclose\n")
    assert [(each.code, each.assumed) for each in one.findings] == [("PAY-VIG", assumed)]


@pytest.mark.parametrize(
    ("done", "code", "assumed"),
    [
        ("pay seat=3 base 30.00", "PAY-OVER", True),  # compared by § 688a.11(f)
        ("pay seat=3 base 25.00\npay seat=3 tiger_9 150.00", "PAY-LOSER", False),
    ],
)
def test_d13_findings_say_where_they_rest_on_a_chapter_that_is_not_held(done: str, code: str, assumed: bool) -> None:
    wagered = WON.replace("base 25.00", "base 25.00 tiger_9 5.00", 1)
    take = "" if "tiger_9" in done else "take seat=3 tiger_9 5.00\n"
    (one,) = conclusions("tiger_9=yes", f"{wagered}{done}\n{take}close\n")
    assert [(each.code, each.assumed) for each in one.findings] == [(code, assumed)]


# -------------------------------------------------------------------------------------------- Must-Hit-By, 645c.3, D21

MYSTERY = "progressive=1 mystery=A-1"
TWO = (
    "wager seat=3 base 25.00 progressive 1.00\nwager seat=5 base 25.00 progressive 1.00\n"
    "contributed seat=3 1.00 meter=149.99\ncontributed seat=5 1.00 meter=150.01\n"
)
DEALT = "deal dealer=Kh Kd 9s 8c 6d 4h 2c seat3=Qc Td 8d 7s 5h 3s 2s seat5=Ac Jh 9d 7h 5s 4c 2d\n"
BOTH = "return seat=5 base 25.00 push\nreturn seat=3 base 25.00 push\nclose\n"


@pytest.mark.parametrize(
    ("hit", "paid", "findings"),
    [
        ("seat=5 meter=150.01 target=150.00", "pay seat=5 mystery 150.01", []),
        ("seat=5 meter=150.01 target=150.00", "", ["PAY-MISSED seat=5 wager=mystery -150.01"]),
        (
            "seat=3 meter=150.01 target=150.00",
            "pay seat=3 mystery 150.01",
            ["PAY-MISSED seat=5 wager=mystery -150.01", "MYST-TRIGGER seat=3 wager=mystery +150.01"],
        ),
        ("seat=5 meter=150.01 target=150.01", "pay seat=5 mystery 150.01", ["MYST-TRIGGER seat=5 wager=mystery +150.01"]),
        ("seat=5 meter=150.01 target=150.01", "", ["MYST-TRIGGER seat=5 wager=mystery"]),
        ("seat=5 meter=150.01 target=250.00", "", ["MYST-TRIGGER seat=5 wager=mystery"]),
        ("seat=5 meter=150.03 target=150.00", "pay seat=5 mystery 150.01", ["MYST-AMOUNT seat=5 wager=mystery"]),
        (
            "seat=5 meter=150.01 target=150.00 after=100.00",
            "pay seat=5 mystery 150.01\npay seat=3 mystery 1.00",
            ["MYST-TRIGGER seat=3 wager=mystery +1.00"],
        ),
    ],
)
def test_645c_3_c_the_money_of_a_hit(hit: str, paid: str, findings: list[str]) -> None:
    assert sorted(found(MYSTERY, f"{TWO}mystery_hit {hit}\n{DEALT}{paid}\n{BOTH}")) == sorted(findings)


def test_645c_3_c_a_bonus_paid_where_none_was_hit() -> None:
    paid = f"{DEALT}pay seat=5 mystery 150.01\n{BOTH}"
    assert found(MYSTERY, TWO + paid) == ["MYST-TRIGGER seat=5 wager=mystery +150.01"]
    wagers = TWO[: TWO.index("contributed")]
    (one,) = conclusions(MYSTERY, wagers + paid)  # the record says nothing of the meter
    assert (one.verdict, one.findings) == ("UNDETERMINED", ())


@pytest.mark.parametrize(
    ("filed", "how", "findings"),
    [
        ("", "slip", []),
        ("", "inventory", []),
        ("mystery_paid_by=slip", "slip", []),
        ("mystery_paid_by=slip", "inventory", ["PAY-SOURCE seat=5 wager=mystery"]),
        ("mystery_paid_by=inventory", "slip", ["PAY-SOURCE seat=5 wager=mystery"]),
    ],
)
def test_645c_3_c_6_paid_from_the_inventory_or_by_slip_as_filed(filed: str, how: str, findings: list[str]) -> None:
    text = f"{TWO}mystery_hit seat=5 meter=150.01 target=150.00\n{DEALT}pay seat=5 mystery 150.01 {how}\n{BOTH}"
    assert found(f"{MYSTERY} {filed}", text) == findings


SECRET = sha256(b"1500000:n-1").hexdigest()


def rounds(first: str, second: str) -> list[Conclusion]:
    """Round 1 arms the meter (and does what is said), round 2 lifts it to 150.01 with two wagers."""
    wager = "wager seat=3 base 25.00 progressive 1.00\n"
    one = f"round 1\n{wager}{first}contributed seat=3 1.00 meter=149.97\n{DEALT}return seat=3 base 25.00 push\nclose\n"
    return conclusions(MYSTERY, f"{one}round 2\n{TWO}{second}{DEALT}pay seat=5 mystery 150.01\n{BOTH}")


@pytest.mark.parametrize(
    ("hit", "verdict", "findings"),
    [
        ("seat=5 meter=150.01 target=150.00 nonce=n-1", "UPHELD", []),
        ("seat=5 meter=150.01 target=150.00 nonce=n-2", "VARIANCE", ["MYST-COMMITMENT seat=5 wager=mystery"]),
        ("seat=5 meter=150.01 target=149.99 nonce=n-1", "VARIANCE", ["MYST-COMMITMENT seat=5 wager=mystery"]),
        ("seat=5 meter=150.01 target=150.00", "UNDETERMINED", []),  # the nonce is not told
        ("seat=5 meter=150.01", "UNDETERMINED", []),  # the target is not told
    ],
)
def test_d21_a_commitment_of_an_earlier_round_is_remembered(hit: str, verdict: str, findings: list[str]) -> None:
    first, second = rounds(f"armed meter=149.95 commitment={SECRET}\n", f"mystery_hit {hit}\n")
    assert first.verdict == "UPHELD"
    assert (second.verdict, [each.line() for each in second.findings]) == (verdict, findings)


def test_645c_3_c_2_a_contribution_follows_from_the_round_before_and_from_the_reset() -> None:
    first, second = rounds("armed meter=149.96\n", "mystery_hit seat=5 meter=150.01 target=150.00\n")
    assert [each.line() for each in first.findings] == ["MYST-CONTRIBUTION seat=3 wager=mystery"]
    assert second.findings == ()
    after = "mystery_hit seat=5 meter=150.01 target=150.00\ncontributed seat=2 1.00 meter=100.03\n"
    _, second = rounds("armed meter=149.95\n", f"wager seat=2 base 5.00 progressive 1.00\n{after}")
    assert [each.line() for each in second.findings] == ["MYST-CONTRIBUTION seat=2 wager=mystery"]


def test_645c_3_c_2_the_wager_that_contributes_is_the_one_at_the_box() -> None:
    text = TWO.replace("contributed seat=5 1.00", "contributed seat=5 5.00")
    assert found(MYSTERY, f"{text}{DEALT}{BOTH}") == ["MYST-CONTRIBUTION seat=5 wager=mystery"]


def test_645c_3_c_1_a_progressive_wager_without_a_base_wager_does_not_qualify() -> None:
    text = TWO.replace("wager seat=5 base 25.00 progressive 1.00", "wager seat=5 progressive 1.00")
    assert sorted(found(MYSTERY, f"{text}{DEALT}return seat=3 base 25.00 push\n")) == [
        "WAGER-BASE seat=5 wager=mystery",
        "WAGER-BASE seat=5 wager=progressive",
    ]


@pytest.mark.parametrize(
    ("armed", "findings"),
    [
        ("armed meter=100.00", []),
        ("armed meter=100.00 minimum=100.00 maximum=200.00 rate=2%", []),
        ("armed meter=100.00 minimum=100.00 maximum=500.00 rate=2%", ["MYST-CONTRIBUTION wager=mystery"]),
        ("armed meter=100.00 minimum=50.00 maximum=200.00 rate=2%", ["MYST-CONTRIBUTION wager=mystery"]),
        ("armed meter=100.00 minimum=100.00 maximum=200.00 rate=5%", ["MYST-CONTRIBUTION wager=mystery"]),
    ],
)
def test_645c_3_c_4_the_meter_is_armed_as_filed(armed: str, findings: list[str]) -> None:
    text = f"wager seat=3 base 25.00 progressive 1.00\n{armed}\ncontributed seat=3 1.00 meter=100.02\n{DEALT}"
    assert found(MYSTERY, f"{text}return seat=3 base 25.00 push\n") == findings


def test_a_meter_shared_with_other_tables_jumps_between_this_tables_wagers() -> None:
    wagers = TWO[: TWO.index("contributed")]
    text = f"{wagers}contributed seat=3 1.00 meter=149.99\ncontributed seat=5 1.00 meter={{}}\n{DEALT}{BOTH}"
    jump, drop = text.format("160.17"), text.format("100.48")  # others wagered between; another table hit between
    assert len(found(MYSTERY, jump)) == len(found(MYSTERY, drop)) == 1
    assert found(f"{MYSTERY} mystery.linked=yes", jump) == found(f"{MYSTERY} mystery.linked=yes", drop) == []


def test_the_progressives_own_meter_and_lock_know_nothing_of_the_bonus() -> None:
    text = (
        "wager seat=3 base 25.00 progressive 1.00\naccepted seat=3 1.00 meter=10400.1200\nlock accepted=1 collected=1\n"
        f"contributed seat=3 1.00 meter=100.02\n{DEALT}return seat=3 base 25.00 push\nclose\n"
    )
    assert found(MYSTERY, text) == []


def test_d23_where_a_void_reverses_meters_the_bonus_meter_goes_back_too() -> None:
    wager = "wager seat=3 base 25.00 progressive 1.00\n"
    void = "void round floor_decision\nreturn seat=3 base 25.00 void\nreturn seat=3 progressive 1.00 void\nclose\n"
    text = f"round 1\n{wager}armed meter=120.00\ncontributed seat=3 1.00 meter=120.02\n{DEALT}{BOTH}".replace(
        "return seat=5 base 25.00 push\n", ""
    )
    text += f"round 2\n{wager}contributed seat=3 1.00 meter=120.04\n{void}"
    text += f"round 3\n{wager}contributed seat=3 1.00 meter={{}}\n{DEALT}return seat=3 base 25.00 push\nclose\n"
    for words, right, wrong in (("", "120.06", "120.04"), ("void_reverses_meter=yes", "120.04", "120.06")):
        assert conclusions(f"{MYSTERY} {words}", text.format(right))[2].findings == ()
        (said,) = conclusions(f"{MYSTERY} {words}", text.format(wrong))[2].findings
        assert said.code == "MYST-CONTRIBUTION"


def test_645c_3_a_bonus_that_nobody_paid_names_whose_it_is() -> None:
    text = (
        "rules pa-645c progressive=1 mystery=A-1\narmed meter=149.99\nwager seat=1 bettor=p-1 base 10.00 progressive 1.00\n"
        "contributed seat=1 1.00 meter=150.01\nmystery_hit seat=1 meter=150.01 target=150.00 after=100.00\nclose\n"
    )
    (only,) = judge(text, "x")
    missed = [(each.bettor, each.due_cents) for each in only.conclusion.settlements if each.wager == "mystery"]
    assert missed == [("p-1", 15001)]


@pytest.mark.parametrize(("change", "is_doubtful"), [({}, False), ({"round_no": 9}, True), ({"table": "pg-9"}, True)])
def test_645c_3_c_3_a_hit_names_the_table_and_the_round_it_stands_in(change: dict[str, int | str], is_doubtful: bool) -> None:
    text = (
        "wager seat=3 base 25.00 progressive 1.00\narmed meter=100.00\naccepted seat=3 1.00 meter=10400.1200\n"
        "contributed seat=3 1.00 meter=100.02\nlock accepted=1 collected=1\n"
        "mystery_hit seat=3 meter=100.02 target=100.01 after=100.00\n"
    )
    (script,) = parse(f"rules pa-645c progressive=1 mystery=A-1\n{text}", "test")
    events = [
        msgspec.structs.replace(each, payload=msgspec.structs.replace(each.payload, **change))
        if isinstance(each.payload, model.MysteryHit)
        else each
        for each in script.events
    ]
    script = msgspec.structs.replace(script, events=events)
    round_ = fold_script(TableFold(f"table/{script.table}"), script)
    doubts = adjudicate(round_, script.book).undetermined
    assert any("the bonus was hit at table" in each for each in doubts) == is_doubtful
