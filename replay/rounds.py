"""Folds a table's events, in the order of its stream, into rounds of play.

The law of this file: it puts together and never judges. A `Round` holds its facts in order, indexed by what they state,
and the table as it was when the round opened. A fact that speaks of a round just closed is added to it, and the round
is handed out again; a fact that fits nowhere is kept as a stray of the next round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from events import model
from events.codec import canonical, decode_payload
from events.envelope import RawEnvelope
from events.model import Aspect, Event
from events.upcast import upcast
from games.cards import CODE
from replay.phases import COLUMN, SAME, STRAY, TABLE, Phase
from replay.table_state import CHANGES_TABLE, LEDGER_EVENTS, Fact, Source, Span, TableState

Position = int | Literal["dealer"]

RECENT_ROUNDS = 4
"""How many closed rounds stay at hand for facts that come late (a slip, a slow sensor)."""

SINGLE_DECK = 53
"""The cards of the deck of every game whose stub is counted: 52 and a joker."""

Instead = tuple[int | None, Event] | None
"""Round and payload that count instead of a corrected event's; null for an event that never was."""

Known = dict[int, Instead]
"""Corrections by the number they supersede."""


def instead_of(correction: model.EventCorrected) -> Instead:
    """Return what a correction puts in the place of the event it supersedes, in its current version."""
    replacement = correction.replacement
    if replacement is None:
        return None
    payload = decode_payload(replacement.type, replacement.version, canonical(replacement.payload))
    return replacement.round_no, upcast(payload)


def effective(corrections: Iterable[tuple[int, int, Instead]]) -> Known:
    """Return what counts, from corrections `(seq, superseded seq, instead)` in order: of each event the last word.

    A correction that was itself superseded does not count.
    """
    known: Known = {}
    for seq, superseded, instead in sorted(corrections, key=lambda each: each[0], reverse=True):
        if seq not in known:
            known.setdefault(superseded, instead)
    return known


def _is_in(spans: Sequence[Span], number: int) -> bool:
    return any(first <= number <= last for first, last in spans)


def _without(spans: Sequence[Span], number: int) -> list[Span]:
    """Return spans without a number: the one that holds it becomes what is left on either side."""
    left: list[Span] = []
    for first, last in spans:
        if first <= number <= last:
            left += [span for span in ((first, number - 1), (number + 1, last)) if span[0] <= span[1]]
        else:
            left.append((first, last))
    return left


class Jump:
    """A device's counter irregularity: numbers missing, a number repeated with other content, a clock running back."""

    __slots__ = ("detail", "kind", "missing", "round_no", "seq", "source")

    def __init__(self, kind: Literal["gap", "repeat", "clock"], source: str, seq: int, detail: str,
                 missing: Sequence[Span] = ()) -> None:  # fmt: skip
        self.kind, self.source, self.seq, self.detail = kind, source, seq, detail
        self.missing = list(missing)
        self.round_no = 0


class Round:
    """A round of play at a table: its facts in order, and what the table was when it opened.

    `first_card` and `last_card` are the first and last card (or stack) dealt to a position.
    """

    def __init__(self, stream: str, round_no: int, opened: Fact, gaming_day: str, before: TableState) -> None:
        self.stream, self.round_no, self.opened, self.gaming_day, self.before = (
            stream, round_no, opened, gaming_day, before,
        )  # fmt: skip
        self.facts: list[Fact] = []
        self.by_type: dict[type[Event], list[Fact]] = {}
        self.closed: Fact | None = None
        self.strays: list[Fact] = []
        self.jumps: list[Jump] = []
        self.refusals: list[Fact] = []
        self.memo: dict[str, Any] = {}
        self.first_card: Fact | None = None
        self.last_card: Fact | None = None
        opening: model.RoundOpened = opened.payload
        self.deck = opening.deck
        self._observed = frozenset(opening.observed)
        self.add(opened)

    def add(self, fact: Fact) -> None:
        """Take a fact into the round, in its order."""
        self.facts.append(fact)
        self.index(fact)

    def index(self, fact: Fact) -> None:
        """Note what a fact states."""
        payload = fact.payload
        type_ = payload.KIND
        same = self.by_type.get(type_)
        if same is not None:
            same.append(fact)
        else:
            self.by_type[type_] = [fact]
        if type_ is model.CardsDealt and payload.to not in ("burn", "side"):
            self.last_card = fact
            if self.first_card is None:
                self.first_card = fact

    def replace(self, seq: int, payload: Event | None) -> bool:
        """Put a correction's payload in a fact's place (or drop the fact); says whether the fact was here."""
        index = next((i for i, fact in enumerate(self.facts) if fact.seq == seq), None)
        if index is None:
            return False
        old = self.facts[index]
        self.facts[index : index + 1] = [] if payload is None else [Fact(seq, old.at_us, old.source, payload)]
        self.by_type, self.first_card, self.last_card, self.memo = {}, None, None, {}
        for fact in self.facts:
            self.index(fact)
        return True

    def of(self, type_: type[Event]) -> Sequence[Fact]:
        """Return the facts of a type, in order."""
        return self.by_type.get(type_, ())

    def first(self, type_: type[Event]) -> Fact | None:
        """Return the first fact of a type."""
        facts = self.by_type.get(type_)
        return facts[0] if facts else None

    def last(self, type_: type[Event]) -> Fact | None:
        """Return the last fact of a type."""
        facts = self.by_type.get(type_)
        return facts[-1] if facts else None

    @property
    def first_seq(self) -> int:
        """The number of the first event of the round."""
        return self.facts[0].seq

    @property
    def last_seq(self) -> int:
        """The number of the last event of the round so far."""
        return max(self.facts[-1].seq, self.closed.seq if self.closed else 0)

    @property
    def lost(self) -> bool:
        """Whether evidence of this round was lost on the way: then the absence of an event means nothing (D26)."""
        if not self.jumps:
            return bool(self.refusals)
        return bool(self.refusals) or any(jump.kind == "gap" and jump.missing for jump in self.jumps)

    def observes(self, aspect: Aspect) -> bool:
        """Say whether the absence of an event in this aspect means that it did not happen."""
        return aspect in self._observed and not self.lost

    @property
    def voided(self) -> Fact | None:
        """The fact that declared the whole round void, or null."""
        facts = self.by_type.get(model.RoundVoided)
        return next((fact for fact in facts if fact.payload.scope == "round"), None) if facts else None

    @property
    def went_on(self) -> bool:
        """Whether play went on after the deal: hands were set or wagers settled, or the round was closed."""
        last = self.last_card
        after = (model.HandSet, model.WagerTaken, model.WagerPaid, model.WagerReturned)
        return self.closed is not None or any(
            fact.seq > last.seq for type_ in after for fact in self.of(type_) if last is not None
        )

    def hands(self) -> Mapping[Position, list[int | None]]:
        """Return the cards dealt to each position, in the order dealt; a card that was not read is null."""
        if "hands" not in self.memo:
            hands: dict[Position, list[int | None]] = {}
            for fact in self.of(model.CardsDealt):
                to = fact.payload.to
                if to in ("burn", "side"):
                    continue
                cards = [CODE[card] if card is not None else None for card in fact.payload.cards]
                if to in hands:
                    hands[to] += cards
                else:
                    hands[to] = cards
            self.memo["hands"] = hands
        found: dict[Position, list[int | None]] = self.memo["hands"]
        return found

    def has_wrong_deck(self) -> bool:
        """Whether every hand got as many cards as the others, and they and the stub are not the 53 of a deck."""
        counted = self.last(model.StubCounted)
        if counted is None or len({len(cards) for cards in self.hands().values()}) != 1:
            return False
        dealt = sum(len(fact.payload.cards) for fact in self.of(model.CardsDealt))
        return dealt + len(self.of(model.CardFoundFaceUp)) + int(counted.payload.count) != SINGLE_DECK

    def certainly_before(self, earlier: Fact, later: Fact) -> bool | None:
        """Say whether one fact came before another; null where the devices' clocks contradict the log's order (D26).

        One device's own late message is such a contradiction too.
        """
        in_order = earlier.seq < later.seq
        if earlier.at_us != later.at_us and (earlier.at_us < later.at_us) != in_order:
            return None
        return in_order


class TableFold:
    """The fold of one table's stream. `apply` hands out rounds as they close, and again when something comes late.

    `stale` is set by what reaches further back than the rounds at hand, or changes what later rounds were judged by: the
    stream must be folded again from its beginning, with what `corrections` come to as `known` and with the rounds that
    late facts `missed` to `keep` at hand, and every round compared.
    """

    def __init__(self, stream: str, state: TableState | None = None) -> None:
        self.stream = stream
        self.known: Known | None = None
        self.keep: Collection[int] = ()
        self.state = state if state is not None else TableState()
        self.phase, self._column = Phase.BETWEEN, COLUMN[Phase.BETWEEN]
        self.open: Round | None = None
        self.recent: dict[int, Round] = {}
        self.corrections: list[tuple[int, int, Instead]] = []
        self.missed: set[int] = set()
        self.stale = False
        self._dropped: dict[int, Round] = {}
        self._waiting_jumps: list[Jump] = []
        self._gaps: list[Jump] = []
        self._strays: list[Fact] = []
        self._refusals: list[Fact] = []

    @property
    def at_rest(self) -> bool:
        """Whether no round is open and nothing waits for the next: the state alone can be resumed from."""
        return self.open is None and not (self._waiting_jumps or self._strays or self._refusals)

    def take_plain(self, raw: RawEnvelope, payload: Event) -> bool:
        """Fold what most events are, in a hurry: the next report of its device, a mere fact of the open round.

        Says whether it was one and is folded now; everything else is for `apply`.
        """
        type_, current = payload.KIND, self.open
        if current is None or raw.round_no != current.round_no or type_ not in QUIET or self.known is not None:
            return False
        if TABLE[type_][self._column] is not SAME:
            return False
        source, at_us = raw.source, raw.occurred_at_us
        seen = self.state.sources.get(source)
        if seen is None or raw.source_seq != seen.last + 1 or at_us < seen.last_us:
            return False
        seen.last += 1
        seen.last_us = at_us
        fact = Fact(raw.seq, at_us, source, payload)
        current.facts.append(fact)
        same = current.by_type.get(type_)
        if same is not None:
            same.append(fact)
        else:
            current.by_type[type_] = [fact]
        return True

    def apply(self, seq: int, at_us: int, source: str, source_seq: int, round_no: int | None, gaming_day: str,
              payload: Event) -> list[Round]:  # fmt: skip
        """Fold one event; return the rounds that it completed or changed."""
        jumped = self._count(seq, at_us, source, source_seq)
        if self.known is not None and seq in self.known:
            instead = self.known[seq]
            if instead is None:
                home = self.recent.get(round_no, self.open) if round_no is not None else self.open
                if home is not None:
                    self._dropped[seq] = home
                return jumped
            round_no, payload = instead
        fact = Fact(seq, at_us, source, payload)
        type_ = payload.KIND
        state = self.state
        state.gaming_day = gaming_day
        if type_ is model.EventCorrected:
            return self._correct(fact, payload) + jumped  # type: ignore[arg-type]
        if type_ is model.RoundOpened:
            unfinished = self._end(None)
            self._begin(fact, round_no)
            return unfinished + jumped
        current = self.open
        if current is not None and (round_no is None or round_no == current.round_no):
            move = TABLE[type_][self._column]
            if type_ in CHANGES_TABLE:
                state.apply(fact)
            elif type_ is model.IntakeRefused:
                current.refusals.append(fact)
            undealt = current.first_card is None
            current.add(fact)
            if undealt and current.first_card is not None:
                state.dealt_from(current.deck)
            if type_ is model.RoundClosed:
                return self._end(fact) + jumped
            if move is not SAME and move is not STRAY:
                self._enter(move)  # type: ignore[arg-type]
            return jumped
        if type_ in CHANGES_TABLE:
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
            return [late, *jumped]
        if round_no is not None and round_no <= state.last_round_no:
            self.missed.add(round_no)
            self.stale = True
        elif type_ is model.IntakeRefused:
            self._refusals.append(fact)
        elif round_no is not None or TABLE[type_][COLUMN[Phase.BETWEEN]] is STRAY:
            self._strays.append(fact)
        return jumped

    def _enter(self, phase: Phase) -> None:
        self.phase, self._column = phase, COLUMN[phase]

    def leave(self) -> None:
        """Leave the open round as it stands, unclosed: the record says no more of it."""
        self._end(None)

    def _begin(self, fact: Fact, round_no: int | None) -> None:
        number = round_no if round_no is not None else self.state.last_round_no + 1
        self.open = Round(self.stream, number, fact, self.state.gaming_day, self.state.at_opening())
        self.open.jumps, self._waiting_jumps = self._waiting_jumps, []
        self.open.strays, self._strays = self._strays, []
        self.open.refusals, self._refusals = self._refusals, []
        for jump in self.open.jumps:
            jump.round_no = number
        self._enter(Phase.BETTING)

    def _end(self, closed: Fact | None) -> list[Round]:
        ended = self.open
        if ended is None:
            return []
        ended.closed = closed
        self.state.last_round_no = max(self.state.last_round_no, ended.round_no)
        self.state.round_over(ended.deck)
        if ended.voided is not None:
            self.state.readings_before_void = dict(ended.before.readings)
        self._ban_deck(ended)
        self.recent[ended.round_no] = ended
        for number in [each for each in self.recent if each not in self.keep][:-RECENT_ROUNDS]:
            del self.recent[number]
        self.open = None
        self._enter(Phase.BETWEEN)
        return [ended]

    def _ban_deck(self, ended: Round) -> None:
        """After a void round a deck whose stub was wrong, though every hand was right, must leave the table (§ 688a.8(f))."""
        deck = self.state.decks.get(ended.deck)
        if deck is None:
            return
        deck.banned_by = 0
        counted = ended.last(model.StubCounted)
        if counted is None or ended.voided is None:
            return
        if ended.has_wrong_deck():
            deck.banned_by = counted.seq

    def _count(self, seq: int, at_us: int, source: str, source_seq: int) -> list[Round]:
        """Watch a device's counter and clock."""
        seen = self.state.sources.get(source)
        if seen is None:
            self.state.sources[source] = Source(source_seq, at_us)
            return []
        if source_seq == seen.last + 1:
            if at_us < seen.last_us:
                self._jump(Jump("clock", source, seq, f"{source}: clock runs back by {seen.last_us - at_us} us"))
            seen.last, seen.last_us = source_seq, at_us
            return []
        if source_seq > seen.last:
            missing = (seen.last + 1, source_seq - 1)
            detail = f"{source}: numbers {seen.last + 1} to {source_seq - 1} never arrived"
            gap = Jump("gap", source, seq, detail, [missing])
            self._gaps.append(gap)
            self._jump(gap)
            seen.missing = [*seen.missing, missing]
            seen.last, seen.last_us = source_seq, at_us
            return []
        if _is_in(seen.missing, source_seq):
            seen.missing = _without(seen.missing, source_seq)
            return self._filled(source, source_seq)
        self._jump(Jump("repeat", source, seq, f"{source}: number {source_seq} came twice with different content"))
        return []

    def _jump(self, jump: Jump) -> None:
        if self.open is not None:
            self.open.jumps.append(jump)
            jump.round_no = self.open.round_no
        else:
            self._waiting_jumps.append(jump)

    def _filled(self, source: str, number: int) -> list[Round]:
        filled = [gap for gap in self._gaps if gap.source == source and _is_in(gap.missing, number)]
        changed: list[Round] = []
        for gap in filled:
            gap.missing = _without(gap.missing, number)
            changed += [each for each in self.recent.values() if gap in each.jumps]
            if gap.round_no and gap.round_no not in self.recent and (not self.open or gap not in self.open.jumps):
                self.missed.add(gap.round_no)
                self.stale = True
        if not filled:
            self.stale = True  # the gap was found before this fold was taken up
        self._gaps = [gap for gap in self._gaps if gap.missing]
        for each in changed:
            each.memo = {}
        return changed

    def _correct(self, fact: Fact, correction: model.EventCorrected) -> list[Round]:
        superseded, instead = correction.supersedes_seq, instead_of(correction)
        self.corrections.append((fact.seq, superseded, instead))
        round_no, payload = instead if instead is not None else (None, None)
        home = self._home(superseded)
        if self.known is not None:  # it was put in its place when that was folded
            if home is None:
                return []
            home.add(fact)
            home.memo = {}
            return [home] if home is not self.open else []
        old = next((one for one in home.facts if one.seq == superseded), None) if home is not None else None
        if home is None or old is None or REACHES_FURTHER & {old.payload.KIND, getattr(payload, "KIND", None)}:
            self.stale = True
            return []
        before = _left_behind(home)
        home.replace(superseded, payload)
        home.add(fact)
        if round_no not in (None, home.round_no) or _left_behind(home) != before:
            self.stale = True
        return [home] if home is not self.open else []

    def _home(self, seq: int) -> Round | None:
        """Return the round at hand that has (or would have) an event."""
        at_hand: Iterable[Round] = [*self.recent.values(), *([self.open] if self.open is not None else [])]
        found = next((each for each in at_hand if any(one.seq == seq for one in each.facts)), None)
        return found if found is not None else self._dropped.get(seq)


REACHES_FURTHER = CHANGES_TABLE | LEDGER_EVENTS | {
    model.RoundOpened, model.RoundClosed, model.IntakeRefused, model.EventCorrected,
}  # fmt: skip
"""Events that count beyond the facts of their round: correcting one of them means folding the stream again."""


QUIET = frozenset(TABLE) - REACHES_FURTHER - {model.CardsDealt}
"""Events that are no more than facts of their round."""


def _left_behind(round_: Round) -> tuple[bool, ...]:
    """What a round leaves to later ones: whether it was dealt or voided, and what its stub says of the deck."""
    return round_.first_card is not None, round_.voided is not None, round_.has_wrong_deck()
