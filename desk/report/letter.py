"""The letter to a patron whose case was decided: the claim, the record, the ruling, the calculation, how to appeal.

Invariant: it is judged again from the log, concerns one seat alone, and names no other patron. The record dates it, as it does a
report, so that the same decision gives the same bytes.
"""

import functools
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from desk.packet.document import compiled
from desk.packet.evidence import Judged, RoundUnknown, judge
from desk.packet.make import check_key
from desk.packet.signature import sign_pdf
from desk.packet.story import hands_played
from desk.packet.withholding import PATRONS, WORD, verdict_of_seat
from desk.packet.words import Story, Style
from desk.report.check import SUMMARY, ReportSummary
from desk.review.case_folder import CaseSettings
from desk.review.cases import PatronCase
from desk.review.contradiction import CODES, contradiction
from desk.review.desk import ReviewRefused
from desk.review.disputes import OBSERVED, round_stream
from desk.review.state import review_of
from events.log.contract import EventLog
from events.proofs.keys import PROPERTY_STREAM, read_signer
from events.vocabulary.codec import read
from events.vocabulary.model import PropertyConfigured
from replay.findings import Adjudication
from replay.incidents import incidents
from replay.narrative.names import day_words, game_name, line_name, plain, readable, table_name, wager_with_number
from replay.narrative.ruling import ruling
from replay.narrative.verdicts import RoundVerdict, narrate

RULINGS: Final = {
    "for_patron": "We decided in your favor.",
    "for_house": "We did not decide in your favor.",
    "settled": "We settled this dispute with you.",
    "withdrawn": "You withdrew this dispute.",
    "referred": "We referred this dispute to the regulator.",
    "cannot_tell": "The evidence does not tell what happened, so we could not decide for either side.",
}
"""Outcome of a dispute → what the letter says of it; as many as `OUTCOMES`."""
SEEN: Final = {
    "live": "by a person who was at the table",
    "video": "by a person, from the video of the table",
    "paper": "by a person, from paper",
}
"""The source of an entered round, in words; a letter names none of the house's people."""
OTHER_PATRON: Final = "[another patron]"
NAMED_PATRON: Final = re.compile(rf'"(?:{"|".join(sorted(PATRONS))})":"([a-z0-9-]+)"'.encode())
"""The places in an event's bytes that name a patron by a token."""


def letter(log: EventLog, found: PatronCase, settings: CaseSettings) -> Story:
    """Return the content of the letter as plain values.

    Raises `ReviewRefused` if the case is not decided, names no seat, or was decided against the record by one person, and an
    `IntegrityError` if the log is broken.
    """
    case, decision = found.case, found.case.decision
    if decision is None and case.pending is not None:
        raise ReviewRefused(f"the decision of case {found.name} goes against the record and needs a second signature first")
    if decision is None:
        raise ReviewRefused(f"case {found.name} is not decided: decide it first, then make the letter")
    if case.seat is None or case.round_no is None:
        raise ReviewRefused(f"case {found.name} names no seat, and a letter is about one: open the case with its seat")
    stream = round_stream(found.table)
    judged = judge(stream, functools.partial(log.read, stream), case.round_no, elsewhere=log.read)
    if judged is None:
        raise RoundUnknown(f"table {found.table} has no verdict on round {case.round_no}")
    verdict, style = verdict_of_seat(judged.adjudication, case.seat), Style(_configured(log))
    ruled = ruling(
        incidents(verdict.findings),
        verdict.settlements,
        verdict.chapter,
        case.seat,
        style.currency,
        review_of(log, found.table, decision.seq).disposed,
        names=False,
    )
    record = narrate(RoundVerdict.of(verdict), case.seat, style.currency, settled=ruled.settled)
    if decision.override is None and (against := contradiction(decision.outcome, record)):
        raise ReviewRefused(
            f"the decision of case {found.name} goes against the record, which shows: {against} No letter states both without a "
            "reason and a second signature: reopen the case (appeal), and decide it again"
        )
    spoken = functools.partial(
        _without_others, others=_other_patrons(log, found, (case.claim, decision.reason, decision.override or ""))
    )
    made = datetime.fromtimestamp(decision.at_us // 1_000_000, UTC)
    return {
        "title": f"Case {found.name}",
        "property": style.name or log.property_id,
        "day": style.time(decision.at_us)[:10],
        "date": _day(decision.at_us, style),
        "made": [made.year, made.month, made.day, made.hour, made.minute, made.second],
        "patron": case.patron or "not on record",
        "facts": [
            ["Game", game_name(verdict.game) or "not known"],
            ["Table and seat", f"{table_name(found.table.removeprefix(OBSERVED))}, seat {case.seat}"],
            [
                "Round" if judged.header is None else "Record",
                f"{case.round_no:,} of gaming day {day_words(date.fromisoformat(verdict.gaming_day))}",
            ],
            [
                "Time",
                f"{_day(verdict.opened_at_us, style)}, {style.clock(verdict.opened_at_us)} to "
                f"{style.clock(verdict.closed_at_us)} ({style.zone_name})"
                if judged.header is None or judged.header.played_from_us is not None
                else "not on record",
            ],
            *([] if judged.header is None else [["Recorded", SEEN[judged.header.basis]]]),
        ],
        "claim": spoken(case.claim),
        "shows": CODES.sub("", record.sentence),
        "undetermined": [readable(each, style.currency) for each in verdict.undetermined],
        "wagers": _wagers(verdict, style),
        "hands": _hands(judged, case.seat, style),
        "ruling": RULINGS[decision.outcome],
        "reason": spoken(decision.reason),
        "override": spoken(decision.override or ""),
        "done": ruled.done,
        "reckoning": [each.partition(" · ")[2] for each in ruled.reckonings],
        "appeal": settings.appeal,
        "appealed": case.appeals > 0,
    }


def _day(at_us: int, style: Style) -> str:
    """Return the property's calendar day of a time."""
    return day_words(date.fromisoformat(style.time(at_us)[:10]))


def signed_letter(log: EventLog, found: PatronCase, settings: CaseSettings, key: Path) -> bytes:
    """Return the letter as a PDF, signed with the log's key.

    Raises what `letter` raises, `KeyRefused` if the file holds no key, `KeyNotInForce` if it may not sign for this log.
    """
    said, decision = letter(log, found, settings), found.case.decision
    assert decision is not None, "a letter without objection is of a decision"
    signer = read_signer(key)
    check_key(signer, log.read(PROPERTY_STREAM), "the log")
    summary = ReportSummary(
        name="letter",
        title=said["title"],
        property_name=said["property"],
        first=said["day"],
        last=said["day"],
        as_of_us=decision.at_us,
        log_id=log.log_id,
        sheets={},
    )
    attachments = {SUMMARY: msgspec.json.encode(summary, order="deterministic")}
    template = files("desk.report").joinpath("letter.typ").read_bytes()
    made = datetime.fromtimestamp(decision.at_us // 1_000_000, UTC)
    return sign_pdf(
        compiled(template, said | {"key": signer.public_key.id.hex(), "attachments": list(attachments)}, attachments, made),
        signer,
        decision.at_us,
    )


def letter_name(found: PatronCase) -> str:
    """Return a letter's file name, with the number of the decision's event: no later letter replaces an earlier one."""
    decision = found.case.decision
    return f"letter-{found.name.lower()}-{decision.seq if decision is not None else 0}.pdf"


def _wagers(verdict: Adjudication, style: Style) -> list[list[str]]:
    return [
        [
            wager_with_number(each.wager, each.number),
            style.money(each.staked_cents),
            style.signed(each.due_cents),
            style.signed(each.done_cents),
            f"{plain(line_name(each.line))}, {each.cite}" if each.line else each.cite,
        ]
        for each in verdict.settlements
    ]


def _hands(judged: Judged, seat: int, style: Style) -> list[Story]:
    """Return the hands of the seat and of the dealer (or player-dealer) it played against."""
    return [
        {"name": place["name"] if not place["focus"] else "You", "cards": place["dealt"], "set": place["recorded"]}
        for place in hands_played(judged, seat, style, withheld=True)["positions"]
    ]


def _configured(log: EventLog) -> PropertyConfigured | None:
    said = (read(record.data).payload for record in log.read(PROPERTY_STREAM))
    return next((each for each in reversed(list(said)) if isinstance(each, PropertyConfigured)), None)


def _other_patrons(log: EventLog, found: PatronCase, texts: Iterable[str]) -> set[str]:
    """Return the words in texts that are tokens of other patrons known to this log."""
    words = {word.lower().encode() for text in texts for word in WORD.findall(text)} - {(found.case.patron or "").encode()}
    others: set[bytes] = set()
    for stream in log.streams() if words else ():
        if stream.startswith(("table/", "review/", "observed/")):
            for record in log.read(stream):
                others |= words.intersection(NAMED_PATRON.findall(record.data))
    return {word.decode() for word in others}


def _without_others(text: str, others: set[str]) -> str:
    return WORD.sub(lambda word: OTHER_PATRON if word[0].lower() in others else word[0], text)
