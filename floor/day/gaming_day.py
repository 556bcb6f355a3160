"""`simulate`: gaming days of a whole floor from a seed, with planted faults and legitimate irregularities, labelled."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from events.codec import encode_draft
from events.envelope import Draft
from events.model import GamingDayOpened, PropertyConfigured
from floor.catalogue import DEFAULT, SIMULATIONS
from floor.day.render import render
from floor.day.schemes import Scheme, SchemeRun
from floor.faults.anomaly import Anomaly, Schedule
from floor.faults.labels import Legit, Planted, Spot
from floor.game_simulation import GameSimulation
from floor.table.casino import CURRENCY, CUTOVER, PROPERTY, TIME_ZONE, cutover_us, gaming_day
from floor.table.meters import Meter
from floor.table.people import People
from floor.table.streams import Group, Stream
from floor.table.table import Table

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

    def __init__(self, groups: list[Group], labels: list[Planted], legitimate: list[Legit], rounds: int,
                 taken: Sequence[tuple[str, int]] = ()) -> None:  # fmt: skip
        self._groups = groups
        self.taken = taken
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


def simulate(
    seed: int, rounds: int = 2400, tables: int | None = None, plant: bool = True, games: Sequence[str] = (DEFAULT,), *,
    days: int = 2, scheme: Scheme | None = None, rare: bool = True, house_way: bool = False,
) -> Simulation:  # fmt: skip
    """Simulate a floor until so many rounds of each game were played.

    `tables` are the tables of each game (null: as many as take all its paytables); `plant=False` leaves out faults (not
    the irregularities); `games` names wings of the floor. `days` are gaming days at least; `scheme` goes on during all of
    them; `rare=False` leaves everything to chance: no hand comes up more often than it should, and no irregularity is made to
    happen that decides what chance decides. `house_way` lets every patron play as `rack theory` supposes: set by the house way,
    decide what is best.
    """
    wings = [SIMULATIONS[name] for name in games]
    return _Floor(seed, rounds, wings, tables, plant, days, scheme or Scheme(), rare, house_way).run()


class _Running:
    """A wing in operation: its tables and what is due to happen there."""

    def __init__(
        self, wing: GameSimulation, seed: int, rounds: int, tables: list[Table], plant: bool, rare: bool
    ) -> None:
        self.wing, self.rounds, self.tables = wing, rounds, tables
        prefix = "" if wing.name == DEFAULT else f"{wing.name}/"
        random = Random(f"{seed}/{prefix}schedule")
        often = max(2, rounds // PLANTS_PER_ROUNDS) if plant else 0
        planters = [(each, often) for each in wing.anomalies.faults.values()]
        kinds = [
            (each, max(1, round(rounds * each.per_mille / 1000)))
            for each in wing.anomalies.legitimates.values()
            if rare or not each.decides
        ]
        self.faults = Schedule(planters, rounds, random, rounds * MOST_PERCENT // 100)
        self.legitimates = Schedule(kinds, rounds, random, rounds * MOST_PERCENT // 100)
        self.played = self.plain = 0


class _Floor:
    """The run of a simulation."""

    def __init__(self, seed: int, rounds: int, wings: Sequence[GameSimulation], tables: int | None, plant: bool, days: int,
                 scheme: Scheme, rare: bool, house_way: bool) -> None:  # fmt: skip
        if rounds < 1:
            raise ValueError(f"{rounds} rounds; expected at least 1")
        self.rounds = rounds
        counts = [wing.tables if tables is None else tables for wing in wings]
        self.rare, self.scheme_run = rare, SchemeRun(scheme, seed)
        self.days = max(2, days, *(ceil(ceil(rounds / count) / ROUNDS_A_DAY) for count in counts))
        people = People(Random(f"{seed}/people"))
        self.meters: dict[str, Meter] = {}
        self.wings: list[_Running] = []
        for wing, count in zip(wings, counts, strict=True):
            made = [
                wing.table(i, count, spec, self.meters, people, Random(f"{seed}/{spec.id}"))
                for i, spec in enumerate(wing.specs(count))
            ]
            self.wings.append(_Running(wing, seed, rounds, made, plant, rare))
        self.tables = [table for wing in self.wings for table in wing.tables]
        self.scheme_run.prepare(self.tables)
        for table in self.tables:
            table.house_way = house_way
        for table in self.tables:
            for meter in table.meters_filed(seed):
                self.meters.setdefault(meter.id, meter)
        self.property = Stream(PROPERTY, Random(f"{seed}/property"))
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
        return Simulation(
            self.groups, self.labels, self.legitimate, self.rounds * len(self.wings), self.scheme_run.taken
        )

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
        turns: list[tuple[int, int, int, int]] = []
        for at, wing in enumerate(self.wings):
            for index, table in enumerate(wing.tables):
                mine = rounds // len(wing.tables) + (index < rounds % len(wing.tables))
                table.open_day(day, keep_dice=day > 0 and bool(mine) and self._forget_dice(wing, table))
                if mine:
                    turns.append((table.now_us, at, index, mine))
        heapq.heapify(turns)
        while turns:
            _, at, index, left = heapq.heappop(turns)
            wing = self.wings[at]
            table = wing.tables[index]
            self._round(wing, table)
            if left == rounds // len(wing.tables) // 2 + 1:
                table.file_later_rules()
            if left > 1:
                heapq.heappush(turns, (table.now_us, at, index, left - 1))
        for table in self.tables:
            table.close_day()
            self.groups.append(table.take_group())

    def _forget_dice(self, wing: _Running, table: Table) -> bool:
        """Say whether this table forgets to change its dice today: that fault can only happen in a day's first round."""
        return table.spec.has_dice and wing.faults.take("EQUIP-DICE") is not None

    def _round(self, wing: _Running, table: Table) -> None:
        """Play one round: with a fault or a legitimate irregularity where one is due, plain otherwise."""
        table.between_rounds()
        self.scheme_run.before(table, self.tables)
        wing.played += 1
        for schedule in (wing.faults, wing.legitimates):
            old_dice = wing.wing.anomalies.faults["EQUIP-DICE"] if table.old_dice else None
            irregular = old_dice or schedule.due(wing.played, table)
            if irregular is None:
                continue
            if self._irregular_round(wing, table, schedule, irregular):
                return
            schedule.again(irregular, wing.played)
        plan = wing.wing.plan(table, table.random)
        wing.plain += 1
        if self.rare and wing.plain % STACK_EVERY == 0:
            plan.stack(table.stacked)
            table.stacked += 1
        play = wing.wing.play(plan)
        play.write()
        for code, where in self.scheme_run.apply(play):
            self._label_fault(code, play, where)
        self._end(play)
        self._label_natural(wing, play)

    def _irregular_round(self, wing: _Running, table: Table, schedule: Schedule, irregular: Anomaly) -> bool:
        """Play a round with an irregularity; false where this round cannot be made fit for it (nothing was played)."""
        turn = schedule.turn(irregular.name)
        if irregular.before is not None:
            irregular.before(table, turn)
        for _ in range(TRIES):
            plan = wing.wing.plan(table, table.random)
            plan.turn = turn
            if irregular.prepare(plan):
                break
        else:
            return False
        play = wing.wing.play(plan)
        play.write()
        where = irregular.apply(play)
        self._end(play)
        if where is None:
            schedule.again(irregular, wing.played)
            return True
        schedule.happened(irregular.name)
        if schedule is wing.faults:
            self._label_fault(irregular.name, play, where)
        else:
            self.legitimate.append(
                Legit(kind=irregular.name, stream=table.stream.name, round_no=plan.round_no),
            )
            self._label_natural(wing, play, irregular.name)
        if irregular.after is not None:
            irregular.after(table)
        return True

    def _end(self, play: Any) -> None:
        """Let the devices report the round, and the table go on."""
        table = play.table
        between = table.take_group()
        if between[1]:
            self.groups.append(between)
        self.groups += render(table, play.script, play.plan.round_no)
        table.book_round(play.script)
        table.end_round(play.plan.deck)

    def _label_fault(self, name: str, play: Any, where: Spot) -> None:
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

    def _label_natural(self, wing: _Running, play: Any, but: str = "") -> None:
        """Label what was irregular and right by itself."""
        stream, round_no = play.table.stream.name, play.plan.round_no
        self.legitimate += [
            Legit(kind=kind, stream=stream, round_no=round_no) for kind in wing.wing.natural(play) if kind != but
        ]
