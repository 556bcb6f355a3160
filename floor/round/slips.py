"""What every game does with a payout by slip. A play says whose table and plan it is."""

from __future__ import annotations

from typing import Any

from events import model
from floor.table.script import Step
from games.wagers import Due


def document(play: Any, due: Due, amount_cents: int) -> None:
    """What is paid by slip is documented, at once or after the others are settled; the cards stay until then."""
    wager: Any = due.wager  # games name wagers as the events do
    paper = model.PayoutDocumented(
        seat=due.seat, wager=wager, document=play.table.serial("jp"), amount_cents=amount_cents
    )
    play.by_slip = True
    if play.plan.documents_last:
        play.documents.append(Step(paper))
    else:
        play.script.add(paper)
