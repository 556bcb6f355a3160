"""Integrity, Rules and Health by AppTest: on a whole floor, on a broken one, and without a log or a warehouse."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from msgspec.structs import replace

from analytics import rules
from analytics.warehouse.loading import TableEvent
from analytics.warehouse.warehouse import build, reading
from dashboards.drawing.names import Formats
from dashboards.parts import verification_run
from desk.alarms.alarm import AlarmStatus, Change, trial_message
from desk.alarms.outbox import DAY_US, AlarmUpdate, Outbox
from desk.verification.steps import VerificationStep
from events.log.contract import Head
from rulebook.chapters.submission import simple_submission
from tests.analytics.synthetic import CHAPTER
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, run, said, start, unfold
from tests.device_lines import as_lines
from tests.replay.another_engine import installed

FORMATS = Formats.of(sample.FACTS)


# ---------------------------------------------------------------------------------------------------------- integrity


def test_integrity_shows_where_each_stream_ends(floor: Living) -> None:
    test = start("integrity")
    unfold(test, "without a fault")
    page = said(test)
    for words in ("table/fu-01", "as acknowledged", "the replay is up to date", "No gaps", f"rack verify --log {floor.log}"):
        assert words in page


def test_integrity_walks_the_whole_log_as_an_auditor_does(floor: Living) -> None:
    test = start("integrity")
    test.button[0].click().run(timeout=120)
    assert "No break was found in 22 events in 1 stream, but no checkpoint signs the log." in said(test)
    assert "rk-a-unknown" in said(test).split("<style>")[0]
    assert "No checkpoint signs it" in said(test)


def test_a_verification_tells_of_each_stream_and_makes_its_report(floor: Living) -> None:
    steps: list[VerificationStep] = []
    walked = verification_run.walk(f"sqlite://{floor.log.partition('://')[2]}", steps.append)
    assert walked.fault == ""
    assert walked.report.startswith(b"%PDF-")
    assert [each.words for each in steps[-1:]] == ["table/fu-01, 1 of 1 stream: 22 of 22 events"]
    assert [each.share for each in steps[-1:]] == [1.0]


def test_a_page_that_is_opened_again_waits_for_the_verification_that_goes_on(
    floor: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever left the page finds the walk, its progress and its result: no one begins another."""

    class Going:
        ended, step = False, VerificationStep("table/fu-01", 1, 2, 10_000, 40_000)

        def wait(self, seconds: float) -> None:
            self.ended = True
            verification_run._walks()[floor.log] = verification_run.Walk(1, {}, "it ended")

    monkeypatch.setattr(verification_run, "_walking", lambda: {floor.log: Going()})
    steps: list[VerificationStep] = []
    assert verification_run.going_on(floor.log)
    assert verification_run.walk(floor.log, steps.append).fault == "it ended"
    assert [each.share for each in steps] == [0.25]


def test_integrity_offers_the_report_of_a_verification_to_who_is_logged_in(floor: Living) -> None:
    verification_run._walks()[floor.log] = verification_run.Walk(1, {}, "not verified", b"%PDF-")
    assert "rack verify --report FILE" in said(start("integrity"))
    log_in("m.ortiz@bellwether", "surveillance")
    assert "Save verification report" in said(start("integrity"))


def test_integrity_names_the_first_break(floor: Living) -> None:
    living.change_a_byte(floor, seq=9)
    test = start("integrity")
    test.button[0].click().run(timeout=120)
    page = said(test)
    assert "The log is broken: table/fu-01 at 9. Nothing after it can be trusted." in page
    assert "LOG-SEAL" in page


def test_integrity_shows_a_lost_tail_without_a_walk(floor: Living) -> None:
    living.cut_the_tail(floor)
    page = said(start("integrity"))
    assert "not as acknowledged" in page
    assert "table/fu-01 does not end as acknowledged" in page


def test_integrity_shows_what_is_not_judged_and_what_was_refused(floor: Living) -> None:
    bad = floor.warehouse.with_name("bad.jsonl")
    bad.write_text('{"nonsense": 1}\n')
    floor.rack("ingest", str(bad), "--property", "bellwether", code=1)
    page = said(start("integrity"))
    assert "behind" in page or "Events not adjudicated" in page
    assert "bytes" in page
    health = said(start("health"))
    assert "1 line in quarantine" in health
    assert f"<code>rack quarantine list --log {floor.log}</code>" in health


def test_without_a_log_integrity_says_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No log is named" in said(run("integrity", sample.make(tmp_path / "w"), monkeypatch))


SIGNED = {
    "checkpoints": 3,
    "events": 22,
    "at_us": sample.EVENING,
    "within_s": 60,
    "anchored": False,
    "unvouched": ["k2"],
    "silences": [{"from_us": sample.EVENING, "to_us": sample.EVENING + 600_000_000, "within_s": 60}],
}


def test_what_checkpoints_prove_and_what_not() -> None:
    told = " ".join(verification_run.signatures({"ok": True, "signed": SIGNED, "overdue": True}, FORMATS))
    for words in (
        "3 checkpoints cover 22 events",
        "Silence: none since",
        "Silence between 6 Mar, 21:00:00 and",
        "the key k2",
        "--key",
    ):
        assert words in told
    assert "--key" not in " ".join(verification_run.signatures({"ok": True, "signed": {**SIGNED, "anchored": True}}, FORMATS))


# -------------------------------------------------------------------------------------------------------------- rules


def test_rules_show_what_is_in_force_and_what_it_returns(floor: Living) -> None:
    """§ 688a.12(b), paytable 1 returns 96.410 % (docs/theory.md); two rounds were judged by the submission."""
    page = said(start("rules"))
    for words in ("in force", "2 rounds", "Ace High Bonus", "96.410 %", "enumeration", "58 Pa. Code § 688a.12(b)"):
        assert words in page


def test_the_what_if_reckons_the_handle_by_another_paytable(floor: Living) -> None:
    everywhere = said(start("rules", **{"other-ace_high_bonus": "2", "what-if-all": "true"}))
    page = said(start("rules", **{"other-ace_high_bonus": "2"}))
    for each in (page, everywhere):
        assert "paytable 1: 3.590 %" in each
    assert "paytable 2: " in page
    assert "$20.00" in page  # two wagers of $10
    assert "All of these" not in page
    with reading(floor.warehouse) as db:
        (filing,) = rules.filings(db)
        submission = rules.read(filing.toml, filing.readings)
        assert not isinstance(submission, str)
        told = rules.what_if(db, submission, "ace_high_bonus", "2")
    assert told is not None
    assert (told.wagers, told.handle_cents, told.theoretical_cents) == (2, 2_000, 72)  # 3.590 % of $20.00
    assert told.other_cents == round(2_000 * told.other_advantage_percent / 100)
    # One hand decides: the house wins at most both stakes, and pays at most 25 to 1 (both ace high, paytable 2) on both.
    assert told.below_cents is not None
    assert told.above_cents == 2_000 - told.other_cents


def test_the_what_if_sums_tables_that_filed_different_paytables(tmp_path: Path) -> None:
    """$10.00 at a table on paytable 1 and $20.00 at one on paytable 3, as on paytable 2; what is on it already is left out."""
    placed = {"fu-01": (1_000, "1"), "fu-02": (2_000, "3"), "fu-03": (4_000, "2")}
    rounds = [
        replace(
            sample.adjudication(
                f"table/{table}", 1, [sample.settlement(1, "ace_high_bonus", cents, -cents, -cents, paytable=paytable)]
            ),
            chapter=CHAPTER,
        )
        for table, (cents, paytable) in placed.items()
    ]
    build(tmp_path / "w", rounds, (), facts=sample.FACTS)
    submission = rules.read(simple_submission(paytables={"ace_high_bonus": "1", "fortune_bonus": "3"}), {})
    assert not isinstance(submission, str)
    with reading(tmp_path / "w") as db:
        found = rules.what_if_anywhere(db, submission, "ace_high_bonus", "2")
    assert [(each.paytable, each.other_paytable, each.handle_cents) for each in found] == [("1", "2", 1_000), ("3", "2", 2_000)]


def test_pay_lines_say_what_they_pay_and_how_often(floor: Living) -> None:
    """§ 688a.12(b): both ace high pays 20 to 1 on paytable 1, and comes 71,700,086,682,780 times in 8,250,459,031,214,400."""
    page = said(start("rules"))
    assert "Both ace high" in page
    assert "20 to 1" in page
    assert "0.869044 %" in page
    assert "1 in 115" in page


@pytest.mark.slow
def test_health_shows_whose_verdicts_are_in_force_and_what_a_shadow_would_change(floor: Living) -> None:
    assert "earlier engine" not in said(start("health"))
    with installed():
        floor.rack("replay", code=1)
        page = said(start("health"))
        assert "the verdicts on 2 rounds are an earlier engine" in page
        assert "rack replay --shadow NAME" in page
        floor.rack("replay", "--shadow", "next", code=0)
        test = start("health")
        assert "in shadow: next" in said(test)
        unfold(test, "Verdicts that would change: next")
        page = said(test)
        for words in (
            "2 rounds judged otherwise",
            "VARIANCE to UPHELD",
            "PAY-UNDER",
            "withdrawn",
            "D1081",
            "rack verdicts adopt next",
        ):
            assert words in page, words
        for person in ("mo.one", "mo.two"):
            floor.rack("review", "register", person, "--name", person, "--role", "compliance", code=0)
        opened = ("--dispute", "d-1", "--seat", "3", "--by", "m.ortiz", "--reason", "paid short")
        floor.rack("review", "open", "fu-01", "1", *opened, code=0)
        adopted = ("--by", "mo.one", "--signed-by", "mo.two", "--reason", "a new reading")
        floor.rack("verdicts", "adopt", "next", *adopted, code=0)
        floor.build()
        sentence = "MO-ONE and MO-TWO adopted the verdicts of next"
        page = said(start("health"))
        for words in (sentence, "no verdict waits", "dispute d-1", "now UPHELD"):
            assert words in page, words
        assert "would change" not in page
        assert sentence in said(start("round", table="fu-01", round="1"))
        assert "Two people adopted" in said(start("round", table="fu-01", round="1", anonymous="true"))
        assert sentence in said(start("dispute", of="fu-01", round="1"))


def test_a_later_submission_is_to_come_until_its_day(floor: Living) -> None:
    living.file_rules(floor, effective="2030-01-01")
    floor.build()
    with reading(floor.warehouse) as db:
        assert [each.state for each in rules.filings(db)] == ["to come", "in force"]
    assert "to come" in said(start("rules"))


def test_without_a_submission_rules_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "w", sample.adjudications(), ())
    assert "No rules submission on record" in said(run("rules", tmp_path / "w", monkeypatch))


def filed(path: Path, toml: str) -> Path:
    """Build a warehouse of one table that filed these rules, with a round judged by them."""
    event = {"sha256": sample.RULES, "submission": "x", "effective_gaming_day": "2026-03-01", "toml": toml}
    judged = sample.adjudication("table/fu-01", 1, [sample.settlement(1, "fortune_bonus", 500, -500, -500, paytable="3")])
    rules_filed = TableEvent(stream="table/fu-01", seq=1, type="rules_filed", payload=json.dumps(event))
    build(path, [replace(judged, chapter="pa-688a")], (), table_events=[rules_filed])
    return path


@pytest.mark.parametrize(
    ("toml", "wager", "percent"),
    [
        (simple_submission("pa-686a"), "ante", 98.950),  # with Over or Under: § 686a.7(g), the published 98.95 %
        (simple_submission("pa-687a"), "ante", 98.976),  # with Blind and Raise
        (simple_submission("pa-645c", commission_free=True), "base", 97.524),
        (simple_submission("pa-645c", commission_free=False), "base", 97.295),  # less the vigorish
    ],
)
def test_the_base_wager_returns_what_theory_counts_of_it_as_filed(toml: str, wager: str, percent: float) -> None:
    submission = rules.read(toml, {})
    assert not isinstance(submission, str)
    figures = next(each.figures for each in submission.offered if each.wager == wager)
    assert figures is not None
    assert round(figures.return_percent, 3) == percent


def test_wagers_that_are_settled_together_have_their_figures_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("rules", filed(tmp_path / "w", simple_submission("pa-686a")), monkeypatch))
    assert page.count("98.950 %") == 1
    for words in ("; with Over 23 and Under 18", "settled with Ante and Under 18", "settled with Ante and Over 23"):
        assert words in page


def test_a_wager_filed_by_another_reading_returns_what_is_not_reckoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D421: theory counts the best paid line of the Fortune Bonus, the filing pays the highest rank."""
    toml = simple_submission(paytables={"ace_high_bonus": "1", "fortune_bonus": "3"}, fortune_pays="highest_rank")
    test = run("rules", filed(tmp_path / "w", toml), monkeypatch)
    assert "filed: fortune_pays = highest_rank; the return by this reading is not computed" in said(test)
    assert "96.410 %" in said(test)
    assert "Fortune Bonus" not in [box.label for box in test.selectbox]
    with reading(tmp_path / "w") as db:
        (filing,) = rules.filings(db)
        submission = rules.read(filing.toml, filing.readings)
        assert not isinstance(submission, str)
        assert rules.what_if(db, submission, "fortune_bonus", "2") is None
        as_counted = rules.read(filing.toml, {})
        assert not isinstance(as_counted, str)
        assert rules.what_if(db, as_counted, "fortune_bonus", "2") is None  # none was settled as theory counts


def test_a_submission_that_is_refused_says_why() -> None:
    assert "not TOML" in str(rules.read("= =", {}))


# ------------------------------------------------------------------------------------------------------------- health


def test_health_says_that_everything_runs(floor: Living) -> None:
    page = said(start("health"))
    assert "Everything runs." in page
    for words in ("every event is judged", "generation 1", "are free on the disk of the warehouse"):
        assert words in page


@pytest.mark.parametrize("silent_us", [900_000_000, 900_000_001])
def test_health_counts_devices_that_were_silent_for_more_than_15_minutes(floor: Living, silent_us: int) -> None:
    with duckdb.connect(str(floor.warehouse)) as db:
        [(first, last, devices)] = db.sql("SELECT min(source), max(last_at_us), count(*) FROM mart_devices").fetchall()
        db.execute("UPDATE mart_devices SET events = 50, last_at_us = ?", [last])
        db.execute("UPDATE mart_devices SET last_at_us = ? WHERE source = ?", [last - silent_us, first])
    page = said(start("health"))
    if silent_us > 900_000_000:
        assert f"1 of {devices} devices silent while their table played" in page
        assert "Everything runs; 1 thing is worth a look." in page
    else:
        assert f"{devices} devices that reported as long as their table played" in page
        assert "Everything runs." in page


def test_health_says_what_to_do_where_the_replay_is_behind(floor: Living) -> None:
    transcript = floor.warehouse.with_name("more.txt")
    transcript.write_text(living.RULES + living.SHORT.format(number=3))
    floor.rack("ingest", str(as_lines(transcript)), "--property", "bellwether", code=0)
    page = said(start("health"))
    assert "events are not judged yet" in page
    assert f"<code>rack replay --log {floor.log} --follow</code>" in page


@pytest.fixture
def outbox(floor: Living) -> Iterator[Outbox]:
    """The outbox next to the log, with one message for the desk."""
    alarm = trial_message("k", None).alarm
    change = Change(what="raised", standing=AlarmStatus(alarm=alarm, revision=1, withdrawn=False), before=None)
    taken = AlarmUpdate(change=change, about="#1", messages=[("desk", trial_message("k", None))], steps=[])
    with Outbox(floor.warehouse.with_name("floor.db.alarms"), sending=True) as outbox:
        outbox.record_results(alarm.stream, Head(1, b"h"), [taken], 0)
        yield outbox


def test_health_says_nothing_of_alarms_where_there_is_no_outbox(floor: Living) -> None:
    assert "Alarms" not in said(start("health"))


def test_health_shows_dead_letters_of_alarms_until_they_are_delivered(floor: Living, outbox: Outbox) -> None:
    assert "0 messages delivered, 1 waiting" in said(start("health"))
    (letter,) = outbox.letters()
    outbox.failed(letter, "503", silent=False, now_us=DAY_US - 1)
    assert "0 messages delivered, 1 waiting" in said(start("health"))
    outbox.failed(letter, "503", silent=False, now_us=DAY_US)
    page = said(start("health"))
    assert "1 message not delivered for a day, the last to desk: 503" in page
    assert f"<code>rack alerts messages --dead --log {floor.log}</code>" in page
    assert "1 thing needs somebody now." in page
    outbox.revive(None, DAY_US)
    outbox.delivered(letter, "204")
    page = said(start("health"))
    assert "1 message delivered" in page
    assert "Everything runs." in page


def test_health_shows_an_outbox_in_another_place(
    floor: Living, outbox: Outbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is named and is not there is no silence; one that is there has its command, with its place."""
    named = tmp_path / "elsewhere.alarms"
    monkeypatch.setenv("RACK_OUTBOX", str(named))
    page = said(start("health"))
    assert "1 thing needs somebody now." in page
    assert f"<code>rack alerts messages --log {floor.log} --outbox {named}</code>" in page
    (letter,) = outbox.letters()
    outbox.failed(letter, "503", silent=False, now_us=DAY_US)
    outbox.close()
    floor.warehouse.with_name("floor.db.alarms").rename(named)
    page = said(start("health"))
    assert "1 message not delivered for a day, the last to desk: 503" in page
    assert f"<code>rack alerts messages --dead --log {floor.log} --outbox {named}</code>" in page


def test_health_with_an_outbox_that_cannot_be_read(floor: Living) -> None:
    floor.warehouse.with_name("floor.db.alarms").write_bytes(b"no database, whatever its name says" * 200)
    page = said(start("health"))
    assert "1 thing needs somebody now." in page
    assert f"<code>rack alerts messages --log {floor.log}</code>" in page


def test_health_without_log_and_warehouse_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("health", tmp_path / "none", monkeypatch))
    assert "no log is named" in page
    assert "1 thing needs somebody now." in page


def test_health_with_a_log_that_is_gone(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK_LOG", "sqlite:///nowhere/gone.db")
    assert "1 thing needs somebody now." in said(start("health"))
