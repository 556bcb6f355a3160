"""Alarms of advice: told while a round is open if a route asks for it, put right or confirmed under the same alarm."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from desk.alarms.alarm import Alarm, AlarmStatus, message_of, trial_message
from desk.alarms.outbox import Outbox
from desk.alarms.settings import EscalationStep, Route
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.envelope import Draft
from replay.advice import advice_in
from replay.incidents import incidents
from replay.run.engine import shared_engine
from replay.run.replayer import adjudications, follow, replay
from tests.desk.alarms.receiving import Receiver, answer, receiver
from tests.desk.alarms.test_sender import HOUR_US, MISDEAL, Setting
from tests.replay.tables import PAID

OVERPAID = PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 30.00")
"""Seat 3 won 25.00 and was paid 30.00: 5.00 too much, by an act that is seen at once."""
FORBEARING = Route(to="desk")
ASKING = Route(to="desk", advice=True)


class Live(Setting):
    """A floor whose events come one at a time; a replay that follows the log advises after each."""

    def hear(self, upto: int | None = None) -> None:
        """Take in the table's next events, to a number or to the last."""
        drafts = self.table.drafts[self.stored : upto]
        self.log.append(self.table.stream, self.stored + 1, drafts)
        self.stored += len(drafts)
        following = follow(self.log, self.results, wait_s=0.01)
        while self.heard < self.stored:
            next(following)

    def cut(self, last: int) -> list[Draft]:
        """Let the table have said nothing after an event; return what it had."""
        kept, rest = self.table.drafts[:last], self.table.drafts[last:]
        self.table.drafts, self.table._counts = kept, {each.source: each.source_seq for each in kept}
        return rest

    @property
    def heard(self) -> int:
        """The number of the last event that was judged."""
        head = self.results.positions(shared_engine()).get(self.table.stream)
        return 0 if head is None else head.seq


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as served:
        yield served


@pytest.fixture
def live(tmp_path: Path, log: SqliteLog, results: SqliteResults, there: Receiver) -> Live:
    live = Live(tmp_path, log, results, desk=there)
    live.routes = [ASKING]
    return live


def told(there: Receiver) -> list[tuple[str, str, int]]:
    """What was told: what became of it, by what, and the money that was paid too much."""
    return [(each["what"], each["alarm"]["basis"], each["alarm"]["overpaid_cents"]) for each in there.got]


def test_advice_is_told_while_the_round_is_open_and_the_verdict_confirms_the_same_alarm(live: Live, there: Receiver) -> None:
    paid = live.table.play(1, OVERPAID)["wager_paid"]
    live.hear(paid - 1)
    live.send()
    assert there.got == []
    live.hear(paid)
    for _ in range(3):
        live.send()
    assert told(there) == [("raised", "advice", 500)]
    alarm = there.got[0]["alarm"]
    assert "overpaid by $5.00" in alarm["says"]
    assert alarm["says"].endswith("advice: the round is open, and this can still be corrected")
    assert (alarm["closed_at"], alarm["verdict"], alarm["game"]) == (None, "", "face_up_pai_gow")
    live.hear()
    for _ in range(3):
        live.send()
    assert told(there) == [("raised", "advice", 500), ("changed", "verdict", 500)]
    confirmed = there.got[1]["alarm"]
    assert (confirmed["id"], confirmed["verdict"]) == (alarm["id"], "VARIANCE")
    assert "can still be corrected" not in confirmed["says"]
    assert len({each["key"] for each in there.got}) == 2


def test_what_is_put_right_in_the_open_round_is_withdrawn_and_stays_so(live: Live, there: Receiver) -> None:
    paid = live.table.play(1, OVERPAID)["wager_paid"]
    rest = live.cut(paid)
    live.hear()
    live.send()
    right = msgspec.structs.replace(live.table.payload(paid), winnings_cents=2_500)
    live.table.correct(paid, right, 1)
    live.hear()
    live.send()
    assert told(there) == [("raised", "advice", 500), ("withdrawn", "advice", 500)]
    assert "can still be corrected" not in there.got[-1]["alarm"]["says"]
    for draft in rest:
        live.table.say(draft.payload, 1)
    live.hear()
    live.send()
    assert [each.verdict for each in adjudications(live.results)] == ["UPHELD"]
    assert len(there.got) == 2
    with live.outbox() as outbox:
        assert outbox.alarms() == []


def test_a_route_that_does_not_ask_hears_of_it_by_the_verdict_alone(live: Live, there: Receiver) -> None:
    live.routes = [FORBEARING]
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    live.send()
    assert there.got == []
    live.hear()
    live.send()
    assert told(there) == [("raised", "verdict", 500)]
    assert there.got[0]["revision"] == 1


def test_who_did_not_ask_gets_the_alarm_raised_where_another_has_it_changed(
    tmp_path: Path, log: SqliteLog, results: SqliteResults, there: Receiver
) -> None:
    with receiver() as chief:
        live = Live(tmp_path, log, results, desk=there, chief=chief)
        live.routes = [ASKING, Route(to="chief")]
        live.hear(live.table.play(1, OVERPAID)["wager_paid"])
        live.send()
        assert chief.got == []
        live.hear()
        live.send()
        assert told(there) == [("raised", "advice", 500), ("changed", "verdict", 500)]
        assert told(chief) == [("raised", "verdict", 500)]
        assert chief.got[0]["alarm"]["id"] == there.got[0]["alarm"]["id"]


@pytest.mark.parametrize(
    "route", [Route(to="desk", advice=True, money_cents=501), Route(to="desk", advice=True, codes=("DEAL-*",))]
)
def test_advice_goes_only_where_the_route_would_take_the_incident(live: Live, there: Receiver, route: Route) -> None:
    live.routes = [route]
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    live.send()
    live.hear()
    live.send()
    assert there.got == []


@pytest.mark.parametrize("text", [PAID, OVERPAID, MISDEAL], ids=["paid", "overpaid", "misdeal"])
@pytest.mark.parametrize("every", [1, 3])
def test_after_every_event_there_is_one_alarm_for_each_incident(live: Live, there: Receiver, text: str, every: int) -> None:
    """Whenever one looks, and a sender is begun again each time: what remains is what advice or verdict finds, once each."""
    live.table.play(1, text)
    live.table.play(2, PAID)
    for upto in range(every, live.table.last + every, every):
        live.hear(upto)
        live.send()
        found = [each for verdict in adjudications(live.results) for each in incidents(verdict.findings)]
        found += [each for advice in advice_in(live.results).values() for each in incidents(advice.warnings)]
        with live.outbox() as outbox:
            standing = [each.alarm for each in outbox.alarms()]
        assert sorted(each.incident for each in standing) == sorted(each.id for each in found)
    ids: dict[str, set[str]] = {}
    for message in there.got:
        for finding in message["alarm"]["findings"]:
            ids.setdefault(finding["id"], set()).add(message["alarm"]["id"])
    assert all(len(each) == 1 for each in ids.values()), "two alarms for one finding"
    assert bool(there.got) == (text != PAID)


def test_a_sender_that_was_away_tells_only_what_the_verdict_found(live: Live, there: Receiver) -> None:
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    live.hear()
    live.send()
    assert told(there) == [("raised", "verdict", 500)]


def test_advice_whose_round_was_taken_back_is_withdrawn(live: Live, there: Receiver) -> None:
    numbers = live.table.play(1, OVERPAID)
    live.cut(numbers["wager_paid"])
    live.hear()
    live.send()
    live.table.correct(numbers["round_opened"], None, 1)
    live.table.play(2, PAID)
    live.hear(live.table.last - 1)
    live.send()
    live.hear()
    live.send()
    assert told(there) == [("raised", "advice", 500), ("withdrawn", "advice", 500)]


def test_a_replay_that_gives_no_advice_puts_nothing_right(live: Live, there: Receiver) -> None:
    """Advice that is missing is not advice without a warning: the alarm waits for the verdict."""
    paid = live.table.play(1, OVERPAID)["wager_paid"]
    live.hear(paid)
    live.send()
    live.log.append(live.table.stream, paid + 1, live.table.drafts[paid : paid + 1])
    live.stored = paid + 1
    replay(live.log, live.results)
    assert advice_in(live.results) == {}
    live.send()
    assert told(there) == [("raised", "advice", 500)]
    live.hear()
    live.send()
    assert told(there)[1:] == [("changed", "verdict", 500)]


def test_a_new_outbox_tells_of_an_open_round_only_once_it_goes_on(live: Live, there: Receiver) -> None:
    live.table.play(1, PAID)
    paid = live.table.play(2, OVERPAID)["wager_paid"]
    live.hear(paid)
    live.send(past=False)
    assert there.got == []
    live.hear(paid + 1)
    live.send(past=False)
    assert told(there) == [("raised", "advice", 500)]


def test_advice_that_waits_for_a_receiver_comes_before_its_verdict(live: Live, there: Receiver) -> None:
    there.behavior = answer(500)
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    live.send()
    live.hear()
    live.send()
    there.behavior = answer(204)
    live.send(HOUR_US)
    assert [each["what"] for each in there.got if each["what"] != "raised"] == ["changed"]
    assert live.states() == {"delivered": 2}


def test_escalation_begins_with_the_verdict(tmp_path: Path, log: SqliteLog, results: SqliteResults, there: Receiver) -> None:
    """No one can acknowledge advice: it is on no record."""
    with receiver() as chief:
        live = Live(tmp_path, log, results, desk=there, chief=chief)
        live.routes = [Route(to="desk", advice=True, escalate=(EscalationStep(after_min=10, to="chief"),))]
        live.hear(live.table.play(1, OVERPAID)["wager_paid"])
        live.send()
        live.send(HOUR_US)
        assert chief.got == []
        live.hear()
        live.send()
        live.send(HOUR_US)
        assert told(chief) == [("escalated", "verdict", 500)]


def test_advice_that_cannot_be_read_silences_no_verdict(live: Live, there: Receiver) -> None:
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    live.results.commit("another", {}, {}, [], advice={live.table.stream: b"none"})
    live.send()
    assert [line for line in live.told if "no alarms of advice any more" in line]
    live.hear()
    live.send()
    assert told(there) == [("raised", "verdict", 500)]


def test_a_sender_killed_while_it_takes_advice_in_has_taken_in_all_or_nothing(
    live: Live, there: Receiver, tmp_path: Path
) -> None:
    live.hear(live.table.play(1, OVERPAID)["wager_paid"])
    with Outbox(tmp_path / "alarms", sending=True) as outbox, outbox._database.transaction() as connection:
        connection.execute("CREATE TRIGGER killed BEFORE INSERT ON advised BEGIN SELECT raise(ABORT, 'killed'); END")
    live.send()
    assert "killed" in live.told[-1]
    with live.outbox() as outbox:
        assert (outbox.alarms(), outbox.letters()) == ([], [])
        with outbox._database.transaction() as connection:
            connection.execute("DROP TRIGGER killed")
    live.send()
    assert told(there) == [("raised", "advice", 500)]


def test_an_alarm_of_an_outbox_from_before_there_was_advice_is_of_a_verdict() -> None:
    old = msgspec.to_builtins(trial_message("k", None).alarm)
    del old["basis"]
    assert msgspec.convert(old, Alarm).basis == "verdict"


@pytest.mark.parametrize(("basis", "page"), [("advice", "floor"), ("verdict", f"queue?finding={'0' * 32}")])
def test_advice_links_to_the_floor_for_the_queue_has_no_finding_yet(basis: Literal["advice", "verdict"], page: str) -> None:
    alarm = msgspec.structs.replace(trial_message("k", None).alarm, basis=basis)
    standing = AlarmStatus(alarm=alarm, revision=1, withdrawn=False)
    told = message_of("raised", standing, "desk", patrons=False, pages="https://rack.example/")
    assert told.link == f"https://rack.example/{page}"
