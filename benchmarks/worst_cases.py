"""Worst cases, each next to the same case without its difficulty: late events, corrections, many sources, a round full of doubts.

And the cost of an event as the history grows: the same replay of once, ten times and a hundred times as many rounds.
"""

import hashlib
from pathlib import Path
from statistics import fmean

import msgspec

from benchmarks import on_sqlite
from benchmarks.full_tables import full_tables
from benchmarks.measuring import Measured, Timing, once
from benchmarks.reporting import say
from events.open import open_log
from events.vocabulary import model
from events.vocabulary.codec import canonical
from events.vocabulary.envelope import Draft
from replay.transcript.transcript import judge

TIMES_IN_ORDER = 5
"""The limit of the cost of late events, as a multiple of the cost of the same events in order."""
BETTING = (model.WagerPlaced, model.WagerPaid, model.WagerTaken, model.WagerReturned, model.LammerPlaced)
"""The reports of the pad that is cut off all day."""
LINES = 1_000
"""Lines that an intake appends at once."""


def measure(folder: Path, seed: int, rounds: int = 60) -> list[Measured]:
    """Measure every worst case."""
    say("worst cases …")
    return [
        late_facts(folder, seed, rounds // 2),
        late_facts(folder, seed, rounds),
        corrections(folder, seed, rounds),
        sources(folder, 10_000),
        doubts(),
    ]


def late_facts(folder: Path, seed: int, rounds: int) -> Measured:
    """Replay a day in which a betting pad was disconnected and sent everything at the end."""
    groups = full_tables(rounds, tables=1, seed=seed)
    drafts = [draft for _, group in groups for draft in group]
    drafts = [msgspec.structs.replace(d, source="pad") if isinstance(d.payload, BETTING) else d for d in drafts]
    late = [*(d for d in drafts if d.source != "pad"), *(d for d in drafts if d.source == "pad")]
    stream = groups[0][0]
    return _compared(
        folder,
        f"late-{rounds}",
        f"Replay, the betting of {rounds} rounds handed in at the end",
        "in order",
        [(stream, late)],
        [(stream, drafts)],
    )


def corrections(folder: Path, seed: int, rounds: int) -> Measured:
    """Replay a day that ends with repeated corrections of every payment of its first round."""
    groups = full_tables(rounds, tables=1, seed=seed)
    stream = groups[0][0]
    drafts = [draft for _, group in groups for draft in group]
    number, wrong = next((n, d) for n, d in enumerate(drafts, 1) if isinstance(d.payload, model.WagerTaken))
    made = [_correction(n, number, wrong) for n in range(rounds * 10)]
    plain = [_draft("office", n + 1, model.LightSeen(seat=1), rounds) for n in range(rounds * 10)]
    return _compared(
        folder,
        "corrections",
        f"Replay, {len(made)} corrections of the first of {rounds} rounds",
        "as many other events",
        [(stream, drafts), (stream, made)],
        [(stream, drafts), (stream, plain)],
    )


def _correction(number: int, seq: int, wrong: Draft) -> Draft:
    taken = msgspec.structs.replace(wrong.payload, amount_cents=100 + number)
    content = msgspec.json.decode(canonical(taken))
    replaced = model.Replacement(type=taken.TYPE, version=taken.VERSION, round_no=wrong.round_no, payload=content)
    payload = model.EventCorrected(
        supersedes_seq=seq, supersedes_event_id=wrong.event_id, replacement=replaced, by="sv-1", reason="video"
    )
    return _draft("office", number + 1, payload, None)


def _draft(source: str, number: int, payload: model.Event, round_no: int | None) -> Draft:
    return Draft(
        event_id=hashlib.sha256(f"{source}/{number}".encode()).hexdigest()[:32],
        source=source,
        source_seq=number,
        occurred_at_us=1_900_000_000_000_000 + number,
        round_no=round_no,
        payload=payload,
    )


def _compared(folder: Path, key: str, title: str, peer_name: str, ours: on_sqlite.Groups, peer: on_sqlite.Groups) -> Measured:
    timings = [_replayed(folder / f"{key}-{name}.db", groups) for name, groups in (("ours", ours), ("peer", peer))]
    return _beside(key, title, sum(len(drafts) for _, drafts in ours), peer_name, *timings)


def _beside(key: str, title: str, count: int, peer_name: str, ours: Timing, peer: Timing) -> Measured:
    return Measured(
        key=key,
        title=title,
        unit="events",
        count=count,
        ours=ours,
        peer_name=peer_name,
        peer=peer,
        goal=f"at most {TIMES_IN_ORDER} times as long",
        met=ours.cpu_s <= TIMES_IN_ORDER * peer.cpu_s,
    )


def _replayed(path: Path, groups: on_sqlite.Groups) -> Timing:
    log = open_log(on_sqlite.address(path), create=True, property_id=on_sqlite.PROPERTY)
    for stream, drafts in groups:
        for at in range(0, len(drafts), LINES):
            log.append_groups([(stream, drafts[at : at + LINES])])
    log.close()
    return once(lambda: on_sqlite.replay_once(path))[0]


def sources(folder: Path, count: int) -> Measured:
    """Append one event of each of many sources to a stream, and as many of one source."""

    def many(different: bool) -> list[Draft]:
        day = _draft("pit", 1, model.GamingDayOpened(gaming_day="2026-03-01"), None)
        names = [f"d-{n}" if different else "d" for n in range(count)]
        numbers = [1 if different else n + 1 for n in range(count)]
        made = [_draft(name, number, model.LightSeen(seat=1), None) for name, number in zip(names, numbers, strict=True)]
        return [day, *made]

    timings = []
    for different in (True, False):
        log = open_log(on_sqlite.address(folder / f"sources-{different}.db"), create=True, property_id="bench")
        drafts = many(different)
        batches = [[("table/t-1", drafts[at : at + LINES])] for at in range(0, len(drafts), LINES)]
        timings.append(once(on_sqlite.append, log, batches)[0])
        log.close()
    return _beside("sources", f"Append, {count:,} sources in one stream", count, "one source", *timings)


def doubts() -> Measured:
    """Judge a round with six wagers abandoned by no one and unread cards in three hands."""
    times = {name: once(_judged, text)[0] for name, text in ROUNDS.items()}
    return Measured(
        key="doubts",
        title="Judge a round that leaves much open",
        unit="rounds",
        count=JUDGED,
        ours=times["open"],
        peer_name="the same, everything on record",
        peer=times["plain"],
        goal="less than a second of processor time each",
        met=times["open"].cpu_s < JUDGED,
    )


def _judged(text: str) -> None:
    for _ in range(JUDGED):
        judge(text, "worst")


JUDGED = 3
CARDS = [rank + suit for rank in "AKQJT98765432" for suit in "shdc"]


def _round(unread: int, abandoned: int) -> str:
    hands = []
    for number in range(7):
        missing = unread if 1 <= number <= 3 else 0
        cards = CARDS[number * 7 : number * 7 + 7 - missing] + ["??"] * missing
        hands.append(f"{'dealer' if number == 0 else f'seat{number}'}={' '.join(cards)}")
    seats = range(1, 7)
    return "\n".join(
        [
            "rules pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=4",
            *(f"seated seat={seat} p-{seat}" for seat in seats),
            "round 1",
            "covers settlement",
            *(f"wager seat={seat} bettor=p-{seat} base 10.00 fortune_bonus 5.00" for seat in seats),
            f"deal {'  '.join(hands)}",
            *(f"abandon seat={seat}" for seat in range(1, abandoned + 1)),
            "close",
        ]
    )


ROUNDS = {"plain": _round(0, 0), "open": _round(5, 6)}
"""A round with everything on record, and the same with what leaves most open."""


GROWING = 150
"""Rounds of the smallest history."""
TIMES = (10, 100)
"""A history as many times as long."""
TABLES = 5
"""One table's rounds of the largest history would be more than a transcript may hold."""
AROUND = 10
"""Replays of the smallest history before and after a larger one: a machine that slows down slows both."""
WITHIN = 0.10


def growing(folder: Path, seed: int) -> list[Measured]:
    """Replay logs of each size: an event costs the same as the history grows.

    The peer of a larger size is the mean of the smallest, scaled to it.
    """
    say(f"writing {GROWING * TIMES[-1]:,} rounds …")
    groups = full_tables(GROWING * TIMES[-1], tables=TABLES, seed=seed)
    smallest = groups[:GROWING]
    least = on_sqlite.written(folder / "growth-1.db", smallest)
    measured: list[Measured] = []
    for times in TIMES:
        part = groups[: GROWING * times]
        path = on_sqlite.written(folder / f"growth-{times}.db", part)
        around = [_replayed_again(least, smallest) for _ in range(AROUND)]
        ours = _replayed_again(path, part)
        around += [_replayed_again(least, smallest) for _ in range(AROUND)]
        events = sum(len(drafts) for _, drafts in part)
        factor = events / sum(len(drafts) for _, drafts in smallest)
        peer = Timing(factor * fmean(each.wall_s for each in around), factor * fmean(each.cpu_s for each in around))
        measured.append(
            Measured(
                key=f"growth-{times}",
                title=f"Replay of {times} times as many rounds",
                unit="events",
                count=events,
                ours=ours,
                peer_name=f"{GROWING} rounds, {factor:.1f} times over",
                peer=peer,
                goal="an event costs the same within 10 %",
                met=ours.cpu_s <= peer.cpu_s * (1 + WITHIN),
                notes={"rounds": len(part)},
            )
        )
    return measured


def _replayed_again(path: Path, groups: on_sqlite.Groups) -> Timing:
    on_sqlite.clear_results(path)
    timing, summary = once(lambda: on_sqlite.replay_once(path))
    on_sqlite.expect(summary, len(groups))
    return timing
