"""`simulate`: gaming days of a whole floor from a seed, with labeled faults and legitimate irregularities."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from events.vocabulary.envelope import Draft
from events.vocabulary.model import ChapterPublished, GamingDayOpened, PropertyConfigured
from floor.catalogue import DEFAULT, SIMULATIONS
from floor.day.amendments import OFFICE_SOURCE, check_amendments, published
from floor.day.render import render
from floor.day.schedule import Schedule
from floor.day.schemes import Scheme, SchemeRun
from floor.faults.anomaly import Anomaly
from floor.faults.labels import Legit, Planted, Spot
from floor.game_simulation import GameSimulation
from floor.table.casino import CURRENCY, CUTOVER, PROPERTY, SIMULATED, TIME_ZONE, Calendar
from floor.table.meters import Meter
from floor.table.people import People
from floor.table.streams import HOUR_US, MINUTE_US, Group, Stream, line_of
from floor.table.table import Table
from rulebook.chapters.editions import Amendment

PLANTS_PER_ROUNDS = 800
"""Each fault is planted once in this many rounds, and at least twice."""
MOST_PERCENT = 15
"""At most this many rounds in a hundred have a fault, and this many a legitimate irregularity that was made to happen."""
RARE_EVERY = 6
"""One plain round in this many has a rare hand."""
SELDOM = 60
"""The same for a floor that people look at: with more, jackpots decide the hold of every table."""
TRIES = 6
ROUNDS_A_DAY = 420
"""At most this many rounds at a table in a gaming day."""

Listener = Callable[[Any], None]

OFFICE_SUFFIX = ".office.jsonl"
"""The ending that the name of the office's file adds to that of the devices' file."""


class Turn(NamedTuple):
    """A floor's reports in one step, the faults planted in it, and the time of the next turn (UTC microseconds)."""

    groups: Sequence[Group]
    labels: Sequence[Planted]
    next_us: int


class Simulation:
    """The result of a simulation: the streams' drafts in groups, in a plausible order, and separately the labels."""

    def __init__(self, rounds: int) -> None:
        self._groups: list[Group] = []
        self.rounds = rounds
        self.labels: list[Planted] = []
        self.legitimate: list[Legit] = []
        self.chip_thefts: Sequence[tuple[str, int]] = ()
        """Table and gaming day (by number) of each time that chips were taken from the tray."""

    def report(self, group: Group) -> None:
        """Add devices' reports, unless nothing is reported."""
        if group[1]:
            self._groups.append(group)

    def take(self, next_us: int) -> Turn:
        """Return the events and planted faults since the last call, and forget them."""
        turn = Turn(self._groups, self.labels, next_us)
        self._groups, self.labels = [], []
        return turn

    @property
    def events(self) -> int:
        """The number of drafts; a message that was sent twice counts twice."""
        return sum(len(drafts) for _, drafts in self._groups)

    def groups(self) -> Iterator[tuple[str, list[Draft]]]:
        """Yield groups for `EventLog.append_groups`: a table's round is one, after its meter events."""
        yield from self._groups

    def write(self, path: Path) -> list[Path]:
        """Write the devices' events as JSON Lines, the office's to `<path>.office.jsonl`, the labels to `<path>.labels.json`.

        An amendment is in no file, since two people publish it (`rack rules amend`); devices' reports after it are in a file of
        their own, `<path>.<chapter>-<edition>.jsonl`. Returns these files.
        """
        later: list[Path] = []
        with ExitStack() as opened:
            devices = opened.enter_context(path.open("wb"))
            office = opened.enter_context(path.with_name(path.name + OFFICE_SUFFIX).open("wb"))
            for stream, drafts in self._groups:
                for draft in drafts:
                    if not isinstance(draft.payload, ChapterPublished):
                        (office if stream == PROPERTY else devices).write(line_of(stream, draft))
                    elif stream == PROPERTY:
                        edition = f"{draft.payload.chapter}-{draft.payload.edition}"
                        later.append(path.with_name(f"{path.name}.{edition}.jsonl"))
                        devices = opened.enter_context(later[-1].open("wb"))
        path.with_name(path.name + ".labels.json").write_bytes(self.labels_json())
        return later

    def labels_json(self) -> bytes:
        """Return the labels as JSON."""
        return msgspec.json.encode({"planted": self.labels, "legitimate": self.legitimate, "rounds": self.rounds})


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a floor is run: with planted faults and rare hands or not, how patrons play, and the scheme in progress."""

    plant: bool = True
    rare_every: int = RARE_EVERY
    house_way: bool = False
    scheme: Scheme = field(default_factory=Scheme)
    listener: Listener | None = None
    anomalies: bool = True
    calendar: Calendar = SIMULATED
    amendments: Sequence[Amendment] = ()


def simulate(
    seed: int,
    rounds: int = 2400,
    tables: int | None = None,
    plant: bool = True,
    games: Sequence[str] = (DEFAULT,),
    *,
    days: int = 2,
    scheme: Scheme | None = None,
    rare_every: int = RARE_EVERY,
    house_way: bool = False,
    listener: Listener | None = None,
    anomalies: bool = True,
    amendments: Sequence[Amendment] = (),
) -> Simulation:
    """Simulate a floor until each game has played this many rounds.

    `tables` are the tables of each game (None: as many as take all its paytables); `plant=False` leaves out faults (not the
    irregularities); `games` are names of the catalogue. `days` is the minimum of gaming days; `scheme` runs during all of them.
    Of the plain rounds one in `rare_every` has a rare hand; 0 leaves everything to chance: no hand comes more often than it
    should, and no planted irregularity decides what chance decides. `house_way` makes every patron play as `rack theory` assumes:
    set by the house way, decide for the best. A `listener` gets every played round, and nothing is reported; `anomalies=False`
    leaves plain rounds alone. The office publishes `amendments` at every table before its effective day, and from then on dealers
    pay by it.

    Raises `ValueError` for fewer than one round, fewer tables than take all paytables, or an amendment that cannot be played.
    """
    if rounds < 1:
        raise ValueError(f"{rounds} rounds; expected at least 1")
    conduct = Conduct(plant, rare_every, house_way, scheme or Scheme(), listener, anomalies, amendments=amendments)
    return _Floor(seed, rounds, [SIMULATIONS[name] for name in games], tables, days, conduct).run()


def play(seed: int, rounds: int, games: Sequence[str], calendar: Calendar, *, days: int) -> Iterator[Turn]:
    """Yield a floor's reports, one table's round after another, each made on request; faults are planted.

    The first turn has the property's own events of the first day. A table stops at the next gaming day, so it may play fewer than
    its share of each game's `rounds`.
    """
    return _Floor(
        seed, rounds, [SIMULATIONS[name] for name in games], None, days, Conduct(rare_every=SELDOM, calendar=calendar)
    ).turns()


class _Operation:
    """A game in operation: its tables, and the anomalies due there."""

    def __init__(self, game: GameSimulation, seed: int, rounds: int, tables: list[Table], conduct: Conduct) -> None:
        self.game, self.tables = game, tables
        random = Random(f"{seed}/{game.name}/schedule")
        often = max(2, rounds // PLANTS_PER_ROUNDS) if conduct.plant else 0
        faults = [(each, often) for each in game.anomalies.faults.values()]
        right = [each for each in game.anomalies.legitimates.values() if conduct.rare_every or not each.decides]
        right = right if conduct.anomalies else []
        kinds = [(each, max(1, round(rounds * each.per_mille / 1000))) for each in right]
        most = rounds * MOST_PERCENT // 100
        self.faults, self.legitimates = (Schedule(wanted, rounds, random, most) for wanted in (faults, kinds))
        self.played = self.plain = 0


class _Floor:
    """One run of a simulation."""

    def __init__(
        self, seed: int, rounds: int, games: Sequence[GameSimulation], tables: int | None, days: int, conduct: Conduct
    ) -> None:
        self.rounds, self.conduct = rounds, conduct
        counts = [game.tables if tables is None else tables for game in games]
        self.days = max(2, days, *(ceil(ceil(rounds / count) / ROUNDS_A_DAY) for count in counts))
        self.scheme_run = SchemeRun(conduct.scheme, seed)
        self.meters: dict[str, Meter] = {}
        people = People(Random(f"{seed}/people"))
        self.operations: list[_Operation] = []
        for game, count in zip(games, counts, strict=True):
            of_game = [
                game.table(i, count, spec, self.meters, people, Random(f"{seed}/{spec.id}"), conduct.calendar)
                for i, spec in enumerate(game.specs(count))
            ]
            self.operations.append(_Operation(game, seed, rounds, of_game, conduct))
        self.tables = [table for operation in self.operations for table in operation.tables]
        self.scheme_run.prepare(self.tables)
        for table in self.tables:
            table.house_way = conduct.house_way
            for meter in table.meters_filed(seed):
                self.meters.setdefault(meter.id, meter)
        check_amendments(conduct.amendments, self.tables, [conduct.calendar.gaming_day(day) for day in range(self.days)])
        self.property = Stream(PROPERTY, Random(f"{seed}/property"))
        self.done = Simulation(rounds * len(games))

    def run(self) -> Simulation:
        """Play all days and return the simulation."""
        for _ in self._play():
            pass
        return self.done

    def turns(self) -> Iterator[Turn]:
        """Play all days; yield each round once played."""
        for next_us in self._play():
            yield self.done.take(next_us)
        yield self.done.take(0)

    def _play(self) -> Iterator[int]:
        """Play all days, pausing after each opening and round; yield the beginning of the next round."""
        left = self.rounds
        for day in range(self.days):
            today = left // (self.days - day)
            self._publish(day)
            yield from self._day(day, today)
            left -= today
        self._open_streams(self.days)
        for table in self.tables:
            table.open_day_for_counting(self.days)
            self._report_between(table)
        self.done.chip_thefts = self.scheme_run.chip_thefts

    def _report(self, groups: Sequence[Group]) -> None:
        if self.conduct.listener is None:
            for group in groups:
                self.done.report(group)

    def _report_between(self, table: Table) -> None:
        self._report([table.take_group()])

    def _publish(self, day: int) -> None:
        """Publish the amendments in force from a day on, while the day before is still open."""
        at_us = self.conduct.calendar.cutover_us(day) - HOUR_US
        for amendment in self.conduct.amendments:
            if amendment.effective == self.conduct.calendar.gaming_day(day):
                event = published(amendment)
                self._report([(PROPERTY, [self.property.draft(OFFICE_SOURCE, event, at_us, None)])])
                for table in self.tables:
                    table.publish(event, OFFICE_SOURCE, at_us)
                    self._report_between(table)

    def _open_streams(self, day: int) -> None:
        """Open a gaming day in the property's and the meters' streams."""
        calendar, office = self.conduct.calendar, "office"
        at_us, gaming_day = calendar.cutover_us(day), calendar.gaming_day(day)
        opened = [self.property.draft(office, GamingDayOpened(gaming_day=gaming_day), at_us, None)]
        if day == 0:
            configured = PropertyConfigured(
                name="Simulated Casino", time_zone=TIME_ZONE, gaming_day_cutover=CUTOVER, currency=CURRENCY
            )
            opened.append(self.property.draft(office, configured, at_us + 1_000_000, None))
        meters = [(meter.stream.name, meter.open_day(gaming_day, at_us)) for meter in self.meters.values()]
        self._report([(PROPERTY, opened), *meters])

    def _day(self, day: int, rounds: int) -> Iterator[int]:
        self._open_streams(day)
        turns: list[tuple[int, int, int, int]] = []
        for at, operation in enumerate(self.operations):
            for index, table in enumerate(operation.tables):
                mine = rounds // len(operation.tables) + (index < rounds % len(operation.tables))
                table.open_day(day, keep_dice=day > 0 and bool(mine) and self._forget_dice(operation, table))
                if mine:
                    turns.append((table.now_us, at, index, mine))
        heapq.heapify(turns)
        while turns:
            yield turns[0][0]
            _, at, index, left = heapq.heappop(turns)
            operation = self.operations[at]
            table = operation.tables[index]
            self._round(operation, table)
            if left == rounds // len(operation.tables) // 2 + 1:
                table.file_later_rules()
            if left > 1 and table.now_us < self.conduct.calendar.closing_us(day):
                heapq.heappush(turns, (table.now_us, at, index, left - 1))
        for table in self.tables:
            table.close_day()
            self._report_between(table)

    def _forget_dice(self, operation: _Operation, table: Table) -> bool:
        """Return whether this table forgets to change its dice today; that fault can only happen in a day's first round."""
        return table.spec.has_dice and operation.faults.take("EQUIP-DICE") is not None

    def _round(self, operation: _Operation, table: Table) -> None:
        """Play one round: with a fault or a legitimate irregularity if one is due, plain otherwise."""
        table.between_rounds()
        self.scheme_run.before(table, self.tables)
        operation.played += 1
        for schedule in (operation.faults, operation.legitimates):
            old_dice = operation.game.anomalies.faults["EQUIP-DICE"] if table.old_dice else None
            anomaly = old_dice or schedule.due(operation.played, table)
            if anomaly is None:
                continue
            if self._round_with(operation, table, schedule, anomaly):
                return
            schedule.again(anomaly, operation.played)
        plan = operation.game.plan(table, table.random)
        operation.plain += 1
        if self.conduct.rare_every and operation.plain % self.conduct.rare_every == 0:
            plan.stack(table.stacked)
            plan.leave_out_struck()
            table.stacked += 1
        play = operation.game.play(plan)
        play.write()
        for code, spot in self.scheme_run.apply(play):
            self._label_fault(code, play, spot)
        self._end(play)
        self._label_natural(operation, play)

    def _round_with(self, operation: _Operation, table: Table, schedule: Schedule, anomaly: Anomaly) -> bool:
        """Play a round with an anomaly; false if this round cannot be made fit for it (nothing was played)."""
        turn = schedule.turn(anomaly.name)
        if anomaly.before is not None:
            anomaly.before(table, turn)
        for _ in range(TRIES):
            plan = operation.game.plan(table, table.random)
            plan.turn = turn
            if anomaly.can_prepare(plan) and not plan.leave_out_struck():
                break
        else:
            return False
        play = operation.game.play(plan)
        play.write()
        spot = anomaly.apply(play)
        self._end(play)
        if spot is None:
            schedule.again(anomaly, operation.played)
            return True
        schedule.happened(anomaly.name)
        if schedule is operation.faults:
            self._label_fault(anomaly.name, play, spot)
        else:
            self.done.legitimate.append(Legit(kind=anomaly.name, stream=table.stream.name, round_no=plan.round_no))
            self._label_natural(operation, play, anomaly.name)
        if anomaly.after is not None:
            anomaly.after(table)
        return True

    def _end(self, play: Any) -> None:
        """Have the devices report the round, or the listener get it, and the table go on."""
        table = play.table
        self._report_between(table)
        if self.conduct.listener is not None:
            self.conduct.listener(play)
            table.wait(MINUTE_US)
        else:
            self._report(render(table, play.script, play.plan.round_no))
        table.note_loss(play.script)
        table.book_round(play.script)
        table.end_round(play.plan.deck)

    def _label_fault(self, name: str, play: Any, spot: Spot) -> None:
        streams = [spot.stream or play.table.stream.name, *([spot.also_in] if spot.also_in else [])]
        self.done.labels += [
            Planted(
                code=name.partition("/")[0],
                stream=stream,
                table=play.table.id,
                round_no=play.plan.round_no,
                seat=spot.seat,
                wager=spot.wager,
                consequences=spot.consequences,
            )
            for stream in streams
        ]

    def _label_natural(self, operation: _Operation, play: Any, but: str = "") -> None:
        """Label the legitimate irregularities that happened by chance."""
        stream, round_no = play.table.stream.name, play.plan.round_no
        kinds = [kind for kind in operation.game.anomalies.natural_kinds(play) if kind != but]
        self.done.legitimate += [Legit(kind=kind, stream=stream, round_no=round_no) for kind in kinds]
