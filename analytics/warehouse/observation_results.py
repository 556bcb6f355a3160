"""The results of observations: errors in the rounds that people selected and entered, with exact bounds, by dealer or table.

Invariant: only rounds of a sample are in a rate; rounds entered for cause or for a dispute are listed. A round of a sample counts
if its verdict is known and the record says how every wager was settled; one that two observers entered counts once, if their
records agree. All others count as unknown, even if they have an error: otherwise an incomplete entry would count only if it is
wrong.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from analytics.statistics.exact import Interval, clopper_pearson, hypergeometric, trials_without
from desk.review.desk import Desk
from desk.review.observed_table import EnteredRound, Observation, ObservedTable, as_entry, verdict_of
from replay.findings import Adjudication
from replay.run.observed_entries import comparison
from rulebook.chapters.money import show_money

KNOWN = ("UPHELD", "VARIANCE", "VOID")
STRICT, BROAD = 0.01, 0.05
"""Error rates for which an answer states the number of rounds without an error that would rule them out."""


class ObservationResult(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one observation so far. Money is cents from the patron's side; `interval` is None if it is not a sample.

    `entered` are its rounds, `known` those with a verdict on money, `wrong` those of these with a finding, `unread` the selected
    rounds that could not be read, `unveiled` those whose amounts due the observer saw before typing the payments. For rounds with
    two records: the numbers of cards and amounts that both state, and that agree.
    """

    table: str
    observation: str
    basis: str
    dealer: str | None
    planned: int
    closed: bool
    entered: int
    known: int
    wrong: int
    unread: int
    interval: Interval | None
    difference_cents: int
    patron_short_cents: int
    house_short_cents: int
    by_code: dict[str, int]
    wrong_rounds: tuple[int, ...]
    confirmed: int
    unveiled: int = 0
    cards: int = 0
    cards_alike: int = 0
    amounts: int = 0
    amounts_alike: int = 0

    @property
    def sentence(self) -> str:
        """Return the figures as a sentence, with how many rounds would show more."""
        if self.interval is None:
            what = {"for_cause": "for cause", "dispute": "for disputes"}[self.basis]
            return f"{self.wrong} of {self.known} wrong; entered {what}, which says nothing about a rate"
        if not self.known:
            return "No round with a known outcome yet"
        low, high = 100 * self.interval.low, 100 * self.interval.high
        if self.wrong:
            return f"{self.wrong} of {self.known}: between {low:.1f} % and {high:.1f} %"
        return (
            f"0 of {self.known}: at most {high:.1f} %; to show under 5 % takes {trials_without(BROAD)} rounds without an error, "
            f"under 1 % {trials_without(STRICT)}"
        )

    def lines(self) -> list[str]:
        """Return the result as text."""
        name = f"observation {self.observation}" if self.observation else "entered outside any observation"
        dealer = f", dealer {self.dealer}" if self.dealer else ""
        basis = f"{self.basis.replace('_', ' ')}{dealer}, {'closed' if self.closed else 'open'}"
        lines = [
            f"table {self.table}, {name} ({basis})",
            f"  {self.sentence}",
            f"  {self.entered} entered, {self.known} with a known outcome, {self.unread} not readable, {self.planned} planned, "
            f"{self.confirmed} confirmed"
            + (f", {self.unveiled} with what was due seen before what was done was typed" if self.unveiled else ""),
        ]
        if self.wrong:
            kinds = ", ".join(f"{code} {count}" for code, count in self.by_code.items())
            lines.append(
                f"  patrons short {show_money(self.patron_short_cents)}, house short {show_money(self.house_short_cents)}, "
                f"{show_money(round(self.difference_cents / self.known))} a round; {kinds}"
            )
        if self.cards or self.amounts:
            lines.append(
                f"  two observers agree on {self.cards_alike} of {self.cards} cards "
                f"and {self.amounts_alike} of {self.amounts} amounts"
            )
        return lines


def results_of(desk: Desk, table: str) -> list[ObservationResult]:
    """Return the results of each observation of a table; rounds entered outside any come last, without a name."""
    state = ObservedTable(desk.log, table)
    found = [_summed(desk, state, each.rounds, each) for each in state.observations.values()]
    outside = [number for number, each in state.rounds.items() if each.header.observation not in state.observations]
    if outside:
        found.append(_summed(desk, state, outside, None))
    return found


def _summed(desk: Desk, state: ObservedTable, numbers: Sequence[int], observation: Observation | None) -> ObservationResult:
    entered = state.records_of(numbers)
    verdicts = [_verdict(desk, state, records) for records in entered]
    basis = observation.basis if observation is not None else "for_cause"
    known = [
        each for each in verdicts if each is not None and (is_known(each) or (basis != "sampled" and each.verdict == "VARIANCE"))
    ]
    wrong = [each for each in known if each.verdict == "VARIANCE"]
    opened = observation.opened if observation is not None else None
    differences = [each.difference_cents for judged in wrong for each in judged.findings if each.difference_cents]
    agreement = _agreement(desk, (each for records in entered for each in records))
    return ObservationResult(
        table=state.table,
        observation=opened.observation if opened is not None else "",
        basis=basis,
        dealer=opened.dealer if opened is not None else None,
        planned=opened.planned if opened is not None else 0,
        closed=observation is not None and observation.closed is not None,
        entered=len(entered),
        known=len(known),
        wrong=len(wrong),
        unread=_unread(observation),
        interval=interval_of(len(wrong), len(known), opened.frame_rounds if opened is not None else None)
        if basis == "sampled"
        else None,
        difference_cents=sum(differences),
        patron_short_cents=-sum(cents for cents in differences if cents < 0),
        house_short_cents=sum(cents for cents in differences if cents > 0),
        by_code=dict(sorted(Counter(each.code for judged in wrong for each in judged.findings).items())),
        wrong_rounds=tuple(each.round_no for each in wrong),
        confirmed=sum(any(each.confirmed_by for each in records) for records in entered),
        unveiled=sum(any(each.is_unveiled for each in records) for records in entered),
        cards=agreement[0],
        cards_alike=agreement[1],
        amounts=agreement[2],
        amounts_alike=agreement[3],
    )


def _verdict(desk: Desk, state: ObservedTable, records: Sequence[EnteredRound]) -> Adjudication | None:
    """Return the verdict on a round by its first record; None if it has none, or if another record of it differs."""
    first, *others = (verdict_of(desk.results, f"{state.stream}#{each.round_no}") for each in records)
    differs = any(found.code == "LOG-OBSERVED-DIFFERS" for each in others if each for found in each.findings)
    return None if differs else first


def _unread(observation: Observation | None) -> int:
    if observation is None:
        return 0
    closed = observation.closed
    return len(observation.unreadable) if closed is None else closed.unreadable


def interval_of(wrong: int, known: int, frame_rounds: int | None) -> Interval:
    """Return the exact 95 % confidence interval of the error rate; if the number of rounds in the population is known, for
    exactly those rounds.

    >>> round(interval_of(0, 10, None).high, 3), interval_of(0, 10, 10).high
    (0.308, 0.0)
    """
    if frame_rounds is not None and frame_rounds >= known:
        return hypergeometric(wrong, known, frame_rounds)
    return clopper_pearson(wrong, known)


def is_known(judged: Adjudication) -> bool:
    """Return whether a verdict shows if the round was right: it is known, and so is how every wager was settled."""
    settled = all(each.done_cents is not None or not each.moved for each in judged.settlements if each.staked_cents)
    return judged.verdict in KNOWN and settled and bool(judged.settlements or judged.verdict == "VOID")


def _agreement(desk: Desk, rounds: Iterable[EnteredRound]) -> tuple[int, int, int, int]:
    """Return the numbers of cards and amounts that two observers both state, and that agree."""
    total = [0, 0, 0, 0]
    for each in rounds:
        same = each.header.same_as
        if same is None or not same.stream.startswith("observed/"):
            continue
        entry = as_entry(each)
        found = comparison(entry, entry.round(None)[0], desk.log.read)
        if found is not None:
            for place, count in enumerate((found.cards, found.cards_alike, found.amounts, found.amounts_alike)):
                total[place] += count
    return total[0], total[1], total[2], total[3]


def observed_rows(desk: Desk, table: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return a table's observed rounds with their basis and verdict, and its observations."""
    state = ObservedTable(desk.log, table)
    rounds = [_row(desk, state, each) for each in state.rounds.values()]
    observations = []
    for each in results_of(desk, table):
        row = {name: getattr(each, name) for name in OBSERVATION_COLUMNS}
        row |= {"stream": state.stream, "low": None, "high": None, "says": each.sentence}
        if each.interval is not None:
            row |= {"low": each.interval.low, "high": each.interval.high}
        observations.append(row)
    return rounds, observations


OBSERVATION_COLUMNS = (
    "observation", "basis", "dealer", "planned", "closed", "entered", "known", "wrong", "unread", "difference_cents",
    "patron_short_cents", "house_short_cents", "confirmed", "cards", "cards_alike", "amounts", "amounts_alike",
)  # fmt: skip


def _row(desk: Desk, state: ObservedTable, entered: EnteredRound) -> dict[str, object]:
    header, judged = entered.header, verdict_of(desk.results, f"{state.stream}#{entered.round_no}")
    found = judged.findings if judged is not None else ()
    differences = [each.difference_cents for each in found if each.difference_cents]
    return {
        "stream": state.stream,
        "round_no": entered.round_no,
        "basis": state.basis(entered),
        "observation": header.observation,
        "observer": header.by,
        "seen": header.basis,
        "camera": header.camera,
        "dealer": header.dealer,
        "gaming_day": header.played_gaming_day,
        "entered_at_us": entered.entered_us,
        "same_stream": header.same_as.stream if header.same_as is not None else None,
        "same_round_no": header.same_as.round_no if header.same_as is not None else None,
        "withdrawn": entered.is_withdrawn,
        "verdict": judged.verdict if judged is not None else None,
        "known": judged is not None and is_known(judged),
        "codes": [each.code for each in found],
        "underpaid_cents": -sum(cents for cents in differences if cents < 0),
        "overpaid_cents": sum(cents for cents in differences if cents > 0),
        "confirmed_by": list(entered.confirmed_by),
    }
