"""The whole log walked, event by event: the same command that an auditor runs, in a process of its own, and what it said."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

import dashboards
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, plural
from dashboards.run import witness_paths

HOME = Path(dashboards.__file__).parents[1]
PATIENCE_S = 3_600
CLEAN, BROKEN = 0, 4

BREAKS = {"Where": "short", "What": "short", "Code": "short", "Found": "text"}


class Walk(msgspec.Struct, frozen=True):
    """What a walk said (the JSON of `rack verify`), and when; `fault` says why there is none."""

    at_us: int
    said: dict[str, Any]
    fault: str = ""


@st.cache_resource
def _walks() -> dict[str, Walk]:
    return {}


def last(address: str) -> Walk | None:
    """Return the last walk of a log since the pages were started; null where there was none."""
    return _walks().get(address)


def words(address: str) -> list[str]:
    """Return the words of the command that walks a log, as anybody can give them."""
    named = witness_paths()
    vouched = ["--witness", str(named[0]), "--witness-key", str(named[1])] if named is not None else []
    return ["verify", "--log", address, *vouched]


def walk(address: str) -> Walk:
    """Walk a log now."""
    command = [sys.executable, "-m", "rack.cli", *words(address), "--json", "--quiet"]
    try:
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        said = json.loads(done.stdout) if done.returncode in (CLEAN, BROKEN) else {}
        fault = "" if said else (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        said, fault = {}, str(error)
    found = Walk(time.time_ns() // 1000, said, fault)
    _walks()[address] = found
    return found


def answer(walked: Walk, formats: Formats) -> Html:
    """Return what a walk found: whole or broken, how much was read, what is signed, and where the first break is."""
    if walked.fault:
        return markup.notice("The log could not be walked", walked.fault)
    said = walked.said
    size = f"{said['events']:,} events in {plural(len(said['streams']), 'stream')}"
    when = f"walked {formats.day_and_clock(walked.at_us)} {formats.zone_name(walked.at_us)}"
    if said["ok"]:
        return _answer(
            "upheld", "✔\N{VARIATION SELECTOR-15}", f"The log is whole: {size}.", [when, *signatures(said, formats)]
        )
    first = said["first_break"]
    words = f"The log is broken: {first['stream']} at {first['seq']:,}. Nothing after it can be trusted."
    return _answer("under", "✖", words, [f"{size} {when}", *signatures(said, formats)])


def signatures(said: dict[str, Any], formats: Formats) -> list[str]:
    """Return what the checkpoints prove, and what not."""
    signed = said.get("signed") or {}
    if not signed.get("checkpoints"):
        return ["No checkpoint signs it: who could replace the whole log and its high-water mark could not be told."]
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
        told.append("The keys are those that the log itself names; an auditor gives his own copy with --key.")
    return told


def breaks(walked: Walk) -> Html:
    """Return every break as a table; nothing where there is none."""
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
