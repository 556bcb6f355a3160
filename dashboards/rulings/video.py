"""Video links for a moment as markup, one for each camera, by the property's clock and the camera's. Pure functions."""

from collections.abc import Collection

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import ReplayStep, focus_of
from desk.review.cameras import Camera, Cameras


def at_moment(cameras: Cameras, table: str, seat: int | None, at_us: int, formats: Formats) -> Html:
    """Return the links to a moment: one for each camera that sees the seat (None: the table)."""
    lines = "".join(f"<div>{link(cameras, each, at_us, formats)}</div>" for each in cameras.seeing(table, seat))
    return Html(f'<div class="rk-videos" role="group" aria-label="Video">{lines}</div>' if lines else "")


def link(cameras: Cameras, camera: Camera, at_us: int, formats: Formats) -> Html:
    """Return a camera's link to a moment: "Video at 21:14:05", with its own clock's time if that differs."""
    address, words = cameras.link(camera, at_us), f"Video at {formats.clock(at_us)}"
    said = f"{camera.id}{clock(camera, at_us, formats)}"
    if address is None:
        return Html(f'<span class="rk-video">{markup.text(words)} · {markup.text(said)}</span>')
    return Html(
        f'<a class="rk-video" target="_blank" rel="noopener noreferrer" href="{markup.text(address)}">'
        f"▶ {markup.text(words)}</a> "
        f'<span class="rk-soft rk-whole">{markup.text(said)}</span> '
    )


def clock(camera: Camera, at_us: int, formats: Formats) -> str:
    """Return a camera's clock time at a moment, and its offset; empty if it agrees."""
    ahead = camera.clock_offset_ms / 1_000
    if not ahead:
        return ""
    side = f"{abs(ahead):,.1f} s {'ahead' if ahead > 0 else 'behind'}"
    return f", its clock {formats.clock(camera.clock_us(at_us))} ({side})"


def short(cameras: Cameras, table: str, step: ReplayStep, formats: Formats, before: str = "") -> Html:
    """Return the time of a step as a link to the camera that sees it best; empty if none does."""
    seen = cameras.seeing(table, seat_of(step))
    address = cameras.link(seen[0], step.occurred_at_us) if seen else None
    if address is None:
        return Html("")
    words = formats.clock(step.occurred_at_us)
    title = f"Video at {words} · {seen[0].id}{clock(seen[0], step.occurred_at_us, formats)}"
    return Html(
        f'<a class="rk-video" target="_blank" rel="noopener noreferrer" href="{markup.text(address)}" '
        f'title="{markup.text(title)}" aria-label="{markup.text(title)}">▶ {markup.text(before + words)}</a>'
    )


def seat_of(step: ReplayStep) -> int | None:
    """Return the seat of a step; None if it is about the table or the dealer."""
    place = focus_of(step.type, step.payload)
    return place if isinstance(place, int) else None


def of_evidence(cameras: Cameras, view: RoundView, evidence: Collection[int], seat: int | None, formats: Formats) -> Html:
    """Return a link to each event that proves a finding, by the camera that sees it best; empty if none does."""
    seen = cameras.seeing(view.round["table_id"], seat)
    proofs = view.events.filter(view.events["seq"].is_in(list(evidence)))["occurred_at_us"].to_list() if seen else []
    lines = "".join(f"<div>{link(cameras, seen[0], at_us, formats)}</div>" for at_us in dict.fromkeys(proofs))
    return Html(f'<div class="rk-videos" role="group" aria-label="Video">{lines}</div>' if lines else "")
