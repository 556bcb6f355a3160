"""The sender: one alarm for each incident, changed and withdrawn with the verdict, escalated, each told once."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from desk.alarms.alarm import House
from desk.alarms.outbox import DAY_US, Outbox, OutboxRefused
from desk.alarms.sender import Sender, doors
from desk.alarms.settings import EscalationStep, Route, Settings
from desk.alarms.settings import Receiver as Named
from desk.review.desk import Desk
from events.errors import SecondWriter
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.replayer import findings, replay
from tests.desk.alarms.receiving import SECRET_LINE, Receiver, answer, hang, receiver
from tests.desk.people import PEOPLE
from tests.replay.observed import Observed
from tests.replay.tables import PAID, SECOND_US, START_US, UNPAID, Table

MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
ENVIRONMENT = {"RACK_SECRET": SECRET_LINE}

MISDEAL = UNPAID.replace(" 4c 2h  dealer", " 4c 2h 2d  dealer").replace("set     seat=3 high=As Ah 5s 4c 2h low=7c 7d\n", "")
"""Seat 3 got eight cards, and the round was played on: one incident of several findings."""


class Setting:
    """A floor, its sender and its receivers, at a time that the test sets."""

    def __init__(self, folder: Path, log: SqliteLog, results: SqliteResults, **there: Receiver) -> None:
        self.folder, self.log, self.results, self.there = folder, log, results, there
        self.now_us = START_US + HOUR_US
        self.table = Table()
        self.stored = 0
        self.routes: list[Route] = [Route(to="desk")]
        self.patrons = False
        self.told: list[str] = []

    def play(self, *rounds: str) -> None:
        """Play rounds, and judge them."""
        for text in rounds:
            self.table.play(sum(each.payload.TYPE == "round_opened" for each in self.table.drafts) + 1, text)
        self.judge()

    def judge(self) -> None:
        drafts = self.table.drafts[self.stored :]
        self.log.append(self.table.stream, self.stored + 1, drafts)
        self.stored = len(self.table.drafts)
        replay(self.log, self.results)

    def desk(self) -> Desk:
        return Desk(self.log, self.results, persons=PEOPLE, clock=lambda: self.now_us)

    def send(self, later_us: int = 0, *, past: bool = True) -> None:
        """Start a sender, let it do everything that is due, and end it."""
        self.now_us += later_us
        named = {
            name: Named(url=each.url, secret_env="RACK_SECRET", patrons=self.patrons, timeout_s=1 if name == "slow" else 60)
            for name, each in self.there.items()
        }
        roles = {name: [name] for name in named}
        settings = Settings(form="discard-rack alarms 1", receiver=named, role=roles, route=self.routes)
        zone = ZoneInfo("America/New_York")
        house = House(log=self.log.log_id, property="bellwether", currency="USD", zone=zone, zone_name=zone.key)
        with Outbox(self.folder / "alarms", sending=True) as outbox:
            Sender(
                outbox,
                settings,
                doors(settings, self.folder, ENVIRONMENT),
                open_desk=lambda: nullcontext(self.desk()),
                house_of=lambda _: house,
                tell=self.told.append,
                past=past,
                clock=lambda: self.now_us,
            ).run_once()

    def outbox(self) -> Outbox:
        return Outbox(self.folder / "alarms")

    def states(self) -> dict[str, int]:
        with self.outbox() as outbox:
            return dict(outbox.counts())


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as served:
        yield served


@pytest.fixture
def house(tmp_path: Path, log: SqliteLog, results: SqliteResults, there: Receiver) -> Setting:
    return Setting(tmp_path, log, results, desk=there)


def said(there: Receiver) -> list[tuple[str, int | None, int, str]]:
    return [(each["what"], each["alarm"]["round"], each["revision"], each["alarm"]["says"]) for each in there.got]


MISSED = "Winning wager not paid · Seat 3 · Base wager · underpaid by $25.00"


def test_an_incident_is_told_once_however_often_one_looks(house: Setting, there: Receiver) -> None:
    house.play(PAID, UNPAID)
    for _ in range(3):
        house.send(MINUTE_US)
    assert said(there) == [("raised", 2, 1, MISSED)]
    (alarm,) = [each["alarm"] for each in there.got]
    assert (alarm["severity"], alarm["underpaid_cents"], alarm["overpaid_cents"]) == ("high", 2_500, 0)
    assert (alarm["time_zone"], alarm["closed_at"][10:]) == ("America/New_York", alarm["closed_at"][10:])
    assert alarm["closed_at"].endswith("-05:00")
    assert there.forged == 0


def test_what_a_person_entered_afterward_raises_no_alarm(house: Setting, there: Receiver) -> None:
    house.play(PAID)
    entries = Observed(house.table)
    entries.enter(1, UNPAID)
    house.log.append(entries.stream, 1, entries.drafts)
    replay(house.log, house.results)
    house.send()
    assert (said(there), house.states()) == ([], {})


def test_a_misdeal_is_one_alarm_and_not_one_for_each_finding(house: Setting, there: Receiver) -> None:
    house.play(MISDEAL)
    house.send()
    assert len(findings(house.results)) > 1
    (message,) = there.got
    assert message["alarm"]["findings"][0]["code"] == "DEAL-COUNT"
    assert len(message["alarm"]["findings"]) == len(findings(house.results))


def test_a_correction_changes_or_withdraws_the_alarm(house: Setting, there: Receiver) -> None:
    """Seat 3 won 25.00 and was paid 5.00 by the record; by the video it was 10.00, by the slip all of it."""
    numbers = house.table.play(1, PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 5.00"))
    house.judge()
    house.send()
    paid = house.table.drafts[numbers["wager_paid"] - 1].payload
    house.table.correct(numbers["wager_paid"], msgspec.structs.replace(paid, winnings_cents=1_000), 1)
    house.judge()
    house.send()
    last = house.table.last
    house.table.correct(numbers["wager_paid"], msgspec.structs.replace(paid, winnings_cents=2_500), 1)
    house.judge()
    house.send()
    assert last < house.table.last
    assert [(what, revision) for what, _, revision, _ in said(there)] == [("raised", 1), ("changed", 2), ("withdrawn", 3)]
    assert [each["alarm"]["underpaid_cents"] for each in there.got] == [2_000, 1_500, 1_500]
    assert len({each["alarm"]["id"] for each in there.got}) == 1
    assert len({each["key"] for each in there.got}) == 3


def test_a_new_outbox_leaves_out_what_was_found_before(house: Setting, there: Receiver) -> None:
    house.play(UNPAID)
    house.send(past=False)
    house.play(PAID, UNPAID)
    house.send(past=False)
    assert [number for _, number, _, _ in said(there)] == [3]
    replay(house.log, house.results, again=True)  # the results begin again: still nothing about the past, and nothing twice
    house.send(past=False)
    assert [number for _, number, _, _ in said(there)] == [3]


@pytest.mark.parametrize(
    ("route", "goes"),
    [
        (Route(to="desk"), True),
        (Route(to="desk", severity="high"), True),
        (Route(to="desk", codes=("PAY-*",)), True),
        (Route(to="desk", codes=("DEAL-*", "PAY-MISSED")), True),
        (Route(to="desk", codes=("DEAL-*",)), False),
        (Route(to="desk", tables=("fu-*",)), True),
        (Route(to="desk", tables=("fu-02",)), False),
        (Route(to="desk", money_cents=2_500), True),
        (Route(to="desk", money_cents=2_501), False),
    ],
)
def test_routes_choose_by_severity_code_table_and_money(house: Setting, there: Receiver, route: Route, goes: bool) -> None:
    house.play(UNPAID)
    house.routes = [route]
    house.send()
    assert len(there.got) == goes


def test_two_routes_to_one_receiver_are_one_message(house: Setting, there: Receiver) -> None:
    house.play(UNPAID)
    house.routes = [Route(to="desk"), Route(to="desk", codes=("PAY-*",))]
    house.send()
    assert len(there.got) == 1


def test_patrons_are_left_out_unless_told(house: Setting, there: Receiver) -> None:
    house.play(UNPAID)
    house.send()
    assert [each["alarm"]["patrons"] for each in there.got] == [[]]
    house.patrons = True
    house.play(UNPAID)
    house.send()
    (bettor,) = {
        each.payload.bettor for each in house.table.drafts if each.payload.TYPE == "wager_placed" and each.payload.seat == 3
    }
    assert there.got[-1]["alarm"]["patrons"] == [bettor]


# ---------------------------------------------------------------------------------------------------------- deliveries


@pytest.mark.slow
def test_a_receiver_that_is_down_for_an_hour_gets_each_alarm_once_when_it_is_back(
    tmp_path: Path, log: SqliteLog, results: SqliteResults
) -> None:
    with receiver() as first:
        port = first.server_port
    house = Setting(tmp_path, log, results, desk=first)
    for _ in range(12):  # an hour, an alarm every five minutes
        house.play(UNPAID)
        house.send(5 * MINUTE_US)
    assert house.states() == {"waiting": 12}
    with receiver(port) as back:
        house.send(15 * MINUTE_US)
        house.send(15 * MINUTE_US)
        assert [number for _, number, _, _ in said(back)] == list(range(1, 13))
    assert house.states() == {"delivered": 12}


def test_what_a_receiver_answers_with_an_error_waits_longer_each_time(house: Setting, there: Receiver) -> None:
    there.behavior = answer(500)
    house.play(UNPAID)
    tries = []
    for _ in range(60):
        house.send(SECOND_US)
        tries.append(len(there.got))
    assert [tries.index(n) for n in range(1, tries[-1] + 1)] == [0, 5, 15, 35]  # after 5, 10 and 20 seconds more
    assert len({each["key"] for each in there.got}) == 1
    there.behavior = answer(204)
    house.send(HOUR_US)
    assert house.states() == {"delivered": 1}


def test_one_message_that_is_refused_holds_up_no_other(house: Setting, there: Receiver) -> None:
    there.behavior = lambda handler: answer(500 if there.got[-1]["alarm"]["round"] == 1 else 204)(handler)
    house.play(UNPAID, UNPAID)
    house.send()
    assert house.states() == {"waiting": 1, "delivered": 1}


def test_of_one_alarm_the_later_message_waits_for_the_earlier(house: Setting, there: Receiver) -> None:
    there.behavior = answer(500)
    numbers = house.table.play(1, PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 5.00"))
    house.judge()
    house.send()
    paid = house.table.drafts[numbers["wager_paid"] - 1].payload
    house.table.correct(numbers["wager_paid"], msgspec.structs.replace(paid, winnings_cents=2_500), 1)
    house.judge()
    there.behavior = answer(204)
    house.send(SECOND_US)
    assert [what for what, _, _, _ in said(there)] == ["raised"]
    house.send(MINUTE_US)
    assert [what for what, _, _, _ in said(there)] == ["raised", "raised", "withdrawn"]


def test_after_a_day_it_is_a_dead_letter_which_can_be_revived(house: Setting, there: Receiver) -> None:
    there.behavior = answer(503)
    house.play(UNPAID)
    house.send()
    house.send(DAY_US - 1)
    assert house.states() == {"waiting": 1}
    house.send(HOUR_US)
    assert house.states() == {"dead": 1}
    house.send(HOUR_US)
    there.behavior = answer(204)
    before = len(there.got)
    with house.outbox() as outbox:
        (letter,) = outbox.letters("dead")
        assert (letter.said, letter.tries) == ("503", before)
        assert (outbox.revive("0" * 32, house.now_us), outbox.revive(letter.key, house.now_us)) == (0, 1)
    house.send()
    assert house.states() == {"delivered": 1}
    assert len(there.got) == before + 1


def test_a_receiver_that_hangs_delays_no_other(tmp_path: Path, log: SqliteLog, results: SqliteResults) -> None:
    ended = threading.Event()
    with ExitStack() as resources:
        slow, quick = resources.enter_context(receiver()), resources.enter_context(receiver())
        resources.callback(ended.set)
        slow.behavior = hang(ended)
        house = Setting(tmp_path, log, results, slow=slow, desk=quick)
        house.routes = [Route(to="slow"), Route(to="desk")]
        house.play(UNPAID, UNPAID, UNPAID)
        house.send()
    assert len(quick.taken) == 3
    assert house.states() == {"delivered": 3, "waiting": 3}


def test_one_process_sends(house: Setting, tmp_path: Path) -> None:
    with Outbox(tmp_path / "alarms", sending=True), pytest.raises(SecondWriter):
        Outbox(tmp_path / "alarms", sending=True)


def test_an_outbox_is_of_one_log(house: Setting, tmp_path: Path) -> None:
    with Outbox(tmp_path / "alarms", sending=True) as outbox:
        assert [outbox.belongs_to("5e" * 16), outbox.belongs_to("5e" * 16)] == [True, False]
    house.play(UNPAID)
    with pytest.raises(OutboxRefused, match="belongs to the log 5e5e"):
        house.send()


# ---------------------------------------------------------------------------------------------------------- escalation


@pytest.fixture
def chief() -> Iterator[Receiver]:
    with receiver() as served:
        yield served


@pytest.fixture
def steps(tmp_path: Path, log: SqliteLog, results: SqliteResults, there: Receiver, chief: Receiver) -> Setting:
    house = Setting(tmp_path, log, results, desk=there, chief=chief)
    house.routes = [
        Route(to="desk", escalate=(EscalationStep(after_min=10, to="chief"), EscalationStep(after_min=30, to="chief")))
    ]
    house.play(UNPAID)
    house.send()
    return house


def test_nobody_acknowledges_and_each_step_is_told_once(steps: Setting, there: Receiver, chief: Receiver) -> None:
    steps.send(10 * MINUTE_US - 1)
    assert chief.got == []
    for _ in range(3):
        steps.send(1)
    assert [(each["what"], each["after_min"]) for each in chief.got] == [("escalated", 10)]
    steps.send(20 * MINUTE_US)
    assert [(each["what"], each["after_min"]) for each in chief.got] == [("escalated", 10), ("escalated", 30)]
    assert len(there.got) == 1


@pytest.mark.parametrize("deed", ["acknowledge", "note", "assign", "resolve"])
def test_whoever_has_it_in_hand_ends_the_escalation(steps: Setting, chief: Receiver, deed: str) -> None:
    (missed,) = findings(steps.results)
    desk = steps.desk()
    match deed:
        case "acknowledge":
            desk.acknowledge(missed.id, note="on my way", by="s.lee")
        case "note":
            desk.note(missed.id, note="seen", by="s.lee")
        case "assign":
            desk.assign(missed.id, to="s.lee", by="m.ortiz", reason="camera 4")
        case _:
            desk.resolve(missed.id, disposition="cannot_tell", by="s.lee", reason="no video")
    steps.send(HOUR_US)
    assert chief.got == []


def test_what_was_withdrawn_is_escalated_no_further(steps: Setting, there: Receiver, chief: Receiver) -> None:
    numbers = {draft.payload.TYPE: seq for seq, draft in enumerate(steps.table.drafts, 1)}
    steps.table.correct(numbers["round_opened"], None, 1)
    steps.judge()
    steps.send(HOUR_US)
    assert [each["what"] for each in there.got] == ["raised", "withdrawn"]
    assert chief.got == []


def test_what_is_raised_again_is_escalated_again(steps: Setting, there: Receiver, chief: Receiver) -> None:
    """The round is taken back and then is on record after all: no one has seen to it yet."""
    numbers = {draft.payload.TYPE: seq for seq, draft in enumerate(steps.table.drafts, 1)}
    opened = numbers["round_opened"]
    steps.table.correct(opened, None, 1)
    steps.judge()
    steps.send(MINUTE_US)
    steps.table.correct(opened, steps.table.payload(opened), 1)
    steps.judge()
    steps.send(MINUTE_US)
    assert [each["what"] for each in there.got] == ["raised", "withdrawn", "raised"]
    steps.send(10 * MINUTE_US - 1)
    assert chief.got == []
    steps.send(1)
    assert [(each["what"], each["after_min"]) for each in chief.got] == [("escalated", 10)]
