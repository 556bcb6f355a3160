"""A doubt never accuses, and never acquits (D500, D502): rounds of all games with something of them left open.

Whatever leaves open whether a round is void, whether a stake was in time, whose a card became, or how cards and hands were read,
makes every due that differs between the readings None, and nothing is found that does not hold in all of them; what holds in
every reading is found. The readings are made here by hand, as the round would have been recorded without the doubt.
"""

import itertools
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.envelope import unlogged
from events.vocabulary.model import Event
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from rulebook.chapters.rulebook import parse_submission
from tests.golden.rounds import GoldenCase
from tests.properties.test_lost_evidence import told
from tests.properties.test_told_otherwise import golden
from tests.replay.tables import DAY, SECOND_US, START_US

pytestmark = pytest.mark.slow  # many golden rounds, each told in many ways

EVERY = 12
"""Of the golden rounds one in this many is tried."""
ABOUT_THE_RECORD = "LOG-"
MONEY = ("PAY-OVER", "PAY-UNDER", "PAY-TAKEN", "PAY-MISSED", "PAY-LOSER", "PAY-NOT-TAKEN", "PAY-FOUL", "PAY-VOID", "WAGER-LATE")
Told = Sequence[tuple[int | None, Event]]
Due = dict[tuple[int, str, int | None, str], int | None]


def judged(events: Told, moments: dict[int, int] | None = None) -> Conclusion:
    """The verdict on one round: the event at a place of `moments` was reported by a device of its own, at that moment."""
    fold, rounds = TableFold("table/t-1"), {}
    book = parse_submission(next(payload.toml for _, payload in events if isinstance(payload, model.RulesFiled)))
    numbers: dict[str, int] = {}
    for seq, (round_no, payload) in enumerate(events, 1):
        at = (moments or {}).get(seq)
        source = "table" if at is None else f"device-{seq}"
        numbers[source] = numbers.get(source, 0) + 1
        seen = fold.apply(
            unlogged(
                payload,
                stream=fold.stream,
                seq=seq,
                gaming_day=DAY,
                source=source,
                source_seq=numbers[source],
                occurred_at_us=START_US + (seq if at is None else at) * SECOND_US,
                round_no=round_no,
                event_id=f"{seq:032x}",
            )
        )
        rounds.update({each.round_no: each for each in seen})
    if fold.open is not None:
        rounds[fold.open.round_no] = fold.open
    return adjudicate(rounds[1], book)


def cases(share: int) -> Iterator[tuple[GoldenCase, list[tuple[int | None, Event]]]]:
    """One in this many of the golden rounds of a share that are of one round, and whose rules are with them."""
    for case in golden()[share::4][::EVERY]:
        if ".toml" not in case.transcript and case.transcript.count("\nround") == 0:
            yield case, told(case)


def dues(conclusion: Conclusion) -> Due:
    return {(each.seat, each.wager, each.number, each.bettor): each.due_cents for each in conclusion.settlements}


def is_late_without_amount(line: str, played: Conclusion) -> bool:
    """Whether a line says of a wager that it was late, as one of `played` says with the amount that is open here."""
    return line.startswith("WAGER-LATE") and any(known.startswith(f"{line} ") for known in lines(played))


def lines(conclusion: Conclusion) -> set[str]:
    return {found.line() for found in conclusion.findings if not found.code.startswith(ABOUT_THE_RECORD)}


def broken_promises(open_: Conclusion, readings: Sequence[Conclusion]) -> list[str]:
    """What a verdict says though its readings do not agree on it, and what it does not say though they do."""
    wrong = []
    of_each = [dues(each) for each in readings]
    for key, cents in dues(open_).items():
        values = {each.get(key, 0) for each in of_each}
        if len(values) > 1 and cents is not None:
            wrong.append(f"due {key} is {cents}, and in the readings {values}")
    in_all = set.intersection(*(lines(each) for each in readings))
    in_any = set.union(*(lines(each) for each in readings))
    accused = {line for line in lines(open_) - in_any if not line.startswith(MONEY)}
    accused |= {line for line in lines(open_) & in_any - in_all if not line.startswith(MONEY)}
    wrong += [f"found in no or one reading only: {line}" for line in sorted(accused)]
    wrong += [f"found in every reading: {line}" for line in sorted(in_all - lines(open_))]
    for found in open_.findings:  # money: more than the most, or less than the least, of all readings
        if found.code.startswith(MONEY) and found.wager is not None and found.difference_cents:
            differences = [_difference(each, found.seat, found.wager) for each in readings]
            known = [each for each in differences if each is not None]
            if any((each > 0) != (found.difference_cents > 0) or each == 0 for each in known):
                wrong.append(f"{found.line()}, and by the readings {differences}")
    return wrong


def _difference(conclusion: Conclusion, seat: int | None, wager: str) -> int | None:
    of = [each for each in conclusion.settlements if (each.seat, each.wager) == (seat, wager)]
    if len(of) != 1 or of[0].due_cents is None or of[0].done_cents is None:
        return None
    return of[0].done_cents - of[0].due_cents


def moved(events: Told, at: int, to: int) -> list[tuple[int | None, Event]]:
    """The events with one of them, by their numbers, in another place."""
    rest = [each for number, each in enumerate(events, 1) if number != at]
    rest.insert(to - 1, events[at - 1])
    return rest


@pytest.mark.sampled(2)
@pytest.mark.parametrize("share", range(4))
def test_two_clocks_that_leave_a_wagers_time_open(share: int) -> None:
    """A wager's device says that it was placed after the first card; the log has it before. In time or late: two readings."""
    tried = 0
    for case, events in cases(share):
        dealt = next((at for at, (_, each) in enumerate(events, 1) if isinstance(each, model.CardsDealt)), None)
        placed = [at for at, (_, each) in enumerate(events, 1) if isinstance(each, model.WagerPlaced)]
        if dealt is None or not placed or placed[0] > dealt:
            continue
        open_ = judged(events, {placed[0]: dealt + 1})
        if not any("the clocks contradict the order of the wager" in reason for reason in open_.undetermined):
            continue
        tried += 1
        wrong = broken_promises(open_, [judged(events), judged(moved(events, placed[0], dealt))])
        assert not wrong, f"{case.path.name}:{case.line} {case.title}: {wrong}"
    assert tried > 15


def unread(events: Told, at: int, place: int) -> list[tuple[int | None, Event]]:
    number, payload = events[at - 1]
    assert isinstance(payload, model.CardsDealt)
    cards = [None if index == place else card for index, card in enumerate(payload.cards)]
    return [*events[: at - 1], (number, msgspec.structs.replace(payload, cards=cards)), *events[at:]]


@pytest.mark.parametrize("share", range(4))
def test_a_card_that_was_not_read_accuses_and_acquits_nobody(share: int) -> None:
    """The card as it was is one reading: what is due is that or None, and what is found of money is found with it too."""
    tried = 0
    for case, events in cases(share):
        whole = judged(events)
        unknown = {(each.seat, each.wager) for each in whole.settlements if each.due_cents is None}
        for at, (_, payload) in enumerate(events, 1):
            if isinstance(payload, model.CardsDealt) and payload.to not in ("burn", "side") and payload.cards[0]:
                tried += 1
                open_ = judged(unread(events, at, 0))
                for key, cents in dues(open_).items():
                    known = dues(whole).get(key, 0)
                    assert cents is None or known is None or cents == known, f"{case.path.name}:{case.line} {key}"
                new = [
                    found.line()
                    for found in open_.findings
                    if found.code.startswith(MONEY)
                    and found.code not in {each.code for each in whole.findings}
                    and (_difference(whole, found.seat, found.wager or "") or 0) == 0
                    and (found.seat, found.wager) not in unknown  # a card that cannot be: without it more is certain
                ]
                assert not new, f"{case.path.name}:{case.line} {case.title}: {new}"
                break
    assert tried > 25


EXPOSED = {
    "687a": model.CardExposed(whose="dealer", by="dealer", card=None),
    "659a": model.CardExposed(whose="stack", by="dealer", card=None),
    "645c": model.CardExposed(whose="dealer", by="dealer", card=None),
}
"""A card whose exposure leaves open whether the round is void: of 687a in a round without decisions (§ 687a.13(d))."""
STAND_IN_A_VOID = (
    "trips", "progressive", "progressive_envy", "fortune_envy", "sum", "match", "beat_it", "mystery"
)  # fmt: skip
"""Wagers that a void may leave to be settled, and Envy Bonuses."""
DECISIONS = (model.DecisionMade, model.Surrendered)


def without_decisions(events: Told) -> list[tuple[int | None, Event]]:
    return [(of, each) for of, each in events if not isinstance(each, DECISIONS) and getattr(each, "wager", "") != "raise"]


@pytest.mark.parametrize(("chapter", "share"), list(itertools.product(EXPOSED, range(2))))
def test_a_card_exposed_that_leaves_open_whether_the_round_is_void(chapter: str, share: int) -> None:
    """Void, or as it is without the card: what is due is so in both, and what is found is found in both."""
    tried = 0
    for case in [each for each in golden() if each.path.parent.name == chapter][share::2][::EVERY]:
        if ".toml" in case.transcript or "\nround" in case.transcript or "exposed" in case.transcript:
            continue
        events = without_decisions(told(case)) if chapter == "687a" else told(case)
        dealt = next((at for at, (_, each) in enumerate(events) if isinstance(each, model.CardsDealt)), None)
        if dealt is None or any(isinstance(each, model.RoundVoided) for _, each in events):
            continue
        at = dealt if chapter == "659a" else dealt + 1
        tried += 1
        played = judged(events)
        open_ = judged([*events[:at], (1, EXPOSED[chapter]), *events[at:]])
        wrong = [
            f"due {key}: {cents}, played {dues(played)[key]}"
            for key, cents in dues(open_).items()
            if key[1] not in STAND_IN_A_VOID and dues(played).get(key) not in (0, None) and cents is not None
        ]
        wrong += [
            f"found: {line}"
            for line in lines(open_) - lines(played)
            if not line.startswith(("PAY-OVER", "PAY-UNDER", "PAY-TAKEN", "PAY-MISSED"))
            and not is_late_without_amount(line, played)
        ]
        assert not wrong, f"{case.path.name}:{case.line} {case.title}: {wrong}"
    assert tried > 3


@pytest.mark.parametrize("share", range(4))
def test_a_payment_that_no_reading_allows_is_found(share: int) -> None:
    """A base wager that is paid a hundred times its stake is overpaid, whichever card was not read."""
    tried = 0
    for case, events in cases(share):
        book = parse_submission(next(payload.toml for _, payload in events if isinstance(payload, model.RulesFiled)))
        paid = next(
            (
                at
                for at, (_, each) in enumerate(events, 1)
                if isinstance(each, model.WagerPaid) and each.wager == book.chapter.base
            ),
            None,
        )
        cards = next(
            (
                at
                for at, (_, each) in enumerate(events, 1)
                if isinstance(each, model.CardsDealt) and each.to not in ("burn", "side") and each.cards[0]
            ),
            None,
        )
        placed = any(isinstance(each, model.WagerPlaced) for _, each in events)
        if paid is None or cards is None or not placed or len(judged(events).findings) > 0:
            continue
        number, payment = events[paid - 1]
        assert isinstance(payment, model.WagerPaid)
        much = msgspec.structs.replace(payment, winnings_cents=100 * max(payment.winnings_cents, 100))
        changed = [*events[: paid - 1], (number, much), *events[paid:]]
        open_ = judged(unread(changed, cards, 0))
        tried += 1
        found = {(each.code, each.seat) for each in open_.findings if (each.difference_cents or 0) > 0}
        assert any(seat == payment.seat for _, seat in found), f"{case.path.name}:{case.line} {case.title}"
    assert tried > 3
