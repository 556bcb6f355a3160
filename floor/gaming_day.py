"""`simulate`: gaming days of a whole floor from a seed, with planted faults and legitimate irregularities, labelled."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec

import floor.faults_deal
import floor.faults_pay
import floor.faults_progressive
import floor.faults_table
import floor.faults_wager
import floor.legitimate  # noqa: F401  (importing these registers what can be irregular)
from events.codec import encode_draft
from events.envelope import Draft
from events.model import GamingDayOpened, PropertyConfigured, WagerPaid
from floor.casino import CURRENCY, CUTOVER, PROPERTY, TIME_ZONE, cutover_us, gaming_day, table_specs
from floor.irregular import FAULTS, LEGITIMATE, Irregular, Schedule
from floor.labels import Legit, Planted, Where
from floor.meters import Meter
from floor.people import People
from floor.plan import Plan
from floor.play import Play
from floor.render import render
from floor.streams import Group, Stream
from floor.table import Table
from games.wagers import Outcome

PLANTS_PER_ROUNDS = 800
"""Each fault is planted once in so many rounds, and at least twice."""

MOST_PERCENT = 15
"""At most so many rounds in a hundred have a fault, and so many a legitimate irregularity that was made to happen."""

STACK_EVERY = 6
"""Of the plain rounds one in so many has a hand that is rare."""

TRIES = 6
ROUNDS_A_DAY = 420
"""At most so many rounds at a table in a gaming day."""


class Simulation:
    """What a simulation made: the streams' drafts in groups, in a plausible order, and the labels, kept apart."""

    def __init__(self, groups: list[Group], labels: list[Planted], legitimate: list[Legit], rounds: int) -> None:
        self._groups = groups
        self.labels = labels
        self.legitimate = legitimate
        self.rounds = rounds

    @property
    def events(self) -> int:
        """How many drafts there are, messages that were sent twice counted twice."""
        return sum(len(drafts) for _, drafts in self._groups)

    def groups(self) -> Iterator[tuple[str, list[Draft]]]:
        """Yield groups for `EventLog.append_groups`: a table's round is one, after the meter events that belong to it."""
        yield from self._groups

    def write(self, path: Path) -> None:
        """Write the drafts as JSON Lines, and the labels beside them in `<path>.labels.json`."""
        with path.open("wb") as file:
            for stream, drafts in self._groups:
                head = b'{"stream":"' + stream.encode() + b'",'
                for draft in drafts:
                    file.write(head + encode_draft(draft)[1:] + b"\n")
        path.with_name(path.name + ".labels.json").write_bytes(self.labels_json())

    def labels_json(self) -> bytes:
        """Return the labels as JSON."""
        return msgspec.json.encode({"planted": self.labels, "legitimate": self.legitimate, "rounds": self.rounds})


def simulate(seed: int, rounds: int = 2400, tables: int = 5, plant: bool = True) -> Simulation:
    """Simulate a floor until so many rounds were played; `plant=False` leaves out faults (not the irregularities)."""
    return _Floor(seed, rounds, tables, plant).run()


class _Floor:
    """The run of a simulation."""

    def __init__(self, seed: int, rounds: int, tables: int, plant: bool) -> None:
        if rounds < 1:
            raise ValueError(f"{rounds} rounds; expected at least 1")
        specs = table_specs(tables)
        self.rounds, self.plant = rounds, plant
        share = -(-rounds // tables)
        self.days = max(2, -(-share // ROUNDS_A_DAY))
        people = People(Random(f"{seed}/people"))
        self.meters: dict[str, Meter] = {}
        self.tables = [
            Table(i, tables, spec, self.meters, people, Random(f"{seed}/{spec.id}")) for i, spec in enumerate(specs)
        ]
        for table in self.tables:
            for book in table.books:
                paytable = book.offers["progressive"].paytable
                if book.meter is not None and book.meter not in self.meters and paytable is not None:
                    self.meters[book.meter] = Meter(book.meter, paytable, Random(f"{seed}/{book.meter}"))
        self.property = Stream(PROPERTY, Random(f"{seed}/property"))
        random = Random(f"{seed}/schedule")
        often = max(2, rounds // PLANTS_PER_ROUNDS) if plant else 0
        planters = [(each, often) for each in FAULTS.values()]
        kinds = [(each, max(1, round(rounds * each.per_mille / 1000))) for each in LEGITIMATE.values()]
        self.faults = Schedule(planters, rounds, random, rounds * MOST_PERCENT // 100)
        self.legitimates = Schedule(kinds, rounds, random, rounds * MOST_PERCENT // 100)
        self.played = self.plain = 0
        self.groups: list[Group] = []
        self.labels: list[Planted] = []
        self.legitimate: list[Legit] = []

    def run(self) -> Simulation:
        """Play all days and return what came of it."""
        left = self.rounds
        for day in range(self.days):
            today = left // (self.days - day)
            self._day(day, today)
            left -= today
        self._open_streams(self.days)
        for table in self.tables:
            table.open_day_for_counting(self.days)
            self.groups.append(table.take_group())
        return Simulation(self.groups, self.labels, self.legitimate, self.rounds)

    def _open_streams(self, day: int) -> None:
        """Open a gaming day in the property's and the meters' streams."""
        opened: list[Draft] = []
        at_us, office = cutover_us(day), "office"
        opened.append(self.property.draft(office, GamingDayOpened(gaming_day=gaming_day(day)), at_us, None))
        if day == 0:
            configured = PropertyConfigured(
                name="Simulated Casino", time_zone=TIME_ZONE, gaming_day_cutover=CUTOVER, currency=CURRENCY
            )
            opened.append(self.property.draft(office, configured, at_us + 1_000_000, None))
        self.groups.append((PROPERTY, opened))
        for meter in self.meters.values():
            self.groups.append((meter.stream.name, meter.open_day(gaming_day(day), at_us)))

    def _day(self, day: int, rounds: int) -> None:
        self._open_streams(day)
        turns: list[tuple[int, int, int]] = []
        for index, table in enumerate(self.tables):
            mine = rounds // len(self.tables) + (index < rounds % len(self.tables))
            table.open_day(day, keep_dice=day > 0 and bool(mine) and self._forget_dice(table))
            if mine:
                turns.append((table.now_us, index, mine))
        heapq.heapify(turns)
        while turns:
            _, index, left = heapq.heappop(turns)
            table = self.tables[index]
            self._round(table)
            if left == rounds // len(self.tables) // 2 + 1:
                table.file_later_rules()
            if left > 1:
                heapq.heappush(turns, (table.now_us, index, left - 1))
        for table in self.tables:
            table.close_day()
            self.groups.append(table.take_group())

    def _forget_dice(self, table: Table) -> bool:
        """Say whether this table forgets to change its dice today: that fault can only happen in a day's first round."""
        return table.spec.starting == "shaker" and self.faults.take("EQUIP-DICE") is not None

    def _round(self, table: Table) -> None:
        """Play one round: with a fault or a legitimate irregularity where one is due, plain otherwise."""
        table.between_rounds()
        self.played += 1
        for schedule in (self.faults, self.legitimates):
            irregular = FAULTS["EQUIP-DICE"] if table.old_dice else schedule.due(self.played, table)
            if irregular is None:
                continue
            if self._irregular_round(table, schedule, irregular):
                return
            schedule.again(irregular, self.played)
        plan = Plan(table, table.random)
        self.plain += 1
        if self.plain % STACK_EVERY == 0:
            plan.stack(table.stacked)
            table.stacked += 1
        play = Play(plan)
        play.write()
        self._end(play)
        self._label_natural(play)

    def _irregular_round(self, table: Table, schedule: Schedule, irregular: Irregular) -> bool:
        """Play a round with an irregularity; false where this round cannot be made fit for it (nothing was played)."""
        turn = schedule.turn(irregular.name)
        if irregular.before is not None:
            irregular.before(table, turn)
        for _ in range(TRIES):
            plan = Plan(table, table.random)
            plan.turn = turn
            if irregular.prepare(plan):
                break
        else:
            return False
        play = Play(plan)
        play.write()
        where = irregular.apply(play)
        self._end(play)
        if where is None:
            schedule.again(irregular, self.played)
            return True
        schedule.happened(irregular.name)
        if schedule is self.faults:
            self._label_fault(irregular.name, play, where)
        else:
            self.legitimate.append(
                Legit(kind=irregular.name, stream=table.stream.name, round_no=plan.round_no),
            )
            self._label_natural(play, irregular.name)
        if irregular.after is not None:
            irregular.after(table)
        return True

    def _end(self, play: Play) -> None:
        """Let the devices report the round, and the table go on."""
        table = play.table
        between = table.take_group()
        if between[1]:
            self.groups.append(between)
        self.groups += render(table, play.script, play.plan.round_no)
        table.book_round(play.script)
        table.end_round(play.plan.deck)

    def _label_fault(self, name: str, play: Play, where: Where) -> None:
        streams = [where.stream or play.table.stream.name]
        if where.also_in is not None:
            streams.append(where.also_in)
        for stream in streams:
            self.labels.append(
                Planted(
                    code=name.partition("/")[0], stream=stream, table=play.table.id, round_no=play.plan.round_no,
                    seat=where.seat, wager=where.wager, consequences=where.consequences,
                )
            )  # fmt: skip

    def _label_natural(self, play: Play, but: str = "") -> None:
        """Label what was irregular and right by itself."""
        plan, found = play.plan, []
        if plan.surrendered:
            found.append("surrender")
        if any(due.outcome is Outcome.FOUL for due in play.dues):
            found.append("foul_hand")
        if play.script.of(WagerPaid, source="slip"):
            found.append("jackpot_by_slip")
        if play.other_deck_shuffled:
            found.append("two_deck_shuffle")
        stream = play.table.stream.name
        self.legitimate += [Legit(kind=kind, stream=stream, round_no=plan.round_no) for kind in found if kind != but]
