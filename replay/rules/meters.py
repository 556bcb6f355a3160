"""The meters' own streams: whether every advance and every reset adds up (58 Pa. Code § 688a.12(d), D18).

A wrong reading is found once; later readings are compared with the recorded one, so that one fault makes one finding.
"""

from collections.abc import Mapping

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.findings import Finding
from replay.fold.corrections import Correction, Replacements, correction
from replay.rules.log_contract import cite_contract
from replay.rules.must_hit_by_meter import MysteryState, evaluate, state_in_service
from replay.rules.rule import SEVERITY, Departure
from rulebook.chapters.rulebook import chapter
from rulebook.settlement.mystery import show_meter
from rulebook.settlement.progressive import after_winner, contribution, share_cents

MYSTERY_CHAPTER = "pa-645c"
"""The chapter of a Must-Hit-By meter that was armed and never set into service under another."""


class MeterState(msgspec.Struct):
    """A meter as its own events state it: under which chapter and paytable, its rates, and its readings.

    `chapters` are all under which it ever was in service.
    """

    chapter: str = ""
    paytable: str = ""
    seed_cents: int = 0
    rate_bp: int = 0
    reserve_rate_bp: int = 0
    value: int | None = None
    reserve: int = 0
    mystery: MysteryState | None = None
    chapters: list[str] = []

    def serve_under(self, key: str) -> None:
        """Note that the meter is judged by a chapter."""
        if key not in self.chapters:
            self.chapters.append(key)


class MeterFold:
    """Judges the events of one meter's stream, in order; a correction sets `needs_refold` (see `TableFold`)."""

    def __init__(self, stream: str, state: MeterState | None = None) -> None:
        self.stream = stream
        self.state = state if state is not None else MeterState()
        self.replacements: Replacements | None = None
        self.objections: Mapping[int, str] = {}
        self.corrections: list[Correction] = []
        self.needs_refold = False

    def apply(self, event: ReadEnvelope[Event]) -> list[Finding]:
        """Fold one event, in its current version; return what does not add up."""
        state, seq, payload = self.state, event.seq, event.payload
        if self.replacements is not None and seq in self.replacements:
            replacement = self.replacements[seq]
            if replacement is None:
                return []
            payload = replacement[1]
        match payload:
            case model.EventCorrected():
                self.corrections.append(correction(seq, payload))
                self.needs_refold = True
                return [self._refused(seq)] if self.objections.get(seq) else []
            case model.MeterSet():
                state.chapter, state.paytable = payload.chapter, payload.paytable
                state.seed_cents, state.rate_bp = payload.seed_cents, payload.rate_bp
                state.reserve_rate_bp = payload.reserve_rate_bp
                state.value, state.reserve = payload.value_centicents, payload.reserve_centicents
                state.serve_under(payload.chapter)
                state.mystery = state_in_service(payload, event.gaming_day)
                return evaluate(self.stream, state.mystery, seq, payload, event.gaming_day) if state.mystery is not None else []
            case model.MysteryArmed() | model.MysteryHit():
                state.mystery = state.mystery or MysteryState(MYSTERY_CHAPTER)
                state.serve_under(state.mystery.chapter)
                return evaluate(self.stream, state.mystery, seq, payload, event.gaming_day)
            case model.MeterAdvanced() if state.mystery is not None:
                return evaluate(self.stream, state.mystery, seq, payload, event.gaming_day)
            case model.MeterAdvanced():
                if state.value is None:
                    return []
                value = state.value + contribution(payload.wager_cents, state.rate_bp)
                reserve = state.reserve + contribution(payload.wager_cents, state.reserve_rate_bp)
                wrong = (value, reserve) != (payload.value_centicents, payload.reserve_centicents)
                expected = f"{show_meter(value)}, reserve {show_meter(reserve)}"
                state.value, state.reserve = payload.value_centicents, payload.reserve_centicents
                return [self._finding(seq, payload, expected)] if wrong else []
            case model.MeterReset():
                if state.value is None:
                    return []
                paid = share_cents(state.value, payload.share_bp) * 100
                value = after_winner(state.value, payload.share_bp, state.seed_cents)
                wrong = (paid, value) != (payload.paid_centicents, payload.value_centicents)
                expected = f"{show_meter(paid)} paid, {show_meter(value)} after it"
                state.value, state.reserve = payload.value_centicents, payload.reserve_centicents
                return [self._finding(seq, payload, expected)] if wrong else []
            case _:
                return []

    def _refused(self, seq: int) -> Finding:
        code = "LOG-CORRECTION"
        expected = "a correction that names an earlier event of its stream by number and id"
        departure = Departure("", expected, self.objections[seq], (seq,))
        return departure.finding(code, self.stream, None, str(cite_contract(code)), SEVERITY[code])

    def _finding(self, seq: int, event: model.MeterAdvanced | model.MeterReset, expected: str) -> Finding:
        if isinstance(event, model.MeterAdvanced):
            observed = f"{show_meter(event.value_centicents)}, reserve {show_meter(event.reserve_centicents)}"
        else:
            observed = f"{show_meter(event.paid_centicents)} paid, {show_meter(event.value_centicents)} after it"
        jurisdiction, _, name = self.state.chapter.partition("-")
        cite = str(chapter(jurisdiction, name).cite("12(d)"))
        departure = Departure("12(d)", expected, observed, (seq,), event.seat, "progressive")
        return departure.finding("PAY-METER", self.stream, event.round_no, cite, SEVERITY["PAY-METER"])
