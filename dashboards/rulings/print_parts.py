"""The parts of a page that only a print shows: property, time and person of the print, and the list of evidence."""

from collections.abc import Callable, Collection, Sequence

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import ReplayStep
from replay.narrative.events import sentence_of

TRAIL = {"Time": "short", "What was recorded": "text", "Proof": "short"}
EVENTS = {"Event": "number", "Time": "short", "What was recorded": "text", "Reported by": "text", "Proof": "short"}


def heading(property_name: str, person: str | None, formats: Formats) -> Html:
    """Return the line above a print; a script of ours fills in the time when the page is printed."""
    zone = "UTC" if formats.zone is None else formats.zone.key
    who = f" by {person}" if person else ""
    return Html(
        f'<p class="rk-paper">{markup.text(property_name or "Discard Rack")} · printed '
        f'<span data-printed="{markup.text(zone)}"></span>{markup.text(who)}</p>'
    )


def _events(steps: Sequence[ReplayStep], proofs: Collection[int], formats: Formats, label: str) -> Html:
    rows = [
        [
            f"{step.seq:,}",
            formats.clock(step.occurred_at_us),
            sentence_of(step.type, step.payload, formats.currency),
            step.source,
            "◆ evidence" if step.seq in proofs else "",
        ]
        for step in steps
    ]
    return markup.table(EVENTS, rows, label, marked=[i for i, step in enumerate(steps) if step.seq in proofs])


def trail(
    steps: Sequence[ReplayStep], proofs: Collection[int], formats: Formats, label: str, video: Callable[[ReplayStep], Html]
) -> Html:
    """Return recorded events in short form for a screen; `video` links to a step, or is empty."""
    rows: list[list[object]] = [
        [
            video(step) or formats.clock(step.occurred_at_us),
            sentence_of(step.type, step.payload, formats.currency),
            "◆ evidence" if step.seq in proofs else "",
        ]
        for step in steps
    ]
    return markup.table(TRAIL, rows, label)


def evidence(view: RoundView, steps: Sequence[ReplayStep], formats: Formats) -> Html:
    """Return the whole list of a round's events, which only a print shows."""
    proofs = {seq for numbers in view.findings["evidence"] for seq in numbers}
    listed = _events(steps, proofs, formats, "Evidence")
    return Html(f'<div class="rk-paper">{markup.section("Evidence: every event of the round")}{listed}</div>')
