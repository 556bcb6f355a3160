"""What the golden rounds of 645c leave out: its rules at their edges, on transcripts of a few lines."""

import msgspec
import pytest

from events.vocabulary import model
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import fold_script, judge, parse


def conclusions(words: str, text: str) -> list[Conclusion]:
    return [each.conclusion for each in judge(f"rules pa-645c starting=player_shaker {words}\n{text}", "test")]


# -------------------------------------------------------------------------------------------------- the shaker, 645c.2


def test_645c_2_g_2_each_number_gets_its_own_stake_back() -> None:
    placed = "wager seat=3 match 5.00 number=4\nwager seat=3 match 2.00 number=1\n"
    text = f"wager seat=3 base 25.00\n{placed}pay seat=3 match 30.00 number=4\n"
    (script,) = parse(f"rules pa-645c match=yes starting=player_shaker\n{text}", "test")
    assert [each.payload.stake_cents for each in script.events if isinstance(each.payload, model.WagerPaid)] == [500]


# ------------------------------------------------------------------------------------------------------------ voids, D23


def test_where_evidence_was_lost_nobody_knows_what_is_due_nor_whether_the_void_left_it_settled() -> None:
    text = "wager seat=3 base 25.00 sum 5.00\nactivate seat=3\nshake 5000 ms\ndice 2 2 4\nvoid round device_failed\n"
    (script,) = parse(f"rules pa-645c sum=A starting=player_shaker\n{text}", "test")
    round_ = fold_script(TableFold("table/t-1"), script)
    round_.refusals.append(round_.facts[-1])
    round_.refusals[0] = type(round_.facts[-1])(99, 1, "t", model.IntakeRefused(sha256="0" * 64, size=3, reason="torn"))
    dues = {each.wager: each.due_cents for each in adjudicate(round_, script.book).settlements}
    assert dues == {"base": None, "sum": None}


# ------------------------------------------------------------------------------------------- setting and payment, 645c.1


# The dealer has K-K-8-5-3 and J-9, seat 3 A-A-6-4-2 and Q-7: 25.00 won, 1.25 of it vigorish if it is played with.
WON = (
    "wager seat=3 base 25.00\ndeal dealer=Kh Kd Jc 9h 8c 5d 3c seat3=As Ac 6d 4s 2h Qs 7c\n"
    "set seat=3 high=As Ac 6d 4s 2h low=Qs 7c\n"
)


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
