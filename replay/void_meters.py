"""What a round leaves of the meters where it was void: where they stand if a void takes back what they took in (D18, D374).

The chapter and its settings are not asked here: whether a void reverses a meter is for the rules that compare readings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events import model
from replay.stub_counts import given_back

if TYPE_CHECKING:
    from replay.rounds import Round
    from replay.table_state import TableState


def take_back(state: TableState, ended: Round) -> None:
    """Note of the meters that took wagers in a void round what they stood at before: null where that is not known.

    Before a round stands what a void round before it left. Where no line says that the round was void, and all wagers went
    back as void, it is for the rules whether it was (D321), and nothing is known here.
    """
    if not given_back(ended):
        return
    declared = ended.voided is not None
    before = {**ended.before.readings, **ended.before.readings_before_void}
    for fact in ended.of(model.ProgressiveAccepted):
        meter = fact.payload.meter
        state.readings_before_void[meter] = before.get(meter) if declared else None
