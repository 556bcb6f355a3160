"""The results beside a log, as `rack verify` and `rack checkpoint` look at them."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from events.errors import LogUnavailable
from events.open import stored_results as open_stored_results
from events.proofs.verify_results import StoredState
from rack.opening import options_of
from rack.output import counted

if TYPE_CHECKING:
    from events.log.contract import ResultStore
    from events.proofs.verify_results import ResultsCheck
    from replay.run.verdict_check import VerdictCheck


def stored_results(address: str, resources: ExitStack, *, for_proof: bool = True) -> ResultStore | None:
    """Open the results beside a log for reading; null where there are none. `for_proof` as of `rack.opening.log_at`."""
    store = open_stored_results(address, **options_of(address, for_proof=for_proof))
    return None if store is None else resources.enter_context(closing(store))


def stored_state(address: str, resources: ExitStack, *, for_proof: bool) -> StoredState:
    """Return the results beside a log with their positions, for `events.proofs.verify`; what cannot be read says why."""
    try:
        store = stored_results(address, resources, for_proof=for_proof)
        if store is None:
            return StoredState(None)
        from replay.run.engine import engine  # and with it all rules: not where nothing was ever judged

        return StoredState(store, store.positions(engine()), store.misfits(engine()))
    except LogUnavailable as error:
        return StoredState(None, damage=str(error))


def result_lines(check: ResultsCheck | None) -> list[str]:
    """Return what is known of the results, and what not."""
    if check is None or not check.results:
        return []
    results = counted(check.results, "result")
    if check.unchained:
        return [
            f"{counted(check.unchained, 'result')} from before results were chained: nothing shows whether they were changed; "
            "`rack replay` judges every round again and chains them"
        ]
    if not check.stated:
        return [
            f"{results} in {counted(check.streams, 'chain')}; no checkpoint states them: whoever rewrites a whole chain is "
            "revealed only by `rack verify --verdicts`"
        ]
    beyond = check.results - check.stated
    return [
        f"{results} in {counted(check.streams, 'chain')}; signed checkpoints state {check.stated:,} of them"
        + (f", and {beyond:,} came later" if beyond > 0 else "")
    ]


def verdict_lines(check: VerdictCheck) -> list[str]:
    """Return what judging again showed."""
    if check.failures():
        return check.failures()
    lines = [f"judged again: all {counted(check.compared, 'result')} are the same"]
    if check.by_conclusion:
        streams = counted(len(check.by_conclusion), "stream")
        lines.append(
            f"an earlier version judged a part of {streams}: there the conclusions were compared, not the bytes"
        )
    return lines
