"""Verifies the log as an auditor's command does, in a process of its own; keeps the result and the notice."""

import threading
import time
from collections.abc import Callable
from getpass import getuser
from typing import Any

import msgspec
import streamlit as st

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.run import cases_path, key_path, log_address, log_options, witness_paths
from desk.verification.last_verification import State, VerificationStatus, verified_at
from desk.verification.process import VerificationAnswer, verify_in_process
from desk.verification.result import Request
from desk.verification.steps import VerificationStep
from replay.narrative.names import plural

FRESH_SECONDS = 3
BEAT_S = 0.25

BREAKS = {"Where": "short", "What": "short", "Code": "short", "Found": "text"}


class Walk(msgspec.Struct, frozen=True):
    """The result of a verification (the JSON of `rack verify`), its time and any PDF; `fault` says why no result exists."""

    at_us: int
    said: dict[str, Any]
    fault: str = ""
    report: bytes = b""


class Walking:
    """A verification in a thread of its own; it continues if its page is left."""

    def __init__(self, request: Request) -> None:
        self.step: VerificationStep | None = None
        self._request, self._walks = request, _walks()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether it has ended; its result is then with the others."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most this long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            answer = verify_in_process(self._request, self._show)
        except (OSError, ValueError) as error:
            answer = VerificationAnswer({}, fault=str(error))
        self._walks[self._request.address] = Walk(time.time_ns() // 1000, answer.values, answer.fault, answer.report)

    def _show(self, step: VerificationStep) -> None:
        self.step = step


@st.cache_resource
def _walks() -> dict[str, Walk]:
    return {}


@st.cache_resource
def _walking() -> dict[str, Walking]:
    return {}


def going_on(address: str) -> bool:
    """Return whether a verification of a log is running, begun from these pages by anyone."""
    now = _walking().get(address)
    return now is not None and not now.ended


def last(address: str) -> Walk | None:
    """Return the last verification of a log since the pages were started; None if there was none."""
    return _walks().get(address)


def words(address: str) -> list[str]:
    """Return the command that verifies a log, for anyone to run."""
    named = witness_paths()
    vouched = ["--witness", str(named[0]), "--witness-key", str(named[1])] if named is not None else []
    return ["verify", "--log", address, *vouched]


@st.cache_resource(ttl=FRESH_SECONDS, show_spinner=False)
def status_of(address: str) -> VerificationStatus:
    """Return the state of a log by the notice of its last full verification."""
    return verified_at(address, **log_options())


def banner(formats: Formats) -> Html:
    """Return every page's banner about a failed verification; empty if none failed, or no log is named."""
    address = log_address()
    if address is None:
        return Html("")
    now = status_of(address)
    if not now.alarming:
        return Html("")
    title = {
        State.FAILED: "The last full verification of the log failed",
        State.OTHER_CONTENTS: "The log no longer holds what was last verified",
        State.UNREADABLE: "The notice of the last verification cannot be read",
    }[now.state]
    below = " ".join([*([now.detail + "."] if now.detail else []), status_words(now, formats)])
    way = markup.link("integrity", "Verify the log on Integrity")
    return markup.notice(title, Html(f"{markup.text(below)} {way}; rely on no verdict until it passes."))


def status_words(now: VerificationStatus, formats: Formats) -> str:
    """Return the last full verification in a sentence: when, by whom, and the result."""
    shown = now.shown
    if shown is None:
        return "Not yet verified." if now.state is State.NONE else ""
    when = f"{formats.day_and_clock(shown.at_us)} {formats.zone_name(shown.at_us)}"
    result = "passed" if shown.ok else "FAILED"
    return f"Last verified {when} by {shown.by}: {result}: {shown.sentence}."


def walk(address: str, show: Callable[[VerificationStep], None] = lambda step: None) -> Walk:
    """Verify a log now in the logged-in person's name, or wait for the running verification; `show` gets its steps.

    The notice is stored and the report made.
    """
    if not going_on(address):
        witness, witness_key = witness_paths() or (None, None)
        _walking()[address] = Walking(
            Request(
                address=address,
                options=log_options(),
                by=access.person() or getuser().lower(),
                witness=witness,
                witness_key=witness_key,
                cases=cases_path(),
                report=True,
                sign=key_path(),
            )
        )
    walking = _walking()[address]
    while not walking.ended:
        walking.wait(BEAT_S)
        if walking.step is not None:
            show(walking.step)
    status_of.clear()
    return _walks()[address]


def answer(walked: Walk, formats: Formats) -> Html:
    """Return the result of a verification as markup: whole or broken, the amount read, the signed part, and the first break."""
    if walked.fault:
        return markup.notice("The log could not be verified", walked.fault)
    said = walked.said
    size = f"{said['events']:,} events in {plural(len(said['streams']), 'stream')}"
    when = f"verified {formats.day_and_clock(walked.at_us)} {formats.zone_name(walked.at_us)}"
    if said["ok"] and not (said.get("signed") or {}).get("checkpoints"):
        words = f"No break was found in {size}, but no checkpoint signs the log."
        return _answer("unknown", "?", words, [when, *signatures(said, formats)])
    if said["ok"]:
        return _answer("upheld", "✔\N{VARIATION SELECTOR-15}", f"The log is whole: {size}.", [when, *signatures(said, formats)])
    first = said["first_break"]
    words = f"The verification failed: {said['failures'][0]}."
    if first is not None:
        words = f"The log is broken: {first['stream']} at {first['seq']:,}. Nothing after it can be trusted."
    return _answer("under", "✖", words, [f"{size} {when}", *signatures(said, formats)])


def signatures(said: dict[str, Any], formats: Formats) -> list[str]:
    """Return what the checkpoints prove, and what not."""
    signed = said.get("signed") or {}
    if not signed.get("checkpoints"):
        return ["No checkpoint signs it: no one would notice if the whole log and its high-water mark were replaced."]
    told = [
        f"{plural(signed['checkpoints'], 'checkpoint covers', 'checkpoints cover')} {signed['events']:,} events; "
        f"the last was signed {formats.day_and_clock(signed['at_us'])}."
    ]
    if said.get("overdue"):
        told.append(f"Silence: none since, though one was due within {signed['within_s']} s.")
    told += [
        f"Silence between {formats.day_and_clock(each['from_us'])} and {formats.day_and_clock(each['to_us'])}."
        for each in signed.get("silences", ())
    ]
    told += [f"No older key vouches for the key {key}." for key in signed.get("unvouched", ())]
    witness = said.get("witness") or {}
    if said["ok"] and witness.get("newest_size") is not None:
        told.append(
            f"Every checkpoint that the witness {witness['witness']} cosigned is among them: {witness['cosigned']:,}, the newest "
            f"over {witness['newest_size']:,} of {signed['statements']:,} statements."
        )
    if not signed.get("anchored"):
        told.append("The keys are those that the log itself names; an auditor gives the key that they received with --key.")
    return told


def breaks(walked: Walk) -> Html:
    """Return every break as a table; empty if there are none."""
    rows = [
        [f"{each['stream']} · {each['seq']:,}", str(each["kind"]).replace("_", " "), each["code"], each["message"]]
        for each in walked.said.get("breaks", ())
    ]
    return markup.table(BREAKS, rows, "Breaks of the log", marked=range(len(rows))) if rows else Html("")


def _answer(kind: str, shape: str, words: str, below: list[str]) -> Html:
    more = "".join(f'<p class="rk-under">{markup.text(line)}</p>' for line in below)
    return Html(
        f'<div class="rk-answer rk-a-{kind}" role="status"><div class="rk-answer-shape" aria-hidden="true">{shape}</div>'
        f'<div><p class="rk-answer-words">{markup.text(words)}</p>{more}</div></div>'
    )
