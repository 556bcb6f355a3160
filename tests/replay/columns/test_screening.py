"""Screening never passes a round that the adjudicator would find something in, and says the same money of those it passes.

Rounds of a simulated day are changed in every way that events can be: left out, said twice, moved, with other seats, cards,
amounts and words. Whatever becomes of such a round, event replay is asked; where the columns uphold it, both say the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.envelope import unlogged
from events.vocabulary.model import Event
from floor.day import gaming_day
from games.rulebook.rulebook import Rulebook, parse_submission
from replay.columns.adjudication_writer import AdjudicationWriter
from replay.columns.catalogue import columns_of, games_in_columns
from replay.columns.kernels import table
from replay.columns.kernels.screening_result import CHECKS
from replay.columns.ordinary_course import Ineligible
from replay.columns.row_schemas import MOMENTS, as_batch, empty_row
from replay.columns.screening import Screen, result_of
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import TableState
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.stream_worker import encode, rules_in_force
from tests.replay.tables import records_of_drafts, rules_text

pytestmark = pytest.mark.kernels

ROUNDS = 160
GAMES = tuple(game.name for game in games_in_columns())


class Base(msgspec.Struct):
    """A round as it was recorded, and the table before it."""

    game: str
    stream: str
    state: bytes
    round_no: int
    gaming_day: str
    facts: list[RecordedEvent]


@cache
def simulated(game: str) -> tuple[list[Base], dict[tuple[str, str], list[Any]]]:
    """Rounds of a day that are upheld in columns; the values that the fields of events have in a day with faults."""
    day = gaming_day.simulate(7, ROUNDS, games=[game], plant=False)
    return list(bases(day)), pools(gaming_day.simulate(8, ROUNDS, games=[game]))


def bases(day: gaming_day.Simulation) -> Iterator[Base]:
    for stream, events in of_tables(day):
        fold = TableFold(stream)
        state = encode(fold.state)
        for event in events:
            if fold.open is None and fold.at_rest:
                state = encode(fold.state)
            for round_ in fold.apply(event):
                if round_.facts[0].seq > 1 and judged_in_columns(round_)[0] == "upheld":
                    yield Base(
                        round_.before.game, stream, state, round_.round_no, round_.gaming_day, list(round_.facts)
                    )


def of_tables(day: gaming_day.Simulation) -> Iterator[tuple[str, list[Any]]]:
    streams: dict[str, list[Any]] = {}
    for stream, drafts in day.groups():
        if stream.startswith("table/"):
            streams.setdefault(stream, []).extend(drafts)
    for stream, drafts in streams.items():
        yield stream, [decode(record.data) for record in records_of_drafts(stream, drafts)]


def pools(day: gaming_day.Simulation) -> dict[tuple[str, str], list[Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for _, events in of_tables(day):
        for event in events:
            for field, value in msgspec.to_builtins(event.payload).items():
                found.setdefault((event.payload.TYPE, field), {})[repr(value)] = value
    return {key: list(values.values()) for key, values in found.items()}


# ------------------------------------------------------------------------------------------------- what becomes of rounds


def judged_in_columns(round_: Round) -> tuple[str, dict[str, Any]]:
    """The check that a round does not pass in columns, and where it is upheld its adjudication."""
    book = rules_in_force(round_)
    if isinstance(book, str):
        return "ineligible", {}
    game = columns_of(book.game)
    assert game is not None, book.game
    row = empty_row(game.schema) | {
        "stream": round_.stream,
        "round_no": round_.round_no,
        "game": book.game,
        "rules": book.digest,
        "gaming_day": round_.gaming_day,
        "opened_at_us": round_.opened.at_us,
        "first_seq": round_.first_seq,
        "last_seq": round_.last_seq,
    }
    try:
        game.write_row(row, round_, book)
    except Ineligible:
        return "ineligible", {}
    batch = as_batch([row], game.schema)
    judged = result_of(Screen({book.digest: book.text}).judge(batch))
    check = CHECKS[judged.check[0]]
    if check != "upheld":
        return check, {}
    ((_, _, said),) = AdjudicationWriter({book.digest: book}).adjudications(batch, judged, [0])
    return check, msgspec.json.decode(said)


def folded(base: Base, facts: Sequence[RecordedEvent]) -> Round:
    """The round of these facts at the table as it was before."""
    fold = TableFold(base.stream, msgspec.msgpack.decode(base.state, type=TableState))
    counters = {name: source.last for name, source in fold.state.sources.items()}
    done: list[Round] = []
    for fact in facts:
        counters[fact.source] = counters.get(fact.source, 0) + 1
        done += fold.apply(
            unlogged(
                fact.payload,
                stream=base.stream,
                seq=fact.seq,
                gaming_day=base.gaming_day,
                source=fact.source,
                source_seq=counters[fact.source],
                occurred_at_us=fact.at_us,
                round_no=base.round_no,
                event_id=fact.event_id,
            )
        )
    if fold.open is not None:
        done.append(fold.open)
    return done[-1]


def agree(base: Base, facts: Sequence[RecordedEvent]) -> str:
    """Judge changed facts in columns and by event replay; return the check that the columns name."""
    round_ = folded(base, facts)
    check, said = judged_in_columns(round_)
    if check == "upheld":
        book = rules_in_force(round_)
        assert isinstance(book, Rulebook)
        conclusion: Conclusion = adjudicate(round_, book)
        assert (conclusion.verdict, conclusion.findings, conclusion.undetermined) == ("UPHELD", (), ())
        assert said["settlements"] == msgspec.to_builtins(list(conclusion.settlements))
    return check


# ---------------------------------------------------------------------------------------------------------------- changes


def changed(base: Base, chance: random.Random, changes: int) -> list[RecordedEvent]:
    """The facts of a round after some changes; numbers and times in order again."""
    payloads = [fact.payload for fact in base.facts]
    sources = [fact.source for fact in base.facts]
    for _ in range(changes):
        at = somewhere(base.game, payloads, chance)
        match chance.choice(("field", "field", "field", "field", "drop", "twice", "move", "swap", "late")):
            case "field":
                payloads[at] = other(base.game, payloads[at], chance)
            case "drop":
                del payloads[at], sources[at]
            case "twice":
                payloads.insert(at, payloads[at])
                sources.insert(at, sources[at])
            case "move":
                to = chance.randrange(1, len(payloads))
                payloads.insert(to, payloads.pop(at))
                sources.insert(to, sources.pop(at))
            case "swap":
                same = [i for i, each in enumerate(payloads) if type(each) is type(payloads[at])]
                to = chance.choice(same)
                payloads[at], payloads[to] = payloads[to], payloads[at]
            case "late":
                kinds = [
                    kind for kind in sorted({kind for kind, _ in simulated(base.game)[1]}) if kind not in TABLE_EVENTS
                ]
                found = made(base.game, chance.choice(kinds), chance)
                if found is not None:
                    payloads.insert(at, found)
                    sources.insert(at, sources[0])
    first = base.facts[0]
    return [
        RecordedEvent(first.seq + i, first.at_us + i * 1_000_000, source, payload, f"{i:032x}")
        for i, (payload, source) in enumerate(zip(payloads, sources, strict=True))
    ]


def somewhere(game: str, payloads: Sequence[Event], chance: random.Random) -> int:
    """A place among events, but for the first; where cards go to piles first, half the time of a kind, whatever it is."""
    at = chance.randrange(1, len(payloads))
    if game == "player_dealer" and chance.random() < 0.5:
        kind = chance.choice(sorted({payload.TYPE for payload in payloads[1:]}))
        at = chance.choice([at for at, payload in enumerate(payloads) if at and kind == payload.TYPE])
    return at


TABLE_EVENTS = {"gaming_day_opened", "rules_filed", "event_corrected", "round_opened", "table_opened", "intake_refused"}


def other(game: str, payload: Event, chance: random.Random) -> Event:
    """The event with another value in one of its fields, where that can be."""
    content, pool = msgspec.to_builtins(payload), simulated(game)[1]
    fields = [name for name in content if (payload.TYPE, name) in pool]
    if not fields:
        return payload
    field = chance.choice(fields)
    value = content[field]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.5:
        value = max(0, value + chance.choice((-100, -1, 1, 100, value)))
    elif isinstance(value, list) and value and chance.random() < 0.5:
        at = chance.randrange(len(value))
        value = [*value[:at], chance.choice((None, chance.choice(value), "As", "Jk", "2c")), *value[at + 1 :]]
    else:
        value = chance.choice(pool[payload.TYPE, field])
    return converted(type(payload), content | {field: value}) or payload


def made(game: str, kind: str, chance: random.Random) -> Event | None:
    """An event of a kind, of values that the simulated day has."""
    values = {field: chance.choice(values) for (of, field), values in simulated(game)[1].items() if of == kind}
    return next((found for type_ in EVENTS if kind == type_.TYPE and (found := converted(type_, values))), None)


EVENTS = [
    type_
    for type_ in vars(model).values()
    if isinstance(type_, type) and issubclass(type_, Event) and type_ is not Event
]


def converted(type_: type[Event], content: dict[str, Any]) -> Event | None:
    try:
        return msgspec.convert(content, type_)
    except (msgspec.ValidationError, ValueError):
        return None


# ------------------------------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("game", GAMES)
def test_a_healthy_share_of_a_day_in_order_is_upheld_in_columns(game: str) -> None:
    """So that a kernel is not idly rejecting. Nearly all the rest are what a simulated day is made to have: irregular."""
    assert len(simulated(game)[0]) >= ROUNDS // 2
    for base in simulated(game)[0]:
        assert agree(base, base.facts) == "upheld"


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=250)
@given(seed=st.integers(0, 2**32), changes=st.integers(1, 3))
def test_a_changed_round_is_never_upheld_where_the_adjudicator_finds_something(
    game: str, seed: int, changes: int
) -> None:
    chance = random.Random(seed)
    base = chance.choice(simulated(game)[0])
    agree(base, changed(base, chance, changes))


@pytest.mark.parametrize("game", GAMES)
def test_changes_reach_most_checks(game: str) -> None:
    """What the property above is worth: changes lead to rounds that pass, to rounds aside, and to most of the checks."""
    seen = set()
    for seed in range(1_000):
        chance = random.Random(seed)
        base = chance.choice(simulated(game)[0])
        seen.add(agree(base, changed(base, chance, 1)))
    assert {"upheld", "ineligible", "cards", "money", "limits", "late", "order"} - ASIDE.get(game, set()) <= seen
    assert len(seen) >= REACHED.get(game, 18)


ASIDE = {"player_dealer": {"order"}, "fortune_asia": {"limits"}, "over_under": {"order"}}
"""Game → checks that these changes do not reach: what stands out of its place is left to event replay before any check."""
REACHED = {"over_under": 10, "player_dealer": 16}
"""How many outcomes changes lead to, where they hardly reach what a shoe begins with (see `test_shoes_in_columns.py`)."""


def test_645c_2_a_a_shaker_that_players_activate_and_that_is_not_filed_is_not_upheld_in_columns() -> None:
    """In order but for the filing: the dealer's shaker is filed, a player activates one, five seconds, sealed (D276)."""
    tried = 0
    for base in simulated("pai_gow_poker")[0]:
        book = rules_in_force(folded(base, base.facts))
        rolled = next((at for at, fact in enumerate(base.facts) if isinstance(fact.payload, model.DiceRolled)), None)
        if isinstance(book, str) or book.starting != "shaker" or rolled is None:
            continue
        payloads: list[Event] = []
        for at, fact in enumerate(base.facts):
            if isinstance(fact.payload, model.ShakerShaken):
                placed = next(each.payload.seat for each in base.facts if isinstance(each.payload, model.WagerPlaced))
                if at < rolled:
                    payloads += [
                        model.ShakerActivated(seat=placed),
                        msgspec.structs.replace(fact.payload, times=None, duration_ms=5000, covered=True),
                    ]
            elif not isinstance(fact.payload, model.ShakerCovered):
                payloads.append(fact.payload)
        first = base.facts[0]
        facts = [
            RecordedEvent(first.seq + at, first.at_us + at * 1_000_000, first.source, payload, f"{at:032x}")
            for at, payload in enumerate(payloads)
        ]
        found = [each.code for each in adjudicate(folded(base, facts), book).findings]
        assert "DEAL-SHAKE" in found
        assert agree(base, facts) != "upheld"
        tried += 1
    assert tried


@pytest.mark.parametrize("words", ["pa-688a", "pa-645c", "pa-659a", "pa-687a", "pa-686a", "ca-gegr-002138"])
def test_rules_with_a_setting_that_no_kernel_knows_are_not_judged_in_columns(words: str) -> None:
    """So that whoever adds a setting to a chapter sees it by the share that is upheld, and not by what batch replay misses."""
    book = parse_submission(rules_text(words))
    game = columns_of(book.game)
    assert game is not None, book.game
    terms_of = game.load_kernel().terms
    assert terms_of(book, False) is not None
    assert terms_of(msgspec.structs.replace(book, settings={**book.settings, "another": True}), False) is None


def test_d277_optional_wagers_out_of_the_printed_order_are_not_upheld_where_that_is_filed() -> None:
    """Rounds in which a player's Trips is settled before the Progressive: in order or not, as is filed."""
    seen = set()
    for base in simulated("dj_wild")[0]:
        first: dict[int, dict[str, int]] = {}
        for at, fact in enumerate(base.facts):
            if isinstance(fact.payload, (model.WagerTaken, model.WagerPaid, model.WagerReturned)):
                first.setdefault(fact.payload.seat, {}).setdefault(fact.payload.wager, at)
        both = [each for each in first.values() if {"progressive", "trips"} <= each.keys()]
        if not both:
            continue
        facts, (one, other) = list(base.facts), sorted((both[0]["progressive"], both[0]["trips"]))
        payloads = facts[one].payload, facts[other].payload
        facts[one], facts[other] = (
            RecordedEvent(fact.seq, fact.at_us, fact.source, payload, fact.event_id)
            for fact, payload in zip((facts[one], facts[other]), reversed(payloads), strict=True)
        )
        seen.add((agree(base, base.facts), agree(base, facts)))
    assert {("upheld", "upheld"), ("upheld", "order")} <= seen


def test_rules_that_no_kernel_knows_leave_rounds_to_event_replay() -> None:
    game = columns_of("pai_gow_poker")
    assert game is not None
    row = empty_row(game.schema) | {"game": "pai_gow_poker", "rules": "x"}
    asked = rules_text("pa-645c tiger_9=yes fortune_bonus=3 progressive=1 meter=m-1 mystery=A-1")
    judged = result_of(Screen({}, replacement=asked).judge(as_batch([row], game.schema)))
    assert CHECKS[judged.check[0]] == "ineligible"


@pytest.mark.parametrize("name", GAMES)
def test_a_kernel_takes_the_columns_of_its_game_and_every_wager_has_its_outcomes(name: str) -> None:
    game = columns_of(name)
    assert game is not None
    assert game.name == name
    assert game.load_kernel().rows._fields == game.schema.screened
    assert set(game.schema.wagers) == game.outcomes.outcomes.keys() | game.outcomes.sections.keys()


def test_kernels_name_moments_as_the_columns_do() -> None:
    assert table.M_LAST_ON_DICE == MOMENTS.index("last_on_dice") == len(MOMENTS) - 1
