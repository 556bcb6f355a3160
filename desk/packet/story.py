"""The story of a packet, computed from its bundle alone: plain values (text, numbers, lists) for PDF and HTML. Pure.

The same bundle always gives the same story. Everything here is data: text typed by patrons or dealers is never markup.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import sha256
from typing import get_args

from desk.packet.bundle import Bundle, Part
from desk.packet.evidence import Judged
from desk.packet.sections import sections
from desk.packet.verifying_page import verifying_page
from desk.packet.words import CUSTODY, Story, Style, shortened
from desk.review.state import TableReview
from events.proofs.checkpoint import Checkpoint
from events.proofs.signed_note import Note
from events.proofs.statements import TimeStatement, read_statement
from events.vocabulary import model
from events.vocabulary.base import MAX_INT
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Aspect, Event, PropertyConfigured
from replay.findings import Adjudication, Finding
from replay.fold.corrections import correction, counting
from replay.fold.round import Round
from replay.incidents import incidents
from replay.narrative.events import sentence
from replay.narrative.incidents import finding_sentence
from replay.narrative.names import (
    day_words,
    game_name,
    line_name,
    plain,
    plural,
    position_name,
    readable,
    table_name,
    utc,
    wager_name,
    wager_with_number,
)
from replay.narrative.reviews import recorded_by
from replay.narrative.ruling import ruling
from replay.narrative.verdicts import MEANING, RoundVerdict, narrate
from replay.settlement.hand_readings import dealer_position, dealer_readings, set_hands
from replay.settlement.voids import first_position, start_of
from rulebook.cards.cards import TEXT
from rulebook.chapters.rulebook import Rulebook

BEYOND = (
    "Whether a sensor, reader or person saw correctly. The verdict holds if the events say what happened.",
    "Anything that never reached the log. Where the record shows that something was lost, the verdict is that it cannot tell.",
    "What was said, meant or agreed at the table, unless an event states it.",
    "What an ambiguous text means: where the text leaves room, the reading that was followed is named, and the other one.",
)
"""The matters that no replay decides."""

WITHHELD = (
    "Patrons at other seats are left out: their events, hands, wagers and findings, and the record of reviews, except what was "
    "decided about this seat. Of each event "
    "left out the packet holds hashes alone; those that are here are proved to be in the log. The verdict was worked out from "
    "all events and cannot be worked out again from these; a packet without anything left out shows how."
)
"""The packet's statement about withheld parts."""

CERTIFICATION = (
    "I am the custodian of the records named on the first page of this packet, or another person qualified to speak for them.",
    "Each event in this packet was recorded at or near the time that it states, by a device or by a person who had knowledge "
    "of it, in the course of a regularly conducted activity of the business; making such a record is a regular practice of "
    "that activity.",
    "The packet was produced by an electronic process, the software named in it, which reads the record without changing it "
    "and produces an accurate result; the digests and signatures in it are checked as its last part describes.",
    "The copy named here by its SHA-256 is a true copy of the record.",
)
"""The custodian's certification, signed by hand on the last page."""

TYPED = (
    "The events of this round from {sources} were typed from a transcript after the round was played, on {entered}; the record "
    "does not name who observed it, nor from what. Their times are those that were typed. The other events were recorded at or "
    "near the time that they state, in the course of a regularly conducted activity of the business."
)
"""The text in place of the certification of the events if the round was typed."""

OBSERVED = (
    "No device recorded this round. {recorded}. Each event of it states what that person saw or read there, and was entered "
    "at the time that its record states; of what is not in it nothing is claimed. The filing by which it is judged was "
    "recorded at or near the time that it states, in the course of a regularly conducted activity of the business."
)
"""The text in place of the certification of the events if a person entered the round."""


def tell(bundle: Bundle, judged: Judged) -> Story:
    """Return the packet's story. `judged` is the verdict recomputed from the bundle's own events."""
    about, verdict = bundle.about, bundle.adjudication
    style = Style(_configured(bundle))
    table = bundle.streams[bundle.stream]
    decision = _decision(bundle, judged, style)
    told = narrate(RoundVerdict.of(verdict), about.seat, style.currency, settled=decision["settled"])
    play = hands_played(judged, about.seat, style, withheld=about.withheld)
    return {
        "title": f"{table_name(about.place)}, round {about.round_no:,}"
        + (f", seat {about.seat}" if about.seat is not None else ""),
        "property": style.name or about.property_id,
        "verdict": verdict.verdict,
        "meaning": MEANING[verdict.verdict],
        "sentence": told.sentence,
        "headline": told.headline,
        "decision": decision | {"hands": _hands_ruled_on(judged, about.seat, play["positions"])},
        "withheld": WITHHELD if about.withheld else "",
        "facts": _facts(bundle, judged, style),
        "money": _money(verdict, about.seat, style),
        "play": play,
        "findings": [_finding(each, style) for each in (*verdict.findings, *bundle.findings)],
        "sections": [
            {"section": each.section, "says": list(each.says), "found": each.found}
            for each in sections(verdict, judged.book, about.seat)
        ],
        "nothing": _nothing(verdict, judged.book, about.seat if about.withheld else None),
        "limits": _limits(verdict, judged.round, style),
        "rules": _rules(judged),
        "custody": _custody(bundle, judged, style),
        "reviews": _reviews(bundle, style),
        "events": _events(table, style, verdict.first_seq, verdict.last_seq),
        "background": _events(table, style, verdict.first_seq, verdict.last_seq, outside=True),
        "others": [
            {"stream": name, "events": _events(part, style, outside=True, last=0)}
            for name, part in sorted(bundle.streams.items())
            if name != bundle.stream
        ],
        "proof": _proof(bundle, style),
        "digest": sha256(bundle.encode()).hexdigest(),
        "software": about.software,
        "certification": _certification(bundle, style),
    }


def _decision(bundle: Bundle, judged: Judged, style: Style) -> Story:
    """Return the first page: the time, the claim, the ruling with its calculation, the actions, who decided and who asked."""
    about, verdict = bundle.about, bundle.adjudication
    found = (*verdict.findings, *bundle.findings)
    reviews = _review_streams(bundle)
    disposed = {key: made for review in reviews for key, made in review.disposed.items()}
    ruled = ruling(incidents(found), verdict.settlements, verdict.chapter, about.seat, style.currency, disposed)
    disputes = [each for review in reviews for each in review.disputes.values() if each.round_no == about.round_no]
    decided = [entry for each in disputes for entry in each.history]
    decided += [entry for review in reviews for each in found for entry in review.finding(each.id).history]
    return {
        "when": f"{day_words(date.fromisoformat(verdict.gaming_day))}, {played(judged, style)}",
        "claims": [
            {"claim": each.claim, "dispute": each.dispute, "state": each.state}
            for each in disputes
            if about.seat in (None, each.seat)
        ],
        "incidents": ruled.incidents,
        "reckonings": ruled.reckonings,
        "to_do": ruled.to_do,
        "done": ruled.done,
        "settled": ruled.settled,
        "elsewhere": ruled.elsewhere,
        "signatures": [
            {"at": style.time(said.at_us), "by": said.by, "says": said.says}
            for said in sorted(decided, key=lambda entry: (entry.at_us, entry.seq))
        ],
        "asked": [["Packet asked for by", about.by or "not on record"], ["Reason", about.reason or "not on record"]],
    }


def _hands_ruled_on(judged: Judged, seat: int | None, positions: Sequence[Story]) -> list[Story]:
    seats = _seats_ruled_on(judged.adjudication, seat)
    shown = {position_name(dealer_position(judged.round) or "dealer"), *seats}
    return [place for place in positions if place["name"] in shown]


MOST_HANDS = 2
"""Seats shown next to the dealer on the first page if no seat is named."""


def _seats_ruled_on(verdict: Adjudication, seat: int | None) -> list[str]:
    if seat is not None:
        return [position_name(seat)]
    money: dict[int, int] = {}
    for finding in verdict.findings:
        if finding.seat is not None:
            money[finding.seat] = money.get(finding.seat, 0) + abs(finding.difference_cents or 0)
    return [position_name(each) for each in sorted(money, key=lambda each: (-money[each], each))[:MOST_HANDS]]


def _configured(bundle: Bundle) -> PropertyConfigured | None:
    part = bundle.streams.get("property/main")
    said = [each.payload for each in part.envelopes()] if part is not None else []
    return next((each for each in reversed(said) if isinstance(each, PropertyConfigured)), None)


def _typed(bundle: Bundle) -> list[ReadEnvelope[Event]]:
    """Return the round's events that were typed from a transcript: no device recorded them."""
    verdict = bundle.adjudication
    return [
        event
        for event in bundle.streams[bundle.stream].envelopes()
        if event.source.startswith("transcript-") and verdict.first_seq <= event.seq <= verdict.last_seq
    ]


def played(judged: Judged, style: Style) -> str:
    """Return the beginning and end of a round; of an observed round, as its observer states."""
    verdict, header = judged.adjudication, judged.header
    if header is not None and header.played_from_us is None:
        return "the time of day is not on record"
    return f"{style.time(verdict.opened_at_us)} to {style.time(verdict.closed_at_us)} ({style.zone_name})"


def _entered(bundle: Bundle, style: Style) -> str:
    """Return who recorded an observed round, in words; empty for a device's record."""
    if not bundle.about.observed:
        return ""
    events = bundle.streams[bundle.stream].envelopes()
    of_round = [each for each in events if each.round_no == bundle.about.round_no]
    opened = next(each for each in of_round if isinstance(each.payload, model.RoundObserved))
    made = [correction(each.seq, each.payload) for each in of_round if isinstance(each.payload, model.EventCorrected)]
    found = counting(made, {each.seq: each.event_id for each in events}).get(opened.seq)
    header = opened.payload if found is None or found.replacement is None else found.replacement[1]
    assert isinstance(header, model.RoundObserved)
    confirmed = [each.payload.by for each in of_round if isinstance(each.payload, model.EntryConfirmed)]
    return recorded_by(header, opened.recorded_at_us, confirmed, style.time)


def _certification(bundle: Bundle, style: Style) -> list[str]:
    """Return the custodian's certification; a round that a person entered is not certified as recorded by devices."""
    if recorded := _entered(bundle, style):
        first, _, *others = CERTIFICATION
        return [first, OBSERVED.format(recorded=recorded), *others]
    typed = _typed(bundle)
    if not typed:
        return list(CERTIFICATION)
    sources = ", ".join(dict.fromkeys(event.source for event in typed))
    entered = style.time(max(event.recorded_at_us for event in typed))
    first, _, *others = CERTIFICATION
    return [first, TYPED.format(sources=sources, entered=entered), *others]


def _facts(bundle: Bundle, judged: Judged, style: Style) -> list[list[str]]:
    verdict = bundle.adjudication
    book = judged.book
    title = book.chapter.title if isinstance(book, Rulebook) else game_name(verdict.game) or "not known"
    recorded = _entered(bundle, style)
    clocks = "as it was typed from a transcript" if _typed(bundle) else "by the devices' clocks"
    clocks = "as its observer states" if recorded else clocks
    return [
        ["Game", title],
        ["Gaming day", verdict.gaming_day + (f", shift {verdict.shift}" if verdict.shift else "")],
        ["Round", f"{played(judged, style)}, {clocks}"],
        ["Times", f"are in {style.zone_name} wherever nothing else is said"],
        *([["Record", recorded]] if recorded else []),
        ["Dealer", verdict.dealer or "not on record"],
        ["Rules on file", f"{verdict.submission} ({verdict.chapter})" if verdict.submission else "none"],
        ["Events", f"{verdict.first_seq} to {verdict.last_seq} of the stream {bundle.stream}"],
        ["As of", f"event {verdict.as_of[bundle.stream]} of that stream; nothing later is considered"],
        *_attached(bundle),
        ["Packet made", f"{style.time(bundle.about.made_at_us)} ({utc(bundle.about.made_at_us)})"],
        ["Software", bundle.about.software],
    ]


def _attached(bundle: Bundle) -> list[list[str]]:
    """Return a row of the round's attached files, each with its SHA-256; empty if there are none."""
    files = [each for review in _review_streams(bundle) for each in review.files_of(bundle.about.round_no)]
    return [["Attached", "; ".join(f"{each.name} (SHA-256 {each.digest}): {each.note}" for each in files)]] if files else []


def _nothing(verdict: Adjudication, book: Rulebook | str, seat: int | None) -> dict[str, str]:
    """Return what each part shows if it has no row; `seat` is given if all other seats are left out."""
    here, about = ("", "this round") if seat is None else (f" at seat {seat}", "this seat")
    is_open = verdict.verdict == "UNDETERMINED"
    return {
        "staked": f"No wager{here} could be settled." if is_open else f"Nothing was at stake{here}.",
        "found": f"Nothing was found against the rules{here}.",
        "cited": f"None: {book}." if isinstance(book, str) else "None: nothing was settled, and nothing was found.",
        "reviewed": f"Nothing about {about} is on record up to the checkpoint."
        if seat is None
        else f"Nothing was decided about {about} up to the checkpoint.",
    }


def _money(verdict: Adjudication, seat: int | None, style: Style) -> list[Story]:
    return [
        {
            "seat": each.seat,
            "wager": wager_with_number(each.wager, each.number),
            "paytable": each.paytable,
            "staked": style.money(each.staked_cents),
            "due": style.signed(each.due_cents),
            "done": style.signed(each.done_cents),
            "differs": ""
            if None in (each.due_cents, each.done_cents) or each.due_cents == each.done_cents
            else style.signed((each.done_cents or 0) - (each.due_cents or 0)),
            "line": line_name(each.line),
            "section": each.cite,
            "focus": seat == each.seat,
        }
        for each in verdict.settlements
    ]


# ------------------------------------------------------------------------------------------ recorded next to recomputed


def hands_played(judged: Judged, seat: int | None, style: Style, *, withheld: bool) -> Story:
    """Return the round as dealt and set, next to the rules' result; `withheld`: of one seat alone."""
    round_ = judged.round
    dealt: dict[int | str, list[str | None]] = {}
    for fact in round_.of(model.CardsDealt):
        dealt.setdefault(fact.payload.to, []).extend(fact.payload.cards)
    hands = set_hands(round_)
    order = sorted(
        {*dealt, *hands}, key=lambda each: (isinstance(each, str) and each != "dealer", str(each) != "dealer", str(each))
    )
    if withheld:
        order = [each for each in order if each in (seat, dealer_position(round_), "dealer")]
    return {
        "dice": [
            {"dice": list(fact.payload.dice), "colours": fact.payload.colours or [], "lie": plain(fact.payload.lie)}
            for fact in round_.of(model.DiceRolled)
        ],
        "start": _start(judged),
        "positions": [
            {
                "name": position_name(each),
                "focus": each == seat,
                "dealt": dealt.get(each, []),
                "recorded": _recorded(judged, each),
                "recomputed": _recomputed(judged, each),
                "settled": _settled(judged.adjudication, each, style),
                "otherwise": "the player's own choice" if isinstance(each, int) else "no house way binds here",
            }
            for each in order
        ],
    }


def _start(judged: Judged) -> list[list[str]]:
    """Return rows of the recorded and recomputed start of the deal."""
    start, first = start_of(judged.round), first_position(judged.round)
    if start is None:
        return []
    rows = []
    if start.counts:
        announced = str(start.announced) if start.announced is not None else "not announced"
        rows.append(["Count", announced, start.count_in_words])
    counts_so = isinstance(judged.book, str) or judged.book.chapter.deals_to != "seats"
    if first is not None and counts_so:
        rows.append(["First card", position_name(first), " or ".join(map(position_name, start.positions)) or "no valid roll"])
    return rows


def _recorded(judged: Judged, of: int | str) -> list[Story]:
    hand = next((hand for place, hand in set_hands(judged.round).items() if place == of), None)
    return _hands(hand.high, hand.medium, hand.low) if hand is not None else []


def _recomputed(judged: Judged, of: int | str) -> list[Story]:
    """Return the hands that the others played against: the dealer's or a player-dealer's."""
    if isinstance(judged.book, str) or of != dealer_position(judged.round):
        return []
    counted = [hand for hand in dealer_readings(judged.round, judged.book) if hand.high is not None]
    if not counted:
        return []
    return _hands(counted[0].high or (), counted[0].medium or (), counted[0].low or ())


def _hands(high: Iterable[int | None], medium: Iterable[int | None], low: Iterable[int | None]) -> list[Story]:
    named = (("high", tuple(high)), ("medium", tuple(medium)), ("low", tuple(low)))
    return [
        {"name": name, "cards": [TEXT[card] if card is not None else None for card in cards]} for name, cards in named if cards
    ]


def _settled(verdict: Adjudication, of: int | str, style: Style) -> list[list[str]]:
    return [
        [wager_with_number(each.wager, each.number), style.signed(each.done_cents), style.signed(each.due_cents)]
        for each in verdict.settlements
        if each.seat == of
    ]


# ------------------------------------------------------------------------------------------------- findings and limits


def _finding(finding: Finding, style: Style) -> Story:
    return {
        "line": f"{finding_sentence(finding, style.currency)} ({finding.code})",
        "severity": finding.severity,
        "expected": readable(finding.expected, style.currency),
        "observed": readable(finding.observed, style.currency),
        "money": style.signed(finding.difference_cents) if finding.difference_cents else "",
        "evidence": f"{finding.stream} event {', '.join(map(str, finding.evidence))}" if finding.evidence else "",
        "section": finding.cite,
        "other": readable(finding.other_reading or "", style.currency),
        "id": finding.id,
    }


def _limits(verdict: Adjudication, round_: Round, style: Style) -> list[Story]:
    """Return what was not judged, with the reason."""
    limits = [{"what": reason, "why": MEANING["UNDETERMINED"]} for reason in verdict.undetermined]
    observed = round_.opened.payload.observed
    missing = [aspect for aspect in get_args(Aspect) if aspect not in observed]
    if missing:
        why = "the record of this round does not claim to cover it, so that nothing is concluded from what is not there"
        limits.append({"what": f"What is not on record of: {', '.join(missing)}", "why": why})
    if any(each.assumed for each in verdict.findings) or any("assumed" in each.cite for each in verdict.settlements):
        why = "the chapter itself is not held; what is marked as assumed is read as the like section of Chapter 688a"
        limits.append({"what": "The text of sections marked as assumed", "why": why})
    limits += [
        {"what": f"{each.code}: another reading", "why": readable(each.other_reading, style.currency)}
        for each in verdict.findings
        if each.other_reading
    ]
    return limits + [{"what": what, "why": ""} for what in BEYOND]


def _rules(judged: Judged) -> Story:
    book = judged.book
    if isinstance(book, str):
        return {"why": book, "rows": [], "text": ""}
    offered = [
        wager_name(name) + (f" (paytable {offer.paytable.name})" if offer.paytable is not None else "")
        for name, offer in book.offers.items()
    ]
    rows = [
        ["Submission", book.name],
        ["Chapter", f"{book.chapter.key}: {book.chapter.title}"],
        *([["Edition", f"{book.chapter.edition}, SHA-256 {book.chapter.edition_digest}"]] if book.chapter.edition_digest else []),
        ["Effective", f"gaming day {book.effective_gaming_day}"],
        ["SHA-256 of its text", book.digest],
        ["Wagers", ", ".join(offered)],
    ]
    return {"why": "", "rows": rows, "text": book.text}


# ---------------------------------------------------------------------------------------------- events, custody, reviews


def _events(part: Part, style: Style, first: int = 0, last: int = MAX_INT, *, outside: bool = False) -> list[Story]:
    """Return a part's events between two numbers, or (`outside`, with the day) all others; each has the chain hash after it."""
    at = style.time if outside else style.clock
    return [
        {
            "seq": each.seq,
            "at": at(each.occurred_at_us),
            "source": each.source,
            "says": shortened(sentence(each.payload, style.currency)),
            "chain": stored.chain,
        }
        for each, stored in zip(part.envelopes(), part.events, strict=True)
        if (first <= each.seq <= last) is not outside
    ]


def _custody(bundle: Bundle, judged: Judged, style: Style) -> list[Story]:
    """Return the events of rules, cards, dice and devices up to the end of the round, in order.

    For an observed round: its pinned filing, in whose name it was entered, and who confirmed it.
    """
    verdict, part = bundle.adjudication, bundle.streams[bundle.stream]
    events = [each for each in part.envelopes() if each.seq <= verdict.last_seq]
    if judged.header is not None:
        filing = (
            bundle.streams[f"table/{bundle.about.table}"].envelopes() if f"table/{bundle.about.table}" in bundle.streams else []
        )
        events = [each for each in filing if each.seq == judged.header.rules.seq]
        events += [each for each in part.envelopes() if each.round_no == bundle.about.round_no]
    rows = []
    for each in events:
        thing = CUSTODY.get(each.payload.KIND)
        if thing is not None:
            what, at_us = sentence(each.payload, style.currency), each.occurred_at_us
            at_us = each.recorded_at_us if bundle.about.observed else at_us
            rows.append({"seq": each.seq, "at": style.time(at_us), "thing": thing(each.payload), "what": what})
    return rows


def _reviews(bundle: Bundle, style: Style) -> list[Story]:
    """Return the corrections of the table's events, and people's work on the round: reviews, disputes, views, exports."""
    rows = []
    for each in bundle.streams[bundle.stream].envelopes():
        payload = each.payload
        if isinstance(payload, model.EventCorrected):
            says = sentence(payload, style.currency)
            rows.append({"seq": each.seq, "at": style.time(each.recorded_at_us), "by": payload.by, "says": says})
    rows += [
        {"seq": said.seq, "at": style.time(said.at_us), "by": said.by, "says": said.says}
        for review in _review_streams(bundle)
        for said in review.of_round(bundle.about.round_no)
    ]
    return rows


def _review_streams(bundle: Bundle) -> list[TableReview]:
    """Return people's work at the table and on its meters up to the checkpoint, as far as the packet holds it."""
    reviews = []
    for name, part in sorted(bundle.streams.items()):
        if name.startswith("review/"):
            reviews.append(TableReview(name))
            for each in part.envelopes():
                reviews[-1].apply(each.seq, each.recorded_at_us, each.round_no, each.payload, each.gaming_day)
    return reviews


def _proof(bundle: Bundle, style: Style) -> list[list[str]]:
    note = Note.decode(bundle.checkpoint.note.encode())
    checkpoint = Checkpoint.parse(note.text)
    made = read_statement(bundle.checkpoint.time.line.encode())
    assert isinstance(made, TimeStatement)
    signed = [f"{each.name} (key {each.key_id.hex()})" for each in note.signatures]
    rows = [
        ["Log", bundle.about.log_id],
        ["Checkpoint", f"{checkpoint.size} statements, root {checkpoint.root.hex()}"],
        ["Made", f"{style.time(made.at_us)} ({utc(made.at_us)}), over {made.events} events"],
        ["Signed by", "; ".join(signed)],
        ["To verify in a browser", verifying_page()],
    ]
    for name, part in sorted(bundle.streams.items()):
        size = f"{plural(len(part.events), 'event')}, {plural(len(part.outside), 'hash', 'hashes')} next to them"
        rows.append([name, f"{size}; {part.head.line}"])
    rows += [[f"SHA-256 of {name}", digest] for name, digest in bundle.digests().items()]
    return rows
