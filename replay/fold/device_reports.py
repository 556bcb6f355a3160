"""The reports of each device as a table's fold counts them: what is missing, what comes late, and what that leaves in doubt.

The idea: every device counts its own reports. A number that it skips may be that of a message about any round since it was last
heard (D656), and of what later rounds are judged by (`lost_state.py`); if the message comes after all, nothing of this is left.
"""

from collections.abc import Sequence

from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.fold import record_faults
from replay.fold.corrections import Replacements
from replay.fold.lost_state import MOST_MARKS, NAMES, marks, restore, skip
from replay.fold.record_faults import RecordFault, is_in, without
from replay.fold.recorded_event import RecordedEvent, is_of_people
from replay.fold.round import Round, ended_after
from replay.fold.stub_counts import recount
from replay.fold.table_changes import EQUIPMENT, TableChanges
from replay.fold.table_state import TableState

RECENT_ROUNDS = 4
"""How many closed rounds stay at hand for facts that come late (a slip, a slow sensor)."""

MOST_AT_HAND = 1_000
"""How many stay at hand, at most, after something came late of a round that was not: more of that may follow, one by one."""


class DeviceReports:
    """The open round, the recent rounds in memory, and the counters of the devices that report on them.

    `far_gaps` are gaps in rounds that are no longer in memory. `filled_gaps` are the numbers of the events that showed a gap
    whose missing messages have all come since. `filers` are the devices that filed rules.
    """

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.replacements: Replacements | None = None
        self.begins_after = self.state.last_round_no
        self.begins_at = max((source.seq for source in self.state.sources.values()), default=0)
        self.needs_refold = self.reaches_behind = False
        self.refolded_to = 0
        self.open: Round | None = None
        self.recent: dict[int, Round] = {}
        self.keeps = RECENT_ROUNDS
        self.missed_rounds: set[int] = set()
        self.far_gaps: list[RecordFault] = []
        self.filled_gaps: set[int] = set()
        self.filers: set[str] = set()
        self._gaps: list[RecordFault] = []
        self._pending_faults: list[RecordFault] = []
        self._late_gap: RecordFault | None = None
        self._late_of: Sequence[int] = ()
        self._late_seq, self._heard, self._comes_after_rounds = 0, 0, False
        self._changes = TableChanges(self.state)

    @property
    def _at_hand(self) -> list[Round]:
        return [*self.recent.values(), *([self.open] if self.open is not None else [])]

    @property
    def _next_round_no(self) -> int:
        """Return the number of the round that is to open next: an event that names it arrived early, and belongs to it (D503)."""
        return (self.open.round_no if self.open is not None else self.state.last_round_no) + 1

    def _count_out_of_turn(self, event: ReadEnvelope[Event]) -> list[Round]:
        """Note at its device an event that is not simply the next one; return the rounds that a late arrival changes."""
        seq, at_us, source, number = event.seq, event.occurred_at_us, event.source, event.source_seq
        counter, changed = self.state.sources.get(source), list[Round]()
        self._heard = counter.seq if counter is not None else 0
        if counter is None:
            last = self._next_round_no - 1
            rounds = (last - 1, last) if self.open else (last,)
            first = record_faults.first_heard(self.state.sources, event, rounds, self.state.days)
            self.state.sources[source] = first
            return self._find_gap(event, first.missing[0], 0, first.first_of) if first.missing else []
        if is_in(counter.unseen, number):
            counter.unseen, self._late_seq = without(counter.unseen, number), seq
            self._comes_after_rounds = not self._changes.facts
            self._late_of, self._late_gap, self._heard = counter.first_of, None, 0
            return []
        if is_in(counter.missing, number):
            counter.missing, self._late_seq = without(counter.missing, number), seq
            return self._fill_gaps(event)
        if number <= counter.last:
            self._add_fault(record_faults.said_twice(source, seq, number))
            return []
        if number > counter.last + 1:
            missing = counter.last + 1, number - 1
            changed = self._find_gap(event, missing, counter.seq)
            counter.missing = [*counter.missing, missing]
        elif at_us < counter.last_us and not is_of_people(source):
            self._add_fault(record_faults.clock_back(source, seq, counter.last_us - at_us))
        counter.last, counter.last_us, counter.seq = number, at_us, seq
        return changed

    def _find_gap(
        self, event: ReadEnvelope[Event], missing: record_faults.Span, heard: int, may_be_of: Sequence[int] = ()
    ) -> list[Round]:
        """Find that an event shows messages of its device missing; return the rounds that this leaves in doubt."""
        gap = record_faults.numbers_skipped(event.source, event.seq, missing)
        gap.heard = heard
        self._gaps.append(gap)
        self._add_fault(gap)
        changed = self._doubt_earlier(gap, heard)
        at_hand = [*gap.earlier, *([self.open.round_no] if self.open is not None else [])]
        gap.may_be_of = [*may_be_of] or at_hand
        if gap.seq not in self.filled_gaps:
            skip(self.state, event.source, event.seq, self.filers)
        return changed

    def _doubt_earlier(self, gap: RecordFault, since: int) -> list[Round]:
        """Add a gap to the rounds that ended since its device's last event; return these. Others get it in a new fold (D656)."""
        ended = list(self.recent.values())[-RECENT_ROUNDS:]
        has_more = len(ended) == RECENT_ROUNDS and since < ended[0].opened.seq
        if has_more or (self.begins_after and since <= self.begins_at):
            self._ask_for_far(gap, since)
        earlier = ended_after(since, ended, self.open)
        for round_ in earlier:
            round_.add_record_fault(gap)
            gap.earlier.append(round_.round_no)
        return earlier

    def _ask_for_far(self, gap: RecordFault, since: int | None = None) -> None:
        """Ask for the stream to be folded again with a fault that is about rounds not at hand, found now if `since` is given."""
        if since is not None:
            gap.since = since
            self.far_gaps.append(gap)
        if gap.since is not None and self.replacements is None:
            self.needs_refold = True
            is_new = gap.kind != "late" or gap.seq > self.refolded_to
            self.reaches_behind |= is_new and self.begins_after > 0 and gap.since <= self.begins_at

    def _add_fault(self, fault: RecordFault) -> None:
        if self.open is None or self.open.is_repeat:
            self._pending_faults.append(fault)
        else:
            self.open.add_record_fault(fault)
            fault.round_no = self.open.round_no

    def _fill_gaps(self, event: ReadEnvelope[Event]) -> list[Round]:
        """Remove a number that arrived late from its device's gaps; return the closed rounds that had such a gap."""
        number, self._comes_after_rounds = event.source_seq, False
        gaps = [gap for gap in self._gaps if gap.source == event.source and is_in(gap.missing, number)]
        self._late_gap = gaps[0] if gaps else None
        self._heard = gaps[0].heard if gaps else 0
        self._late_of = gaps[0].may_be_of if gaps else ()
        changed = list[Round]()
        for gap in gaps:
            gap.missing = without(gap.missing, number)
            gap.arrived.append((RecordedEvent.of(event, is_late=True), event.round_no))
            self._ask_for_far(gap)
            if self.open is not None:
                self.open.forget()
            changed += [round_ for round_ in self.recent.values() if gap in round_.record_faults]
            if missed := {gap.round_no, *gap.earlier} - {0, *(round_.round_no for round_ in self._at_hand)}:
                self.missed_rounds |= missed
                self.needs_refold = True
        if not gaps:
            self.needs_refold = self.reaches_behind = True  # the gap was found before this fold was taken up
        self._gaps = [gap for gap in self._gaps if gap.missing]
        changed += self._restore([gap.seq for gap in gaps if not gap.missing], changed)
        for round_ in changed:
            round_.forget()
        self.state = self._changes.restored(self.state, self.recent.get(self.state.last_round_no), self.open)
        if gaps and event.payload.KIND in EQUIPMENT:
            of, since = self._late_of, gaps[0].seq
            self._comes_after_rounds = self._changes.lose_late(event, of, changed, since, self.state, self.open)
        for round_ in list(changed):
            others = recount(round_, self.recent.values(), self.open, self.state)
            changed += [later for later in others if later not in changed]
        return changed

    def _restore(self, filled: Sequence[int], changed: Sequence[Round]) -> list[Round]:
        """Take back what was unknown because of gaps that are filled; return the rounds that this changes, but for these."""
        restored: list[Round] = []
        for seq in filled:
            self.filled_gaps.add(seq)
            self.needs_refold |= (has_most := self.replacements is None and max(marks(self.state)) >= MOST_MARKS)
            self.reaches_behind |= has_most
            was_unknown = [round_ for round_ in self._at_hand if restore(round_.before, seq)]
            restored += [round_ for round_ in was_unknown if round_ not in (*changed, *restored, self.open)]
            restore(self.state, seq)
            self.needs_refold |= was_unknown[:1] == self._at_hand[:1] != []
        return restored

    def _note_filing(self, fact: RecordedEvent) -> None:
        """Note who files rules; if messages of theirs are missing since before, ask for the stream to be folded again."""
        counter = self.state.sources.get(fact.source)
        is_new = fact.source not in (*self.filers, *self.state.reporters.get("rules", ()))
        if is_new and not fact.source.startswith("filing-") and counter is not None:
            self.filers.add(fact.source)
            if counter.missing and self.state.rules and self.replacements is None:
                self.needs_refold = self.reaches_behind = True

    def _skip_again(self, fact: RecordedEvent) -> None:
        """Mark again what a late event names, if other messages are missing with it: one of them may have come after."""
        gap = self._late_gap if fact.is_late else None
        if gap is not None and gap.missing and fact.payload.KIND in NAMES:
            skip(self.state, fact.source, gap.seq, self.filers)
