"""Integrity: is the record unchanged, how far does it reach, and who vouches for it?"""

import time
from datetime import UTC, datetime

import streamlit as st

from analytics import integrity
from analytics.integrity import QuarantinedMessage, StreamStatus
from analytics.warehouse.warehouse import stamp
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.drawing.decisions import finding_link
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, ago
from dashboards.parts import desk, save_link, source, verification_run, witness_panel
from dashboards.run import log_address, warehouse_path
from desk.review.desk import REFUSALS
from desk.verification.steps import VerificationStep
from replay.narrative.findings import finding_title
from replay.narrative.names import plural, table_name

STREAMS = {
    "Stream": "text",
    "End": "short",
    "Events": "number",
    "Acknowledged": "number",
    "Adjudicated": "number",
    "Last event": "short",
}
QUARANTINE = {"Since": "short", "Stream": "short", "Reason": "text", "SHA-256": "text"}
ABOUT = {"Severity": "text", "Finding": "text", "Table": "short", "Times": "number", "Newest": "short"}
BEAT_SECONDS = 5


def page() -> None:
    """Lay the page out: the log's verification, its witness, the ends of streams, refused lines, missing records."""
    source.begin()
    source.heading("Integrity", "Is the record as it was written, how far does it reach, and what is missing in it?")
    address = log_address()
    if address is None:
        source.empty(
            "No log is named",
            "The warehouse holds results, and the log is what proves them. Start the pages with it: "
            "`rack dashboard --log ADDR --warehouse FILE`. On the command line it is verified by `rack verify --log ADDR`.",
        )
        return
    formats = source.formats() if stamp(warehouse_path()) is not None else Formats("USD", None)
    with st.container():  # what is redrawn beneath stays in its place
        show_verification(address, formats)
    witness_panel.show(address, formats)
    ends(formats)
    missing(formats)


def show_verification(address: str, formats: Formats) -> None:
    """Offer a verification of the whole log, and show the last one, from here or the command line."""
    walked = verification_run.last(address)
    asked = st.button("Verify log", type="primary" if walked is None else "secondary")
    if asked or verification_run.going_on(address):
        walked = _watched(address)
    if walked is None:
        told = verification_run.status_words(verification_run.status_of(address), formats)
        source.empty(
            told or "Not yet verified",
            f"A verification reads every event and checks chain, numbering, high-water mark and checkpoints. Anybody "
            f"who can read the log can run the same: `{' '.join(['rack', *verification_run.words(address)])}`. The notice "
            "of the last one is no evidence.",
        )
        return
    source.show(verification_run.answer(walked, formats))
    source.show(verification_run.breaks(walked))
    if walked.report and access.sign_in() is None:
        note = "Anyone who logs in can save a report of this verification; so does <code>rack verify --report FILE</code>."
        source.note(f"{note}")
    elif walked.report and access.refusal(access.EXPORT) is None:
        day = datetime.fromtimestamp(walked.at_us // 1_000_000, UTC)
        save_link.link(
            "Save verification report (PDF)",
            Download(f"verification-{day:%Y-%m-%d-%H%M%S}.pdf", "application/pdf", walked.report),
        )


def _watched(address: str) -> verification_run.Walk:
    """Verify the log, and show the progress stream by stream; the verification continues if the page is left."""
    bar = st.progress(0.0, "Verifying every event: chain, numbering, signatures, high-water mark …")

    def show(step: VerificationStep) -> None:
        bar.progress(step.share, markup.plain_markdown(step.words))

    walked = verification_run.walk(address, show)
    bar.empty()
    return walked


def ends(formats: Formats) -> None:
    """Show each stream's end against the acknowledged and the judged end; refreshed automatically."""

    @st.fragment(run_every=BEAT_SECONDS)
    def beat() -> None:
        try:
            found, held = desk.ask(lambda at: (integrity.streams(at), integrity.quarantine(at)))
        except REFUSALS as error:
            source.notice("The log cannot be read", str(error))
            return
        now_us = time.time_ns() // 1000
        lag, troubled = sum(each.lag or 0 for each in found), [each for each in found if each.trouble]
        newest = max((each.recorded_at_us for each in found if each.recorded_at_us), default=None)
        source.section("Log status", "Where the record ends, as read a moment ago.")
        as_said = "✖ see below" if troubled else "✔\ufe0e all of them"
        age = "–" if newest is None else f"{ago((now_us - newest) / 1e6)} ago"
        figures = [
            markup.figure("Events", f"{sum(each.events for each in found):,}", plural(len(found), "stream")),
            markup.figure("Streams as acknowledged", f"{len(found) - len(troubled)} of {len(found)}", as_said),
            markup.figure("Events not adjudicated", f"{lag:,}", "events" if lag else "✔\ufe0e the replay is up to date"),
            markup.figure("In quarantine", f"{len(held):,}", "refused at intake"),
            markup.figure("Newest event", age, formats.day_and_clock(newest)),
        ]
        source.figures(figures)
        for each in troubled:
            source.notice(f"{each.name} does not end as acknowledged", each.trouble)
        if troubled:
            rows = [_stream(each, now_us) for each in troubled]
            source.table(STREAMS, rows, "Streams with a fault", marked=range(len(rows)))
        sound = sorted((each for each in found if not each.trouble), key=lambda each: each.name)
        if sound:

            def without_fault() -> None:
                says = "Each stream has its own chain. Acknowledged: this machine was told that these events are stored."
                source.note(says)
                source.table(STREAMS, [_stream(each, now_us) for each in sound], "Ends of the streams")

            source.on_opening(f"{plural(len(sound), 'stream')} without a fault", without_fault)
        if held:
            says = "The bytes of refused input are kept, and an event takes their place; its round is undetermined."
            source.section("Quarantine", says)
            source.show(_quarantine(held, formats))

    beat()


def _stream(each: StreamStatus, now_us: int) -> list[object]:
    """Return a stream as a row; a fault is shown by shape and word."""
    if each.trouble:
        end = Html('<span class="rk-money-under"><span aria-hidden="true">✖</span> not as acknowledged</span>')
    elif each.acknowledged is None:
        end = Html('<span class="rk-soft">? no mark on this machine</span>')
    else:
        end = Html('<span class="rk-right"><span aria-hidden="true">✔\ufe0e</span> as acknowledged</span>')
    judged = "–" if each.judged is None else f"{each.judged:,}"
    return [
        each.name,
        end,
        f"{each.events:,}",
        "–" if each.acknowledged is None else f"{each.acknowledged:,}",
        markup.two_lines(judged, f"{each.lag:,} behind" if each.lag else ""),
        "–" if each.recorded_at_us is None else f"{ago((now_us - each.recorded_at_us) / 1e6)} ago",
    ]


def _quarantine(held: list[QuarantinedMessage], formats: Formats) -> Html:
    rows = [
        [
            formats.day_and_clock(each.at_us),
            each.stream,
            each.reason,
            markup.two_lines(each.sha256[:16] + "…", f"{each.size:,} bytes"),
        ]
        for each in held[:50]
    ]
    more = (
        f'<p class="rk-note">And {len(held) - 50:,} older ones: <code>rack quarantine list</code>.</p>' if len(held) > 50 else ""
    )
    return Html(markup.table(QUARANTINE, rows, "Quarantine") + more)


def missing(formats: Formats) -> None:
    """Show the findings about the log itself: missing records."""
    source.section("Gaps", "Events that never reached the log, clocks that ran back, corrections that do not fit.")
    if stamp(warehouse_path()) is None:
        source.empty("No warehouse", "Run `rack replay --log ADDR --warehouse FILE`: gaps are found by a replay.")
        return
    found = source.ask(integrity.about_the_log)
    if found.is_empty():
        source.empty("No gaps", "No device skipped a number.")
        return
    rows = [
        [
            markup.severity_badge(row["severity"]),
            markup.two_lines(
                markup.link("queue", finding_title(row["code"]), code=row["code"], table=row["table_id"]),
                finding_link(row["code"]),
            ),
            table_name(row["table_id"]),
            f"{row['findings']:,}",
            formats.day_and_clock(row["newest_at_us"]),
        ]
        for row in found.iter_rows(named=True)
    ]
    source.table(ABOUT, rows, "Findings about the record")


page()
