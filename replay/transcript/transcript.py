"""Transcripts: a round of play as text that a person can write, judged without a log (`docs/transcript.md`).

`parse` turns text into scripts (one a round) with their events; `judge` folds and adjudicates them; `write.to_text` turns events
back into text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import get_args

import msgspec

from events.vocabulary import model
from events.vocabulary.base import REGISTRY
from events.vocabulary.envelope import Draft, unlogged
from events.vocabulary.model import Aspect, Event
from replay.fold.observed_fold import in_usual_order
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript import games as transcript_games
from replay.transcript import play as transcript_play
from replay.transcript import statements as transcript_statements
from replay.transcript.clock import UTC_CLOCK, Clock, UnreadableTime
from replay.transcript.read import BEFORE_A_ROUND, DECK, PREPARATIONS, STATEMENTS, TABLE_STATEMENTS, Context
from replay.transcript.words import TranscriptError, Words
from rulebook.chapters.editions import amendment_from_words, read_amendment
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission
from rulebook.chapters.submission import submission_from_words

ENDS_A_ROUND = frozenset({"rules", "table", "round", "edition", "close"})
READ_FIRST = (
    BEFORE_A_ROUND | {"day", "at", "covers"},
    frozenset({"player_dealer", "wager", "withdraw", "refuse"}),
    frozenset({"deal", "deal_order", "deal_each", "moved", "deal_piles"}),
)
"""The lines of a round without order, as they are read: what makes it ready before the cards; wagers; cards; then the rest."""

DEFAULT_DAY = "2025-01-01"
MAX_LINE, MAX_LINES = 4000, 200_000
MOST_AHEAD, FIRST_YEAR, LAST_YEAR = timedelta(days=366), 1970, 2200
EPOCH = datetime.fromtimestamp(0, UTC)
ASPECTS: tuple[Aspect, ...] = (
    "equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy",
    "collection", "mystery", "rotation", "fees",
)  # fmt: skip

STATEMENT_FILES = (transcript_statements, transcript_play, transcript_games)
"""Importing these registers the statements."""

LoadRules = Callable[[str], str]
"""Returns the text of a rules submission named in a transcript; raises `OSError` if none exists."""
FiledRules = Callable[[str, str], str | None]
"""Returns the text of the rules that a table has in force on a gaming day; None if it has none."""


def rules_filed(book: Rulebook, text: str) -> model.RulesFiled:
    """Return the event that files a submission's text, which was read as this."""
    return model.RulesFiled(
        submission=re.sub("[^a-z0-9]+", "-", book.name.lower()).strip("-")[:32] or "rules",
        toml=text,
        effective_gaming_day=book.effective_gaming_day,
        sha256=sha256(text.encode()).hexdigest(),
    )


class Timed(msgspec.Struct, frozen=True):
    """An event of a script, the device clock it carries and the line it came from."""

    at_us: int
    line: int
    payload: Event


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One round as transcribed: its rules and its events, with the statements between the round before and this one."""

    source: str
    line: int
    table: str
    round_no: int
    gaming_day: str
    book: Rulebook
    events: tuple[Timed, ...]
    rules: model.RulesFiled
    """What the round was transcribed by, whether a line of the transcript filed it or the table."""
    order_seen: bool = True
    """False if the round was closed `unordered`: amounts are complete, and the order of what was done is not claimed."""


class JudgedRound(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one transcribed round; `lines` says from which line of the source each event of its table came."""

    source: str
    table: str
    round_no: int
    conclusion: Conclusion
    book: Rulebook
    lines: dict[int, int]


def parse(
    text: str,
    source: str,
    load: LoadRules | None = None,
    *,
    filed: FiledRules | None = None,
    published: tuple[str, ...] = (),
    clock: Clock = UTC_CLOCK,
    table: str = "t-1",
    gaming_day: str = DEFAULT_DAY,
) -> list[Script]:
    """Return the rounds of a transcript, in order. Raises `TranscriptError` naming the line and what was expected.

    Without a `rules` line, `filed` returns the rules; `published` are the amendments that the property published; `clock` is
    the property's. `table` and `gaming_day` hold until a line names others.
    """
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise TranscriptError(source, MAX_LINES, f"a transcript has at most {MAX_LINES} lines")
    reader = _Reader(source, load, filed, clock)
    reader.editions = published
    reader.begin(table, gaming_day)
    for number, line in _in_reading_order([(number, line.rstrip("\r")) for number, line in enumerate(lines, 1)]):
        reader.read(number, line)
    return reader.finish(len(lines))


def _in_reading_order(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the numbered lines in the order in which they are read.

    The lines of a round whose order was not seen follow what they depend on: wagers come first, then cards (D1313).
    """
    read, part = list[tuple[int, str]](), list[tuple[int, str]]()
    for each in lines:
        keyword, *rest = each[1].split("#", 1)[0].split() or [""]
        if keyword == "close" and "unordered" in rest:
            part = _with_wagers_and_cards_first(part)
        part.append(each)
        if keyword in ENDS_A_ROUND:
            read, part = [*read, *part], []
    return [*read, *part]


def _with_wagers_and_cards_first(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the lines of a round before its `close`, in the steps of `READ_FIRST`."""
    keywords = [next(iter(line.split()), "") for _, line in lines]
    dealt = [place for place, keyword in enumerate(keywords) if keyword in READ_FIRST[2]]

    def step(place: int) -> int:
        if keywords[place] in READ_FIRST[0] and not any(deal < place for deal in dealt):
            return 0
        return next((number for number, each in enumerate(READ_FIRST[1:], 1) if keywords[place] in each), len(READ_FIRST))

    return [lines[place] for place in sorted(range(len(lines)), key=step)]


def judge(text: str, source: str, load: LoadRules | None = None) -> list[JudgedRound]:
    """Return the verdict on every round of a transcript. Raises `TranscriptError`."""
    verdicts, folds, lines = [], dict[str, TableFold](), dict[str, dict[int, int]]()
    for script in parse(text, source, load):
        fold = folds.setdefault(script.table, TableFold(f"table/{script.table}"))
        round_ = fold_script(fold, script)
        first = round_.last_seq - len(script.events) + 1
        of_table = lines.setdefault(script.table, {})
        of_table |= {first + index: each.line for index, each in enumerate(_as_judged(script))}
        verdicts.append(
            JudgedRound(
                source=source,
                table=script.table,
                round_no=script.round_no,
                book=script.book,
                conclusion=adjudicate(round_, script.book),
                lines=of_table,
            )
        )
    return verdicts


def fold_script(fold: TableFold, script: Script) -> Round:
    """Fold a script's events and return its round, closed or not."""
    counter = max((source.last for source in fold.state.sources.values()), default=0)
    inside = False
    for each in _as_judged(script):
        counter += 1
        inside = inside or isinstance(each.payload, model.RoundOpened)
        round_no = script.round_no if inside else None
        fold.apply(
            unlogged(
                each.payload,
                stream=fold.stream,
                seq=counter,
                gaming_day=script.gaming_day,
                source="transcript",
                source_seq=counter,
                occurred_at_us=each.at_us,
                round_no=round_no,
            )
        )
    round_ = fold.open if fold.open is not None else fold.recent[script.round_no]
    if fold.open is not None:
        fold.leave()
    round_.order_seen = script.order_seen
    return round_


def _as_judged(script: Script) -> Sequence[Timed]:
    """Return the events in the order of judgment: the usual order for a round whose order was not seen (D902)."""
    if script.order_seen:
        return script.events
    opening = next(place for place, each in enumerate(script.events) if isinstance(each.payload, model.RoundOpened))
    opened_us = script.events[opening].at_us
    played = [msgspec.structs.replace(each, at_us=opened_us) for each in script.events[opening + 1 :]]
    return (*script.events[: opening + 1], *in_usual_order(played, lambda each: each.payload))


def drafts(script: Script) -> list[Draft]:
    """Return a script as device reports for `rack ingest`: the same text gives the same drafts, so repeats are dropped."""
    content = repr([(each.at_us, each.payload) for each in script.events])
    mark = sha256(f"{script.table}/{script.round_no}/{content}".encode()).hexdigest()
    reports, inside = [], False
    for count, each in enumerate(script.events, 1):
        inside = inside or isinstance(each.payload, model.RoundOpened)
        reports.append(
            Draft(
                event_id=sha256(f"{mark}/{count}".encode()).hexdigest()[:32],
                source=f"transcript-{mark[:12]}",
                source_seq=count,
                occurred_at_us=each.at_us,
                round_no=script.round_no if inside else None,
                payload=each.payload,
            )
        )
    return reports


def _in_words(error: msgspec.ValidationError) -> str:
    """Say what an event's field expected: the words of a closed list, an id, or as the error has it."""
    cls, _, rest = str(error).partition(".")
    name, _, problem = rest.partition(": ")
    value = re.fullmatch(r"Invalid enum value '(.*)'", problem)
    kinds = {kind.__name__: kind for kind in REGISTRY.values()}
    if value is not None and cls in kinds:
        (type_,) = (field.type for field in msgspec.structs.fields(kinds[cls]) if field.name == name)
        allowed = ["seat=N"] if int in _literals(type_) else []
        allowed += [word for word in _literals(type_) if isinstance(word, str)]
        return f"expected {', '.join(allowed)}, got {value[1]!r}"
    if "matching regex" in problem and "a-z0-9-" in problem:
        return f"expected an id of a-z, 0-9 and -, 32 at most, as {name}"
    return str(error)


def _literals(type_: object) -> Iterator[object]:
    for each in get_args(type_):
        yield from _literals(each) if get_args(each) else (each,)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


class _Reader:
    """Reads line by line; a round begins with `round N` or with the first statement of play."""

    def __init__(self, source: str, load: LoadRules | None, filed: FiledRules | None, clock: Clock) -> None:
        self.source, self.load, self.filed, self.clock = source, load, filed, clock
        self.table, self.gaming_day = "t-1", DEFAULT_DAY
        self.book: Rulebook | None = None
        self.rules: model.RulesFiled | None = None
        self.editions: tuple[str, ...] = ()
        self.is_stated = False  # whether a line of the transcript states the rules
        self.is_dated = False  # whether a line states the gaming day
        self.context: Context | None = None
        self.scripts: list[Script] = []
        self.prelude: list[Timed] = []
        self.round: list[Timed] | None = None
        self.round_no, self.start_line, self.is_implied = 0, 0, False
        self.aspects: set[Aspect] = set()
        self.next_aspects: set[Aspect] = set()
        self.shuffled_decks: set[str] = set()
        self.is_preparing, self.deal_deck = False, ""
        self.order_seen = True
        self.now = clock.noon(DEFAULT_DAY)
        self.is_fresh = True  # nothing of this gaming day has happened yet but filings

    def begin(self, table: str, gaming_day: str) -> None:
        """Set the table and gaming day on which the transcript begins."""
        self.table, self.gaming_day, self.now = table, gaming_day, self.clock.noon(gaming_day)

    def read(self, number: int, line: str) -> None:
        """Read one line."""
        if len(line) > MAX_LINE:
            raise TranscriptError(self.source, number, f"the line is longer than {MAX_LINE} characters")
        words_of_line = line.split("#", 1)[0].split()
        if not words_of_line:
            return
        keyword, *rest = words_of_line
        seats = self.book.chapter.numbers["seats"] if self.book is not None else 6
        words = Words(self.source, number, keyword, rest, seats)
        match keyword:
            case "rules":
                self._rules(words)
            case "edition":
                self._edition(words)
            case "table":
                self._end_round()
                self._table(words)
            case "day":
                self._day(words)
            case "round":
                self._end_round(keep_preparation=True)
                self._begin(words)
            case "at":
                self._at(words)
            case "covers":
                self._covers(words)
            case _:
                self._statement(words)
                return
        words.end()

    def finish(self, last_line: int) -> list[Script]:
        """Return the scripts; a file without a round is refused."""
        if self.prelude and self.round is None and not self.scripts:
            raise TranscriptError(self.source, last_line, "the transcript has no round of play")
        self._end_round()
        if not self.scripts:
            raise TranscriptError(self.source, last_line, "the transcript has no round of play")
        return self.scripts

    def _statement(self, words: Words) -> None:
        entry = STATEMENTS.get(words.keyword)
        if entry is None:
            raise words.error("unknown statement; docs/transcript.md lists all")
        if self.round is None:
            self._take_filed(words)
        if self.context is None:
            raise words.error("a `rules` line must come first, like: rules pa-688a ace_high_bonus=1")
        aspect, reader = entry
        self.context.table, self.context.round_no = self.table, max(self.round_no, 1)
        if words.keyword == "close" and words.flag("unordered"):
            self.order_seen = False
        if self.round is None and words.keyword not in TABLE_STATEMENTS:
            self._begin(words, implied=True)
        self.is_preparing = self.is_preparing and words.keyword in BEFORE_A_ROUND
        try:
            events = reader(words, self.context)
        except msgspec.ValidationError as error:
            raise words.error(_in_words(error)) from error
        words.end()
        self._cover(words.keyword, aspect, events)
        for event in events:
            self._add(event, words.line)

    def _cover(self, keyword: str, aspect: Aspect | None, events: Sequence[Event]) -> None:
        """Note what a statement covers: its round, or the next one if that is made ready after the cards of this (D380)."""
        assert self.context is not None
        if any(isinstance(each, model.CardsDealt) for each in events):
            self.aspects |= self.next_aspects
            self.next_aspects, self.shuffled_decks = set(), set()
        if any(isinstance(each, model.CardsDealt | model.RoundClosed) for each in events):
            self.deal_deck = self.deal_deck or self.context.deck
        is_next = keyword in PREPARATIONS and bool(self.deal_deck)
        if is_next or self.is_preparing:
            self.shuffled_decks |= {each.deck for each in events if isinstance(each, model.CardsShuffled)}
        if aspect is not None:
            (self.next_aspects if is_next else self.aspects).add(self._covered(aspect, events))

    def _covered(self, aspect: Aspect, events: Sequence[Event]) -> Aspect:
        """A wager accepted for the Must-Hit-By meter is of its record, in whatever words."""
        meter = self.book.mystery_meter if self.book is not None else None
        contributed = any(isinstance(each, model.ProgressiveAccepted) and each.meter == meter for each in events)
        return "mystery" if contributed else aspect

    def _add(self, event: Event, line: int) -> None:
        self.now += timedelta(seconds=1)
        timed = Timed(int(self.now.timestamp()) * 1_000_000, line, event)
        self.is_fresh = self.is_fresh and isinstance(event, model.RulesFiled)
        (self.prelude if self.round is None else self.round).append(timed)

    def _begin(self, words: Words, implied: bool = False) -> None:
        self._take_filed(words)
        if self.context is None:
            raise words.error("a `rules` line must come first, like: rules pa-688a ace_high_bonus=1")
        if self.is_stated and self.rules is not None and self.rules.effective_gaming_day > self.gaming_day:
            raise words.error(
                f"the rules stated are in force from gaming day {self.rules.effective_gaming_day}, and this round is of "
                f"{self.gaming_day}: state the rules of that day before it"
            )
        if not implied:
            number = words.number("a round number", 1)
            if self.scripts and self.scripts[-1].table == self.table and number <= self.round_no:
                began = f" (begun by line {self.scripts[-1].line})" if self.is_implied else ""
                raise words.error(f"round {number} after round {self.round_no}{began}: rounds of a table count up")
            self.round_no = number
            named = words.option("deck")
            self.context.take_deck()
            self.context.deck, self.context.deck_is_named = named or self.context.deck, named is not None
            if self.shuffled_decks and self.context.deck not in self.shuffled_decks:
                self.aspects.discard("shuffle")  # another deck was made ready
            self.shuffled_decks = set()
        else:
            self.round_no += 1
        self.round, self.start_line, self.is_implied, self.is_preparing = [], words.line, implied, implied

    def _end_round(self, keep_preparation: bool = False) -> None:
        """End the open round; with `keep_preparation`, a round of which only the preparation is stated begins now."""
        if self.round is None:
            return
        assert self.book is not None
        assert self.rules is not None
        assert self.context is not None
        if keep_preparation and self.is_preparing:
            self.prelude += self.round
            self.round, self.round_no = None, self.round_no - 1
            return
        opening_us = self.round[0].at_us - 500_000 if self.round else int(self.now.timestamp()) * 1_000_000 + 500_000
        if self.prelude:
            opening_us = max(opening_us, self.prelude[-1].at_us)
        try:
            opened = model.RoundOpened(
                deck=self.deal_deck or self.context.deck, observed=[aspect for aspect in ASPECTS if aspect in self.aspects]
            )
        except msgspec.ValidationError as error:
            raise TranscriptError(self.source, self.start_line, _in_words(error)) from error
        events = (*self.prelude, Timed(opening_us, self.start_line, opened), *self.round)
        self.scripts.append(
            Script(
                source=self.source,
                line=self.start_line,
                table=self.table,
                round_no=self.round_no,
                gaming_day=self.gaming_day,
                book=self.book,
                events=events,
                rules=self.rules,
                order_seen=self.order_seen,
            )
        )
        self.order_seen = True
        self.prelude, self.round, self.aspects = [], None, self.aspects & {"equipment"} | self.next_aspects
        self.next_aspects, self.deal_deck = set(), ""
        self.context.new_round()

    def _rules(self, words: Words) -> None:
        self._end_round()
        name, here = words.peek(), f"{self.source}:{words.line}"
        try:
            if name is not None and name.endswith(".toml"):
                text = self._load(words, words.take("a rules submission"))
            else:
                text = submission_from_words(words.rest)
                words.rest = []
            book = parse_submission(text, here, self.gaming_day, self.editions)
        except RulesRefused as error:
            raise words.error(str(error).removeprefix(f"{here}: ")) from error
        self.is_stated = True
        if not self.is_dated:
            self.gaming_day = max(self.gaming_day, book.effective_gaming_day)
        self._add(self._play_by(book, text), words.line)

    def _take_filed(self, words: Words) -> None:
        """Go on by the rules that the table has filed, unless a line states others."""
        if self.is_stated or self.filed is None:
            return
        text = self.filed(self.table, self.gaming_day)
        if text is None or (self.rules is not None and self.rules.toml == text):
            return
        try:
            self._play_by(parse_submission(text, f"table {self.table}", self.gaming_day, self.editions), text)
        except (RulesRefused, ValueError) as error:
            raise words.error(f"the rules on file cannot be read: {error}") from error

    def _edition(self, words: Words) -> None:
        """Take an amendment of a chapter, as a property publishes one."""
        self._end_round()
        name = words.peek()
        try:
            if name is not None and name.endswith(".toml"):
                text = self._load(words, words.take("an amendment"))
            else:
                text, words.rest = amendment_from_words(words.rest), []
            made = read_amendment(text, f"{self.source}:{words.line}")
        except ValueError as error:
            raise words.error(str(error)) from error
        self.editions = (*self.editions, text)
        self._add(
            model.ChapterPublished(
                by="office",
                chapter=made.key,
                edition=made.edition,
                effective_gaming_day=made.effective,
                sha256=made.digest,
                signed_by="office",
                toml=text,
            ),
            words.line,
        )
        self._play_on(words)

    def _play_on(self, words: Words) -> None:
        """Go on by the same rules in the edition that is in force on the day that is now."""
        if self.rules is None:
            return
        try:
            book = parse_submission(self.rules.toml, "rules", self.gaming_day, self.editions)
        except (RulesRefused, ValueError) as error:
            raise words.error(f"the rules do not fit the chapter on {self.gaming_day}: {error}") from error
        self._play_by(book, self.rules.toml)

    def _play_by(self, book: Rulebook, text: str) -> model.RulesFiled:
        """Read what follows by these rules; return their filing."""
        before, self.book = self.context, book
        self.context = Context(book)
        if before is not None:
            self.context.patrons, self.context.deck, self.context.decks = before.patrons, before.deck, before.decks
        self.rules = rules_filed(book, text)
        return self.rules

    def _load(self, words: Words, name: str) -> str:
        if self.load is None or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\.toml", name):
            raise words.error("the file is named by its name alone (NAME.toml), and lies next to the transcript")
        try:
            return self.load(name)
        except (OSError, UnicodeDecodeError) as error:
            raise words.error(f"cannot read {name}: {error}") from error

    def _table(self, words: Words) -> None:
        name = self._id(words)
        if name != self.table and self.context is not None:
            self.context.deck, self.context.decks = DECK, set()
        self.table, self.aspects, self.shuffled_decks = name, set(), set()

    def _id(self, words: Words) -> str:
        name = words.take("a table id")
        if not re.fullmatch(r"[a-z0-9-]{1,32}", name):
            raise words.error(f"expected an id of a-z, 0-9 and -, got {name!r}")
        return name

    def _day(self, words: Words) -> None:
        day = words.take("a gaming day")
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day, re.ASCII) or not _is_day(day):
            raise words.error(f"expected YYYY-MM-DD, got {day!r}")
        self._end_round()
        self.gaming_day, self.is_dated = day, True
        if self.clock.noon(day) > self.now:
            self._turn(self.clock.noon(day), words)
            self.is_fresh = True
        self._play_on(words)

    def _at(self, words: Words) -> None:
        text = " ".join([words.take("a time like 21:14:05 or +90s"), *words.rest])
        words.rest = []
        if ahead := re.fullmatch(r"\+(\d{1,9})(ms|s|m|h)", text):
            unit = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}[ahead[2]]
            passed = timedelta(**{unit: int(ahead[1])})
            if passed > MOST_AHEAD:
                raise words.error(f"expected a time like 21:14:05 or +90s, at most a year ahead, got {text!r}")
            then = self.now + passed
        else:
            try:
                then, is_dated = self.clock.read(text, self.gaming_day, None if self.is_fresh else self.now)
            except UnreadableTime as error:
                raise words.error(str(error)) from error
            if then < self.now and not self.is_fresh and not is_dated:
                then = self.now  # events a second apart have only run ahead of their clock
        if self.is_fresh:  # what is filed is filed before
            then_us = (then - EPOCH) // timedelta(microseconds=1)
            self.prelude = [Timed(min(each.at_us, then_us), each.line, each.payload) for each in self.prelude]
        self._turn(then, words)
        self.is_fresh = False

    def _turn(self, then: datetime, words: Words) -> None:
        if not FIRST_YEAR <= then.year <= LAST_YEAR:
            raise words.error(f"the times of the transcript have come to the year {then.year}")
        self.now = then - timedelta(seconds=1)

    def _covers(self, words: Words) -> None:
        if self.context is not None and self.round is None:
            self._begin(words, implied=True)
        while words.rest:
            aspect = words.take("an aspect")
            if aspect not in ASPECTS:
                raise words.error(f"expected one of {', '.join(ASPECTS)}, got {aspect!r}")
            self.aspects.add(aspect)
