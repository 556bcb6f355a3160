"""From an open round and the rules in force to advice. Pure, and no second judge: the rules are those of the verdict.

Invariant: it knows no game and no code. On an open round only the rules marked `Rule.early` run, on the round so far
(`Round.so_far`), and their findings count as in a verdict: lost, late or contradictory evidence accuses no one (`findings_by`).
The settlements are those of the verdict too; the amount due is stated once the hands are known.
"""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.advice import Advice, to_bytes
from replay.findings import Finding, Settlement
from replay.fold.device_order import as_played
from replay.fold.phases import Phase
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import findings_by, rules_of
from replay.run.stream_worker import StreamWorker, rules_in_force
from replay.settlement.payouts import moves
from replay.settlement.settlement import settlements
from replay.settlement.voids import is_void, positions, went_on
from replay.settlement.withdrawals import withdrawn_so_far
from rulebook.chapters.rulebook import Rulebook

MONEY_MOVES = frozenset(
    {
        model.WagerTaken,
        model.WagerPaid,
        model.WagerReturned,
        model.VigorishTaken,
        model.EnvyPaid,
        model.EnvyAcknowledged,
        model.LightSeen,
        model.ProgressiveWon,
        model.PayoutValidated,
        model.PayoutDocumented,
    }
)
"""The acts of a payment in parts: until another event comes, the next part may follow."""


_seq = attrgetter("seq")


def new_advice(workers: Mapping[str, StreamWorker], before: Mapping[str, bytes], *, is_following: bool) -> dict[str, bytes]:
    """Return the changed advice on open rounds; one who does not follow the log gives none, and removes outdated advice."""
    advice: dict[str, bytes] = {}
    for stream, worker in workers.items():
        table = worker.table if is_following else None
        given = advise_on(table, worker.seq) if table is not None else None
        data = to_bytes(given) if given is not None else b""
        if data != before.get(stream, b""):
            advice[stream] = data
    return advice


def advise_on(fold: TableFold, as_of: int) -> Advice | None:
    """Return the advice on the open round of a table, as of event `as_of` of its stream; None if no round is open.

    The fold and its round do not change. Without rules in force there is no advice.
    """
    round_ = fold.open
    book = rules_in_force(round_) if round_ is not None else None
    if round_ is None or round_.is_repeat or not isinstance(book, Rulebook):
        return None
    so_far = as_played(round_.so_far())
    standing = withdrawn_so_far(so_far, book)
    is_unsettled = standing is not so_far and not moves(standing)
    return Advice(
        stream=round_.stream,
        round_no=round_.round_no,
        as_of=as_of,
        at_us=round_.facts[-1].at_us,
        opened_at_us=round_.opened.at_us,
        game=book.game,
        chapter=book.chapter.key,
        dealer=round_.dealer,
        phase=(Phase.DEALING if is_unsettled and fold.phase is Phase.SETTLING else fold.phase).value,
        dues=tuple(_dues(standing, book)),
        warnings=tuple(warnings_of(standing, book)),
    )


def _dues(standing: Round, book: Rulebook) -> Iterator[Settlement]:
    """Yield the wagers whose amount due is certain, once the hands are known or the round must be void."""
    if not (hands_are_known(standing, book) or is_void(standing, book)):
        return
    for settlement in settlements(standing, book):
        if settlement.due_cents is not None:
            yield settlement


def hands_are_known(round_: Round, book: Rulebook) -> bool:
    """Return whether every seat that gets cards has some, and hands were set, revealed or settled after the last of them."""
    last, hands = round_.last_card, round_.hands()
    if round_.covers("deal") and any(to not in hands for to in positions(round_, book) if to != "dealer"):
        return False
    revealed = last is not None and any(fact.seq > last.seq for fact in round_.of(model.HandRevealed))
    return revealed or went_on(round_)


def warnings_of(standing: Round, book: Rulebook) -> Iterator[Finding]:
    """Yield the findings of early rules on an open round."""
    early = [rule for rule in rules_of(book.chapter) if rule.early is not None]
    found, _ = findings_by(early, standing, book)
    in_steps = {code for rule in early if rule.early is not None for code in rule.early.in_steps}
    stands_at = {code: rule.early.stands_at for rule in early if rule.early and rule.early.stands_at for code in rule.codes}
    for finding in found:
        if finding.code in in_steps and not _has_gone_on(standing, finding):
            continue
        if _can_be_undone(standing, finding, stands_at.get(finding.code, ())) or _may_be_placed(standing, finding):
            continue
        yield finding


def _last_of(round_: Round, finding: Finding) -> RecordedEvent | None:
    """Return the last fact of a round that a finding rests on."""
    return max((fact for fact in round_.facts if round_.number(fact.seq) in finding.evidence), key=_seq, default=None)


def _can_be_undone(round_: Round, finding: Finding, stands_at: tuple[type[Event], ...]) -> bool:
    """Whether a finding's last fact is one of these events, and the event after it has not come yet."""
    last = _last_of(round_, finding)
    if last is None or last.payload.KIND not in stands_at:
        return False
    return not any(fact.payload.KIND in stands_at for fact in round_.facts if fact.seq > last.seq)


def _may_be_placed(round_: Round, finding: Finding) -> bool:
    """Whether a finding concerns a moved stake without a recorded placing, which a device may still report late.

    A device that placed wagers may do so until its next report shows whether a number is missing (D850).
    """
    if finding.wager is None:
        return False
    of_wager = [
        fact
        for fact in round_.facts
        if getattr(fact.payload, "wager", None) == finding.wager and fact.payload.seat == finding.seat
    ]
    moved = [fact for fact in of_wager if round_.number(fact.seq) in finding.evidence and _moves_a_stake(fact.payload)]
    if not moved or any(isinstance(fact.payload, model.WagerPlaced) for fact in of_wager):
        return False
    heard = {fact.source for fact in round_.facts if fact.seq >= moved[0].seq}
    return not {fact.source for fact in round_.of(model.WagerPlaced)} <= heard


def _moves_a_stake(payload: Any) -> bool:
    """Whether an event states that a stake lay on the layout."""
    return isinstance(payload, model.WagerTaken | model.WagerReturned) or bool(getattr(payload, "stake_cents", 0))


def _has_gone_on(round_: Round, finding: Finding) -> bool:
    """Whether the table went on to something other than money after the facts of a finding; late events do not count."""
    last = _last_of(round_, finding)
    seq, since_us = (last.seq, last.at_us) if last is not None else (0, 0)
    return any(fact.payload.KIND not in MONEY_MOVES and fact.at_us >= since_us for fact in round_.facts if fact.seq > seq)
