"""The page of disputes by AppTest, and the words of its answers."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
from msgspec import inspect, structs
from streamlit.testing.v1 import AppTest

from analytics.search import disputes, search_words
from analytics.search.disputes import Remembered
from analytics.search.remembered import cards_typed, time_typed
from analytics.warehouse import round_data
from analytics.warehouse.round_data import RoundView
from analytics.warehouse.warehouse import reading
from dashboards.access.anonymous import FREE_TEXT_KEYS, HIDDEN_TEXT, PATRON_KEYS, REASONS, ROLES, STAFF_KEYS, without_names
from dashboards.drawing.names import Formats
from dashboards.parts import desk
from dashboards.rulings import round_account, ruling
from desk.packet.withholding import PATRONS
from desk.review import cases
from desk.review.desk import desk_at
from events.vocabulary.base import REGISTRY
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, run, said, start
from tests.desk.people import PEOPLE, pay_what_is_owed

FORMATS = Formats.of(sample.FACTS)


def view(warehouse: Path, stream: str, round_no: int) -> RoundView:
    with reading(warehouse) as db:
        found = round_data.round_view(db, stream, round_no)
    assert found is not None
    return found


def test_what_is_typed_finds_the_round_and_says_how_it_was_read(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch)
    assert "Nothing has to be exact" in said(test)
    test.text_input(key="cards").set_value("ace queen of blue")
    test.text_input(key="time").set_value("9:15")
    test.run()
    page = said(test)
    first = page.split('class="rk-hit"')[1]
    assert 'href="dispute?of=fu-01&amp;round=17&amp;seat=3"' in first
    assert "✓ all cards" in first
    assert "around 09:15 or 21:15" in page
    assert "“blue”" in page


def test_a_sentence_fills_the_boxes_and_they_can_be_corrected(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch)
    words = "seat 3 at FU 1 last night around quarter past nine, $10 on the ace high bonus, had ace queen, blue dress"
    test.text_input(key="sentence").set_value(words).run()
    assert [box.value for box in test.selectbox] == [
        "fu-01", "2026-03-06", 3, "ace_high_bonus", None, None,
    ]  # fmt: skip
    boxes = {box.key: box.value for box in test.text_input if box.key != "sentence"}
    assert boxes == {"time": "9:15 pm", "amount": "10.00", "paid": "", "number": "", "cards": "ace queen"}
    page = said(test)
    assert "Searched for: table FU-01; gaming day Fri 6 Mar 2026; around 21:15; seat 3; Ace High Bonus; $10.00" in page
    assert "Ignored: “blue”, “dress”" in page
    assert "1 round agrees with what was understood; “blue” and “dress” were ignored." in page
    assert "round=17&amp;seat=3" in page.split('class="rk-hit"')[1]
    test.text_input(key="amount").set_value("77").run()
    page = said(test)
    assert "No round fits." in page
    assert "round=17&amp;seat=3" in page.split('class="rk-hit"')[1]
    assert "✗ no $77.00 at seat 3" in page


def test_nothing_hours_off_is_offered_as_a_match(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch)
    test.text_input(key="sentence").set_value("FU-01 yesterday at nine in the morning").run()
    page = said(test)
    assert "No round fits, and none nearly does. Rounds were played at FU-01 on gaming day Fri 6 Mar 2026 from" in page
    assert 'class="rk-hit"' not in page


def test_a_day_of_which_nothing_is_recorded_stays_in_its_box(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch)
    test.text_input(key="sentence").set_value("seat 3 on March 2").run()
    assert test.selectbox(key="day").value == "2026-03-02"
    assert "No round fits, and none was played on gaming day Mon 2 Mar 2026." in said(test)


def test_what_somebody_wrote_is_found_by_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk._read.clear()
    floor = living.make(tmp_path)
    floor.serve(monkeypatch)
    floor.rack("case", "open", "fu-01", "1", "--by", "m.ortiz", "--claim", "the shuffler jammed", code=0)
    test = start("dispute")
    test.text_input(key="sentence").set_value("SHUFFLER jammed").run()
    page = said(test)
    assert "FU-01-C1: “the shuffler jammed” (open)" in page
    assert "Ignored" not in page
    test.text_input(key="sentence").set_value("shuffler burned").run()
    assert "FU-01-C1" not in said(test)


def test_a_link_carries_the_whole_search(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch, table="FU-01", time="21:14", seat="3", cards="As")
    assert [box.value for box in test.selectbox] == ["fu-01", "2026-03-06", 3, None, None, None]
    assert "round=17" in said(test).split('class="rk-hit"')[1]


def test_a_round_is_answered_in_one_sentence(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch, of="fu-01", round="17", seat="3")
    page = said(test)
    for words in (
        "FU-01 · Round 17 · Seat 3",
        "Seat 3 is owed $100.00:",
        "the Ace High Bonus was due a win of $200.00 and got a win of $100.00",
        "58 Pa. Code § 688a.12(b)",
        "The dealer paid seat 3 $100.00 on the Ace High Bonus",
        "◆ evidence",
        "Print this page",
    ):
        assert words in page
    assert "Seat 5 paid" not in page
    test.button_group[0].set_value(5).run()
    assert "Every wager at seat 5 was settled as the rules say; what was found is about seat 3." in said(test)
    assert test.query_params["seat"] == "5"


def test_a_round_that_is_not_there_leads_back_to_the_search(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("dispute", warehouse, monkeypatch, of="fu-01", round="99")
    assert "has no round 99" in said(test)
    assert test.text_input(key="sentence").value == ""


@pytest.mark.parametrize(
    ("stream", "round_no", "seat", "words", "kind"),
    [
        ("table/fu-01", 17, 3, "Seat 3 is owed $100.00:", "under"),
        ("table/fu-01", 17, None, "Seat 3 is owed $100.00:", "under"),
        ("table/fu-02", 4, 5, "Seat 5 was paid $40.00 too much:", "over"),
        ("table/fu-02", 4, 2, "but the round was not conducted as the rules say (DEAL-SHAKE).", "unknown"),
        ("table/fu-01", 16, 1, "Every wager at seat 1 was settled as the rules say.", "upheld"),
        ("table/fu-01", 16, 2, "Nothing was at stake at seat 2.", "unknown"),
        ("table/fu-01", 19, 6, "UNDETERMINED because seat 6: a card was not read.", "unknown"),
        ("table/fu-01", 19, 2, "UNDETERMINED because seat 6: a card was not read.", "unknown"),
        ("table/fu-02", 3, 1, "The round was voided, and every wager at seat 1 was settled", "upheld"),
    ],
)
def test_answers(warehouse: Path, stream: str, round_no: int, seat: int | None, words: str, kind: str) -> None:
    answer = ruling.answer(view(warehouse, stream, round_no), seat, FORMATS)
    assert words in answer
    assert f"rk-a-{kind}" in answer


def test_what_disagrees_is_said_too(warehouse: Path) -> None:
    remembered = Remembered(gaming_day=date(2026, 3, 6), time=time_typed("3:00 am"), seat=5, cards=cards_typed("As Qd").cards)
    with reading(warehouse) as db:
        found = disputes.find(db, remembered)[0]
    assert search_words.agreement(found, remembered, "USD") == [
        (False, "all cards, but at seat 3"),
        (False, "5 h 44 min off"),
        (True, "seat 5 played"),
    ]


def test_without_names_nobody_can_be_told_and_the_same_stay_the_same(warehouse: Path) -> None:
    hidden = without_names(view(warehouse, "table/fu-01", 17))
    text = "\n".join(hidden.events["payload"])
    assert not any(f'"p-{seat}"' in text for seat in range(1, 7))
    assert hidden.round["dealer"] == "dealer-1"
    assert '"by": "dealer-1"' in text
    assert '"by": "player"' in text  # a role, not a person
    bettors = {f'"patron-{n}"' for n in range(1, 7)}
    assert all(name in text for name in bettors)
    shown = view(warehouse, "table/fu-01", 17)
    assert hidden.events.drop("payload").equals(shown.events.drop("payload"))


def test_names_in_what_findings_say_are_hidden_too(warehouse: Path) -> None:
    named = view(warehouse, "table/fu-01", 17)
    named.findings.replace_column(named.findings.get_column_index("observed"), pl.Series("observed", ["p-3 paid, not p-33"]))
    assert without_names(named).findings["observed"].to_list() == ["patron-3 paid, not p-33"]


def test_what_is_not_on_record_is_not_named(warehouse: Path) -> None:
    named = view(warehouse, "table/fu-01", 17)
    unsaid = structs.replace(named, round={**named.round, "dealer": "", "shift": "", "submission": ""})
    assert "no dealer on record · no rules in force" in round_account.header(unsaid, FORMATS)
    assert " · dealer D-" in round_account.header(named, FORMATS)


def test_an_id_without_a_digit_is_a_name_too(warehouse: Path) -> None:
    """Whoever is named by an event is hidden, however the property writes its people; roles are not people."""
    named = view(warehouse, "table/fu-01", 17)
    said = [
        {"seat": 3, "patron": "ann"},
        {"by": "maria"},
        {"by": "floorperson"},
        {"by": 3},
        {"deck": "d-1", "by": "lee", "witnessed_by": "maria"},
        {"by": "maria", "replacement": {"payload": {"bettor": "ann"}}},
    ]
    events = named.events.head(len(said)).with_columns(pl.Series("payload", [json.dumps(each) for each in said]))
    round_ = {**named.round, "undetermined": ["whether ann was paid, and by whom"]}
    hidden = without_names(structs.replace(named, events=events, round=round_))
    assert [json.loads(payload) for payload in hidden.events["payload"]] == [
        {"seat": 3, "patron": "patron-1"},
        {"by": "staff-1"},
        {"by": "floorperson"},
        {"by": 3},
        {"deck": "d-1", "by": "staff-2", "witnessed_by": "staff-1"},
        {"by": "staff-1", "replacement": {"payload": {"bettor": "patron-1"}}},
    ]
    assert hidden.round["undetermined"] == ["whether patron-1 was paid, and by whom"]


def test_what_an_event_calls_a_person_is_hidden_and_a_role_is_not() -> None:
    """Held against the vocabulary: fields that name people, and the words that represent a role there.

    Who inspects the cards is the first player (§ 688a.4(b)), for packets too.
    """
    fields = [field for event in REGISTRY.values() for field in structs.fields(event)]
    by = {field.name for field in fields if field.name == "by" or field.name.endswith("_by")} - {"announced_by", "inspected_by"}
    assert {"patron", "bettor", "inspected_by"} == PATRON_KEYS == set(PATRONS)
    assert by | {"dealer"} == STAFF_KEYS
    words = {word for field in fields if field.name == "by" for word in literals(field.type)}
    assert words == ROLES


def test_free_text_of_payloads_is_hidden_and_a_word_of_a_closed_list_is_not(warehouse: Path) -> None:
    named = view(warehouse, "table/fu-01", 17)
    recorded = [
        {"reason": "Ann Lee of 4 Elm Street was drunk", "patron": "ann"},
        {"reason": "lost"},
        {"by": "maria", "reason": "Ann", "replacement": {"payload": {"reason": "Ann", "note": "call her"}}},
    ]
    events = named.events.head(len(recorded)).with_columns(pl.Series("payload", [json.dumps(each) for each in recorded]))
    hidden = without_names(structs.replace(named, events=events))
    payloads = [json.loads(payload) for payload in hidden.events["payload"]]
    assert payloads[:2] == [{"reason": HIDDEN_TEXT, "patron": "patron-1"}, {"reason": "lost"}]
    assert payloads[2]["reason"] == HIDDEN_TEXT
    assert payloads[2]["replacement"]["payload"] == {"reason": HIDDEN_TEXT, "note": HIDDEN_TEXT}


def test_free_text_is_known_by_the_vocabulary() -> None:
    """Every field of free text is named, apart from what describes a thing; and so is every word that is not one."""
    things = {"back_colour", "engine", "nonce", "paytable", "time_zone", "toml"}
    infos = [inspect.type_info(event) for event in REGISTRY.values()]
    fields = [field for info in infos if isinstance(info, inspect.StructType) for field in info.fields]
    free = {field.name for field in fields if _is_free_text(field.type)}
    assert free == FREE_TEXT_KEYS | things
    words = {word for event in REGISTRY.values() for field in structs.fields(event) if field.name in FREE_TEXT_KEYS
             for word in literals(field.type)}  # fmt: skip
    assert words == REASONS


def _is_free_text(type_: inspect.Type) -> bool:
    if isinstance(type_, inspect.UnionType):
        return any(_is_free_text(each) for each in type_.types)
    return isinstance(type_, inspect.StrType) and type_.pattern is None


def literals(type_: object) -> set[str]:
    found: set[str] = set()
    for each in get_args(type_):
        found |= {each} if isinstance(each, str) else literals(each)
    return found


def test_names_are_hidden_on_the_page(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("round", warehouse, monkeypatch, table="fu-01", round="17")
    assert "dealer D-07" in said(test)
    test.toggle[0].set_value(True).run()
    assert "dealer DEALER-1" in said(test)
    assert "D-07" not in said(test)


def claim_box(test: AppTest, label: str) -> Any:
    return next(box for box in test.text_area if box.label == label)


def decide(test: AppTest, outcome: str) -> None:
    next(each for each in test.get("button_group") if each.label == "Outcome").set_value(outcome).run()


def lit(test: AppTest) -> list[str]:
    """The steps that are next."""
    return re.findall(r'class="rk-stage"><span aria-hidden="true">➤</span> ([A-Z][a-z ]+)', said(test))


DECIDED = [
    ("for_house", ""),
    ("settled", ""),
    ("cannot_tell", ""),
    (
        "for_patron",
        "Seat 3 was owed $100.00: the Ace High Bonus was due a win of $200.00 and got a win of $100.00 "
        "(58 Pa. Code § 688a.12(b)).",
    ),
]
"""Outcome of a round that was paid short → why, as it is in the box to begin with."""


@pytest.mark.slow
@pytest.mark.parametrize("pays_at_once", [False, True])
def test_a_dispute_goes_step_by_step_and_one_step_is_next(floor: Living, pays_at_once: bool) -> None:
    """Round 2: $10.00 at 20 to 1 is due, $100.00 was paid. Claim, payment by two people, decision: each in the log."""
    assert lit(start("dispute", of="fu-01", round="2", seat="3")) == []
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    assert lit(test) == ["Claim"]
    press(test, "Open case")
    assert "Write down what the patron says" in said(test)
    claim_box(test, "Patron's claim").set_value("20 to 1 was due. " * 200)
    at_once = "Open case, record $100.00 paid"
    press(test, at_once if pays_at_once else "Open case")
    if pays_at_once:
        assert "Fill in: Slip or note" in said(test)
        claim_box(test, "Slip or note, if $100.00 is paid now").set_value("slip 9")
        press(test, at_once)
    assert "Case FU-01-C1" in said(test)
    assert 'data-draft-stored="draft-claim-fu-01-2-3"' in said(test)
    if not pays_at_once:
        assert lit(test) == ["Payment"]
        claim_box(test, "Slip or note").set_value("slip 9")
        press(test, "Record $100.00 paid")
    assert lit(test) == []  # another person is next
    assert "needs second signature" in said(test)
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    assert lit(test) == ["Payment"]
    claim_box(test, "What was checked").set_value("slip 9 seen")
    press(test, "Sign $100.00")
    assert lit(test) == ["Decision"]
    for outcome, on_record in DECIDED:  # what the record says is there to begin with; a person decides, and may say it otherwise
        decide(test, outcome)
        assert claim_box(test, "Why, as the patron will read it").value == on_record
    claim_box(test, "Why, as the patron will read it").set_value("the record agrees")
    press(test, "Record decision")
    assert lit(test) == ["Letter and packet"]
    assert "Decided for the patron, by m.ortiz: the record agrees" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        (case,) = cases.cases(at)
    assert (case.case.claim, case.case.opened_by) == (("20 to 1 was due. " * 200).strip(), "s.lee")
    assert case.case.decision is not None


def test_a_text_that_is_too_long_stays_and_nothing_is_written(floor: Living) -> None:
    log_in("s.lee@bellwether.example", "surveillance")
    for length, fits in ((4_001, False), (4_000, True)):
        test = start("dispute", of="fu-01", round="2", seat="3")
        claim_box(test, "Patron's claim").set_value("x" * length)
        press(test, "Open case")
        assert ("1 character too many" in said(test)) != fits
        with desk_at(floor.log, read_only=True) as at:
            assert len(at.review("fu-01").disputes) == fits
        if not fits:
            assert claim_box(test, "Patron's claim").value == "x" * length


def test_two_people_open_and_decide_at_once_and_the_second_reads_who_was_first(floor: Living) -> None:
    log_in("s.lee@bellwether.example", "surveillance")
    late = start("dispute", of="fu-01", round="1", seat="3")
    claim_box(late, "Patron's claim").set_value("what lee heard")
    with desk_at(floor.log, persons=PEOPLE) as at:
        pay_what_is_owed(at)
        cases.open_case(at, "fu-01", 1, by="m.ortiz", settings=cases.CaseFolder(None).settings(), claim="short", seat=3)
    press(late, "Open case")
    assert "m.ortiz opened a case of this round meanwhile" in said(late)
    late = start("dispute", of="fu-01", round="1", seat="3")
    decide(late, "settled")
    claim_box(late, "Why, as the patron will read it").set_value("agreed")
    with desk_at(floor.log, persons=PEOPLE) as at:
        cases.decide(at, "fu-01-c1", outcome="for_patron", by="m.ortiz", reason="the cards")
    press(late, "Record decision")
    assert "is closed already: m.ortiz decided for the patron" in said(late)
    with desk_at(floor.log, read_only=True) as at:
        assert [each.case.decision and each.case.decision.by for each in cases.cases(at)] == ["m.ortiz"]


@pytest.mark.slow
def test_a_dispute_decided_against_the_record_is_signed_by_a_second_person_on_its_page(floor: Living) -> None:
    with desk_at(floor.log, persons=PEOPLE) as at:
        at.open_dispute("fu-01", 2, dispute="d-1", claim="20 to 1 was due", by="m.ortiz", seat=3)
        pay_what_is_owed(at)
    log_in("s.lee@bellwether.example", "surveillance")
    for against, shown in (("", "Fill in: Why against the record"), ("the video shows it", "needs a second signature")):
        test = start("dispute", of="fu-01", round="2", seat="3")
        decide(test, "for_patron")
        assert "goes against the record" not in said(test)
        decide(test, "for_house")
        assert "For the house goes against the record" in said(test)
        claim_box(test, "Why, as the patron will read it").set_value("no")
        claim_box(test, "Why against the record").set_value(against)
        press(test, "Record decision")
        assert shown in said(test)
    assert "Sign decision" not in [each.label for each in test.button]
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    claim_box(test, "What was checked").set_value("the video")
    press(test, "Sign decision")
    assert "Decided for the house" in said(test)


def test_the_money_of_a_round_without_a_dispute_is_resolved_and_signed_on_its_page(floor: Living) -> None:
    """Round 2: $10.00 at 20 to 1 is due, $100.00 was paid. What is paid is not to do again."""
    assert "Wager underpaid: resolve" not in [each.label for each in start("dispute", of="fu-01", round="2").expander]
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    assert "Wager underpaid: resolve" in [each.label for each in test.expander]
    assert "<dt>To do</dt><dd><div>Pay $100.00 to the patron at seat 3.</div></dd>" in said(test)
    next(each for each in test.get("button_group") if each.label == "Action").set_value("resolve").run()
    next(box for box in test.selectbox if box.label == "Disposition").set_value("confirmed_paid_patron").run()
    [box for box in test.text_input if box.label == "Why"][-1].set_value("slip 9")
    press(test, "Resolve")
    page = said(test)
    assert "Pay $100.00 to the patron at seat 3." not in page
    assert "$100.00; signed by m.ortiz; needs a second signature" in page
    assert "Seat 3 is owed" in page
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="2", seat="3")
    assert "Wager underpaid: sign" in [each.label for each in test.expander]
    next(box for box in test.text_input if box.label == "What was checked").set_value("slip 9 seen")
    press(test, "Sign $100.00")
    page = said(test)
    assert "<dt>Done</dt>" in page
    assert "$100.00; signed by m.ortiz and s.lee" in page
    assert "needs a second signature" not in page
    assert "Seat 3 was owed" in page
