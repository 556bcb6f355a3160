"""Folds a table's events, in the order of its stream, into rounds of play.

The theory of this file: an event takes three steps, always in this order. Its device counts it (`_count_out_of_turn` if it
is not simply the next). A correction in force replaces it or leaves it out. Then the phase table (`phases.py`) says what it is:

    a fact of the open round        `advance` adds it; the table changes if the event says so (`CHANGES`)
    a step of the open round        `_add_to_open`: the first card, the next phase, the end
    the opening of a round          `_begin`, after an unclosed round has been ended
    its opening once more           `_begin_again`: a second record, which changes no verdict
    a correction                    `_correct`
    of a closed round at hand       `_add_late`: the round is returned again
    late, and names no round        of the round that its device shows, or a stray of each that it may be of
    of the next round               kept until that round opens, and added to it then (`_early`)
    of none of these                `_keep_for_later`: a stray of the next round, or the stream must be folded again

The fold assembles and never judges. A `Round` holds its facts in order, indexed by what they state, and the table as it was
when the round opened.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.fold import record_faults
from replay.fold.corrections import Correction, RefusedCorrections, Replacements, correction, without_notices
from replay.fold.device_reports import RECENT_ROUNDS, DeviceReports
from replay.fold.event_reach import (
    NO_PLAIN_FACTS,
    OF_THE_TABLE,
    PLAIN_FACTS,
    PLAIN_FACTS_DEALT,
    REACHES_FURTHER,
    PublishedEditions,
    ban_deck,
    carry_over,
    carryover,
    is_of_a_round,
    lies_behind,
)
from replay.fold.phases import COLUMN, STRAY, TABLE, Phase
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent, is_of_people
from replay.fold.round import Round
from replay.fold.stub_counts import recount
from replay.fold.table_changes import MAY_COME_LATE, LateChange, TableChanges, doubt_by_far_gaps, was_then
from replay.fold.table_state import TableState, is_filed_by_device


class TableFold(DeviceReports):
    """The fold of one table's stream. `apply` returns each round when it closes, and again when one of its facts comes late.

    A second record under a round's number is returned too, as a repeat: no one judges it (D780). `moved` are late openings, by
    the event that showed them missing, and None by their own number. `far_gaps` are gaps in rounds no longer at hand;
    `known_gaps` are those of the fold before. `late` are facts that came after their round, `late_of` those of the fold before,
    by round: later rounds are judged by them.

    `needs_refold` is set by an event that reaches further back than the rounds at hand, or changes what later rounds were judged
    by. The stream must then be folded again from its beginning. That fold gets the `corrections` in force as `replacements` (by
    number of the event), the `objections` to void corrections (by their own number), and the `missed_rounds`, whose facts came
    late, as `rounds_to_keep`. Its rounds are compared with those before.

    A fold may begin with the state of an earlier one, after round `begins_after` and event `begins_at`. `reaches_behind` is set
    by an event that needs an earlier state, but not by a late change of the table at or before `refolded_to`: the earlier rounds
    were judged with that change.
    """

    def __init__(self, stream: str, state: TableState | None = None) -> None:
        super().__init__(state if state is not None else TableState())
        self.stream = stream
        self.objections: Mapping[int, str] = {}
        self.rounds_to_keep: Collection[int] = ()
        self._enter(Phase.BETWEEN)
        self.published = PublishedEditions(self.state.gaming_day)
        self.corrections: list[Correction] = []
        self.withdrawn_rounds: set[int] = set()
        self._refused_corrections = RefusedCorrections()
        self._homes: dict[int, Round] = {}
        self._repeats: dict[int, Round] = {}
        self._strays: list[RecordedEvent] = []
        self._early: list[tuple[int, RecordedEvent]] = []
        self._refusals: list[RecordedEvent] = []
        self.moved: dict[int, tuple[ReadEnvelope[Event], ...] | None] = {}
        self.late: Replacements = {}
        self.late_of: Mapping[int, Sequence[tuple[int, Event]]] = {}
        self.known_gaps: Sequence[RecordFault] = ()
        self._began = self.begins_after, self.begins_at, self.state.opened_us
        self._doubted: list[Round] = []

    @property
    def at_rest(self) -> bool:
        """Whether no round is open and nothing waits for the next: the state alone can be resumed from."""
        return self.open is None and not (self._pending_faults or self._strays or self._early or self._refusals)

    def apply(self, event: ReadEnvelope[Event]) -> list[Round]:
        """Apply one event, in its current version; return the rounds that it completed or changed."""
        return self.advance((event,))[1]

    def advance(self, events: Sequence[ReadEnvelope[Event]], start: int = 0) -> tuple[int, list[Round]]:
        """Apply events from index `start` on, as far as the first that is corrected or more than a fact of the open round.

        Return the index after the last event applied, and the rounds that this event completed or changed.

        Most events are facts of the open round that come next from their device. For these the loop spells out
        `RecordedEvent.of` and `Round.index`: a call for each makes reading and folding a stream about a quarter slower.
        """
        state, corrected, current = self.state, self.replacements, self.open
        sources, plain, applied = state.sources, self._plain, self._changes.facts
        if current is not None:
            current.forget()
            open_no, facts, by_type = current.round_no, current.facts, current.by_type
            opened_us = current.opened.at_us
        for index in range(start, len(events)):
            event = events[index]
            source, at_us = event.source, event.occurred_at_us
            counter = sources.get(source)
            if counter is not None and event.source_seq == counter.last + 1 and at_us >= counter.last_us:
                heard, changed = counter.seq, []
                counter.last, counter.last_us, counter.seq = event.source_seq, at_us, event.seq
            else:
                changed = self._count_out_of_turn(event)
                heard = self._heard
            if corrected is not None and (event.seq in corrected or event.seq in self.moved):
                self._heard, self._doubted = heard, changed
                return index + 1, self._apply_out_of_place(event, corrected) + changed
            payload, round_no = event.payload, event.round_no
            type_ = payload.KIND
            change = plain.get(type_)
            is_plain = change is not None and (round_no is None or round_no == open_no)
            is_late = event.seq == self._late_seq or (is_plain and at_us < opened_us and (change or round_no is None))
            if not is_plain or is_late or (change and at_us < state.position_us):
                self._heard, self._doubted = heard, changed
                return index + 1, self._apply_mark(event) + changed
            fact = RecordedEvent(event.seq, at_us, source, payload, event.event_id, event.source_seq)
            facts.append(fact)
            same = by_type[type_]
            if same:
                same.append(fact)
            else:
                by_type[type_] = [fact]
            if change:
                applied.append(fact)
                change(state, fact, payload)
            if changed:
                return index + 1, changed
        return len(events), []

    def _apply_out_of_place(self, event: ReadEnvelope[Event], corrected: Replacements) -> list[Round]:
        """Apply late openings before the event that showed them missing, and what counts in the place of a corrected event."""
        changed, openings = list[Round](), self.moved.get(event.seq, ())
        for each in (*openings, event) if openings is not None else ():
            if (substitute := corrected.get(each.seq, (each.round_no, each.payload))) is None:
                self._leave_out(each)
            else:
                round_no, payload = substitute
                counts = msgspec.structs.replace(each, round_no=round_no, payload=payload, gaming_day=event.gaming_day)
                changed += self._apply_mark(counts)
        return changed

    def _move_opening(self, event: ReadEnvelope[Event], fact: RecordedEvent, latest: Round) -> list[Round]:
        """Ask for the stream to be folded again, with a late opening where its device counted it (D850)."""
        gap = self._late_gap
        if gap is None or self.replacements is not None:
            return self._add_stray(fact, (latest.round_no,))
        self.moved |= {event.seq: None, gap.seq: (*(self.moved.get(gap.seq) or ()), event)}
        self._ask_for(event.round_no or gap.round_no, latest.round_no)
        return []

    def _move_before_early(self, opening: ReadEnvelope[Event], fact: RecordedEvent) -> bool:
        """Ask for an opening to be folded before what arrived of its round, if that differs; return whether it does."""
        gap = self._late_gap if fact.is_late and self.open is None else None
        known = [early.seq for round_no, early in self._early if round_no == opening.round_no]
        early = min([*known[:1], *([gap.seq] if gap is not None else [])], default=0)
        is_other = self._changes.since(early) or (gap is not None and bool(self._strays))
        if not (early and is_other and self.replacements is None):
            return False
        self.moved |= {opening.seq: None, early: (*(self.moved.get(early) or ()), opening)}
        self._ask_for(self._next_round_no)
        return True

    def _apply_mark(self, event: ReadEnvelope[Event]) -> list[Round]:
        """Apply an event that may be more than a fact of the open round: that opens, ends or moves it, or lies outside it."""
        self.state.gaming_day = event.gaming_day
        fact = RecordedEvent.of(event, is_late=event.seq == self._late_seq)
        type_, round_no, current = fact.payload.KIND, event.round_no, self.open
        if type_ is model.EventCorrected:
            return self._correct(fact, round_no)
        may_be_of = self._late_of if fact.is_late and is_of_a_round(type_, round_no) else ()
        if len(may_be_of) > 1 or self._is_past(fact, round_no):
            return self._add_stray(fact, may_be_of) if may_be_of else self._add_by_clock(fact)
        round_no = may_be_of[0] if may_be_of else round_no
        if type_ is model.RoundOpened:
            latest = current or self.recent.get(self.state.last_round_no)
            if latest is not None and latest.round_no == round_no and latest.opened.payload == fact.payload:
                return self._opened_already(fact, latest)
            is_known = round_no in self.recent or round_no in self.withdrawn_rounds
            if latest is not None and not is_known and lies_behind(fact, round_no, latest):
                return self._move_opening(event, fact, latest)
            if self._move_before_early(event, fact):
                return []
            return self._open(fact, round_no)
        is_of_next = round_no is not None and round_no == self._next_round_no
        if is_of_next and round_no is not None and type_ not in OF_THE_TABLE:
            self._early.append((round_no, fact))
            return []
        if type_ is model.ChapterPublished and self.published.take(fact.payload, self.state, self.open is not None):
            self.needs_refold = True
        if type_ is model.RulesFiled and is_filed_by_device(self.state, fact):
            self._add_fault(record_faults.filed_by_device(fact))
        elif type_ is model.RulesFiled:
            self._note_filing(fact)
        self._apply_to_table(fact, round_no)
        self._skip_again(fact)
        if is_of_next and type_ is not model.IntakeRefused:
            return []
        if current is not None and round_no in (None, current.round_no):
            return self._add_to_open(current, fact)
        if round_no in self._repeats:
            self._repeats[round_no].add(fact)
            return []
        if round_no is not None and round_no in self.recent:
            return self._add_late(self.recent[round_no], fact)
        self._keep_for_later(fact, round_no)
        return []

    def _apply_to_table(self, fact: RecordedEvent, round_no: int | None) -> None:
        """Let a fact change the table; leave in doubt the rounds before which it was perhaps made."""
        is_late = False
        by_person = is_of_people(fact.source)
        if fact.payload.KIND in MAY_COME_LATE and (fact.payload.KIND is model.ShiftChanged or not by_person):
            heard, ended = 0 if by_person else self._heard, list(self.recent.values())[-RECENT_ROUNDS:]
            late = LateChange(fact, round_no, heard)
            self._doubted += (doubted := late.doubt(ended))
            is_far = len(ended) == RECENT_ROUNDS and doubted[:1] == ended[:1]
            if is_far or (self.begins_after and late.precedes(*self._began, after_rounds=self._comes_after_rounds)):
                self._ask_for_far(late.fault, late.heard)
            late.doubt([self.open] if self.open is not None else [])
            is_late = late.is_lasting(self.state, after_rounds=self._comes_after_rounds)
        self.state = self._changes.take(self.state, fact, self.open, after_rounds=self._comes_after_rounds)
        if is_late:
            self.state.late = self.state.late | {fact.payload.TYPE: fact.seq}

    def _add_early(self) -> list[Round]:
        """Add to the round just opened what arrived before it, in the order of the log; return the rounds that it completes.

        If a round other than the named one was opened, the fact is a stray of it; if the round was withdrawn, it is dropped.
        """
        early, self._early = self._early, []
        completed: list[Round] = []
        opened = self.open
        for round_no, fact in early:
            if opened is None or round_no in self.withdrawn_rounds:
                continue
            if round_no != opened.round_no:
                opened.strays.append(fact)
                continue
            self._apply_to_table(fact, round_no)
            is_open = self.open is not None
            completed += self._add_to_open(opened, fact) if is_open else self._add_late(opened, fact)
        return completed

    def _add_to_open(self, current: Round, fact: RecordedEvent) -> list[Round]:
        """Add a fact to the open round, and take the step in the phase table that it represents."""
        type_ = fact.payload.KIND
        if type_ is model.IntakeRefused:
            (self._refusals if current.is_repeat else current.refusals).append(fact)
        dealt = current.first_card is not None
        current.add(fact)
        if type_ is model.RoundClosed:
            return self._end(fact)
        if not dealt and current.first_card is not None:
            self._changes.note(self.state, fact)
            self.state.dealt_from(current.deck)
        step = TABLE[type_][COLUMN[self.phase]]
        self._enter(step if isinstance(step, Phase) else self.phase)
        return []

    def _add_late(self, late: Round, fact: RecordedEvent) -> list[Round]:
        """Add a fact to a closed round that is still at hand; return the rounds that it changes."""
        type_ = fact.payload.KIND
        if type_ is model.IntakeRefused:
            late.refusals.append(fact)
        elif type_ is model.RoundClosed and late.closed is None:
            late.closed = fact
        self.late[fact.seq] = late.round_no, fact.payload
        is_last = self.open is None and late.round_no == self.state.last_round_no
        is_asked = self.needs_refold or self.replacements is not None or (is_last and type_ is model.StubCounted)
        before = carryover(late) if not is_asked else ()
        late.add(fact)
        if is_last:
            ban_deck(self.state, late)
        self.needs_refold |= not is_asked and carryover(late) != before
        return [late, *recount(late, self.recent.values(), self.open, self.state)]

    def _add_stray(self, fact: RecordedEvent, of: Sequence[int]) -> list[Round]:
        """Add a late fact that may belong to any of several rounds to the strays of each; return the closed ones among them."""
        self._apply_to_table(fact, None)
        at_hand = {round_.round_no: round_ for round_ in self._at_hand}
        for number in of:
            if number in at_hand:
                at_hand[number].add_stray(fact)
            else:
                self._ask_for(number)
        return [self.recent[number] for number in of if number in self.recent]

    def _is_past(self, fact: RecordedEvent, round_no: int | None) -> bool:
        """Return whether a fact that names no round is of one that is over, by its clock and as far as its device was silent."""
        begun = self.open.opened.at_us if self.open is not None else None
        last = next(reversed(self.recent.values()), None)
        if last is None or fact.is_late or not is_of_a_round(fact.payload.KIND, round_no):
            return False
        return (begun is None or fact.at_us < begun) and last.last_seq > self._heard and fact.at_us < last.facts[-1].at_us

    def _add_by_clock(self, fact: RecordedEvent) -> list[Round]:
        """Add a fact that is of a round that is over by its clock alone to the strays of that round, and of this or the next."""
        self._apply_to_table(fact, None)
        late, ended = msgspec.structs.replace(fact, is_late=True), list(self.recent.values())[-RECENT_ROUNDS:]
        if fact.at_us < ended[0].opened.at_us and self._heard < ended[0].opened.seq:
            fault = RecordFault("late", fact.source, fact.seq, "")
            fault.arrived = [(late, None)]
            self._ask_for_far(fault, self._heard)
        past = [round_ for round_ in ended if was_then(round_, fact) and round_.last_seq > self._heard]
        for round_ in [*past, *([self.open] if self.open is not None else [])]:
            round_.add_stray(late)
        if self.open is None:
            self._strays.append(fact)
        return past

    def _keep_for_later(self, fact: RecordedEvent, round_no: int | None) -> None:
        """Keep a fact of no round at hand: a stray or a refusal of the next round, or a reason to fold the stream again."""
        type_, last = fact.payload.KIND, self.state.last_round_no
        if round_no in self.withdrawn_rounds:
            return
        if round_no is not None and round_no <= last:
            self.late[fact.seq] = round_no, fact.payload
            self._ask_for(round_no, last if type_ is model.StubCounted else None)
        elif type_ is model.IntakeRefused:
            self._refusals.append(fact)
        elif round_no is not None or TABLE[type_][COLUMN[Phase.BETWEEN]] is STRAY:
            self._strays.append(fact)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        dealt = self.open is not None and self.open.first_card is not None
        plain = (PLAIN_FACTS_DEALT if dealt else PLAIN_FACTS)[COLUMN[phase]]
        self._plain = plain if self.open is not None else NO_PLAIN_FACTS

    def leave(self) -> None:
        """End the open round without a closing event: the record has nothing more of it."""
        self._end(None)

    def _opened_already(self, fact: RecordedEvent, known: Round) -> list[Round]:
        """Add the opening of a round that is reported again in the same words: it opened once (D550)."""
        known.add(fact)
        if known is self.open:
            return []
        known.add_record_fault(record_faults.opened_twice("round", known.round_no, known.opened, fact))
        return [known]

    def _open(self, fact: RecordedEvent, number: int | None) -> list[Round]:
        """Open a round, after an unclosed one has been ended; return the rounds that this ends, changes or completes."""
        if self.open is None and self.state.last_round_no == self.begins_after == number:
            self.needs_refold = self.reaches_behind = True  # whether it is reported again cannot be seen from here
        unfinished = self._end(None)
        if number is not None and self._was_opened(number):
            return self._begin_again(fact, number, unfinished)
        self._begin(fact, number)
        return unfinished + self._add_early()

    def _begin(self, fact: RecordedEvent, round_no: int | None) -> None:
        number = round_no if round_no is not None else self.state.last_round_no + 1
        self.withdrawn_rounds.discard(number)
        self.open = self._opened(number, fact)
        self.open.record_faults, self._pending_faults = self._pending_faults, []
        self.open.strays, self._strays = self._strays, []
        self.open.refusals, self._refusals = self._refusals, []
        for fault in self.open.record_faults:
            fault.round_no = number
        self._enter(Phase.BETTING)

    def _opened(self, number: int, fact: RecordedEvent) -> Round:
        self._changes.note(self.state, fact)
        opened = Round(self.stream, number, fact, self.state.gaming_day, self.state.at_opening())
        self.state.round_deck = opened.deck
        return opened

    def _was_opened(self, number: int) -> bool:
        """Return whether a round was opened under a number before; ask for it if only a fold of the earlier events can tell."""
        if number > self.state.last_round_no or number in self.withdrawn_rounds:
            return False
        self.missed_rounds.add(number)
        if number in self.recent or self.replacements is not None:
            return number in self.recent
        self._ask_for(number)
        return True

    def _begin_again(self, fact: RecordedEvent, number: int, unfinished: list[Round]) -> list[Round]:
        """Begin a second record with the number of an earlier round; return the earlier round, which gets the fault.

        A later event with that number may concern either record: it counts with the second and changes no verdict. A record
        that stopped here proves nothing by its content or its gaps (D780).
        """
        first = self.recent.get(number)
        if first is not None:
            first.add_record_fault(
                record_faults.opened_twice("reopened" if first in unfinished else "round", first.round_no, first.opened, fact)
            )
            unfinished = [first] if first in unfinished else [*unfinished, first]
        self.open = self._opened(number, fact)
        self.open.is_repeat = True
        self.open.add_record_fault(RecordFault("round", fact.source, fact.seq, ""))
        self._enter(Phase.BETTING)
        return unfinished

    def _ask_for(self, number: int, last: int | None = None) -> None:
        """Ask for the stream to be folded again, with these rounds at hand."""
        self.missed_rounds.update(range(number, (last or number) + 1))
        self.needs_refold = True
        self.reaches_behind |= number <= self.begins_after

    def _end(self, closed: RecordedEvent | None) -> list[Round]:
        ended = self.open
        if ended is None:
            return []
        ended.end(closed)
        self.state.last_round_no = max(self.state.last_round_no, ended.round_no)
        self.state.opened_us = ended.opened.at_us
        late = () if ended.is_repeat else self.late_of.get(ended.round_no, ())
        self._changes = TableChanges(self.state, carry_over(self.state, ended, late))
        self.known_gaps = doubt_by_far_gaps(ended, self.known_gaps)
        self.open = None
        self._enter(Phase.BETWEEN)
        if ended.is_repeat:
            if ended.round_no in self.recent:
                self._repeats[ended.round_no] = ended
            return [ended]
        self.recent[ended.round_no] = ended
        self.keeps = max(RECENT_ROUNDS, self.keeps - (self.replacements is None))
        self.drop_rounds()
        return [ended]

    def drop_rounds(self) -> None:
        """Drop the rounds that are no longer at hand: all but the last ones and those to keep."""
        for number in [number for number in self.recent if number not in self.rounds_to_keep][: -self.keeps]:
            del self.recent[number]
            self._repeats.pop(number, None)

    def _correct(self, fact: RecordedEvent, round_no: int | None) -> list[Round]:
        """Apply a correction: to the round at hand that holds the event, or ask for the stream to be folded again."""
        made = correction(fact.seq, fact.payload, round_no)
        self.corrections.append(made)
        held_by = (each for each in self._at_hand if any(one.seq == made.superseded for one in each.facts))
        home = next(held_by, self._homes.get(made.superseded))
        if self.replacements is not None:
            return self._add_correction(fact, made, home)
        old = next((one for one in home.facts if one.seq == made.superseded), None) if home is not None else None
        ids = {made.superseded: old.event_id} if old is not None else {}
        if (ids or made.superseded >= fact.seq) and (objection := made.objection(ids)):
            return self._refuse_correction(fact, made, home, objection)
        new_round_no, payload = made.replacement if made.replacement is not None else (None, None)
        if home is None or old is None or REACHES_FURTHER & {old.payload.KIND, getattr(payload, "KIND", None)}:
            self.needs_refold = True
            if made.round_no is not None:
                self.missed_rounds.add(made.round_no)
            return []
        before = carryover(home)
        home.replace(made.superseded, payload)
        home.add(fact)
        if new_round_no not in (None, home.round_no) or carryover(home) != before:
            self.needs_refold = True
        return [*([home] if home is not self.open else []), *self._settle_refused(made)]

    def _add_correction(self, fact: RecordedEvent, made: Correction, home: Round | None) -> list[Round]:
        """Add a correction to the round of the event that it replaced, where it was applied when that event was."""
        objection = self.objections.get(fact.seq)
        if objection:
            return self._refuse_correction(fact, made, home, objection)
        changed = self._settle_refused(made) if objection is None else []
        if home is None or objection is not None:
            return changed
        home.add(fact)
        return [*([home] if home is not self.open else []), *changed]

    def _refuse_correction(self, fact: RecordedEvent, made: Correction, home: Round | None, objection: str) -> list[Round]:
        """Find a correction that does not fit in the round that it names or that has the event, else where it arrives (D851)."""
        fault = RecordFault("correction", fact.source, fact.seq, objection)
        self._refused_corrections.add(made, fault)
        number = made.round_no if made.round_no is not None else home.round_no if home is not None else None
        if (named := self.recent.get(number or 0)) is not None:
            named.add_record_fault(fault)
            fault.round_no = named.round_no
            return [named]
        is_open = self.open is not None and self.open.round_no == number
        if number is not None and not is_open and number <= self.state.last_round_no and self.replacements is None:
            self._ask_for(number)
        else:
            self._add_fault(fault)
        return []

    def _settle_refused(self, made: Correction) -> list[Round]:
        """Drop the effects of refused corrections of the same event, now that this one counts; return the changed rounds."""
        changed, is_missing = self._refused_corrections.settle(made, self._at_hand, self._pending_faults)
        self.needs_refold |= is_missing
        self._refusals = without_notices(made, self._refusals)
        return [round_ for round_ in changed if round_ is not self.open]

    def _leave_out(self, event: ReadEnvelope[Event]) -> None:
        """Leave out an event that a correction takes back; facts of a round never opened are no strays of the next one."""
        round_no = event.round_no
        if event.payload.KIND is model.RoundOpened:
            number = round_no if round_no is not None else self.state.last_round_no + 1
            self.withdrawn_rounds.add(number)
            self.state.last_round_no = max(self.state.last_round_no, number)
        home = self.recent.get(round_no, self.open) if round_no is not None else self.open
        if home is not None:
            self._homes[event.seq] = home
