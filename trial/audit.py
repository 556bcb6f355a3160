"""The demo's audit: a person watches one dealer's rounds on video and enters the drawn ones; the errors are found.

The rounds are a separate simulated day without faults. In some of the drawn rounds, the dealer pays another amount than due,
which is labeled. The person enters what a camera shows: wagers, cards, hands, payments.
"""

from dataclasses import dataclass
from hashlib import sha256

import msgspec

from analytics.warehouse.observation_results import ObservationResult, results_of
from desk.review.desk import Desk
from desk.review.observations import enter, open_observation
from desk.review.observed_table import drawn, verdict_of
from desk.review.persons import Persons
from desk.transcript_entry import filing_of
from events.log.contract import EventLog, ResultStore
from events.vocabulary import model
from events.vocabulary.model import Event
from floor.day import gaming_day
from floor.faults.comparison import Comparison, compare
from replay.run.replayer import replay

TABLE, DEALER = "fu-01", "d-40"
A_DAY_US = 86_400_000_000
PLANNED, PLAYED = 20, 300
"""Rounds that are audited, and that are simulated at all tables to be drawn from."""
ERRORS = ("PAY-UNDER", "PAY-OVER", "PAY-UNDER")
"""The errors of the dealer, in the first rounds drawn in which a wager won."""
WAGERS = frozenset({"base", "ace_high_bonus", "fortune_bonus"})
"""Wagers that are seen on the felt; what pays from a meter, or to others, is not entered."""
SEEN = (
    model.WagerPlaced,
    model.WagerRemoved,
    model.WagerRefused,
    model.CardsDealt,
    model.CardExposed,
    model.HandSet,
    model.HandReset,
    model.HandElected,
    model.Surrendered,
    model.WagerTaken,
    model.WagerPaid,
    model.WagerReturned,
    model.EnvyPaid,
    model.RoundVoided,
)
"""The data entered for a round."""


@dataclass(frozen=True)
class ErrorLabel:
    """The label of an error in an audited round."""

    code: str
    stream: str
    round_no: int | None
    seat: int | None
    wager: str | None
    consequences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Audit:
    """The results of the audit, its labels compared with the findings, and its number of events."""

    result: ObservationResult
    comparison: Comparison
    events: int


def hold_audit(log: EventLog, results: ResultStore, persons: Persons, seed: int, by: str) -> Audit:
    """Open the audit, enter the drawn rounds, have them judged, and compare the findings with the planted errors."""
    day, rounds, later_us = _played(seed + 1)
    desk, stream = Desk(log, results, persons=persons, clock=lambda: later_us), f"observed/{TABLE}"
    frame = {"frame_from_us": None, "frame_to_us": None, "frame_rounds": len(rounds)}
    who = {"by": by, "dealer": DEALER, "purpose": "dealer_audit"}
    drawn_from = sha256(f"rack demo {seed}".encode()).hexdigest()
    opened = open_observation(desk, TABLE, drawn_from, planned=PLANNED, selection="random", **who, **frame)
    header = _header(desk, day, opened.observation, by)
    labels: list[ErrorLabel] = []
    for place, number in enumerate(drawn(opened), 1):
        events = rounds[number - 1]
        paid = next((each for each in events if isinstance(each, model.WagerPaid) and each.winnings_cents), None)
        if paid is not None and len(labels) < len(ERRORS):
            code = ERRORS[len(labels)]
            cents = paid.winnings_cents * 2 if code == "PAY-OVER" else paid.winnings_cents // 2
            wrong = msgspec.structs.replace(paid, winnings_cents=cents)
            events = [wrong if each is paid else each for each in events]
            labels.append(ErrorLabel(code, stream, place, paid.seat, paid.wager))
        enter(desk, TABLE, header, [(each, desk.now_us()) for each in events], str(place))
    replay(log, results)
    verdicts = (verdict_of(results, f"{stream}#{number}") for number in range(1, PLANNED + 1))
    found = [finding for judged in verdicts if judged is not None for finding in judged.findings]
    return Audit(results_of(desk, TABLE)[0], compare(labels, found), log.head(stream).seq)


def _played(seed: int) -> tuple[str, list[list[Event]], int]:
    """Return a gaming day, the visible events of the table's rounds on it (all correct), and a time after its end."""
    floor = gaming_day.simulate(seed, PLAYED, plant=False, days=1, rare_every=0, anomalies=False)
    day, rounds, later_us = "", dict[int, list[Event]](), 0
    for stream, drafts in floor.groups():
        later_us = max([later_us, *(draft.occurred_at_us for draft in drafts)])
        for draft in drafts if stream == f"table/{TABLE}" else ():
            if isinstance(draft.payload, model.GamingDayOpened):
                day = draft.payload.gaming_day
            seen = rounds.setdefault(draft.round_no, []) if draft.round_no is not None else []
            if isinstance(draft.payload, SEEN) and getattr(draft.payload, "wager", "base") in WAGERS:
                seen.append(draft.payload)
    return day, list(rounds.values()), later_us + A_DAY_US


def _header(desk: Desk, day: str, observation: str, by: str) -> model.RoundObserved:
    seq, filed = filing_of(desk, TABLE, day)
    return model.RoundObserved(
        basis="video",
        by=by,
        camera="cam-4",
        clock_offset_ms=None,
        dealer=DEALER,
        deck=None,
        observation=observation,
        observed=["settlement"],
        order_seen=False,
        played_from_us=None,
        played_gaming_day=day,
        played_to_us=None,
        rules=model.PinnedRules(seq=seq, sha256=filed.sha256),
        same_as=None,
    )
