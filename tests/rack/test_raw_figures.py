"""The warehouse's columns, recomputed from the raw lines of the log: no model, no fold and no verdict is asked.

Each test recomputes the columns of one table as `rack docs warehouse` defines them. Only what a verdict decides is left out.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from analytics.hold.periods import tray_differences
from analytics.hold.theoretical import theoretical_win
from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.warehouse import Warehouse, reading
from events.log.contract import EventLog
from floor.day.gaming_day import simulate
from rack.opening import log_at, results_at
from replay.run.replayer import replay
from trial.property_folder import PROPERTY

GAMES = ("face_up_pai_gow", "over_under", "dj_wild", "pai_gow_poker")
Line = dict[str, Any]


class Raw:
    """The lines of each table as they are after correction, in order."""

    def __init__(self, log: EventLog) -> None:
        self.recorded: dict[str, list[Line]] = {}
        self.zone = "UTC"
        for stream in log.streams():
            lines = [
                json.loads(record.data) | {"hash": record.hash.hex(), "text": bytes(record.data)} for record in log.read(stream)
            ]
            if stream.startswith("table/"):
                self.recorded[stream] = lines
            elif stream.startswith("property/"):
                configured = [line["payload"] for line in lines if line["type"] == "property_configured"]
                self.zone = configured[-1]["time_zone"] if configured else self.zone
        self.lines = {stream: _after_corrections(lines) for stream, lines in self.recorded.items()}

    def of(self, *types: str) -> Iterator[Line]:
        """Yield the lines of these types, a stream after the other."""
        yield from (line for lines in self.lines.values() for line in lines if line["type"] in types)

    def by_round(self, *types: str) -> dict[tuple[str, int], list[Line]]:
        """Return the lines of rounds by stream and round."""
        found: dict[tuple[str, int], list[Line]] = defaultdict(list)
        for line in self.of(*types):
            if line["round_no"] is not None:
                found[line["stream"], line["round_no"]].append(line)
        return found


def _after_corrections(lines: list[Line]) -> list[Line]:
    """Return the lines as they count: a correction counts if its number and id name one earlier event (D140)."""
    ids = {line["seq"]: line["event_id"] for line in lines}
    newest = {
        of["supersedes_seq"]: of["replacement"]
        for line in lines
        for of in (line["payload"],)
        if line["type"] == "event_corrected"
        and of["supersedes_seq"] < line["seq"]
        and ids[of["supersedes_seq"]] == of["supersedes_event_id"]
    }
    standing = []
    for line in lines:
        if line["seq"] not in newest:
            standing.append(line)
        elif (other := newest[line["seq"]]) is not None and other["type"] == line["type"]:
            standing.append(line | {"payload": other["payload"]})
    return standing


def table(db: Warehouse, name: str, columns: str) -> list[tuple[Any, ...]]:
    return sorted(db.sql(f"SELECT {columns} FROM {name}").fetchall(), key=repr)


def rounds(db: Warehouse) -> dict[tuple[str, int], tuple[str, date]]:
    """Return game and gaming day of each judged round: a round that was never closed has no verdict."""
    rows = db.sql("SELECT stream, round_no, game, gaming_day FROM fct_rounds").fetchall()
    return {(stream, number): (game, day) for stream, number, game, day in rows}


def in_order(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)


def hands_of(raw: Raw, judged: dict[tuple[str, int], Any]) -> dict[tuple[str, int, str], tuple[str, str, list[str]]]:
    """Return (stream, round, position) → deck opened with, how it was shuffled last before the first card, and cards."""
    opened = {key: lines[0]["payload"]["deck"] for key, lines in raw.by_round("round_opened").items()}
    shuffled = {stream: [e for e in lines if e["type"] == "cards_shuffled"] for stream, lines in raw.lines.items()}
    found = {}
    for (stream, number), lines in raw.by_round("cards_dealt").items():
        if (stream, number) not in judged:
            continue
        first, deck = min(line["seq"] for line in lines), opened[stream, number]
        before = [e["payload"]["method"] for e in shuffled[stream] if e["seq"] < first and e["payload"]["deck"] == deck]
        dealt: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            dealt[str(line["payload"]["to"])] += line["payload"]["cards"]
        for position, cards in dealt.items():
            if None not in cards:
                found[stream, number, position] = (deck, before[-1] if before else "", cards)
    return found


@pytest.fixture(scope="module", params=["faults", "honest"])
def floor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Raw, Warehouse]]:
    folder: Path = tmp_path_factory.mktemp(request.param)
    address = f"sqlite://{folder}/floor.db"
    groups = list(simulate(31, 40, games=GAMES, plant=request.param == "faults").groups())
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log, closing(results_at(address)) as results:
        log.append_groups(groups)
        replay(log, results)
        build_warehouse(folder / "w", log, results)
        raw = Raw(log)
    with reading(folder / "w") as db:
        yield raw, db


def test_round_events_are_the_lines_of_rounds(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    lines = [line for of in raw.recorded.values() for line in of if line["round_no"] is not None]
    columns = ("stream", "round_no", "seq", "event_id", "type", "occurred_at_us", "source", "hash")
    assert table(db, "round_events", ", ".join(columns)) == in_order([tuple(e[name] for name in columns) for e in lines])
    payloads = {(s, q): json.loads(p) for s, q, p in db.sql("SELECT stream, seq, payload FROM round_events").fetchall()}
    assert payloads == {(e["stream"], e["seq"]): e["payload"] for e in lines}


def test_rounds_have_the_times_days_and_hours_of_their_lines(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    opened, closed = raw.by_round("round_opened"), raw.by_round("round_closed")
    rows = db.sql("SELECT stream, round_no, opened_at_us, closed_at_us, gaming_day, hour, first_seq, table_id FROM fct_rounds")
    for stream, number, opened_at, closed_at, day, hour, first_seq, table_id in rows.fetchall():
        line = opened[stream, number][0]
        assert (opened_at, str(day), first_seq) == (line["occurred_at_us"], line["gaming_day"], line["seq"])
        assert closed_at == closed[stream, number][-1]["occurred_at_us"]
        assert hour == datetime.fromtimestamp(opened_at / 1e6, UTC).astimezone(ZoneInfo(raw.zone)).hour
        assert table_id == stream.partition("/")[2]
    assert {key for key in opened if key in closed} >= rounds(db).keys()


def test_hands_have_the_deck_that_was_dealt_and_its_own_last_shuffle(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    expected = hands_of(raw, rounds(db))
    assert table(db, "fct_hands", "stream, round_no, position, deck, method, cards") == in_order(
        [(*key, deck, method, cards) for key, (deck, method, cards) in expected.items()]
    )
    assert len({deck for deck, _, _ in expected.values()}) > len(raw.lines)
    assert {method for _, method, _ in expected.values()} > {"automated"}


def test_cards_hands_and_repeats_count_the_hands(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    judged = rounds(db)
    hands = hands_of(raw, judged)
    cards, patterns = Counter[Any](), Counter[Any]()
    pairs, repeated = Counter[Any](), Counter[Any]()
    of_deck: dict[tuple[str, str], set[int]] = defaultdict(set)
    for (stream, number, position), (deck, method, dealt) in hands.items():
        of_deck[stream, deck].add(number)
        month = judged[stream, number][1].replace(day=1)
        for card in dealt:
            cards[stream, month, method, position, len(dealt), card] += 1
        ranks = sorted(Counter(card[0] for card in dealt if card != "Jk").values(), reverse=True)
        patterns[stream, month, deck, method, position, len(dealt), "+".join(map(str, ranks)), "Jk" in dealt] += 1
    for (stream, deck), numbers in of_deck.items():
        for earlier, later in pairwise(sorted(numbers)):
            for position in {at for of, number, at in hands if (of, number) == (stream, later)}:
                before = hands.get((stream, earlier, position), ("", "", []))[2]
                _, method, dealt = hands[stream, later, position]
                if len(before) == len(dealt):
                    key = (stream, judged[stream, later][1].replace(day=1), deck, method, position, len(dealt))
                    pairs[key] += 1
                    repeated[key] += len(set(before) & set(dealt))
    assert table(db, "mart_cards", "stream, gaming_month, method, position, cards, card, times") == in_order(
        [(*key, times) for key, times in cards.items()]
    )
    columns = "stream, gaming_month, deck, method, position, cards, pattern, joker, hands"
    assert table(db, "mart_hands", columns) == in_order([(*key, number) for key, number in patterns.items()])
    columns = "stream, gaming_month, deck, method, position, cards, pairs, repeated"
    assert table(db, "mart_repeats", columns) == in_order([(*key, n, repeated[key]) for key, n in pairs.items()])


def test_rolls_faces_totals_and_starts_are_those_of_the_lines(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    judged = rounds(db)
    expected, totals, before = [], Counter[Any](), dict[Any, int]()
    for stream, lines in raw.lines.items():
        dice_set = ""
        for line in lines:
            if line["type"] == "dice_received":
                dice_set = line["payload"]["dice_set"]
            key = (stream, line["round_no"])
            if line["type"] != "dice_rolled" or key not in judged or line["payload"]["lie"] != "flat":
                continue
            if None in line["payload"]["dice"]:
                continue
            total, day = sum(line["payload"]["dice"]), judged[key][1]
            last = before.get((stream, day, dice_set))
            lag = None if last is None else (2 * total - 21) * last
            before[stream, day, dice_set] = 2 * total - 21
            totals[stream, day.replace(day=1), dice_set, total] += 1
            expected.append((stream, *key[1:], line["seq"], day, dice_set, line["payload"]["dice"], total, lag))
    columns = "stream, round_no, seq, gaming_day, dice_set, dice, total, lag_product"
    assert table(db, "fct_rolls", columns) == in_order(expected)
    assert table(db, "mart_totals", "stream, gaming_month, dice_set, total, rolls") == in_order(
        [(*key, rolls) for key, rolls in totals.items()]
    )
    ((faces,),) = db.sql("SELECT coalesce(sum(rolls), 0) FROM mart_faces").fetchall()
    assert faces == 3 * len(expected)
    starts = Counter[Any]()
    for line in raw.of("number_drawn", "start_announced"):
        if (key := (line["stream"], line["round_no"])) in judged:
            kind = "number" if line["type"] == "number_drawn" else "start"
            value = str(line["payload"]["number" if kind == "number" else "position"])
            starts[line["stream"], judged[key][1].replace(day=1), kind, value] += 1
    assert table(db, "mart_starts", "stream, gaming_month, kind, value, rounds") == in_order(
        [(*key, number) for key, number in starts.items()]
    )


class Times(NamedTuple):
    """Who dealt a round and when, by the lines of its table."""

    key: tuple[Any, ...]
    opened_us: int
    closed_us: int


def times_of(raw: Raw, db: Warehouse) -> dict[tuple[str, int], Times]:
    """Return of each judged round its stream, game, dealer, shift, gaming day and hour, and when it was opened and closed."""
    judged = rounds(db)
    found: dict[tuple[str, int], Times] = {}
    for stream, lines in raw.lines.items():
        dealer, shift, game = "", "", ""
        for line in lines:
            key = (stream, line["round_no"])
            match line["type"]:
                case "dealer_tapped_in":
                    dealer = line["payload"]["dealer"]
                case "shift_changed":
                    shift = line["payload"]["shift"]
                case "table_opened":
                    game = line["payload"]["game"]
                case "round_opened" if key in judged and key not in found:
                    at = datetime.fromtimestamp(line["occurred_at_us"] / 1e6, UTC).astimezone(ZoneInfo(raw.zone))
                    day = date.fromisoformat(line["gaming_day"])
                    found[key] = Times((stream, game, dealer, shift, day, at.hour), line["occurred_at_us"], 0)
                case "round_closed" if key in found:
                    found[key] = found[key]._replace(closed_us=line["occurred_at_us"])
    return found


PAUSE_US = 10 * 60 * 1_000_000


def test_pace_is_that_of_the_lines(floor: tuple[Raw, Warehouse]) -> None:
    """From opening to the next opening of the day; more than ten minutes, and the last round, count as long as they took."""
    raw, db = floor
    verdicts = {
        (stream, number): verdict
        for stream, number, verdict in db.sql("SELECT stream, round_no, verdict FROM fct_rounds").fetchall()
    }
    times = times_of(raw, db)
    sums: dict[Any, list[int]] = defaultdict(lambda: [0] * 7)
    for (stream, number), of in times.items():
        later = [n for s, n in times if s == stream and n > number and times[s, n].key[4] == of.key[4]]
        own = of.closed_us - of.opened_us
        to_next = times[stream, min(later)].opened_us - of.opened_us if later else None
        paused = to_next is not None and to_next > PAUSE_US
        play = own if to_next is None or paused or to_next < 0 else to_next
        verdict = verdicts[stream, number]
        more = [1, play, own, paused, verdict == "VARIANCE", verdict == "VOID", verdict == "UNDETERMINED"]
        sums[of.key] = [a + int(b) for a, b in zip(sums[of.key], more, strict=True)]
    columns = "stream, game, dealer, shift, gaming_day, hour, rounds, play_us, round_us, pauses, variances, voids, undetermined"
    assert table(db, "mart_pace", columns) == in_order([(*key, *of) for key, of in sums.items()])


def test_boxes_seats_and_wagers_are_those_of_the_lines(floor: tuple[Raw, Warehouse]) -> None:
    """Of dealers' hours in which every round was UPHELD: there what was placed was settled, and nothing was refused."""
    raw, db = floor
    upheld = set(db.sql("SELECT stream, round_no FROM fct_rounds WHERE verdict = 'UPHELD'").fetchall())
    times = times_of(raw, db)
    mixed = {of.key for key, of in times.items() if key not in upheld}
    placed = placed_in(raw)
    pace, seats, bettors = Counter[Any](), Counter[Any](), Counter[Any]()
    for key, of in times.items():
        wagers = placed.get(key, {})
        pace[of.key, "wagers"] += len(wagers)
        pace[of.key, "decisions"] += len({(seat, bettor) for (seat, _, _, bettor), cents in wagers.items() if cents})
        pace[of.key, "seats"] += len({seat for seat, *_ in wagers})
        for seat in {seat for seat, *_ in wagers}:
            seats[(*of.key, seat), "rounds"] += 1
            seats[(*of.key, seat), "wagers"] += sum(each[0] == seat for each in wagers)
        stream, game, dealer, shift, day, _ = of.key
        for *_, bettor in wagers:
            if bettor:
                bettors[(stream, game, shift, day, dealer, bettor), "wagers"] += 1
    columns = "stream, game, dealer, shift, gaming_day, hour"
    compared = 0
    for *group, wagers_, decisions, seats_ in table(db, "mart_pace", f"{columns}, wagers, decisions, seats"):
        if (key := tuple(group)) not in mixed:
            assert (wagers_, decisions, seats_) == tuple(pace[key, name] for name in ("wagers", "decisions", "seats"))
            compared += 1
    for *group, seat, number, wagers_ in table(db, "mart_seats", f"{columns}, seat, rounds, wagers"):
        if (key := tuple(group)) not in mixed:
            assert (number, wagers_) == (seats[(*key, seat), "rounds"], seats[(*key, seat), "wagers"])
    assert {(*key, seat) for *key, seat in table(db, "mart_seats", f"{columns}, seat") if tuple(key) not in mixed} == {
        key for (key, _) in seats if key[:-1] not in mixed
    }
    days = {(stream, game, shift, day, dealer) for stream, game, dealer, shift, day, _ in mixed}
    names = "stream, game, shift, gaming_day, dealer, bettor"
    found = {tuple(key): n for *key, n in table(db, "mart_bettors", f"{names}, wagers")}
    expected = {key for (key, _) in bettors}
    assert {key for key in found if key[:-1] not in days} == {key for key in expected if key[:-1] not in days}
    for key, values in found.items():
        if key[:-1] not in days:
            assert values == bettors[key, "wagers"]
    assert compared > 3


def placed_in(raw: Raw) -> dict[tuple[str, int], dict[tuple[int, str, int | None, str], int]]:
    """Return of each round seat, wager, number and bettor of what was placed and not taken back, with the cents in time.

    What was given back as late is one without a stake: it was settled. So is an Envy Bonus that was paid, one more of the patron
    who wagers at the seat. A refusal after "no more bets", or after the first card, takes back what was placed since, or chips
    that never lay there.
    What was bet for the dealer is a part of the wager of the patron who plays the seat.
    """
    found: dict[tuple[str, int], dict[tuple[int, str, int | None, str], int]] = defaultdict(dict)
    types = "wager_placed", "wager_removed", "wager_refused", "wager_returned"
    for key, lines in raw.by_round(*types, "no_more_bets", "cards_dealt").items():
        sums, since, late = Counter[Any](), None, set[Any]()
        said = [line["payload"] for line in lines if line["type"] == "wager_placed"]
        players = {of["seat"]: of["bettor"] for of in said if of["bettor"] != "dealer"}
        for line in lines:
            of = line["payload"]
            if line["type"] == "no_more_bets" or (line["type"] == "cards_dealt" and since is None):
                since = Counter[Any]()
            if line["type"] in ("no_more_bets", "cards_dealt"):
                continue
            if line["type"] == "wager_returned" and of["reason"] != "late":
                continue
            bettor = players.get(of["seat"], "dealer") if of.get("bettor") == "dealer" else of.get("bettor") or ""
            wager, cents = (of["seat"], of["wager"], of.get("number"), bettor), of["amount_cents"]
            if line["type"] == "wager_refused" and since is not None:
                cents = min(cents, since[wager])
            cents = cents if line["type"] == "wager_placed" else -cents
            sums[wager] += cents
            if since is not None:
                since[wager] += cents
            if line["type"] == "wager_returned":
                late.add(wager)
        found[key] = {wager: cents for wager, cents in sums.items() if cents or wager in late}
    for key, lines in raw.by_round("envy_paid").items():
        for of in (line["payload"] for line in lines):
            bettor = next(bettor for seat, *_, bettor in found[key] if seat == of["seat"])
            found[key][of["seat"], of["wager"], of["for_position"], bettor] = 0
    return found


def test_faces_are_those_of_the_dice_told_apart_by_their_colors(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    judged = rounds(db)
    faces = Counter[Any]()
    for stream, lines in raw.lines.items():
        dice_set = ""
        for line in lines:
            dice_set = line["payload"]["dice_set"] if line["type"] == "dice_received" else dice_set
            key = (stream, line["round_no"])
            if line["type"] != "dice_rolled" or key not in judged:
                continue
            dice, colors = line["payload"]["dice"], line["payload"].get("colours")
            if line["payload"]["lie"] == "flat" and None not in dice:
                game, day = judged[key]
                for place, face in enumerate(dice):
                    die = colors[place] if colors else "any"
                    faces[stream, game, day.replace(day=1), dice_set, die, face] += 1
    columns = "stream, game, gaming_month, dice_set, die, face, rolls"
    assert table(db, "mart_faces", columns) == in_order([(*key, rolls) for key, rolls in faces.items()])
    assert {die for *_, die, _ in faces} > {"any"}


TABLE_EVENTS = {"cards_shuffled", "device_covered", "device_failed", "device_restored", "dice_received", "event_corrected",
                "rules_filed", "table_opened"}  # fmt: skip


def test_events_of_tables_are_the_lines_as_recorded(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    lines = [line for of in raw.recorded.values() for line in of if line["type"] in TABLE_EVENTS]
    found = {
        (s, n): (t, json.loads(p)) for s, n, t, p in db.sql("SELECT stream, seq, type, payload FROM stg_table_events").fetchall()
    }
    assert found == {(e["stream"], e["seq"]): (e["type"], e["payload"]) for e in lines}
    assert {"cards_shuffled", "rules_filed", "table_opened"} <= {type_ for type_, _ in found.values()}


def test_filings_are_the_lines_that_filed_rules(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    columns = "stream, table_id, seq, submission, effective_gaming_day, digest, toml"
    expected = [
        (e["stream"], e["stream"].partition("/")[2], e["seq"], of["submission"],
         date.fromisoformat(of["effective_gaming_day"]), sha256(of["toml"].encode()).hexdigest(), of["toml"])
        for e in raw.of("rules_filed") for of in (e["payload"],)
    ]  # fmt: skip
    assert table(db, "fct_filings", columns) == in_order(expected)
    assert {digest for (digest,) in db.sql("SELECT DISTINCT rules_digest FROM fct_rounds").fetchall()} <= {
        row[5] for row in expected
    }


def test_cards_seen_are_those_dealt_to_a_position_or_set_there(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    seen: dict[Any, set[str]] = defaultdict(set)
    for line in (line for of in raw.recorded.values() for line in of if line["round_no"] is not None):
        of = line["payload"]
        match line["type"]:
            case "cards_dealt":
                cards, position = of["cards"], of["to"]
            case "hand_set" | "hand_reset":
                cards, position = [*of["high"], *(of.get("medium") or []), *of["low"]], of["position"]
            case _:
                continue
        if str(position) in ("dealer", *"1234567"):
            seen[line["stream"], line["round_no"], str(position)] |= {card for card in cards if card is not None}
    expected = [(*key, sorted(cards)) for key, cards in seen.items() if cards]
    assert table(db, "fct_cards_seen", "stream, round_no, position, cards") == in_order(expected)


def test_devices_that_failed_are_those_that_the_lines_name(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    reported = Counter((e["stream"], e["source"]) for of in raw.recorded.values() for e in of if e["round_no"] is not None)
    last: dict[tuple[str, str], int] = {}
    for line in (e for of in raw.recorded.values() for e in of if e["round_no"] is not None):
        key = line["stream"], line["source"]
        last[key] = max(last.get(key, 0), line["occurred_at_us"])
    failed = Counter((e["stream"], e["payload"]["device"]) for e in raw.of("device_failed"))
    restored = Counter((e["stream"], e["payload"]["device"]) for e in raw.of("device_restored"))
    keys = {*reported, *failed, *restored}
    expected = [(*key, reported[key], last.get(key), failed[key], restored[key]) for key in keys]
    assert table(db, "mart_devices", "stream, source, events, last_at_us, failures, restored") == in_order(expected)
    assert failed


def test_the_ledger_is_that_of_the_lines(floor: tuple[Raw, Warehouse]) -> None:
    raw, db = floor
    kinds = {"opener": "openers", "closer": "closers", "drop": "drops"}
    counted, sums = Counter[Any](), Counter[Any]()
    for stream, day, kind, cents in db.sql("SELECT stream, gaming_day, kind, amount_cents FROM stg_ledger").fetchall():
        counted[stream, day, kind] += 1
        sums[stream, day, kind] += cents
    lines = list(raw.of("inventory_counted"))
    assert Counter((e["stream"], e["payload"]["kind"]) for e in lines) == Counter(
        {(s, k): n for (s, k), n in _by(counted).items() if k in ("opener", "closer")}
    )
    for stream, day, *found in db.sql(
        "SELECT stream, gaming_day, openers, closers, drops, opener_cents, closer_cents, drop_cents FROM fct_table_days"
    ).fetchall():
        for kind, number, cents in zip(kinds, found[:3], found[3:], strict=True):
            assert number == counted[stream, day, kind]
            assert cents == (sums[stream, day, kind] if number else None)


def _by(counted: Counter[Any]) -> Counter[tuple[str, str]]:
    found = Counter[tuple[str, str]]()
    for (stream, _, kind), number in counted.items():
        found[stream, kind] += number
    return found


def test_an_honest_wager_s_money_is_that_of_its_lines(floor: tuple[Raw, Warehouse]) -> None:
    """In rounds judged UPHELD, wagers that were placed once, taken, paid or returned: no model of what is due is needed."""
    raw, db = floor
    upheld = set(db.sql("SELECT stream, round_no FROM fct_rounds WHERE verdict = 'UPHELD'").fetchall())
    placed: dict[Any, list[int]] = defaultdict(list)
    back, by_slip, taken, moved = Counter[Any](), Counter[Any](), Counter[Any](), set()
    from_meter = Counter[Any]()
    for line in raw.of("wager_placed", "wager_taken", "wager_paid", "wager_returned", "progressive_won", "vigorish_taken"):
        event, key = (line["payload"], (line["stream"], line["round_no"], line["payload"]["seat"], line["payload"].get("wager")))
        match line["type"]:
            case "wager_placed":
                placed[key].append(event["amount_cents"])
                continue
            case "wager_paid":
                back[key] += event["winnings_cents"] + event["stake_cents"]
                by_slip[key] += event["winnings_cents"] if event["source"] == "slip" else 0
            case "wager_returned":
                back[key] += event["amount_cents"]
                if event["reason"] == "late":
                    placed[key].append(0)  # what was late was never at stake
            case "wager_taken":
                taken[key] += event["amount_cents"]
            case "vigorish_taken":
                back[*key[:3], "base"] -= event["amount_cents"]
                continue
            case "progressive_won":
                won = (*key[:3], "progressive")
                from_meter[won] += event["reading_centicents"] * event["share_bp"] // 1_000_000
                continue
        moved.add(key)
    one_each = {key for key, of in placed.items() if len(of) == 1 and key[:2] in upheld and key in moved}
    compared = 0
    rows = db.sql(
        """
        SELECT stream, round_no, seat, wager, staked_cents, handle_cents, payouts_cents, house_win_cents, by_slip_cents,
            from_meter_cents
        FROM fct_wagers WHERE NOT patron_banked AND settled
        """
    ).fetchall()
    for stream, number, seat, wager, staked, handle, payouts, win, slip, meter in rows:
        key = stream, number, seat, wager
        if key not in one_each or wager in ("match", "backline", "mystery") or taken[key] not in (0, placed[key][0]):
            continue
        if back[key] and taken[key]:
            continue  # a payment that was put right
        (stake,) = placed[key]
        returned = back[key] - from_meter[key]
        assert (staked, handle, payouts, slip, meter) == (stake, stake, returned, by_slip[key], from_meter[key]), key
        assert win == stake - returned
        compared += 1
    assert compared > 900


def test_days_and_marts_add_up_the_wagers(floor: tuple[Raw, Warehouse]) -> None:
    _, db = floor
    figures = ("handle_cents", "payouts_cents", "house_win_cents", "by_slip_cents", "from_meter_cents", "unsettled")
    names = ", ".join(f"stream, gaming_day, {figure}" if at == 0 else figure for at, figure in enumerate(figures))
    expected: dict[Any, list[int]] = {}
    for stream, day, *values in sorted(db.sql(f"SELECT {names} FROM fct_wagers").fetchall(), key=lambda row: row[:2]):
        sums = expected.setdefault((stream, day), [0] * len(figures))
        expected[stream, day] = [a + (b or 0) for a, b in zip(sums, values, strict=True)]
    for name in ("fct_rounds", "mart_hold_wager", "fct_table_days"):
        rows = sorted(db.sql(f"SELECT {names} FROM {name}").fetchall(), key=lambda row: row[:2])
        for key, of in groupby(rows, key=lambda row: row[:2]):
            found = [sum(value or 0 for value in column) for column in zip(*(row[2:] for row in of), strict=True)]
            assert found == expected.get(key, [0] * len(figures)), (name, key)


def test_what_is_compared_with_theory_and_what_is_not_are_the_whole_house_win(floor: tuple[Raw, Warehouse]) -> None:
    """An Envy Bonus is paid without a stake, and what is kept of a voided wager is in neither."""
    _, db = floor
    of_house = "SELECT coalesce(sum(house_win_cents), 0)::BIGINT FROM fct_wagers WHERE settled AND NOT patron_banked"
    ((envy,),) = db.sql(f"{of_house} AND wager LIKE '%envy'").fetchall()
    ((whole,),) = db.sql(f"{of_house} AND line <> 'void'").fetchall()
    assert envy < 0
    for by in ("game", "table", "property"):
        sums = theoretical_win(db, by).select("house_win_cents", "unknown_house_win_cents").sum().row(0)
        assert sum(sums) == whole, by


def test_a_tray_differs_only_on_a_day_with_a_finding(floor: tuple[Raw, Warehouse]) -> None:
    """By the record's own moves; the simulated closer counts what was moved (D605)."""
    _, db = floor
    unexplained = tray_differences(db).filter(pl.col("findings") == 0)
    assert unexplained.select("table_id", "gaming_day", "difference_cents").rows() == []
