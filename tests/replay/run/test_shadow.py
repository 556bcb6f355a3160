"""A new engine judges beside the standing verdicts; they stay until two persons adopt what it concludes."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from desk.alarms.alarm import House
from desk.alarms.new_alarms import Watch
from desk.alarms.outbox import Outbox
from desk.alarms.settings import Receiver, Route, Settings
from desk.house.filing import Office
from desk.review.desk import Desk
from desk.review.persons import Person, Persons, ReviewRefused
from desk.shadows.adopting import adopt, adopted_work, work
from desk.shadows.difference import DifferenceGroups, differences
from events.errors import ResultBroken
from events.log.contract import Head
from events.open import open_shadow, shadow_names
from events.sqlite import results as stored_results
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.findings import Adjudication
from replay.run import engine, replayer, stream_worker
from replay.run.replayer import Summary, adjudications, findings, replay
from replay.run.shadow import Adoptions, judge_beside
from replay.run.verdict_check import check_verdicts
from tests.desk.people import PEOPLE, pay_what_is_owed
from tests.replay.another_engine import judge_otherwise
from tests.replay.streams import paid
from tests.replay.tables import PAID, START_US, UNPAID, Table, append

PERSONS = Persons([Person(id=name, name=name, roles=("compliance",)) for name in ("m.ortiz", "s.kane")], "persons.toml")


class Upgraded(msgspec.Struct):
    """A table of three rounds in a log, judged by one engine: an unpaid one, and two that are paid."""

    folder: Path
    log: SqliteLog
    table: Table

    @property
    def address(self) -> str:
        return f"sqlite://{self.folder}/floor.db"

    def results(self, **options: bool) -> SqliteResults:
        return SqliteResults(self.folder / "floor.db.verdicts", **options)

    def replay(self, **options: Any) -> Summary:
        with closing(self.results()) as results:
            adoptions = Adoptions(lambda name: open_shadow(self.address, name, read_only=True))
            return replay(self.log, results, adoptions=adoptions, **options)

    def shadow(self) -> Any:
        return open_shadow(self.address, "next")

    def judge_beside(self) -> Any:
        with closing(self.results(read_only=True)) as results, closing(self.shadow()) as shadow:
            return judge_beside(self.log, results, shadow)

    def adopt(self, by: str = "m.ortiz", signed_by: str = "s.kane") -> Any:
        office = Office(self.log, PERSONS, START_US)
        with closing(self.results(read_only=True)) as results, closing(self.shadow()) as shadow:
            return adopt(office, shadow, results, name="next", by=by, signed_by=signed_by, reason="read § 688a.12(b) anew")

    def say(self, *payloads: tuple[Any, int]) -> None:
        for payload, round_no in payloads:
            self.table.say(payload, round_no)
        append(self.log, self.table, after={self.table.stream: self.log.head(self.table.stream).seq})

    def verdicts(self) -> list[tuple[int, int, str, str, int]]:
        with closing(self.results(read_only=True)) as results:
            made = [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]
        return [(each.round_no, each.revision, each.verdict, each.engine.partition("+")[2], each.adopted) for each in made]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upgraded]:
    table = Table()
    for number, text in enumerate((UNPAID, PAID, PAID), 1):
        table.play(number, text)
    with closing(SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")) as log:
        append(log, table)
        monkeypatch.setattr(engine, "_digest", lambda *_: "old")
        house = Upgraded(tmp_path, log, table)
        house.replay()
        yield house


def upgrade(monkeypatch: pytest.MonkeyPatch, name: str = "new") -> None:
    monkeypatch.setattr(engine, "_digest", lambda *_: name)
    monkeypatch.setattr(stream_worker, "adjudicate", judge_otherwise)


OLD = [(1, 1, "VARIANCE", "old", 0), (2, 1, "UPHELD", "old", 0), (3, 1, "UPHELD", "old", 0)]


def test_a_new_engine_leaves_standing_verdicts_and_judges_new_rounds(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house.verdicts() == OLD
    upgrade(monkeypatch)
    assert (house.replay().held, house.replay().held, house.verdicts()) == (3, 3, OLD)
    house.table.play(4, UNPAID)
    house.say()
    assert house.replay().held == 3
    assert house.verdicts() == [*OLD, (4, 1, "UPHELD", "new", 0)]
    assert house.replay(again=True).held == 3  # and is not what `--again` restores
    assert house.verdicts() == [*OLD, (4, 1, "UPHELD", "new", 0)]
    with closing(house.results(read_only=True)) as results:
        check = check_verdicts(house.log, results)
        assert (check.failures(), check.held) == ([], 3)


def test_what_comes_late_of_an_old_round_has_it_judged_by_the_new_engine_and_no_other(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.say((paid(), 1))
    house.replay()
    assert house.verdicts() == [*OLD, (1, 2, "UPHELD", "new", 0)]


def test_a_correction_that_reaches_back_touches_what_it_corrects_alone(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    seq = next(n for n, each in enumerate(house.table.drafts, 1) if each.round_no == 1 and each.payload.TYPE == "wager_placed")
    house.table.correct(seq, msgspec.structs.replace(house.table.payload(seq), amount_cents=5_000), 1)
    house.say()
    house.replay()
    assert [each for each in house.verdicts() if each[3] == "new"] == [(1, 2, "UPHELD", "new", 0)]


@pytest.mark.parametrize("late_of", [(1,), (3,), (1, 2, 3)], ids=["the first", "the last", "all"])
def test_every_round_counts_once_in_what_was_judged_whatever_came_late_of_it(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch, late_of: tuple[int, ...]
) -> None:
    openings = {each.round_no: seq for seq, each in enumerate(house.table.drafts, 1) if "opened" in each.payload.TYPE}
    for number in late_of:
        house.table.correct(openings[number], house.table.payload(openings[number]), number)
    house.say()
    house.replay()
    assert house.replay(again=True).rounds == 3
    upgrade(monkeypatch)
    assert house.replay().rounds == 0
    assert house.judge_beside().rounds == 3


def test_a_shadow_is_judged_once_and_touches_nothing(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    before = {path.name: path.read_bytes() for path in house.folder.iterdir() if path.suffix != ".db-shm"}
    made = house.judge_beside()
    assert (made.rounds, made.changed, made.streams) == (3, 2, 1)
    with closing(house.shadow()):
        assert len(list(house.folder.glob("*.shadow-*"))) > 1  # what SQLite keeps next to an open file
        assert shadow_names(house.address) == ["next"]
    again = house.judge_beside()
    assert (again.rounds, again.changed, again.before) == (0, 2, 1)
    after = {path.name: path.read_bytes() for path in house.folder.iterdir() if "shadow" not in path.name}
    assert {name: data for name, data in after.items() if name in before} == before


def test_the_difference_names_verdicts_findings_and_money_by_rule_and_decision(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    with closing(house.results(read_only=True)) as results, closing(house.shadow()) as shadow:
        lines, groups = list(differences(shadow, results)), DifferenceGroups()
    for line in lines:
        groups.add(line)
    assert [(each.kind, each.change, each.rule, each.decision, each.moved_cents) for each in lines] == [
        ("verdict", "changed", "VARIANCE to UPHELD", "", 0),
        ("finding", "withdrawn", "PAY-MISSED", "", lines[1].moved_cents),
        ("verdict", "changed", "UPHELD to UNDETERMINED", "D1081", 0),
    ]
    assert lines[1].moved_cents == -(lines[1].before_cents or 0) > 0
    assert (groups.rounds, groups.all()[0].rule, groups.all()[0].up_cents) == (2, "PAY-MISSED", lines[1].moved_cents)


ADOPTED = [*OLD, (1, 2, "UPHELD", "new", 2), (2, 2, "UNDETERMINED", "new", 2)]


def test_two_persons_adopt_it_and_then_it_stands(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    for by, signed_by in (("m.ortiz", "m.ortiz"), ("m.ortiz", "nobody")):
        with pytest.raises(ReviewRefused):
            house.adopt(by, signed_by)
    assert house.adopt().changed == 2
    assert house.verdicts() == OLD
    assert house.replay().held == 0
    assert house.verdicts() == ADOPTED
    with closing(house.results(read_only=True)) as results:
        assert findings(results) == []
        newest = {each.round_no: each for each in adjudications(results)}
        assert check_verdicts(house.log, results).failures() == []
    assert newest[1].supersedes is not None
    for again in (False, True):
        assert (house.replay(again=again).held, house.verdicts()) == (0, ADOPTED)
    with pytest.raises(ReviewRefused, match="no verdicts of an earlier engine"):
        house.adopt()


@pytest.mark.parametrize("at", ["commit", "publish", "shadow", "records", "state"])
def test_a_kill_between_the_event_and_the_results_loses_and_doubles_nothing(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    house.adopt()

    def killed(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    owner, name = {
        "commit": (SqliteResults, "commit"),
        "publish": (replayer.Replay, "_counted"),
        "shadow": (Adoptions, "take"),
        "records": (stored_results, "_store_records"),
        "state": (stored_results, "_store_state"),
    }[at]
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, killed)
        with pytest.raises(KeyboardInterrupt):
            house.replay()
    assert house.verdicts() == OLD
    house.replay()
    assert house.verdicts() == ADOPTED


def test_a_verdict_that_changed_since_the_shadow_remains(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    house.say((paid(), 1))
    house.replay()
    house.adopt()
    house.replay()
    assert house.verdicts() == [*OLD, (1, 2, "UPHELD", "new", 0), (2, 2, "UNDETERMINED", "new", 2)]


def alter(house: Upgraded) -> None:
    with closing(house.shadow()) as shadow, shadow._database.transaction() as connection:
        connection.execute("UPDATE records SET data = CAST(replace(data, 'UPHELD', 'VOID') AS BLOB) WHERE kind = 'adjudications'")


def judge_other(house: Upgraded) -> None:
    with closing(house.shadow()) as shadow:
        shadow.commit("shadow+new", {house.table.stream: Head(1, b"")}, {}, [], [house.table.stream])


def remove(house: Upgraded) -> None:
    next(house.folder.glob("*.shadow-next")).unlink()


@pytest.mark.parametrize(("change", "says"), [(judge_other, "others now"), (remove, "is not here"), (alter, "was altered")])
def test_only_the_shadow_that_was_signed_is_put_in_force(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch, change: Callable[[Upgraded], None], says: str
) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    house.adopt()
    change(house)
    summary = house.replay()
    assert (summary.held, [says in line for line in summary.judged_again]) == (3, [True])
    assert house.verdicts() == OLD


def test_a_shadow_that_was_altered_is_neither_shown_nor_adopted(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    alter(house)
    with closing(house.results(read_only=True)) as results, closing(house.shadow()) as shadow, pytest.raises(ResultBroken):
        list(differences(shadow, results))
    with pytest.raises(ResultBroken):
        house.adopt()
    assert house.replay().held == 3


def test_what_another_engine_made_is_not_adopted(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    upgrade(monkeypatch, "third")
    with pytest.raises(ReviewRefused, match="another engine made it; run `rack replay --shadow next`"):
        house.adopt()
    assert house.replay().held == 3
    assert (house.judge_beside().rounds, house.adopt().changed) == (3, 2)


def test_an_adoption_tells_no_one_of_old_days(house: Upgraded, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    receiver = Receiver(url="http://127.0.0.1:9/", secret_env="SECRET")
    settings = Settings(
        form="discard-rack alarms 1", receiver={"desk": receiver}, role={"desk": ["desk"]}, route=[Route(to="desk")]
    )
    whose = House(log=house.log.log_id, property="bellwether", currency="USD", zone=None, zone_name="UTC")
    with Outbox(tmp_path / "alarms", sending=True) as outbox:

        def told() -> int:
            watch = Watch(outbox, settings, whose, print)
            with closing(house.results(read_only=True)) as results:
                watch.read(results, START_US)
            return len(outbox._database.rows("SELECT 1 FROM messages"))

        before = told()
        upgrade(monkeypatch)
        house.replay()
        house.judge_beside()
        house.adopt()
        house.replay()
        assert (before, told()) == (1, 1)
        assert outbox.alarms_about(house.table.stream, "#1")[0].withdrawn


def test_an_unknown_adoption_of_an_earlier_program_is_passed_over(house: Upgraded, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    house.adopt()
    house.replay()
    upgrade(monkeypatch, "third")
    summary = house.replay()
    assert (summary.held, summary.judged_again) == (3, [])


def test_a_kill_before_the_event_leaves_nothing_and_the_adoption_can_be_repeated(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()

    def killed(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteLog, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            house.adopt()
    assert "property/main" not in house.log.streams()
    assert house.replay().held == 3
    house.adopt()
    house.replay()
    assert house.verdicts() == ADOPTED


def test_what_people_decided_on_a_round_that_is_judged_otherwise_is_listed(
    house: Upgraded, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(house.results(read_only=True)) as results:
        desk = Desk(house.log, results, persons=PEOPLE, clock=lambda: START_US + 10**9)
        pay_what_is_owed(desk)
        for name, seat in (("d-1", 3), ("d-2", 4)):
            desk.open_dispute("fu-01", dispute=name, round_no=2, seat=seat, claim="paid short", by="r.haas")
    upgrade(monkeypatch)
    house.replay()
    house.judge_beside()
    with closing(house.results(read_only=True)) as results, closing(house.shadow()) as shadow:
        listed = list(work(Desk(house.log, results), shadow, results))
    assert [(each.round_no, each.what.split()[0], each.decided, each.why) for each in listed] == [
        (1, "finding", "resolved", "VARIANCE to UPHELD; it is withdrawn"),
        (2, "dispute", "open", "UPHELD to UNDETERMINED"),
        (2, "dispute", "open", "UPHELD to UNDETERMINED"),
    ]
    house.adopt()
    assert adopted_after(house) == []
    house.replay()
    assert adopted_after(house) == [
        (1, "finding", "now UPHELD; it is withdrawn"),
        (2, "dispute d-1", "now UNDETERMINED"),
        (2, "dispute d-2", "now UNDETERMINED"),
    ]
    with closing(house.results(read_only=True)) as results:
        desk = Desk(house.log, results, persons=PEOPLE)
        desk.close_dispute("fu-01", dispute="d-1", outcome="cannot_tell", by="r.haas", reason="looked at again")
    assert [each[1] for each in adopted_after(house)] == ["finding", "dispute d-2"]


def adopted_after(house: Upgraded) -> list[tuple[int, str, str]]:
    with closing(house.results(read_only=True)) as results:
        listed = list(adopted_work(Desk(house.log, results)))
    return [(each.round_no, re.sub(r"(?<=finding) \w{8}", "", each.what), each.why) for each in listed]
