"""The golden rounds of California as whole records: upheld in columns where event replay upholds them, and only there.

A golden round names what it is about. What its record leaves out is added: the shuffle, the start that puts the action where it
lies, the hands of the other seats from the rest of the deck, the Envy buttons, the stub.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import DECK, TEXT
from games.player_dealer import SEATS, action_seat, from_action
from games.rulebook.rulebook import Rulebook, parse_submission
from games.settlement.bonus import is_qualifying
from replay.columns.games.player_dealer import ASPECTS
from replay.run.adjudicate import adjudicate
from replay.run.stream_worker import rules_in_force
from replay.transcript.transcript import parse
from tests.golden.rounds import Case, read_cases
from tests.golden.test_rounds import HERE
from tests.replay.columns.test_screening import judged_in_columns
from tests.replay.tables import Table, rules_text

pytestmark = pytest.mark.kernels

CASES = [case for path in sorted((HERE / "gegr-002138").glob("*.rounds")) for case in read_cases(path)]
SETTLEMENTS = (model.WagerTaken, model.WagerPaid, model.WagerReturned, model.EnvyPaid)
EVENT_REPLAYED = ("ineligible", "not_in_columns")
"""The checks of rounds that the columns leave to event replay, whatever its verdict."""


def whole(case: Case) -> Table:
    """A golden case as a table with a whole record would have it."""
    scripts = parse(case.transcript, case.title, lambda name: (case.path.parent / name).read_text())
    table, number, book = Table("table/ca-01", words=None), 0, parse_submission(rules_text("ca-gegr-002138"))
    for script in scripts:
        events = [each.payload for each in script.events]
        for filed in (each for each in events if isinstance(each, model.RulesFiled)):
            book = parse_submission(filed.toml)
        events = [by_number(each) if isinstance(each, model.RulesFiled) else each for each in events]
        for event in completed([each for each in events if not isinstance(each, model.GamingDayOpened)], book):
            number += isinstance(event, model.RoundOpened)
            table.say(event, number if number and not isinstance(event, model.RulesFiled) else None)
    return table


def by_number(filed: model.RulesFiled) -> model.RulesFiled:
    """The same filing, with the start found by a number that is drawn where no golden round says another way."""
    toml = filed.toml.replace('starting = "shaker"', 'starting = "number"')
    return msgspec.structs.replace(filed, toml=toml, sha256=sha256(toml.encode()).hexdigest())


def completed(events: Sequence[Any], book: Rulebook) -> Iterator[Event]:
    """The events of one round or several, with what their record leaves out."""
    opened = [at for at, each in enumerate(events) if isinstance(each, model.RoundOpened)]
    yield from events[: opened[0]]
    for at, end in zip(opened, [*opened[1:], len(events)], strict=True):
        yield from _round(events[at:end], book)


def _round(events: Sequence[Any], book: Rulebook) -> Iterator[Event]:
    there = {event.KIND for event in events}
    bank = next((each.seat for each in events if isinstance(each, model.PlayerDealerWagered)), None)
    first = next((at for at, each in enumerate(events) if isinstance(each, model.CardsDealt)), None)
    revealed = {each.position for each in events if isinstance(each, model.HandRevealed)} | {bank}
    for at, event in enumerate(events):
        is_settled = first is not None and at > first and isinstance(event, SETTLEMENTS)
        if is_settled and event.seat not in revealed:
            revealed.add(event.seat)
            yield model.fact(model.HandRevealed, position=event.seat)
        if isinstance(event, model.RoundOpened):
            yield msgspec.structs.replace(event, observed=sorted(ASPECTS))
            if model.CardsShuffled not in there:
                yield model.CardsShuffled(deck=event.deck, method="automated", count=None)
        elif at == first and bank is not None:
            yield from _deal(events, there, bank, book)
        elif not isinstance(event, (model.ActionButtonPlaced, model.CardsDealt)) or bank is None:
            yield event
        if at == len(events) - 1 and model.RoundClosed not in there:
            yield model.RoundClosed(by="d-7")


def _deal(events: Sequence[Any], there: set[type[Event]], bank: int, book: Rulebook) -> Iterator[Event]:
    """What comes up to the stub: buttons, the start, the seven hands in their order."""
    button = next((each.seat for each in events if isinstance(each, model.ActionButtonPlaced)), bank % SEATS + 1)
    if not there & {model.NumberDrawn, model.DiceRolled}:
        count = next((count for count in range(1, 8) if action_seat(count, bank) == button and count > 1), 1)
        yield model.NumberDrawn(number=count)
    for each in events if model.LammerPlaced not in there else ():
        wager = isinstance(each, model.WagerPlaced) and each.wager == "fortune_bonus"
        if wager and is_qualifying(book, "fortune_bonus", each.amount_cents):
            yield model.fact(model.LammerPlaced, seat=each.seat, wager="fortune_bonus")
    yield model.ActionButtonPlaced(seat=button)
    deals = [each for each in events if isinstance(each, model.CardsDealt)]
    read = [card for each in deals for card in each.cards]
    if any(not isinstance(each.to, int) for each in deals) or len({each.to for each in deals}) < len(deals):
        yield from deals
    else:
        left = [TEXT[card] for card in DECK if TEXT[card] not in read]
        by_seat = {each.to: list(each.cards) for each in deals}
        for seat in sorted(range(1, SEATS + 1), key=lambda seat: from_action(seat, button)):
            cards: Any = by_seat.get(seat) or [left.pop() for _ in range(7)]
            yield model.fact(model.CardsDealt, to=seat, cards=cards, face_up=False)
    if model.StubCounted not in there:
        yield model.StubCounted(count=4, exposed=0)
    if model.HandRevealed not in there:
        yield model.fact(model.HandRevealed, position=bank)


def test_golden_rounds_as_whole_records() -> None:
    """Nothing else than what each of them is about is wrong in it."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in CASES:
        for round_ in whole(case).fold():
            book = rules_in_force(round_)
            assert isinstance(book, Rulebook)
            (check, said), conclusion = judged_in_columns(round_), adjudicate(round_, book)
            upheld = conclusion.verdict == "UPHELD"
            if check not in EVENT_REPLAYED:
                assert (check == "upheld") == upheld, f"{case.path.name}:{case.line}: {check}, {conclusion.findings}"
            if check == "upheld":
                assert (conclusion.findings, conclusion.undetermined) == ((), ())
                assert said["settlements"] == msgspec.to_builtins(list(conclusion.settlements))
            seen[check, conclusion.verdict] += 1
    assert seen["upheld", "UPHELD"] > 150, seen
    assert len({check for check, _ in seen}) >= 10, seen
