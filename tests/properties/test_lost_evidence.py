"""An event that never arrived makes nothing look wrong: not the round it belongs to, and none after it (D26, D402)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from events import model
from events.model import Event
from games.rulebook import parse_submission
from replay.adjudicate import Conclusion, adjudicate
from replay.rounds import TableFold
from replay.transcript import parse
from tests.golden.rounds import Case
from tests.properties.test_told_otherwise import golden
from tests.replay.tables import DAY, SECOND_US, START_US

EVERY = 24
"""Of the golden rounds one in so many loses its events, one at a time."""
FRAME = (model.GamingDayOpened, model.RulesFiled, model.RoundOpened, model.RoundClosed)
"""What says which rules and which round it is: without it there is nothing to compare."""


def told(case: Case) -> list[tuple[int | None, Event]]:
    """The events of a case, by the rules of its first round, each with its round."""
    events: list[tuple[int | None, Event]] = []
    for number, script in enumerate(parse(case.transcript, case.path.name), 1):
        said = [each.payload for each in script.events if number == 1 or not isinstance(each.payload, model.RulesFiled)]
        opened = next(at for at, payload in enumerate(said) if isinstance(payload, model.RoundOpened))
        events += [(number if at >= opened else None, payload) for at, payload in enumerate(said)]
    return events


def judged(events: Sequence[tuple[int | None, Event]], lost: int | None = None) -> dict[int, Conclusion]:
    """The verdicts of one device's events, of which one may be lost on the way."""
    fold, rounds = TableFold("table/t-1"), {}
    book = parse_submission(next(payload.toml for _, payload in events if isinstance(payload, model.RulesFiled)))
    for at, (number, payload) in enumerate(events, 1):
        if at != lost:
            seen = fold.apply(at, START_US + at * SECOND_US, "table", at, number, DAY, payload, f"{at:032x}")
            rounds.update({each.round_no: each for each in seen})
    if fold.open is not None:
        rounds[fold.open.round_no] = fold.open
    return {number: adjudicate(each, book) for number, each in rounds.items()}


@pytest.mark.parametrize("share", range(4))
def test_a_lost_event_makes_nothing_look_wrong(share: int) -> None:
    tried = 0
    for case in golden()[share::4][::EVERY]:
        if ".toml" in case.transcript:
            continue
        events = told(case)
        whole = judged(events)
        for at, (number, payload) in enumerate(events[:-1], 1):
            if isinstance(payload, FRAME):
                continue
            tried += 1
            for of, conclusion in judged(events, lost=at).items():
                codes = {found.code for found in whole[of].findings}
                new = [found.line() for found in conclusion.findings if found.code not in {*codes, "LOG-SOURCE-GAP"}]
                assert not new, f"{case.path.name}:{case.line}: without {payload} of round {number}"
    assert tried > 200
