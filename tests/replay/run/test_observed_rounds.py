"""Rounds that people observed: each is judged alone, by the filing that it pins, and withdraws nothing of the table's own."""

import re
from itertools import dropwhile
from random import Random

import msgspec
import pytest

from events.vocabulary import model
from replay.fold.observed_fold import usual_place
from replay.run.replayer import MemoryResults
from replay.transcript.read import TABLE_STATEMENTS
from replay.transcript.transcript import judge
from tests.golden.rounds import GoldenCase, read_cases, round_files
from tests.replay.observed import ENTERED, Observed, judged, lines
from tests.replay.tables import PAID, UNPAID, Table, filed

MISSED = "PAY-MISSED seat=3 wager=base -25.00"
KEY = "observed/fu-01#1"

OUT_OF_ORDER = PAID.replace("pay     seat=3 base 25.00\n", "").replace(
    "take    seat=1 base 10.00\n", "take    seat=1 base 10.00\npay     seat=3 base 25.00\n"
)
"""Seat 1 is settled before seat 3; the text settles from seat 6 to seat 1 (§ 688a.11(e))."""
SEAT_1 = "wager   seat=1 base 10.00\n"


def house(rounds: int = 1) -> Table:
    table = Table()
    for number in range(1, rounds + 1):
        table.play(number, PAID)
    return table


@pytest.mark.parametrize(("text", "verdict", "found"), [(PAID, "UPHELD", []), (UNPAID, "VARIANCE", [MISSED])])
def test_an_observed_round_is_judged_by_the_filing_that_it_pins(text: str, verdict: str, found: list[str]) -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, text)
    verdicts = judged(table, entries)
    assert (verdicts[KEY].verdict, lines(verdicts[KEY])) == (verdict, found)
    assert (verdicts[KEY].gaming_day, verdicts[KEY].dealer) == ("2026-03-01", "d-7")
    assert verdicts["table/fu-01#1"].verdict == "UPHELD"


def test_an_entry_withdraws_and_changes_nothing_of_the_table() -> None:
    table = house()
    table.play(2, UNPAID)
    alone = {key: msgspec.to_builtins(each) for key, each in judged(table).items()}
    entries = Observed(table)
    for number, text in ((1, UNPAID), (2, PAID), (3, PAID)):
        entries.enter(number, text)
    beside = judged(table, entries)
    assert {key: msgspec.to_builtins(each) for key, each in beside.items() if key in alone} == alone


def test_the_table_need_not_be_open_and_yesterday_is_no_step_back() -> None:
    table = Table()
    entries = Observed(table)
    entries.enter(1, PAID)
    entries.enter(2, PAID, played_gaming_day="2026-02-27")
    verdicts = judged(table, entries)
    assert [verdicts[f"observed/fu-01#{n}"].verdict for n in (1, 2)] == ["UPHELD", "UPHELD"]
    assert verdicts["observed/fu-01#2"].gaming_day == "2026-02-27" < ENTERED


@pytest.mark.parametrize(
    ("pinned", "day", "why"),
    [
        (model.PinnedRules(seq=1, sha256="0" * 64), "2026-03-01", "event 1 of table/fu-01, .* files no rules"),
        (model.PinnedRules(seq=99, sha256="0" * 64), "2026-03-01", "event 99 of table/fu-01, .* files no rules"),
        (model.PinnedRules(seq=2, sha256="0" * 64), "2026-03-01", "files other rules than those of SHA-256 0000"),
        (model.PinnedRules(seq=2, sha256=filed().sha256), "1999-12-31", "files rules from "),
    ],
)
def test_a_filing_that_does_not_fit_is_found_and_judges_nothing(pinned: model.PinnedRules, day: str, why: str) -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, UNPAID, rules=pinned, played_gaming_day=day)
    found = judged(table, entries)[KEY]
    assert (found.verdict, lines(found)) == ("UNDETERMINED", ["LOG-PINNED-RULES"])
    assert found.findings[0].cite == "Log contract, observed rounds"
    assert re.search(why, found.undetermined[0])


def test_order_that_was_not_seen_is_no_finding_and_amounts_are_judged() -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, OUT_OF_ORDER)
    entries.enter(2, OUT_OF_ORDER, order_seen=False)
    entries.enter(3, OUT_OF_ORDER.replace("base 25.00\nclose", "base 20.00\nclose"), order_seen=False)
    verdicts = judged(table, entries)
    assert lines(verdicts["observed/fu-01#1"]) == ["PAY-ORDER seat=3"]
    assert (verdicts["observed/fu-01#2"].verdict, lines(verdicts["observed/fu-01#2"])) == ("UPHELD", [])
    assert lines(verdicts["observed/fu-01#3"]) == ["PAY-UNDER seat=3 wager=base -5.00"]


def test_where_the_order_was_not_seen_the_evidence_has_the_numbers_of_the_stream() -> None:
    """The wager was typed after the payment; the finding names the events as they are stored."""
    table = house()
    entries = Observed(table)
    short = PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 20.00")
    entries.enter(1, short, last=model.WagerPlaced, order_seen=False)
    (found,) = judged(table, entries)[KEY].findings
    assert found.line() == "PAY-UNDER seat=3 wager=base -5.00"
    kinds = {entries.payload(seq).TYPE for seq in found.evidence}
    assert {"wager_placed", "wager_paid"} <= kinds
    assert all(getattr(entries.payload(seq), "seat", 3) == 3 for seq in found.evidence)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PAID, []),
        (PAID.replace("As Ah 7c", "Ad Ah 7c"), ["LOG-OBSERVED-DIFFERS seat=3"]),
        (PAID.replace("As Ah 7c", "?? Ah 7c"), []),
        (PAID.replace("seat=3 base 25.00", "seat=3 base 30.00"), ["LOG-OBSERVED-DIFFERS seat=3 wager=base"] * 2),
        (UNPAID, []),
        (PAID.replace(SEAT_1, f"{SEAT_1}wager   seat=5 base 20.00\nrefuse  seat=5 base 20.00\n"), []),
        (PAID.replace(SEAT_1, f"{SEAT_1}wager   seat=5 base 20.00\n"), ["LOG-OBSERVED-DIFFERS seat=5 wager=base"]),
        (PAID.replace(SEAT_1, f"{SEAT_1}wager   seat=1 base 5.00\nrefuse  seat=1 base 5.00\n"), []),
        (PAID.replace(SEAT_1, f"{SEAT_1}refuse  seat=1 base 10.00\n"), ["LOG-OBSERVED-DIFFERS seat=1 wager=base"]),
    ],
    ids=["alike", "card", "unread card", "amounts", "not seen", "refused", "not refused", "raise refused", "one refused"],
)
def test_two_records_of_one_round_are_compared_and_none_replaces_the_other(text: str, found: list[str]) -> None:
    table = house()
    same = model.SameRound(first_seq=3, last_seq=table.last, round_no=1, stream="table/fu-01")
    entries = Observed(table)
    entries.enter(1, text.replace("covers settlement", ""), same_as=same)
    verdicts = judged(table, entries)
    differences = [each for each in lines(verdicts[KEY]) if each.startswith("LOG-")]
    assert differences == found
    assert verdicts["table/fu-01#1"].verdict == "UPHELD"
    if found:
        assert verdicts[KEY].verdict == "UNDETERMINED"
        first = verdicts[KEY].findings[0]
        assert first.expected.startswith("table/fu-01 round 1 has ")
        assert first.observed.startswith("observed/fu-01 round 1 has ")


def test_two_observers_of_one_round_are_compared() -> None:
    table = house()
    first = Observed(table)
    begins = first.enter(1, PAID)
    ends = first.last
    first.enter(
        2,
        PAID.replace("2h  dealer", "3h  dealer").replace("4c 2h", "4c 3h"),
        same_as=model.SameRound(first_seq=begins, last_seq=ends, round_no=1, stream="observed/fu-01"),
    )
    found = judged(table, first)["observed/fu-01#2"]
    assert [each for each in lines(found) if "DIFFERS" in each] == ["LOG-OBSERVED-DIFFERS seat=3"]


def test_a_record_that_is_not_there_is_found() -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, PAID, same_as=model.SameRound(first_seq=3, last_seq=9, round_no=7, stream="table/fu-01"))
    found = judged(table, entries)[KEY]
    assert lines(found) == ["LOG-OBSERVED-DIFFERS"]
    assert "no round 7 in events 3 to 9" in found.findings[0].expected


def test_a_correction_of_an_entry_counts_and_so_does_taking_it_back() -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, PAID)
    entries.enter(2, PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 2500.00"))
    results = MemoryResults()
    assert lines(judged(table, entries, results=results)["observed/fu-01#2"]) == ["PAY-OVER seat=3 wager=base +2475.00"]
    typo = next(n for n, each in enumerate(entries.drafts, 1) if getattr(each.payload, "winnings_cents", 0) == 250_000)
    right = msgspec.structs.replace(entries.payload(typo), winnings_cents=2_500)
    entries.correct(typo, right, 2)
    corrected = judged(table, entries, results=results)["observed/fu-01#2"]
    assert (corrected.verdict, corrected.revision, lines(corrected)) == ("UPHELD", 2, [])
    opened = next(n for n, each in enumerate(entries.drafts, 1) if each.round_no == 1)
    entries.correct(opened, None)
    withdrawn = judged(table, entries, results=results)
    assert withdrawn["observed/fu-01#1"].verdict == "UNDETERMINED"
    assert "withdrawn" in withdrawn["observed/fu-01#1"].undetermined[0]
    assert withdrawn["observed/fu-01#2"].verdict == "UPHELD"


def test_a_correction_that_fits_nothing_changes_nothing_and_is_found() -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, PAID)
    entries.correct(3, None, event_id="ab" * 16)
    found = judged(table, entries)[KEY]
    assert (found.verdict, lines(found)) == ("UNDETERMINED", ["LOG-CORRECTION"])


def test_a_number_that_was_entered_comes_once() -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, UNPAID)
    entries.enter(2, PAID)
    entries.enter(1, PAID)
    found = judged(table, entries)[KEY]
    assert (found.verdict, lines(found)) == ("VARIANCE", ["LOG-ROUND-REPEAT", MISSED])


@pytest.mark.parametrize("pause", [1, 2, 5, 9, 14, 20, 26])
def test_a_replay_that_is_stopped_anywhere_and_goes_on_comes_to_the_same(pause: int) -> None:
    table = house()
    entries = Observed(table)
    entries.enter(1, PAID)
    entries.enter(2, UNPAID)
    entries.correct(9, entries.payload(9), 1)
    entries.enter(3, PAID, same_as=model.SameRound(first_seq=3, last_seq=table.last, round_no=1, stream="table/fu-01"))
    paid = next(each.payload for each in entries.drafts if isinstance(each.payload, model.WagerPaid))
    line = model.Replacement(payload=msgspec.to_builtins(paid), round_no=2, type=paid.TYPE, version=paid.VERSION)
    entries.say(model.EntryLineAdded(after_seq=16, by="m.ortiz", line=line, reason="forgotten"), 2)
    whole = judged(table, entries)
    part = Observed(table)
    part.drafts = entries.drafts[:pause]
    results = MemoryResults()
    judged(table, part, results=results)
    assert {key: each.findings for key, each in judged(table, entries, results=results).items()} == {
        key: each.findings for key, each in whole.items()
    }


def test_the_usual_order_has_raises_among_the_play() -> None:
    def wager(name: str) -> model.WagerPlaced:
        return model.WagerPlaced(amount_cents=1, bettor="p", form="chips", number=None, seat=1, wager=name)

    ante, *of_play = (usual_place(wager(name)) for name in ("ante", "raise", "over"))
    dealt, settled = (
        usual_place(model.CardsDealt(cards=["As"], face_up=False, to=1)),
        usual_place(model.WagerTaken(amount_cents=1, bettor="p", number=None, reason="lost", seat=1, wager="ante")),
    )
    dealer, player = (usual_place(model.HandRevealed(position=position)) for position in ("dealer", 1))
    assert [ante < dealt < each < dealer < player < settled for each in of_play] == [True, True]
    assert usual_place(model.RoundClosed(by="x")) > settled


HAND = "deal dealer=Ks Kh 9c 8s 4h 3d 2c seat1=Ad Ac As Ah 6d 7h Ts\nset seat=1 high=Ad Ac Ts 6d 7h low=As Ah\n"
BOXES = "deal seat1=9c 9d 9h 5s 5d dealer=9s Th 3s 5c 4h\n"
OVER = "wager seat=1 ante 10.00\ndeal seat1=Ts\nwager seat=1 over 10.00\ndeal seat1=9h 6d\n"
OVER_PAID, ANTE_TAKEN = "pay seat=1 ante 10.00\npay seat=1 over 10.00\n", "take seat=1 ante 10.00"
STUD_PAID = "pay seat=1 ante 10.00\npay seat=1 blind 30.00\npay seat=1 raise 20.00\n"


@pytest.mark.parametrize(
    ("rules", "lines", "verdict"),
    [
        ("688a", f"wager seat=1 base 10.00\nno_more_bets\nwager seat=1 base 5.00\n{HAND}pay seat=1 base 15.00\n", "UPHELD"),
        ("688a", f"wager seat=1 base 10.00\nno_more_bets\nwager seat=1 base 5.00\n{HAND}pay seat=1 base 10.00\n", "VARIANCE"),
        ("688a", f"wager seat=1 base 9.00\nno_more_bets\nwithdraw seat=1 base 1.00\n{HAND}pay seat=1 base 8.00\n", "UPHELD"),
        (
            "688a",
            "wager seat=1 base 10.00\nno_more_bets\nwager seat=1 base 5.00\nreturn seat=1 base 5.00 late\n"
            f"{HAND}pay seat=1 base 10.00\n",
            "UPHELD",
        ),
        ("688a", f"wager seat=1 base 10.00\n{HAND}take seat=1 base 10.00 surrendered\nsurrender seat=1\n", "UPHELD"),
        (
            "686a",
            "wager seat=1 ante 10.00\ndeal seat1=5c\ndeal seat1=4h 6d\nsurrender seat=1\ntake seat=1 ante 10.00 surrendered\n",
            "UPHELD",
        ),
        ("687a", f"wager seat=1 ante 10.00 blind 10.00\n{BOXES}reveal dealer\nwager seat=1 raise 20.00\n{STUD_PAID}", "UPHELD"),
        (
            "687a",
            f"wager seat=1 ante 10.00 blind 10.00\n{BOXES}exposed dealer 9s by dealer\nwager seat=1 raise 20.00\n{STUD_PAID}",
            "UNDETERMINED",
        ),
        ("688a", f"pay seat=1 base 10.00\n{HAND}wager seat=1 base 10.00\n", "UPHELD"),
        ("688a", f"pay seat=1 base 10.00\nset dealer house_way\n{HAND}wager seat=1 base 10.00\n", "UPHELD"),
        ("688a", f"{HAND}wager seat=1 base 10.00\nrefuse seat=1 base 7.00\npay seat=1 base 3.00\n", "UNDETERMINED"),
        ("688a", f"wager seat=1 base 10.00\nreturn seat=1 base 6.00\n{HAND}pay seat=1 base 4.00\n", "UNDETERMINED"),
        ("688a", f"wager seat=1 base 10.00\nreturn seat=1 base 6.00\n{HAND}pay seat=1 base 12.00\n", "VARIANCE"),
        ("688a", f"wager seat=1 base 10.00\nreturn seat=1 base 10.00 push\n{HAND}", "VARIANCE"),
        ("688a", f"wager seat=1 base 10.00\nreturn seat=1 base 10.00 other\n{HAND}", "UNDETERMINED"),
        ("688a", f"wager seat=1 base 10.00\n{HAND}pay seat=1 base 10.00 stake=0\nreturn seat=1 base 10.00 other\n", "UPHELD"),
        ("686a", f"{OVER}return seat=1 over 10.00 other\nwager seat=1 over 10.00\n{OVER_PAID}", "UNDETERMINED"),
        ("686a", f"{OVER}wager seat=1 over 10.00\n{OVER_PAID}", "VARIANCE"),
        ("686a", f"{OVER}return seat=1 over 10.00\nsurrender seat=1\n{ANTE_TAKEN} surrendered\n", "UNDETERMINED"),
        ("686a", f"{OVER}return seat=1 over 10.00\n{ANTE_TAKEN}\n", "VARIANCE"),
        ("687a", f"{STUD_PAID}wager seat=1 raise 20.00\nwager seat=1 ante 10.00 blind 10.00\n{BOXES}", "UPHELD"),
        (
            "645c sum=A",
            "wager seat=1 base 10.00 sum 5.00\ndice 6 6 5\npay seat=1 sum 125.00\ndeal dealer=Ks Kh\nvoid round wrong_count\n"
            "return seat=1 base 10.00 void\n",
            "VOID",
        ),
    ],
)
def test_what_an_unordered_round_makes_due_does_not_hang_on_when_it_was_typed(rules: str, lines: str, verdict: str) -> None:
    """D902, D1313, D1360. What is due and what was done never differ in a round that is upheld."""
    (typed,) = judge(f"rules pa-{rules}\n{lines}close unordered\n", "t")
    assert typed.conclusion.verdict == verdict, [each.line() for each in typed.conclusion.findings]
    if verdict == "UPHELD":
        assert [each.due_cents for each in typed.conclusion.settlements] == [
            each.done_cents for each in typed.conclusion.settlements
        ]


MADE_READY = (
    frozenset({"rules", "shuffle", "offer_cut", "cut", "recut_ordered", "cover_card", "burn", "armed"}) | TABLE_STATEMENTS
)
OF_ONE_KIND = {
    **dict.fromkeys(("take", "pay", "return"), "money"),
    **dict.fromkeys(("wager", "withdraw", "refuse"), "wager"),
    **dict.fromkeys(("deal_order", "moved", "found_face_up", "drawn_in_error"), "deal"),
    "dice": "total",
}
"""What stays as it was typed among itself (D902)."""

TOLD_BY_ITS_ORDER = (
    "nine copies in one round around a shuffle in its middle",
    "a dead hand whose ante was surrendered and collected before",
    "a fold before the card was exposed is a fold",
)
"""Rounds in which two statements are reconciled by their order alone."""


def closed(share: int) -> list[GoldenCase]:
    """Every so many-th golden case of one round that is closed, without times."""
    cases = [case for path in round_files() for case in read_cases(path)]
    keywords = [[line.split()[0] for line in case.transcript.split("\n") if line.split("#")[0].split()] for case in cases]
    fit = [
        case
        for case, words in zip(cases, keywords, strict=True)
        if words[-1:] == ["close"] and not {"round", "table", "at", "left"} & {*words} and words.count("rules") == 1
        if not any(title in case.title for title in TOLD_BY_ITS_ORDER)
    ]
    return fit[::share]


def judged_unordered(case: GoldenCase, lines: list[str]) -> tuple[str, list[str], list[tuple[int, str, int | None, int | None]]]:
    text = "\n".join([*lines, "close unordered"])
    conclusion = judge(text, "t", lambda name: (case.path.parent / name).read_text())[0].conclusion
    money = [(each.seat, each.wager, each.due_cents, each.done_cents) for each in conclusion.settlements]
    return conclusion.verdict, sorted(finding.line() for finding in conclusion.findings), money


def shuffled(lines: list[str], random: Random) -> list[str]:
    """Return the lines of a round in any order, those of one kind as they are, and those that make it ready first."""
    play = list(dropwhile(lambda line: line.split()[0] in MADE_READY, lines))
    kinds = [OF_ONE_KIND.get(line.split()[0], line.split()[0]) for line in play]
    of_kind = {kind: iter([line for line, each in zip(play, kinds, strict=True) if each == kind]) for kind in kinds}
    random.shuffle(kinds)
    return [*lines[: len(lines) - len(play)], *(next(of_kind[kind]) for kind in kinds)]


@pytest.mark.parametrize("share", [19, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_round_without_order_is_accused_of_nothing_that_its_order_shows_to_be_right(share: int) -> None:
    """D902, D1313, D1360. What is upheld, or void, in its order is never a variance without it."""
    for case in closed(share):
        lines = [line for line in case.transcript.split("\n") if line.split("#")[0].split()][:-1]
        verdict, found, money = judged_unordered(case, lines)
        if {"verdict UPHELD", "verdict VOID"} & {text for _, text in case.expectations}:
            assert verdict != "VARIANCE", (case.title, found)
        if verdict == "UPHELD":
            assert [due for *_, due, _ in money] == [done for *_, done in money], case.title
        if not MADE_READY.isdisjoint(line.split()[0] for line in dropwhile(lambda line: line.split()[0] in MADE_READY, lines)):
            continue
        assert judged_unordered(case, shuffled(lines, Random(share))) == (verdict, found, money), case.title
