"""Folds a table's events, in the order of its stream, into rounds of play.

The law of this file: it puts together and never judges. A `Round` holds its facts in order, indexed by what they state,
and the table as it was when the round opened. A fact that speaks of a round just closed is added to it, and the round
is handed out again; a fact that fits nowhere is kept as a stray of the next round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.fold.all_wagers_returned import all_wagers_returned
from replay.fold.corrections import Correction, Known, correction
from replay.fold.meters_after import meters_after
from replay.fold.phases import COLUMN, SAME, STRAY, TABLE, Phase
from replay.fold.record_faults import RecordFault, is_in, without
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round, from_the_shoe
from replay.fold.stub_counts import bans_deck, has_wrong_deck, recount, uncounted
from replay.fold.table_state import CHANGES, LEDGER_EVENTS, Change, Source, TableState

RECENT_ROUNDS = 4
"""How many closed rounds stay at hand for facts that come late (a slip, a slow sensor)."""


class TableFold:
    """The fold of one table's stream. `apply` hands out rounds as they close, and again when something comes late.

    `stale` is set by what reaches further back than the rounds at hand, or changes what later rounds were judged by: the
    stream must be folded again from its beginning, with what `corrections` come to as `known`, those that are `refused`
    by their number, and the rounds that late facts `missed` to `keep` at hand, and every round compared.
    """

    def __init__(self, stream: str, state: TableState | None = None) -> None:
        self.stream = stream
        self.known: Known | None = None
        self.refused: Mapping[int, str] = {}
        self.keep: Collection[int] = ()
        self.state = state if state is not None else TableState()
        self.open: Round | None = None
        self._enter(Phase.BETWEEN)
        self.recent: dict[int, Round] = {}
        self.corrections: list[Correction] = []
        self.missed: set[int] = set()
        self.withdrawn: set[int] = set()
        self.needs_refold = False
        self._dropped: dict[int, Round] = {}
        self._waiting_jumps: list[RecordFault] = []
        self._gaps: list[RecordFault] = []
        self._strays: list[RecordedEvent] = []
        self._refusals: list[RecordedEvent] = []

    @property
    def at_rest(self) -> bool:
        """Whether no round is open and nothing waits for the next: the state alone can be resumed from."""
        return self.open is None and not (self._waiting_jumps or self._strays or self._refusals)

    def take_quiet(self, events: Sequence[ReadEnvelope[Event]], start: int) -> int:
        """Fold what most events are, in a hurry: the next report of its device, a mere fact of the open round.

        Return the index of the first event from `start` on that is more than that, and for `apply`. The events are of
        this stream, in order, and in their current version.
        """
        current = self.open
        if current is None or self.known is not None:
            return start
        quiet, round_no, facts, by_type = self._quiet, current.round_no, current.facts, current.by_type
        state = self.state
        sources = state.sources
        for index in range(start, len(events)):
            event = events[index]
            payload = event.payload
            type_ = payload.KIND
            change = quiet.get(type_)
            if change is None or event.round_no != round_no:
                return index
            source, at_us = event.source, event.occurred_at_us
            seen = sources.get(source)
            if seen is None or event.source_seq != seen.last + 1 or at_us < seen.last_us:
                return index
            seen.last, seen.last_us = event.source_seq, at_us
            fact = RecordedEvent(event.seq, at_us, source, payload, event.event_id)
            facts.append(fact)
            same = by_type[type_]
            if same:
                same.append(fact)
            else:
                by_type[type_] = [fact]
            if change:
                change(state, fact, payload)
        return len(events)

    def apply(
        self,
        seq: int,
        at_us: int,
        source: str,
        source_seq: int,
        round_no: int | None,
        gaming_day: str,
        payload: Event,
        event_id: str = "",
    ) -> list[Round]:
        """Fold one event; return the rounds that it completed or changed."""
        jumped = self._count(seq, at_us, source, source_seq)
        if self.known is not None and seq in self.known:
            instead = self.known[seq]
            if instead is None:
                if payload.KIND is model.RoundOpened:
                    self._withdraw(round_no)
                home = self.recent.get(round_no, self.open) if round_no is not None else self.open
                if home is not None:
                    self._dropped[seq] = home
                return jumped
            round_no, payload = instead
        fact = RecordedEvent(seq, at_us, source, payload, event_id)
        type_ = payload.KIND
        state = self.state
        state.gaming_day = gaming_day
        if isinstance(payload, model.EventCorrected):
            return self._correct(fact, payload) + jumped
        if type_ is model.RoundOpened:
            unfinished = self._end(None)
            self._begin(fact, round_no)
            return unfinished + jumped
        current = self.open
        if current is not None and (round_no is None or round_no == current.round_no):
            move = TABLE[type_][self._column]
            if type_ in CHANGES:
                state.apply(fact)
            elif type_ is model.IntakeRefused:
                current.refusals.append(fact)
            undealt = current.first_card is None
            current.add(fact)
            if undealt and current.first_card is not None:
                state.dealt_from(current.deck)
                self._enter(self.phase)
            if type_ is model.RoundClosed:
                return self._end(fact) + jumped
            if isinstance(move, Phase):
                self._enter(move)
            return jumped
        if type_ in CHANGES:
            state.apply(fact)
        late = self.recent.get(round_no) if round_no is not None else None
        if late is not None:
            if type_ is model.IntakeRefused:
                late.refusals.append(fact)
            elif type_ is model.RoundClosed and late.closed is None:
                late.closed = fact
            late.add(fact)
            late.memo = {}
            if self.open is None and late.round_no == state.last_round_no:
                self._ban_deck(late)
            return [late, *self._recounted(late), *jumped]
        if round_no in self.withdrawn:
            return jumped
        if round_no is not None and round_no <= state.last_round_no:
            reaches = state.last_round_no if type_ is model.StubCounted else round_no
            self.missed.update(range(round_no, reaches + 1))
            self.needs_refold = True
        elif type_ is model.IntakeRefused:
            self._refusals.append(fact)
        elif round_no is not None or TABLE[type_][COLUMN[Phase.BETWEEN]] is STRAY:
            self._strays.append(fact)
        return jumped

    def _enter(self, phase: Phase) -> None:
        self.phase, self._column = phase, COLUMN[phase]
        dealt = self.open is not None and self.open.first_card is not None
        self._quiet = (QUIET_DEALT if dealt else QUIET)[self._column]

    def leave(self) -> None:
        """Leave the open round as it stands, unclosed: the record says no more of it."""
        self._end(None)

    def _begin(self, fact: RecordedEvent, round_no: int | None) -> None:
        number = round_no if round_no is not None else self.state.last_round_no + 1
        self.withdrawn.discard(number)
        self.open = Round(self.stream, number, fact, self.state.gaming_day, self.state.at_opening())
        self.state.round_deck = self.open.deck
        self.open.record_faults, self._waiting_jumps = self._waiting_jumps, []
        self.open.strays, self._strays = self._strays, []
        self.open.refusals, self._refusals = self._refusals, []
        for jump in self.open.record_faults:
            jump.round_no = number
        self._enter(Phase.BETTING)

    def _end(self, closed: RecordedEvent | None) -> list[Round]:
        ended = self.open
        if ended is None:
            return []
        ended.closed = closed
        ended.drop_repeated_deals()
        self.state.last_round_no = max(self.state.last_round_no, ended.round_no)
        self.state.round_over(ended.deck, ended.last_card)
        if self.state.shoe is not None:
            self.state.shoe.round_over(ended.deck, *from_the_shoe(ended), ended.covers("shuffle"))
        self.state.rounds_uncounted = uncounted(ended)
        meters_after(self.state, ended)
        self.state.lose(ended.lost_by)
        self._ban_deck(ended)
        self.recent[ended.round_no] = ended
        for number in [each for each in self.recent if each not in self.keep][:-RECENT_ROUNDS]:
            del self.recent[number]
        self.open = None
        self._enter(Phase.BETWEEN)
        return [ended]

    def _ban_deck(self, ended: Round) -> None:
        if ended.deck in self.state.decks:
            self.state.decks[ended.deck].banned_by = bans_deck(ended)

    def _recounted(self, changed: Round) -> list[Round]:
        """Return the rounds that are opened otherwise because a stub was counted, or covered, in an earlier one after all."""
        since = [each for each in self.recent.values() if each.round_no > changed.round_no]
        self.state.rounds_uncounted, others = recount(changed, since, self.open)
        return others

    def _count(self, seq: int, at_us: int, source: str, source_seq: int) -> list[Round]:
        """Watch a device's counter and clock."""
        seen = self.state.sources.get(source)
        if seen is None:
            self.state.sources[source] = Source(source_seq, at_us)
            return []
        if source_seq == seen.last + 1:
            if at_us < seen.last_us:
                self._jump(RecordFault("clock", source, seq, f"{source}: clock runs back by {seen.last_us - at_us} us"))
            seen.last, seen.last_us = source_seq, at_us
            return []
        if source_seq > seen.last:
            missing = (seen.last + 1, source_seq - 1)
            detail = f"{source}: numbers {seen.last + 1} to {source_seq - 1} never arrived"
            gap = RecordFault("gap", source, seq, detail, [missing])
            self._gaps.append(gap)
            self._jump(gap)
            seen.missing = [*seen.missing, missing]
            seen.last, seen.last_us = source_seq, at_us
            return []
        if is_in(seen.missing, source_seq):
            seen.missing = without(seen.missing, source_seq)
            return self._filled(source, source_seq)
        self._jump(
            RecordFault("repeat", source, seq, f"{source}: number {source_seq} came twice with different content")
        )
        return []

    def _jump(self, jump: RecordFault) -> None:
        if self.open is not None:
            self.open.record_faults.append(jump)
            jump.round_no = self.open.round_no
        else:
            self._waiting_jumps.append(jump)

    def _filled(self, source: str, number: int) -> list[Round]:
        filled = [gap for gap in self._gaps if gap.source == source and is_in(gap.missing, number)]
        changed: list[Round] = []
        for gap in filled:
            gap.missing = without(gap.missing, number)
            changed += [each for each in self.recent.values() if gap in each.record_faults]
            if (
                gap.round_no
                and gap.round_no not in self.recent
                and (not self.open or gap not in self.open.record_faults)
            ):
                self.missed.add(gap.round_no)
                self.needs_refold = True
        if not filled:
            self.needs_refold = True  # the gap was found before this fold was taken up
        self._gaps = [gap for gap in self._gaps if gap.missing]
        for each in changed:
            each.memo = {}
        changed += [other for each in changed for other in self._recounted(each) if other not in changed]
        return changed

    def _correct(self, fact: RecordedEvent, event: model.EventCorrected) -> list[Round]:
        said = correction(fact.seq, event)
        superseded = said.superseded
        self.corrections.append(said)
        round_no, payload = said.instead if said.instead is not None else (None, None)
        home = self._home(superseded)
        if self.known is not None:  # it was put in its place when that was folded
            if fact.seq in self.refused:
                self._jump(RecordFault("correction", fact.source, fact.seq, self.refused[fact.seq]))
                return []
            if home is None:
                return []
            home.add(fact)
            home.memo = {}
            return [home] if home is not self.open else []
        old = next((one for one in home.facts if one.seq == superseded), None) if home is not None else None
        at_hand = {superseded: old.event_id} if old is not None else {}
        if (at_hand or superseded >= fact.seq) and (objection := said.objection(at_hand)):
            self._jump(RecordFault("correction", fact.source, fact.seq, objection))
            return []
        if home is None or old is None or REACHES_FURTHER & {old.payload.KIND, getattr(payload, "KIND", None)}:
            self.needs_refold = True
            return []
        before = _left_behind(home)
        home.replace(superseded, payload)
        home.add(fact)
        if round_no not in (None, home.round_no) or _left_behind(home) != before:
            self.needs_refold = True
        return [home] if home is not self.open else []

    def _withdraw(self, round_no: int | None) -> None:
        """Leave out a round that was never opened: what names it is no stray of the next."""
        number = round_no if round_no is not None else self.state.last_round_no + 1
        self.withdrawn.add(number)
        self.state.last_round_no = max(self.state.last_round_no, number)

    def _home(self, seq: int) -> Round | None:
        """Return the round at hand that has (or would have) an event."""
        at_hand: Iterable[Round] = [*self.recent.values(), *([self.open] if self.open is not None else [])]
        found = next((each for each in at_hand if any(one.seq == seq for one in each.facts)), None)
        return found if found is not None else self._dropped.get(seq)


MARKS = frozenset({model.RoundOpened, model.RoundClosed, model.IntakeRefused, model.EventCorrected})
"""Events that the fold itself goes by."""

REACHES_FURTHER = frozenset(CHANGES) | LEDGER_EVENTS | MARKS
"""Events that count beyond the facts of their round: correcting one of them means folding the stream again."""

QUIET_DEALT: tuple[dict[type[Event], Change | Literal[False]], ...] = tuple(
    {
        type_: CHANGES.get(type_, False)
        for type_ in TABLE
        if TABLE[type_][column] is SAME and type_ not in LEDGER_EVENTS | MARKS
    }
    for column in COLUMN.values()
)
"""For each phase the events that are mere facts of a round of which a card was dealt; and how they change the table."""

QUIET = tuple({type_: how for type_, how in types.items() if type_ is not model.CardsDealt} for types in QUIET_DEALT)
"""The same before the first card."""


def _left_behind(round_: Round) -> tuple[object, ...]:
    """What a round leaves to later ones: whether it was dealt or voided, what its stub says, what left the shoe."""
    counted = bool(round_.of(model.StubCounted))
    dealt, void = round_.first_card is not None, (all_wagers_returned(round_), round_.voided is not None)
    left = dealt, void, counted, has_wrong_deck(round_)
    return left if round_.before.shoe is None else (*left, from_the_shoe(round_))
