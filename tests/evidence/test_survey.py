"""A sample of the survey, chosen by a seed; and that the survey sees what it is there to see."""

import json
from functools import cache
from pathlib import Path

import msgspec
import pytest

from events.vocabulary.base import REGISTRY
from replay.fold.round import Round
from replay.run.adjudicate import Conclusion
from tests.evidence import outcomes
from tests.evidence.allowances import Allowances, Row, load
from tests.evidence.edits import CLOCK, WHOLE, edits
from tests.evidence.judging import STEP, Report
from tests.evidence.outcomes import Ending, outcome
from tests.evidence.report import report
from tests.evidence.specimens import FalseAlarm, Specimen, conclusion, golden_cases, known_games
from tests.evidence.survey import Plan, Tally, golden_sample, rank, sample, whole_rounds
from tests.evidence.values import Surroundings, changes

SEED, ROUNDS, ROWS = 688, 3, 120
PLAN = Plan(games=known_games(), seed=SEED, rounds=ROUNDS, golden_share=0, alike=1)
EVENTS = Path(__file__).resolve().parents[1] / "golden" / "events"
NOWHERE = Surroundings({}, frozenset({"As", "Kd"}))


@cache
def sampled(game: str) -> Tally:
    return sample(PLAN, game, load(), ROWS)


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.xdist_group("survey")
@pytest.mark.parametrize("game", known_games())
def test_no_edit_goes_unexplained(game: str) -> None:
    """Every row of the sample is noticed, explained or open, and there is no false alarm."""
    assert sampled(game).edits > ROWS
    assert report(sampled(game), load(), is_full=False).problems == ()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.xdist_group("survey")
def test_what_is_mended_is_no_longer_called_open() -> None:
    tally = Tally()
    for game in known_games():
        tally.merge(sampled(game))
    assert report(tally, load(), is_full=False).stale == ()


@pytest.mark.slow
def test_no_edit_of_a_golden_round_moves_money_unseen() -> None:
    tally = golden_sample(SEED, cases=150, most=8)
    assert tally.rounds > 60
    assert report(tally, load(), is_full=False).problems == ()


def test_a_new_golden_round_moves_no_other_into_the_sample_or_out_of_it() -> None:
    """Golden cases are chosen by their titles, wherever they are in a file; another seed chooses others."""
    cases = golden_cases()
    assert [rank(case._replace(line=1, transcript=""), SEED) for case in cases] == [rank(case, SEED) for case in cases]
    assert len({rank(case, SEED) for case in cases}) == len(cases)
    shares = [{case.title for case in cases if rank(case, seed) % 4 == 0} for seed in (SEED, SEED + 1)]
    assert all(0.2 < len(share) / len(cases) < 0.3 for share in shares)
    assert shares[0] != shares[1]


# ------------------------------------------------------------------------------------------------------ every field is edited


def test_every_field_of_every_event_has_edits() -> None:
    """A new event type or field is edited by its type alone; a type that is not known fails here and says where to go."""
    for (kind, version), cls in REGISTRY.items():
        stored = json.loads((EVENTS / f"{kind}.v{version}.json").read_text())["examples"]
        payloads = [msgspec.convert(json.loads(each["bytes"])["payload"], cls) for each in stored]
        for field in msgspec.structs.fields(cls):
            if (kind, field.name) in (("event_corrected", "replacement"), ("entry_line_added", "line")):
                continue  # an edit of the record, not a fact
            values = [getattr(each, field.name) for each in payloads]
            found = [(value, other) for value in values for _, other in changes(field.type, value, field.name, NOWHERE)]
            assert found, f"{kind}.{field.name} is never edited"
            assert all(value != other for value, other in found), f"{kind}.{field.name}"


# ------------------------------------------------------------------------------------------------------- edits are honest ones


def specimen() -> Specimen:
    return whole_rounds("face_up_pai_gow", SEED, ROUNDS)[0][0]


@pytest.mark.nightly
def test_an_edited_window_is_one_that_devices_could_have_reported() -> None:
    """Numbers of the stream and of every device count up without a gap; no clock but an edited one runs back."""
    window = specimen().reports
    for edit in edits(window):
        made = edit.applied(window)
        assert [each.seq for each in made] == sorted({each.seq for each in made}), edit
        for source in {each.source for each in made}:
            numbers = [each.source_seq for each in made if each.source == source]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), edit
            clocks = [each.at_us for each in made if each.source == source]
            assert edit.field == CLOCK or clocks == sorted(clocks) or clocks_run_back(window, source), edit


def clocks_run_back(window: tuple[Report, ...], source: str) -> bool:
    clocks = [each.at_us for each in window if each.source == source]
    return clocks != sorted(clocks)


@pytest.mark.slow
def test_a_move_puts_an_event_just_past_another() -> None:
    window = specimen().reports
    moves = [edit for edit in edits(window) if edit.before is not None and not edit.repeats]
    assert moves
    for edit in moves:
        made, moved = edit.applied(window), window[edit.at].payload
        at = next(index for index, each in enumerate(made) if each.seq % STEP)
        past = made[at + 1 if edit.how.startswith("earlier") else at - 1]
        assert made[at].payload == moved
        jumped = edit.how.split()[2]
        assert jumped == past.payload.TYPE
        assert len(made) == len(window)


# ---------------------------------------------------------------------------------------------- what the survey is there to see


def payments(each: Specimen) -> list[outcomes.Outcome]:
    return [outcome(each, edit) for edit in edits(each.reports) if (edit.event, edit.field) == ("wager_taken", "amount_cents")]


@pytest.mark.slow
def test_a_rule_that_is_lost_shows_as_money_that_moves_and_is_upheld(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {each.ending for each in payments(specimen())} <= {Ending.NOTICED, Ending.DOUBT}

    def without_payments(round_: Round, books: object) -> Conclusion:
        made = conclusion(round_, books)
        findings = tuple(each for each in made.findings if not each.code.startswith(("PAY", "LOG")))
        verdict = "UPHELD" if made.verdict == "VARIANCE" and not findings else made.verdict
        return msgspec.structs.replace(made, findings=findings, verdict=verdict)

    monkeypatch.setattr(outcomes, "conclusion", without_payments)
    assert Ending.MONEY in {each.ending for each in payments(specimen())}


@pytest.mark.slow
def test_a_record_that_stops_a_replay_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(round_: Round, books: object) -> Conclusion:
        raise KeyError(round_.round_no)

    monkeypatch.setattr(outcomes, "conclusion", stops)
    assert payments(specimen())[0].ending is Ending.CRASH


def tally_of(*rows: tuple[Row, Ending]) -> Tally:
    tally = Tally()
    for row, ending in rows:
        tally.add(row, outcomes.Outcome(ending, ("PAY-OVER",) if ending is Ending.NOTICED else ()), "an example")
    return tally


def lists(tmp_path: Path, entries: str) -> Allowances:
    path = tmp_path / "allowances.toml"
    path.write_text('[[reason]]\nname = "any order"\ntext = "No order."\n' + entries)
    return load(path)


ROW = Row("dj_wild", "light_seen", WHOLE, "dropped", True)
ACCEPTED = '[[accepted]]\nreason = "any order"\nevents = "light_seen"\nhow = "dropped"\n'
OPEN = '[[open]]\nmissing = "PAY-LIGHT"\nevents = "light_seen"\nhow = "dropped"\n'


@pytest.mark.parametrize(
    ("entries", "ending", "problem"),
    [
        ("", Ending.NOTHING, "changes nothing"),
        ("", Ending.NOTICED, None),
        ("", Ending.DOUBT, None),
        (ACCEPTED, Ending.NOTHING, None),
        (OPEN, Ending.NOTHING, None),
        (OPEN, Ending.NOTICED, "no longer open"),
        (ACCEPTED, Ending.NOTICED, "matches nothing"),
        (ACCEPTED, Ending.MONEY, "moves a due or a done"),
        (OPEN, Ending.MONEY, "moves a due or a done"),
        (OPEN + "money = true\n", Ending.MONEY, None),
        (OPEN, Ending.CRASH, "cannot be judged"),
    ],
)
def test_what_fails_a_survey(tmp_path: Path, entries: str, ending: Ending, problem: str | None) -> None:
    result = report(tally_of((ROW, ending)), lists(tmp_path, entries), is_full=True)
    problems = (*result.problems, *result.stale)
    assert any(problem in each for each in problems) if problem else problems == ()


def test_a_false_alarm_fails_a_survey(tmp_path: Path) -> None:
    tally = tally_of((ROW, Ending.NOTICED))
    tally.alarms.append(FalseAlarm("dj_wild", "round 3", "PAY-OVER seat=1"))
    (problem,) = report(tally, lists(tmp_path, ""), is_full=True).problems
    assert problem == "false alarm: dj_wild, round 3: PAY-OVER seat=1"


def test_a_golden_round_may_leave_out_what_a_whole_record_shows(tmp_path: Path) -> None:
    partial = msgspec.structs.replace(ROW, whole=False)
    alone = report(tally_of((partial, Ending.NOTHING)), lists(tmp_path, ""), is_full=True)
    assert "a golden round" in alone.problems[0]
    both = report(tally_of((partial, Ending.NOTHING), (ROW, Ending.NOTICED)), lists(tmp_path, ""), is_full=True)
    assert both.problems == ()
