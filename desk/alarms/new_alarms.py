"""Turns new results and advice into alarms.

It reads new verdicts and, if a route asks for it, the advice on open rounds, and puts new, changed and withdrawn alarms in the
outbox.

Invariant: it only reads the log and its results, so that it cannot slow down or change a verdict. It always reads on from the
places in the outbox, never from memory. Verdicts override advice: advice on a judged round is ignored, and only withdraws alarms
that advice raised.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from desk.alarms.alarm import Alarm, AlarmStatus, Change, House, Message, What, alarm_advised, alarm_of, changes, message_of
from desk.alarms.outbox import AlarmUpdate, Outbox
from desk.alarms.settings import Settings
from desk.review.desk_memory import is_withdrawal
from events.errors import UnreadableResult
from events.log.contract import ChainedResult, EventLog, Head, ResultStore
from replay.advice import Advice, advice_in
from replay.findings import Adjudication, Finding, read_result
from replay.incidents import incidents

GROUP = 500
"""Results without a change after which the position is stored."""

Tell = Callable[[str], None]


class Watch:
    """Reads results and advice into an outbox, by the settings. It calls `tell` once for each stream that cannot be read."""

    def __init__(self, outbox: Outbox, settings: Settings, house: House, tell: Tell) -> None:
        self._outbox, self._settings, self._house, self._tell = outbox, settings, house, tell
        self._places, self._past = outbox.places(), outbox.past()
        self._broken: set[str] = set()
        self._asks_for_advice = any(route.advice for route in settings.route)
        self._advice: dict[str, Advice] = {}
        """Stream → the advice that was taken in last: the same again changes nothing."""

    def begin(self, log: EventLog, results: ResultStore) -> int:
        """Skip earlier findings; return how many streams have skipped results."""
        heads = results.chain_heads()
        self._outbox.begin_after(heads, {stream: log.head(stream).seq for stream in heads})
        self._places, self._past = self._outbox.places(), self._outbox.past()
        return len(heads)

    def read(self, results: ResultStore, now_us: int) -> int:
        """Read the new results and advice; return the number of changes."""
        given = self._given(results)  # before the verdicts: what was judged after this is known to be
        found = 0
        for stream, head in sorted(results.chain_heads().items()):
            if self._places.get(stream) == head or stream in self._broken:
                continue
            try:
                found += self._read_stream(results, stream, now_us)
            except UnreadableResult as error:
                self._broken.add(stream)
                self._tell(f"no alarms of {stream} any more: a result cannot be read: {error}")
        for stream, advice in sorted(given.items()):
            if self._advice.get(stream) != advice and not self._is_judged(results, stream, f"#{advice.round_no}"):
                found += self._take_advice(results, advice, now_us)
                self._advice[stream] = advice
        return found

    def _given(self, results: ResultStore) -> dict[str, Advice]:
        if not self._asks_for_advice:
            return {}
        try:
            return advice_in(results)
        except UnreadableResult as error:
            self._asks_for_advice = False
            self._tell(f"no alarms of advice any more: it cannot be read: {error}")
            return {}

    def _take_advice(self, results: ResultStore, advice: Advice, now_us: int) -> int:
        """Read the advice on an open round, and withdraw the alarms of a round that ended without a verdict."""
        stream, about, taken = advice.stream, f"#{advice.round_no}", list[AlarmUpdate]()
        before = self._outbox.advised(stream)
        if before not in (None, about) and not self._is_judged(results, stream, before):
            taken += self._taken(stream, before, [], is_past=False)
        now = [alarm_advised(each, advice, self._house) for each in incidents(advice.warnings)]
        is_past = advice.as_of <= self._past.get(stream, 0)
        taken += [
            each
            for each in self._taken(stream, about, now, is_past=is_past)
            if each.change.before is not None or each.messages  # what no one is told is no alarm yet
        ]
        if taken:
            self._outbox.record_advice(stream, about, taken, now_us)
        return len(taken)

    def _is_judged(self, results: ResultStore, stream: str, about: str) -> bool:
        """Whether a round (`#7`) has a verdict, or had one in results since discarded."""
        return results.latest("adjudications", f"{stream}{about}") is not None or any(
            each.alarm.basis == "verdict" for each in self._outbox.alarms_about(stream, about)
        )

    def _read_stream(self, results: ResultStore, stream: str, now_us: int) -> int:
        found = unnoted = 0
        for result in results.stored(stream, self._place(results, stream)):
            taken, place = list(self._changes(result)), Head(result.place, result.hash)
            found, unnoted = found + len(taken), unnoted + 1
            if taken or unnoted == GROUP:
                self._outbox.record_results(stream, place, taken, now_us)
                unnoted = 0
            self._places[stream] = place
        if unnoted:
            self._outbox.record_results(stream, self._places[stream], [], now_us)
        return found

    def _place(self, results: ResultStore, stream: str) -> int:
        """Return the place to read on from: the beginning if the results read were since discarded."""
        before = self._places.get(stream)
        if before is None or before.seq == 0:
            return 0
        stored = next(iter(results.stored(stream, before.seq - 1)), None)
        return before.seq if stored is not None and Head(stored.place, stored.hash) == before else 0

    def _changes(self, result: ChainedResult) -> Iterator[AlarmUpdate]:
        """Yield the changes of alarms by a result; a round entered by a person raises none (D903).

        Verdicts that people adopted in place of an earlier engine's change alarms without messages: a report lists them (D1081).
        """
        is_adopted = False
        if result.stream.startswith("observed/"):
            return
        if result.kind == "adjudications":
            verdict = read_result(result.kind, result.key, result.data, Adjudication)
            about = f"#{verdict.round_no}"
            now = [alarm_of(each, verdict, self._house) for each in incidents(verdict.findings)]
            is_adopted = bool(verdict.adopted)
            is_past = is_adopted or verdict.last_seq <= self._past.get(result.stream, 0)
        elif result.kind == "findings":
            about, is_past = result.key, False
            is_adopted = b'"adopted":' in result.data and result.stream.startswith("meter/")
            if is_withdrawal(result.key, result.data):
                now = []
            else:
                finding = read_result(result.kind, result.key, result.data, Finding)
                if finding.round_no is not None:  # its round's verdict says it
                    return
                now = [alarm_of(each, None, self._house) for each in incidents([finding])]
                is_past = is_adopted or max(finding.evidence, default=0) <= self._past.get(result.stream, 0)
        else:
            return
        for each in self._taken(result.stream, about, now, is_past=is_past):
            yield msgspec.structs.replace(each, messages=[], steps=[]) if is_adopted else each

    def _taken(self, stream: str, about: str, now: Sequence[Alarm], *, is_past: bool) -> Iterator[AlarmUpdate]:
        for change in changes(self._outbox.alarms_about(stream, about), now):
            if change.before is not None or not is_past:
                yield AlarmUpdate(change=change, about=about, messages=self._messages(change), steps=self._steps(change))

    def _messages(self, change: Change) -> list[tuple[str, Message]]:
        """Return the receivers of a change: the receivers of earlier messages, and the ones that the routes add."""
        alarm = change.standing.alarm
        told = self._outbox.receivers_of(alarm.id) if change.before is not None else set()
        names = dict.fromkeys(sorted(told & self._settings.receiver.keys()))
        if not change.standing.withdrawn:
            names |= dict.fromkeys(
                name for route in self._settings.route if route.takes(alarm) for name in self._settings.role[route.to]
            )
        return [(name, self.message(change.what if name in told else "raised", change.standing, name)) for name in names]

    def message(self, what: What, standing: AlarmStatus, receiver: str, after_min: int | None = None) -> Message:
        """Return the message to a receiver."""
        settings = self._settings
        patrons = settings.receiver[receiver].patrons
        return message_of(what, standing, receiver, patrons=patrons, pages=settings.pages, after_min=after_min)

    def _steps(self, change: Change) -> list[tuple[int, str]]:
        if change.standing.withdrawn or change.standing.alarm.basis == "advice":  # no one can acknowledge advice
            return []
        routes = (route for route in self._settings.route if route.takes(change.standing.alarm))
        return [(step.after_min, step.to) for route in routes for step in route.escalate]
