"""A small floor made by hand: two tables, two gaming days, rounds with findings of every severity, events and counts.

Nothing here is computed by the program: the amounts are literals worked out from § 688a.12 (paytable 1 of the Ace High
Bonus, 3 of the Fortune Bonus). Round 17 of FU-01 is the dispute: seat 3 has ace high against the dealer's ace high with
the joker, is owed 20 to 1 on $10.00 and was paid $100.00.
"""

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from analytics.warehouse.loading import PropertyFacts, ReviewTimes, RoundEvents, TableEvent, TableRows, observed_frames
from analytics.warehouse.warehouse import build, replacing
from replay.findings import Adjudication, Finding, LedgerEntry, Settlement, Severity, Verdict, finding_id
from rulebook.chapters.rulebook import simple_submission

RULES = "ab" * 32
FACTS = PropertyFacts(name="Allegheny Rivers Casino", time_zone="America/New_York", currency="USD")
EVENING = 1_772_848_800_000_000  # 2026-03-07 02:00 UTC, 21:00 in Pittsburgh on the 6th
DAY_1, DAY_2 = "2026-03-05", "2026-03-06"
SECOND = 1_000_000

Events = list[tuple[str, dict[str, Any]]]


def settlement(
    seat: int,
    wager: str,
    staked: int,
    due: int | None,
    done: int | None,
    line: str = "",
    *,
    paytable: str = "",
    slip: int = 0,
    cite: str = "58 Pa. Code § 688a.11(f)",
) -> Settlement:
    return Settlement(
        seat=seat,
        wager=wager,
        number=None,
        bettor=f"p-{seat}",
        paytable=paytable,
        staked_cents=staked,
        due_cents=due,
        done_cents=done,
        by_slip_cents=slip,
        line=line,
        cite=cite,
    )


def finding(
    stream: str,
    round_no: int | None,
    code: str,
    seat: int | None,
    wager: str | None,
    difference: int | None,
    expected: str,
    observed: str,
    *,
    severity: Severity = "high",
    evidence: tuple[int, ...] = (),
    cite: str = "58 Pa. Code § 688a.12",
    other_reading: str | None = None,
) -> Finding:
    return Finding(
        id=finding_id(code, stream, round_no, seat, wager, evidence, RULES),
        code=code,
        stream=stream,
        round_no=round_no,
        seat=seat,
        wager=wager,
        expected=expected,
        observed=observed,
        difference_cents=difference,
        evidence=evidence,
        cite=cite,
        other_reading=other_reading,
        severity=severity,
        assumed=False,
        rules_digest=RULES,
    )


def adjudication(
    stream: str,
    round_no: int,
    settlements: Iterable[Settlement],
    findings: Iterable[Finding] = (),
    *,
    verdict: Verdict | None = None,
    day: str = DAY_2,
    dealer: str = "d-07",
    shift: str = "swing",
    opened: int = EVENING,
    lasts: int = 90,
    revision: int = 1,
    withdrawn: tuple[str, ...] = (),
    undetermined: tuple[str, ...] = (),
    first_seq: int = 1,
) -> Adjudication:
    found = tuple(findings)
    return Adjudication(
        stream=stream,
        round_no=round_no,
        revision=revision,
        supersedes=None if revision == 1 else "0" * 64,
        as_of={stream: first_seq + 70},
        engine="0.1.0+3f2a",
        rules_digest=RULES,
        submission="pa-688a-2026-01",
        game="face_up_pai_gow",
        chapter="688a",
        gaming_day=day,
        shift=shift,
        dealer=dealer,
        opened_at_us=opened,
        closed_at_us=opened + lasts * SECOND,
        first_seq=first_seq,
        last_seq=first_seq + 70,
        verdict=verdict or ("VARIANCE" if found else "UPHELD"),
        undetermined=undetermined,
        findings=found,
        withdrawn=withdrawn,
        settlements=tuple(settlements),
    )


def event_id(stream: str, seq: int) -> str:
    """Return the id that an event of the sample has."""
    return sha256(f"event {stream}/{seq}".encode()).hexdigest()[:32]


def recorded(stream: str, round_no: int, events: Events, *, opened: int = EVENING, first_seq: int = 1) -> RoundEvents:
    """Number the events, a second and a half apart, with a hash that only looks like one."""
    return RoundEvents(
        stream=stream,
        round_no=round_no,
        events=[
            {
                "seq": first_seq + i,
                "event_id": event_id(stream, first_seq + i),
                "type": type_,
                "occurred_at_us": opened + i * 3 * SECOND // 2,
                "source": "shoe-1" if type_ == "cards_dealt" else "table-1",
                "payload": json.dumps(payload),
                "hash": sha256(f"{stream}/{first_seq + i}".encode()).hexdigest(),
            }
            for i, (type_, payload) in enumerate(events)
        ],
    )


# ------------------------------------------------------------------------------------------------- FU-01, round 17

HANDS = {
    "dealer": ("Jk 9s 8h 4d 3c", "Kd Jc"),
    1: ("Tc Td 6s 3h 2c", "7h 4c"),
    2: ("Kh Ks 8d 5c 3d", "Qh Qs"),
    3: ("As 9h 7c 5s 2d", "Qd Th"),
    4: ("Jh 6h 5h 4h 2h", "9c 8c"),
    5: ("Ac Ad 6d 5d 2s", "Js 8s"),
    6: ("7d 7s 6c 4s 3s", "Kc Jd"),
}
WAGERS = [
    (1, "base", 2500),
    (2, "base", 5000),
    (2, "progressive", 500),
    (3, "base", 2500),
    (3, "ace_high_bonus", 1000),
    (4, "base", 2500),
    (4, "fortune_bonus", 500),
    (5, "base", 10000),
    (5, "ace_high_bonus", 500),
    (6, "base", 1500),
]


def _wager(seat: int, wager: str, cents: int) -> tuple[str, dict[str, Any]]:
    payload = {"seat": seat, "bettor": f"p-{seat}", "wager": wager, "number": None, "amount_cents": cents, "form": "chips"}
    return "wager_placed", payload


def _settle(type_: str, seat: int, wager: str, reason: str, cents: int) -> tuple[str, dict[str, Any]]:
    common = {"seat": seat, "bettor": f"p-{seat}", "wager": wager, "number": None}
    return type_, {**common, "amount_cents": cents, "reason": reason}


def _paid(seat: int, wager: str, stake: int, winnings: int, source: str = "inventory") -> tuple[str, dict[str, Any]]:
    common = {"seat": seat, "bettor": f"p-{seat}", "wager": wager, "number": None}
    return "wager_paid", {**common, "stake_cents": stake, "winnings_cents": winnings, "source": source}


def _hand_set(position: str | int, high: str, low: str) -> tuple[str, dict[str, Any]]:
    by = "dealer" if position == "dealer" else "player"
    return "hand_set", {"position": position, "high": high.split(), "medium": [], "low": low.split(), "by": by}


def opening(dice: tuple[int, int, int], start: str | int, wagers: list[tuple[int, str, int]]) -> Events:
    return [
        ("round_opened", {"deck": "deck-red", "observed": ["wagering", "start", "deal", "setting", "settlement"]}),
        ("cards_shuffled", {"deck": "deck-red", "method": "automated", "count": 53}),
        *[_wager(*w) for w in wagers],
        ("no_more_bets", {"announced_by": "dealer"}),
        ("shaker_shaken", {"times": 3, "duration_ms": None, "covered": True}),
        ("dice_rolled", {"dice": list(dice), "colours": None, "lie": "flat"}),
        ("total_announced", {"total": sum(dice)}),
        ("start_announced", {"position": start}),
    ]


def dispute() -> Events:
    """All that happened in round 17, seat 3's bonus paid at 10 to 1."""
    order: list[str | int] = ["dealer", 1, 2, 3, 4, 5, 6]
    events = opening((2, 2, 4), "dealer", WAGERS)
    events += [("lammer_placed", {"seat": 4, "wager": "fortune_bonus"})]
    for position in order:
        high, low = HANDS[position]
        cards = (high + " " + low).split()
        events += [("cards_dealt", {"to": position, "cards": sorted(cards), "face_up": position == "dealer"})]
    events += [("stub_counted", {"count": 4, "exposed": 0}), ("shaker_covered", {"placed_right_of_dealer": True})]
    events += [_hand_set(position, *HANDS[position]) for position in order]
    for seat in (6, 5, 4, 3, 2, 1):
        events += [("hand_revealed", {"position": seat})]
        events += [_settle("wager_returned", s, w, "push", c) for s, w, c in WAGERS if s == seat and w == "base"]
        if seat == 5:
            events += [_paid(5, "ace_high_bonus", 500, 5000)]
        if seat == 4:
            events += [_paid(4, "fortune_bonus", 500, 2000)]
        if seat == 3:
            events += [_paid(3, "ace_high_bonus", 1000, 10000)]
        if seat == 2:
            events += [_settle("wager_taken", 2, "progressive", "lost", 500)]
    events += [("cards_collected", {"deck": "deck-red", "of": "all", "count": 53, "counted": None})]
    events += [("round_closed", {"by": "d-07"})]
    return events


DISPUTE_FIRST_SEQ = 1201
PAID_SEQ = DISPUTE_FIRST_SEQ + next(
    i for i, (type_, payload) in enumerate(dispute()) if type_ == "wager_paid" and payload["seat"] == 3
)
DISPUTE = finding(
    "table/fu-01",
    17,
    "PAY-UNDER",
    3,
    "ace_high_bonus",
    -10000,
    "$200.00: both have ace high, 20 to 1 on $10.00",
    "$100.00 paid",
    evidence=(PAID_SEQ,),
    cite="58 Pa. Code § 688a.12(b)",
)


DEALT_NEXT: tuple[str, dict[str, Any]] = (
    "cards_dealt",
    {"to": "dealer", "cards": ["Kd", "Jc", "9s", "8h", "4d", "3c", "2c"], "face_up": True},
)
"""Of the dealer's cards of round 17, six again."""


def _round_17() -> Adjudication:
    push = "ace high push"
    bonus, fortune = "58 Pa. Code § 688a.12(b)", "58 Pa. Code § 688a.12(c)"
    return adjudication(
        "table/fu-01",
        17,
        [
            settlement(6, "base", 1500, 0, 0, push),
            settlement(5, "base", 10000, 0, 0, push),
            settlement(5, "ace_high_bonus", 500, 5000, 5000, "dealer ace high with joker", paytable="1", cite=bonus),
            settlement(4, "base", 2500, 0, 0, push),
            settlement(4, "fortune_bonus", 500, 2000, 2000, "flush", paytable="3", cite=fortune),
            settlement(3, "base", 2500, 0, 0, push),
            settlement(3, "ace_high_bonus", 1000, 20000, 10000, "both ace high", paytable="1", cite=bonus),
            settlement(2, "base", 5000, 0, 0, push),
            settlement(2, "progressive", 500, -500, -500, "no line", paytable="4", cite="58 Pa. Code § 688a.12(d)"),
            settlement(1, "base", 2500, 0, 0, push),
        ],
        [DISPUTE],
        opened=EVENING + 14 * 60 * SECOND,
        first_seq=DISPUTE_FIRST_SEQ,
    )


def _plain(
    stream: str,
    round_no: int,
    minutes: int,
    results: list[tuple[int, int, int]],
    *,
    day: str = DAY_2,
    dealer: str = "d-07",
    shift: str = "swing",
    findings: Iterable[Finding] = (),
    verdict: Verdict | None = None,
    extra: Iterable[Settlement] = (),
    undetermined: tuple[str, ...] = (),
) -> Adjudication:
    """A round of base wagers: `(seat, staked, net)` each, settled as due."""
    lines = {True: "win", False: "lose"}
    bases = [settlement(s, "base", staked, net, net, lines[net > 0] if net else "tie") for s, staked, net in results]
    opened = EVENING + (minutes - (24 * 60 if day == DAY_1 else 0)) * 60 * SECOND
    return adjudication(
        stream,
        round_no,
        [*bases, *extra],
        findings,
        day=day,
        dealer=dealer,
        shift=shift,
        opened=opened,
        verdict=verdict,
        undetermined=undetermined,
        first_seq=round_no * 75,
    )


def adjudications() -> list[Adjudication]:
    """Ten rounds at two tables; round 15 of FU-01 was judged twice, and its only finding withdrawn."""
    one, two = "table/fu-01", "table/fu-02"
    late = finding(one, 15, "WAGER-LATE", 2, "base", None, "no wager after the dice", "$25.00 placed", severity="medium")
    over = finding(
        two,
        4,
        "PAY-OVER",
        5,
        "fortune_bonus",
        4000,
        "$15.00: trips, 3 to 1 on $5.00",
        "$55.00 paid",
        cite="58 Pa. Code § 688a.12(c)",
        evidence=(331, 340),
        other_reading="D15: the straight ranks below trips; by the literal text, 2 to 1",
    )
    shake = finding(
        two,
        4,
        "DEAL-SHAKE",
        None,
        None,
        None,
        "at least three shakes",
        "two shakes",
        severity="low",
        cite="58 Pa. Code § 688a.5(i)(1)",
        evidence=(312,),
    )
    missed = finding(
        one, 18, "PAY-MISSED", 1, "base", -2500, "$25.00: both hands higher", "nothing paid", cite="58 Pa. Code § 688a.11(f)(2)"
    )
    limit = finding(
        two,
        5,
        "WAGER-LIMIT",
        2,
        "base",
        None,
        "$15.00 to $1,000.00",
        "$10.00 placed",
        severity="medium",
        cite="58 Pa. Code § 688a.7",
    )
    source = finding(
        two,
        5,
        "PAY-SOURCE",
        4,
        "progressive",
        0,
        "$1,250.00 by slip from the meter",
        "paid from the table inventory",
        severity="high",
        cite="58 Pa. Code § 688a.11(h)(3)",
    )
    fortune_5 = settlement(5, "fortune_bonus", 500, 1500, 5500, "three of a kind", paytable="3", cite="58 Pa. Code § 688a.12(c)")
    jackpot = settlement(
        6, "progressive", 500, 124500, 124500, "straight flush", paytable="4", slip=125000, cite="58 Pa. Code § 688a.12(d)"
    )
    first_15 = _plain(one, 15, 4, [(2, 2500, -2500), (3, 5000, 5000)], findings=[late])
    return [
        _plain(one, 1, 10, [(1, 2500, -2500), (2, 10000, -10000), (5, 5000, 5000)], day=DAY_1, dealer="d-03"),
        _plain(two, 1, 20, [(3, 2500, 2500)], day=DAY_1, dealer="d-11"),
        first_15,
        adjudication(
            one,
            15,
            first_15.settlements,
            (),
            revision=2,
            withdrawn=(late.id,),
            opened=first_15.opened_at_us,
            first_seq=first_15.first_seq,
        ),
        _plain(one, 16, 9, [(1, 2500, 2500), (4, 2500, -2500)], extra=[jackpot]),
        _round_17(),
        _plain(one, 18, 19, [(4, 7500, -7500)], findings=[missed], extra=[settlement(1, "base", 2500, 2500, 0, "win")]),
        _plain(
            one,
            19,
            24,
            [(2, 2500, 2500)],
            verdict="UNDETERMINED",
            undetermined=("seat 6: a card was not read",),
            extra=[settlement(6, "base", 2500, None, -2500, "?"), settlement(1, "base", 2500, 2500, None, "win")],
        ),
        _plain(two, 3, 2, [(1, 2500, 0), (6, 5000, 0)], verdict="VOID", dealer="d-11"),
        _plain(two, 4, 7, [(5, 2500, 2500), (2, 1500, -1500)], dealer="d-11", findings=[over, shake], extra=[fortune_5]),
        _plain(
            two,
            5,
            13,
            [(2, 1000, 1000), (4, 2500, -2500)],
            dealer="d-12",
            shift="grave",
            findings=[limit, source],
            extra=[settlement(4, "progressive", 500, 124500, 124500, "full house", paytable="4")],
        ),
    ]


def ledger() -> list[LedgerEntry]:
    """FU-01 is counted on both days, FU-02 has no closer yet on the second."""
    rows: list[tuple[str, int, str, Any, int]] = [
        ("table/fu-01", 2, DAY_1, "opener", 2_000_000), ("table/fu-01", 90, DAY_1, "fill", 500_000),
        ("table/fu-01", 95, DAY_1, "buy_in", 1_000_000), ("table/fu-01", 98, DAY_1, "credit", 250_000),
        ("table/fu-01", 99, DAY_1, "closer", 1_490_000), ("table/fu-01", 100, DAY_1, "drop", 1_000_000),
        ("table/fu-02", 2, DAY_1, "opener", 2_000_000), ("table/fu-02", 100, DAY_1, "closer", 1_550_000),
        ("table/fu-02", 101, DAY_1, "drop", 600_000),
        ("table/fu-01", 1000, DAY_2, "opener", 1_490_000), ("table/fu-01", 1500, DAY_2, "closer", 850_400),
        ("table/fu-01", 1501, DAY_2, "drop", 0), ("table/fu-01", 1502, DAY_2, "drop", 820_000),
        ("table/fu-02", 290, DAY_2, "opener", 1_550_000), ("table/fu-02", 299, DAY_2, "drop", 400_000),
    ]  # fmt: skip
    return [LedgerEntry(stream=s, seq=q, gaming_day=d, kind=k, amount_cents=c, reference=f"doc-{q}") for s, q, d, k, c in rows]


def rounds_events() -> list[RoundEvents]:
    """Round 17 whole, and round 18 up to the dealer's cards."""
    return [
        recorded("table/fu-01", 17, dispute(), opened=EVENING + 14 * 60 * SECOND, first_seq=DISPUTE_FIRST_SEQ),
        recorded(
            "table/fu-01",
            18,
            [*opening((1, 3, 5), 6, [(1, "base", 2500), (4, "base", 7500)]), DEALT_NEXT],
            opened=EVENING + 19 * 60 * SECOND,
            first_seq=18 * 75,
        ),
    ]


def table_events() -> list[TableEvent]:
    """The rules of FU-01, and the dice that came to it before the rounds of the second day."""
    filed = {
        "submission": "pa-688a-2026-01",
        "effective_gaming_day": DAY_1,
        "sha256": RULES,
        "toml": simple_submission(paytables={"ace_high_bonus": "1", "fortune_bonus": "3"}, progressive_joker="wild"),
    }
    corrected = {
        "supersedes_seq": 1001,
        "supersedes_event_id": "0" * 32,
        "replacement": {"type": "dice_received", "payload": {"dice_set": "dice-7"}, "round_no": None, "version": 1},
    }
    return [
        TableEvent(stream="table/fu-01", seq=3, type="rules_filed", payload=json.dumps(filed)),
        TableEvent(stream="table/fu-01", seq=1001, type="dice_received", payload='{"dice_set":"dice-8"}'),
        TableEvent(stream="table/fu-01", seq=1002, type="event_corrected", payload=json.dumps(corrected)),
        *(
            TableEvent(stream=of.stream, seq=event["seq"], type=event["type"], payload=event["payload"])
            for of in rounds_events()
            for event in of.events
            if event["type"] in ("cards_shuffled", "device_failed", "device_restored")
        ),
    ]


def observed() -> list[TableRows]:
    """One round that a person entered by itself, for cause."""
    entered = {
        "stream": "observed/fu-01", "round_no": 1, "basis": "for_cause", "observation": None, "observer": "m.ortiz",
        "seen": "video",
        "camera": "cam-4", "dealer": "d-7", "gaming_day": "2026-03-01", "entered_at_us": 0, "same_stream": None,
        "same_round_no": None, "withdrawn": False, "verdict": "UPHELD", "known": True, "codes": [], "underpaid_cents": 0,
        "overpaid_cents": 0, "confirmed_by": [],
    }  # fmt: skip
    said = {
        "stream": "observed/fu-01", "observation": "", "basis": "for_cause", "dealer": None, "planned": 0, "closed": False,
        "entered": 1, "known": 1, "wrong": 0, "unread": 0, "low": None, "high": None, "difference_cents": 0,
        "patron_short_cents": 0, "house_short_cents": 0, "confirmed": 0, "cards": 0, "cards_alike": 0, "amounts": 0,
        "amounts_alike": 0, "says": "0 of 1 wrong; entered for cause, which says nothing about a rate",
    }  # fmt: skip
    return observed_frames([entered], [said])


def reviews() -> list[ReviewTimes]:
    """The dispute was given to somebody an hour after its round."""
    return [
        ReviewTimes(
            finding_id=DISPUTE.id,
            state="assigned",
            assigned_to="s.lee",
            disposition=None,
            amount_cents=None,
            first_at_us=EVENING + 74 * 60 * SECOND,
            settled_at_us=None,
        )
    ]


@cache
def _warehouse() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "warehouse.duckdb")
        build(
            path,
            adjudications(),
            ledger(),
            rounds_events(),
            table_events=table_events(),
            reviews=reviews(),
            observed=observed(),
            facts=FACTS,
        )
        return path.read_bytes()


def make(path: Path) -> Path:
    """Put the warehouse of this floor at `path`, in place of what is there; it is built once in a process."""
    with replacing(path) as fresh:
        fresh.write_bytes(_warehouse())
    return path
