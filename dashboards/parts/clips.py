"""Video of a round: the cameras that see it, its marked clips, and the form for marking one."""

import re
from datetime import datetime, timedelta
from typing import Any

import streamlit as st

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk, drafts, review_panel, source
from dashboards.run import cameras_path
from desk.review.cameras import Camera, Cameras, read_cameras
from desk.review.desk import REFUSALS

CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
DIGEST = re.compile(r"[0-9a-f]{64}")
BEFORE_US, AFTER_US = 10_000_000, 20_000_000
"""The proposed start and end of a clip, before and after the moment on view."""


def cameras() -> Cameras | None:
    """Return the property's cameras; None if these pages know none (an unreadable file is named)."""
    path = cameras_path()
    if path is None:
        return None
    try:
        return read_cameras(path)
    except (*REFUSALS, OSError) as error:
        st.html(markup.notice("The cameras are not known", str(error)))
        return None


def near(typed: str, about_us: int, formats: Formats) -> int | None:
    """Return a typed time of day near a given time.

    It is at the property, on the day that brings it nearest to that time, in UTC microseconds; None for an invalid time.

    >>> near("21:14:05", 1_772_399_640_000_000, Formats("USD", None)), near("25:00", 0, Formats("USD", None))
    (1772399645000000, None)
    """
    found = CLOCK.fullmatch(typed.strip())
    if found is None:
        return None
    about = formats.moment(about_us)
    hour, minute, second = (int(part or 0) for part in found.groups())
    days = (about + timedelta(days=away) for away in (-1, 0, 1))
    moments = [day.replace(hour=hour, minute=minute, second=second, microsecond=0, fold=fold) for day in days for fold in (0, 1)]
    nearest = min(moments, key=lambda each: abs(_us(each) - about_us))
    return _us(nearest)


def _us(moment: datetime) -> int:
    return round(moment.timestamp()) * 1_000_000


def panel(table: str, round_no: int, at_us: int, seat: int | None, formats: Formats, known: Cameras | None) -> None:
    """Show the clips of a round; a viewer who may review can mark one around a moment."""
    said = desk.reviews()
    if said is None:
        return
    review = said.tables.get(table)
    marked = [each for each in review.videos if each.round_no == round_no] if review is not None else []
    me = desk.actor() if access.may(access.REVIEW) else None
    if not marked and me is None:
        return
    with st.container(key="clips" if marked else "no-clips"), st.expander(f"Video clips ({len(marked)})"):
        source.show(review_panel.history(marked, formats))
        if me is not None:
            _form(table, round_no, at_us, seat, me.id, len(marked), formats, known)


def _form(
    table: str, round_no: int, at_us: int, seat: int | None, who: str, marked: int, formats: Formats, known: Cameras | None
) -> None:
    """Show the form for a clip. Times are typed by the property's clock, and stored by the camera's with the offset."""
    key = f"clip {table} {round_no} {marked}"
    seen = known.seeing(table, seat) if known is not None else []
    draft = f"{key} {at_us}"
    with drafts.lines(draft), st.form(key, border=False, enter_to_submit=False):
        camera: Any
        if seen:
            camera = st.selectbox("Camera", seen, format_func=_camera_words, key=f"{key} camera")
        else:
            camera = st.text_input("Camera", key=f"{key} camera", placeholder="cam-4")
        left, right = st.columns(2)
        zone = formats.zone_name(at_us)
        starts = left.text_input(f"From ({zone})", formats.clock(at_us - BEFORE_US), key=f"{key} from {at_us}")
        ends = right.text_input(f"To ({zone})", formats.clock(at_us + AFTER_US), key=f"{key} to {at_us}")
        note = st.text_input("Note", key=f"{key} note", placeholder="seat 3 points at the wager")
        digest = st.text_input(
            "SHA-256 of the clip's file, if there is one",
            key=f"{key} digest",
            help="`sha256sum FILE` prints it; `rack review video --file FILE` takes the file itself",
        )
        if not st.form_submit_button("Mark clip", type="primary"):
            return
    from_us, to_us = near(starts, at_us, formats), near(ends, at_us, formats)
    digest = digest.strip().lower()
    wrong = [
        words
        for is_right, words in (
            (bool(camera), "Name the camera."),
            (from_us is not None and to_us is not None, "Write times as 21:14:05."),
            (bool(note.strip()), "Fill in: Note."),
            (not digest or DIGEST.fullmatch(digest) is not None, "A SHA-256 has 64 hex digits."),
        )
        if not is_right
    ]
    if wrong or from_us is None or to_us is None:
        desk.refuse(" ".join(wrong))
    else:
        offset_ms = camera.clock_offset_ms if isinstance(camera, Camera) else None
        ahead_us = (offset_ms or 0) * 1_000
        marked_now = desk.act(
            lambda at: at.mark_video(
                table,
                round_no,
                camera=camera.id if isinstance(camera, Camera) else camera.strip().lower(),
                starts_us=from_us + ahead_us,
                ends_us=to_us + ahead_us,
                by=who,
                reason=note.strip(),
                clock_offset_ms=offset_ms,
                digest=digest or None,
            )
        )
        if marked_now is not None:
            drafts.stored(draft)
    st.rerun()


def _camera_words(camera: Camera) -> str:
    ahead = camera.clock_offset_ms / 1_000
    return camera.id if not ahead else f"{camera.id} (clock {abs(ahead):,.1f} s {'ahead' if ahead > 0 else 'behind'})"
