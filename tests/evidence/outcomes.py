"""What an edit comes to: noticed, in doubt, without effect, or money moved and nothing said."""

from collections import Counter
from collections.abc import Collection, Mapping
from enum import Enum

import msgspec

from replay.fold.table_fold import TableFold
from replay.fold.table_state import TableState
from replay.run.adjudicate import Conclusion
from tests.evidence.edits import Edit, shifts
from tests.evidence.judging import Report, fingerprint, folded
from tests.evidence.specimens import Specimen, conclusion, is_honest


class Ending(Enum):
    """How a round ends after an edit."""

    NOTICED = "noticed"
    DOUBT = "UNDETERMINED"
    NOTHING = "changes nothing"
    MONEY = "moves money and is upheld"
    CRASH = "cannot be judged"


class Outcome(msgspec.Struct, frozen=True):
    """The ending of one edit, and its codes or what went wrong."""

    ending: Ending
    codes: tuple[str, ...] = ()


def outcome(specimen: Specimen, edit: Edit) -> Outcome:
    """Judge a specimen with one edit, and the rounds after it as long as the table differs from what it was."""
    made = edit.applied(specimen.reports)
    moved_counts = shifts(made, specimen.reports)
    fold = TableFold(specimen.stream, msgspec.msgpack.decode(specimen.before, type=TableState))
    honest = {number: each for of_window in specimen.honest for number, each in of_window.items()}
    expected: set[int] = set()
    edited: dict[int, Conclusion] = {}
    result = Outcome(Ending.NOTHING)
    for at, window in enumerate(specimen.windows):
        reports = made if at == 0 else [_recounted(each, moved_counts) for each in window.reports]
        is_end = not specimen.whole or window is specimen.windows[-1]
        try:
            rounds = folded(fold, reports, is_end=is_end)
            edited |= {number: conclusion(each, specimen.books) for number, each in rounds.items()}
        except Exception as error:  # no record, however odd, may stop a replay
            return Outcome(Ending.CRASH, (f"{type(error).__name__}: {error}"[:120],))
        expected |= specimen.honest[at].keys()
        result = _compared(honest, edited, expected, specimen.whole)
        is_same = fold.at_rest and fingerprint(fold.state) == specimen.after[at]
        if result.ending is Ending.NOTICED or (is_same and expected <= edited.keys()):
            break
    return result


def _recounted(report: Report, moved_counts: Mapping[str, int]) -> Report:
    by = moved_counts.get(report.source, 0)
    return msgspec.structs.replace(report, source_seq=report.source_seq + by) if by else report


def _compared(
    honest: Mapping[int, Conclusion], edited: Mapping[int, Conclusion], expected: Collection[int], whole: bool
) -> Outcome:
    """Compare verdicts with those without the edit; `expected` are the rounds that should be among them."""
    codes: set[str] = set()
    is_doubtful = not edited.keys() >= set(expected)  # the record has one round less
    is_moved = False
    for number, after in edited.items():
        before = honest.get(number)
        known = Counter(each.line() for each in before.findings) if before is not None else Counter[str]()
        new = Counter(each.line() for each in after.findings) - known
        codes |= {line.split()[0] for line in new}
        if after.verdict == "UNDETERMINED" and (before is None or after.undetermined != before.undetermined):
            is_doubtful = True
        elif is_honest(after) and before is not None:
            is_moved = is_moved or _is_moved(before, after, whole)
    if codes:
        return Outcome(Ending.NOTICED, tuple(sorted(codes)))
    if is_moved:
        return Outcome(Ending.MONEY)
    return Outcome(Ending.DOUBT if is_doubtful else Ending.NOTHING)


def _is_moved(before: Conclusion, after: Conclusion, whole: bool) -> bool:
    """Whether a due differs, or a done that is known in both.

    A record that is not whole may become that of another round as honest: there only a done that is not the due counts.
    """
    were, are = _money(before), _money(after)
    if not whole:
        return any(due != done for due, done in are.values() if None not in (due, done))
    for key in were.keys() | are.keys():
        (due, done), (due_now, done_now) = were.get(key, (0, 0)), are.get(key, (0, 0))
        if due != due_now or (None not in (done, done_now) and done != done_now):
            return True
    return False


def _money(conclusion: Conclusion) -> dict[tuple[int, str, int | None], tuple[int | None, int | None]]:
    """What was due and done for every wager of a round, in cents."""
    return {(each.seat, each.wager, each.number): (each.due_cents, each.done_cents) for each in conclusion.settlements}
