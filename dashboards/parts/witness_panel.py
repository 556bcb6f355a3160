"""The witness on a page: the checkpoints it cosigned, how far behind it is, where it disagrees or is silent."""

import time

import streamlit as st

from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, ago
from dashboards.parts import source
from dashboards.run import log_options, witness_paths
from desk.verification.witness_status import REFUSALS, RefusedCheckpoints, SeenCheckpoint, Witnessed, witnessed_at
from replay.narrative.names import plural

CHECKPOINTS = {"Made": "short", "Witness": "short", "Events": "number", "Statements": "number", "Root": "text"}
REFUSED = {"Made": "short", "Statements": "number", "In the log now": "text", "File": "text"}
BEAT_SECONDS = 5
UNNAMED = (
    "No witness is named",
    "Anyone who holds the log's key could write and sign another record; only another party's witness would show it. On another "
    "department's machine: `rack keys new north.key --witness north`, then `rack witness --log LOG --key north.key --folder "
    "north --follow`. Start the pages with its folder (a copy, or shared for reading) and the public key that the witness gave "
    "you: `rack dashboard --witness DIR --witness-key FILE`.",
)


def show(address: str, formats: Formats) -> None:
    """Show a witness's state; refreshed automatically."""
    source.section(
        "Witness",
        "Another party cosigns a checkpoint only if the log extends what it has seen before. Here the newest of "
        "its signatures are checked with its own key; the verification above checks all of them.",
    )
    named = witness_paths()
    if named is None:
        source.empty(*UNNAMED)
        return

    @st.fragment(run_every=BEAT_SECONDS)
    def beat() -> None:
        try:
            found = witnessed_at(address, *named, **log_options())
        except REFUSALS as error:
            source.notice("The witness cannot be read", f"{error}. Until it can, only the log itself vouches for it.")
            return
        for part in sentences(found, formats, time.time_ns() // 1000):
            source.show(part)

    beat()


def sentences(found: Witnessed, formats: Formats, now_us: int) -> list[Html]:
    """Return a witness's state for the page: faults first, then figures, refused checkpoints, the checkpoints."""
    return [*notices(found, formats, now_us), figures(found, now_us), _refused(found, formats), _checkpoints(found, formats)]


def notices(found: Witnessed, formats: Formats, now_us: int) -> list[Html]:
    """Return the notices that need attention, gravest first."""
    said = []
    if found.trouble:
        said.append(
            markup.notice(
                "The witness disagrees with this log",
                f"{found.trouble}. One of the two is not the record as it was first written: stop whatever writes, keep log and "
                "folder as they are, and tell compliance and the witness.",
            )
        )
    if found.refused:
        said.append(
            markup.notice(
                f"The witness refused {plural(len(found.refused), 'checkpoint')}",
                markup.coded(
                    "It saw a log that does not extend what it saw before, and kept it as evidence. Verify the log, and ask the "
                    "witness: `rack witness` said why, and names the file."
                ),
            )
        )
    if found.silent(now_us) and found.waiting_since_us is not None:
        said.append(
            markup.notice(
                f"The witness {found.witness} is silent",
                markup.coded(
                    f"{plural(found.behind, 'checkpoint waits', 'checkpoints wait')} for its signature, the first since "
                    f"{formats.day_and_clock(found.waiting_since_us)}. For anything newer, only the log's own key vouches. Does "
                    "`rack witness --follow` run, and is this its folder as it is now?"
                ),
            )
        )
    return said


def figures(found: Witnessed, now_us: int) -> Html:
    """Return the witness in four figures."""
    state, why = "✔\ufe0e agrees", "as far as it has seen"
    if found.disagrees:
        state, why = "✖ disagrees", "see above"
    elif found.silent(now_us):
        state, why = "! silent", "see above"
    elif found.newest_size is None:
        state, why = "? no signature", "nothing was cosigned yet"
    newest = "–" if found.newest_s is None else f"{ago(now_us / 1e6 - found.newest_s)} ago"
    over = "none that counts" if found.newest_size is None else f"over {plural(found.newest_size, 'statement')}"
    behind = "✔\ufe0e it has seen the newest"
    if found.behind:
        behind = f"{plural(found.events_behind, 'event')} without its signature"
    elif not found.checkpoints:
        behind = "the log has no checkpoint: start rack checkpoint --follow"
    return markup.figures(
        [
            markup.figure("Witness", found.witness, f"key {found.key.split('+')[1]}"),
            markup.figure("Witness status", state, why),
            markup.figure("Last cosigned", newest, over),
            markup.figure("Checkpoints behind", f"{found.behind:,}", behind),
            markup.figure("Total cosigned", f"{found.cosigned:,}", "the latest covers those before"),
        ]
    )


def _checkpoints(found: Witnessed, formats: Formats) -> Html:
    if not found.checkpoints:
        return Html("")
    rows = [
        [formats.day_and_clock(each.at_us), _state(each, formats), f"{each.events:,}", f"{each.size:,}", each.root[:16] + "…"]
        for each in found.checkpoints
    ]
    marked = [place for place, each in enumerate(found.checkpoints) if not each.covered]
    return markup.table(CHECKPOINTS, rows, "The log's newest checkpoints and the witness", marked=marked)


def _state(each: SeenCheckpoint, formats: Formats) -> Html:
    if each.cosigned_s is not None:
        at = formats.day_and_clock(each.cosigned_s * 1_000_000)
        signed = Html('<span class="rk-right"><span aria-hidden="true">✔\ufe0e</span> cosigned</span>')
        return markup.two_lines(signed, at)
    if each.covered:
        return Html('<span class="rk-soft"><span aria-hidden="true">✔\ufe0e</span> by a later one</span>')
    return Html('<span class="rk-money-under"><span aria-hidden="true">?</span> not cosigned</span>')


def _refused(found: Witnessed, formats: Formats) -> Html:
    if not found.refused:
        return Html("")
    return markup.table(
        REFUSED, [_refusal(each, formats) for each in found.refused], "Refused checkpoints", marked=range(len(found.refused))
    )


def _refusal(each: RefusedCheckpoints, formats: Formats) -> list[object]:
    stands = "yes: this very checkpoint" if each.stored else "no: it was removed, or was shown to the witness alone"
    return [
        "cannot be read" if each.at_us is None else formats.day_and_clock(each.at_us),
        "–" if each.size is None else f"{each.size:,}",
        stands,
        each.file,
    ]
