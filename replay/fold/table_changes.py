"""The changes of a table since its last round, kept so that its state can be rebuilt in the order of each device's own numbers
(D850).
"""

from collections.abc import Iterable, Sequence

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.fold.device_order import in_order_of_play
from replay.fold.event_reach import is_of_a_round
from replay.fold.lost_state import lose_late
from replay.fold.phases import NEWEST_COUNTS, OF_POSITION
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent, is_after, is_of_people
from replay.fold.round import Round
from replay.fold.table_state import CHANGES, RulesOnFile, TableState

EQUIPMENT = CHANGES.keys() - {
    model.TableOpened,
    model.GamingDayOpened,
    model.ShiftChanged,
    model.DealerTappedIn,
    model.RulesFiled,
    model.ChapterPublished,
}
"""Events that change what is at the table, or what is done with it."""

MAY_COME_LATE = CHANGES.keys() - {model.ChapterPublished}
"""Events that count from when they happen, and that may arrive later."""

MOST_REORDERED = 200
"""The most changes that are put in order again."""


class TableChanges:
    """The events that changed a table since its last round, with the opening and the first card of the one that is open.

    `before` is the table before the first of them, `before_loss` the table at the end of a round that lost evidence, with what
    was forgotten for it. `of_ended_rounds` are the numbers of those that came late of a round that is over.
    """

    def __init__(self, before: TableState, before_loss: TableState | None = None) -> None:
        self.facts: list[RecordedEvent] = []
        self.before, self.before_loss = before, before_loss
        self.of_ended_rounds: set[int] = set()

    def note(self, now: TableState, fact: RecordedEvent) -> None:
        """Note an event before it changes the present state of the table."""
        if not self.facts:
            self.before = now.at_opening()
        self.facts.append(fact)

    def begins_after(self, seq: int) -> bool:
        """Return whether all changes came after an event."""
        return not self.facts or seq < self.facts[0].seq

    def take(self, now: TableState, fact: RecordedEvent, opened: Round | None, *, after_rounds: bool) -> TableState:
        """Apply an event to the table; a late event comes before the later events of its own device (D850).

        After a round was played, a late event that only states a current condition no longer changes anything.
        """
        if fact.payload.KIND not in CHANGES or (fact.is_late and after_rounds and fact.payload.KIND in NEWEST_COUNTS):
            return now
        self.note(now, fact)
        if fact.is_late and not after_rounds and len(self.facts) <= MOST_REORDERED:
            return self.again(now, opened)
        now.apply(fact)
        return now

    def restored(self, now: TableState, last: Round | None, opened: Round | None) -> TableState:
        """Return the table with what it forgot because the last round lost evidence, once all of it has arrived."""
        if self.before_loss is None or last is None or last.lost_by:
            return now
        self.before, self.before_loss = self.before_loss, None
        return self.again(now, opened)

    def since(self, seq: int) -> bool:
        """Return whether something changed after an event."""
        return bool(self.facts) and self.facts[-1].seq > seq

    def lose_late(
        self,
        event: ReadEnvelope[Event],
        may_be_of: Sequence[int],
        closed: Sequence[Round],
        since: int,
        now: TableState,
        opened: Round | None,
    ) -> bool:
        """Mark as unknown what a late event may have changed at the tables of the rounds that should have had it (D402, D850).

        They are those of the rounds after the one that it is about, or of all that it may have come before, but not of
        rounds that were over by its own clock. `since` is the event that showed it missing. The place of an event since the last
        round is known; return whether it comes after rounds, so that its place is unknown.
        """
        late, is_known = RecordedEvent.of(event, is_late=True), len(may_be_of) == 1
        number = may_be_of[0] if is_known and is_of_a_round(event.payload.KIND, event.round_no) else event.round_no
        after = number or 0
        over = [round_ for round_ in closed if round_.facts[-1].at_us < late.at_us]
        lost = [round_.before for round_ in closed if round_.round_no > after and round_ not in over]
        is_since_last = bool(over) and over[-1].round_no == now.last_round_no and over[-1].facts[-1].seq < since
        comes_after_rounds = not is_since_last and self.begins_after(since)
        if number is not None and number <= now.last_round_no:
            self.of_ended_rounds.add(late.seq)
        if not is_since_last and (comes_after_rounds or (closed and number is None)):
            lost += [now, self.before]
            lost += [opened.before] if opened is not None and opened.round_no > after else []
        for table in lost:
            lose_late(table, late)
        return comes_after_rounds

    def _in_order(self) -> list[RecordedEvent]:
        """Return the changes in the order of play; those of an ended round as early as their devices' numbers allow."""
        placed: list[RecordedEvent] = []
        first = 0
        for fact in in_order_of_play(self.facts):
            at = len(placed)
            if fact.seq in self.of_ended_rounds:
                at = max([first, *(place for place, other in enumerate(placed, 1) if is_after(fact, other))])
                first += at == first
            placed.insert(at, fact)
        return placed

    def again(self, now: TableState, opened: Round | None) -> TableState:
        """Return the state of the table, built again; the open round gets the state at its opening."""
        state = self.before.at_opening()
        numbers = dict(state.numbers)
        for fact, arrived in zip(self._in_order(), self.facts, strict=True):
            if fact is not arrived:
                numbers[arrived.seq] = fact.seq
            if opened is not None and fact is opened.opened:
                _open_with(opened, state)
            elif fact.payload.KIND is model.CardsDealt:
                state.dealt_from(state.round_deck)
            else:
                state.apply(msgspec.structs.replace(fact, seq=arrived.seq))
        state.numbers = numbers
        state.gaming_day, state.last_round_no, state.late = now.gaming_day, now.last_round_no, now.late
        state.lost, state.rules = now.lost, _in_place(state.rules, now.rules)
        state.rounds_uncounted = 0 if state.just_opened else now.rounds_uncounted
        for name in state.decks.keys() & now.decks.keys():
            state.decks[name].banned_by = now.decks[name].banned_by
        return state


def doubt_by_far_gaps(ended: Round, gaps: Sequence[RecordFault]) -> list[RecordFault]:
    """Mark a finished round as uncertain if a device was silent at its end and skipped numbers (D656); return the gaps after
    it.

    Events of these gaps that come late are treated as for a round still in memory.
    """
    after = [gap for gap in gaps if gap.seq > ended.last_seq]
    for gap in after:
        if gap.since is not None and gap.since < ended.last_seq and ended.round_no not in gap.earlier:
            _doubt(ended, gap)
    return after


class LateChange:
    """A change of the table whose event came late; `heard` is the last event before it from the same device.

    If the change may have come before a round that opened without it, a finding in that round counts only if it does not depend
    on the state that the change concerns (D1201).
    """

    def __init__(self, fact: RecordedEvent, number: int | None, heard: int, fault: RecordFault | None = None) -> None:
        self.fact, self.number, self.heard = fact, number, heard
        self.fault = fault or RecordFault("late", fact.source, fact.seq, f"event {fact.seq} ({fact.payload.TYPE}) came late")
        self.fault.heard, self.fault.arrived = heard, [(fact, number)]

    def is_lasting(self, now: TableState, *, after_rounds: bool) -> bool:
        """Say whether rounds from now on are in doubt, too: not if its place since the last round is known; of filings if another
        may have been made after it; of the position also if by the clocks an offer and who took it came the other way round.
        """
        type_, fault = self.fact.payload.KIND, self.fault
        if type_ in OF_POSITION and self.fact.at_us < now.position_us:
            return True
        if type_ in (model.GamingDayOpened, model.ShiftChanged) or not (
            (self.fact.is_late and after_rounds) or fault.earlier or fault.since is not None
        ):
            return False
        others = (filed for filed in now.rules if filed.seq > self.heard)
        return type_ is not model.RulesFiled or any(filed.at_us > self.fact.at_us for filed in others)

    def precedes(self, began_after: int, at: int, opened_us: int, *, after_rounds: bool) -> bool:
        """Say whether it was perhaps made before a round that ended before the fold began, after that round, at that event."""
        if self.heard > at or (self.number or 0) >= began_after:
            return False
        return self.number is not None or (self.fact.is_late and after_rounds) or self.fact.at_us < opened_us

    def doubt(self, rounds: Iterable[Round]) -> list[Round]:
        """Add the fault to each round that the change may have preceded and affected; return these rounds."""
        if self.fact.payload.KIND is model.ShiftChanged:
            return [round_ for round_ in rounds if self._begins_before(round_)]
        concerned = [round_ for round_ in rounds if self._may_precede(round_) and self._matters(round_)]
        for round_ in concerned:
            round_.add_record_fault(self.fault)
            self.fault.earlier.append(round_.round_no)
            if self.fact.payload.KIND is model.DealerTappedIn:
                round_.before.dealer = ""  # who dealt is not known
        return concerned

    def _begins_before(self, round_: Round) -> bool:
        """Say whether a shift began before a round, by their clocks; give the round the shift that a person stated, else none."""
        fact, before = self.fact, round_.before
        if round_.last_seq <= self.heard or not before.shift_us <= fact.at_us <= round_.opened.at_us:
            return False
        before.shift, before.shift_us = fact.payload.shift if is_of_people(fact.source) else "", fact.at_us
        return True

    def _may_precede(self, round_: Round) -> bool:
        """Say so by the number of the round that it names, or its device's if the round was not over by its clock, or by that.

        In a round that was over when it came, it may also have come after the opening.
        """
        if round_.last_seq <= self.heard or (self.number is not None and round_.round_no <= self.number):
            return False
        if self.number is not None:
            return True
        if self.fact.is_late:
            return round_.facts[-1].at_us >= self.fact.at_us
        if round_.closed is not None and round_.closed.seq < self.fact.seq:
            return round_.facts[-1].at_us > self.fact.at_us
        return round_.opened.at_us > self.fact.at_us and round_.opened.seq > self.heard

    def _matters(self, round_: Round) -> bool:
        """Return whether the change affects a round; a filing or a gaming day that leaves the round's rules the same does not."""
        rules, event = round_.before.rules_filed, self.fact.payload
        in_force = next(rules(round_.gaming_day), None)
        if isinstance(event, model.GamingDayOpened):
            return in_force != next(rules(event.gaming_day), None)
        if isinstance(event, model.RulesFiled):
            return event.effective_gaming_day <= round_.gaming_day and (in_force is None or in_force.toml != event.toml)
        return True


def was_then(ended: Round, fact: RecordedEvent) -> bool:
    """Return whether a fact happened while a round that ended was played, by its clock."""
    return ended.opened.at_us <= fact.at_us < ended.facts[-1].at_us


def _doubt(ended: Round, gap: RecordFault) -> None:
    if gap.kind == "late":
        ((late, number),) = gap.arrived
        if is_of_a_round(late.payload.KIND, number):
            if was_then(ended, late):
                ended.add_stray(late)
            return
        LateChange(late, number, gap.heard, gap).doubt([ended])
        return
    if gap.missing:
        ended.add_record_fault(gap)
    for late, number in gap.arrived:
        if is_of_a_round(late.payload.KIND, number):
            ended.add_stray(late)
        is_over = ended.facts[-1].at_us < late.at_us
        if late.payload.KIND in EQUIPMENT and not is_over and ended.round_no > (number or 0):
            lose_late(ended.before, late)
            ended.forget()


def _in_place(rules: Sequence[RulesOnFile], now: Sequence[RulesOnFile]) -> list[RulesOnFile]:
    """Return the rules on file, with a placeholder for each possibly lost filing after the filings that came before its gap."""
    placed = [filed for filed in rules if filed.toml]
    for filed in now:
        if not filed.toml:
            placed.insert(sum(each.seq < filed.seq for each in placed), filed)
    return placed


def _open_with(opened: Round, state: TableState) -> None:
    """Give the open round the present state of the table, but keep the faults noted since the round opened."""
    before, uncounted = opened.before, opened.before.rounds_uncounted
    opened.before = state.at_opening()
    opened.before.lost, opened.before.rules = before.lost, _in_place(state.rules, before.rules)
    opened.before.rounds_uncounted = 0 if state.just_opened else uncounted
    opened.forget()
    state.round_deck = opened.deck
