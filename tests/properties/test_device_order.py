"""Two events of one device are in the order of its own numbers, however late one of them is handed in (D850).

Honest days of every game, and days with planted faults: of each round one message is handed in after the next one of its device.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from zlib import crc32

import msgspec
import pytest

from desk.recorded_round import recorded_round
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from replay.fold.device_reports import RECENT_ROUNDS
from replay.fold.phases import COLUMN, STRAY, TABLE, Phase
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.transcript.transcript import judge
from tests.floor.simulated import stored
from tests.replay.tables import MemoryLog, records_of_drafts

pytestmark = pytest.mark.slow

TRIALS = pytest.mark.parametrize("trial", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in (1, 2))])
"""What is drawn: the first in each test run, all by `make test-nightly`."""
UNMOVED = (model.GamingDayOpened, model.EventCorrected)
"""A day opens between rounds only; a correction names an event by its number in the log."""
FRAME = (*UNMOVED, model.RoundOpened, model.RoundClosed, model.RulesFiled)
"""What says which rules and which round it is."""
NEVER_LOST = (model.EventCorrected, model.RoundOpened, model.RoundClosed)


def of(*games: str) -> list[object]:
    """The games as parameters: the days of each are played once, by one worker."""
    return [pytest.param(game, marks=pytest.mark.xdist_group(f"device order of {game}")) for game in games]


Judged = dict[int, tuple[str, tuple[str, ...], frozenset[tuple[object, ...]], object]]


def judged(stream: str, drafts: Sequence[Draft], cut: int = 0) -> Judged:
    """The verdict on every round, by a replay that was taken up after event `cut`.

    Findings have the ids of their evidence, for the numbers in the log differ.
    """
    log, results = MemoryLog([]), MemoryResults()
    log.records = {stream: records_of_drafts(stream, drafts)}
    log.all = log.records[stream]
    if cut:
        replay(log, results, as_of={stream: cut})
    replay(log, results)
    return {
        each.round_no: (
            each.verdict,
            each.undetermined,
            frozenset(
                (found.line(), found.observed, *sorted(drafts[seq - 1].event_id for seq in found.evidence))
                for found in each.findings
                if not found.code.startswith("LOG-")
            ),
            each.settlements,
        )
        for each in adjudications(results)
        if each.round_no is not None
    }


def handed_in_late(drafts: Sequence[Draft], random: Random) -> tuple[list[Draft], int]:
    """The messages with one of each forty or so after the next one of its device; and how many those are."""
    late: list[tuple[int, int]] = []
    at = random.randrange(12)
    while at < len(drafts):
        of_device = (to for to in range(at + 1, len(drafts)) if drafts[to].source == drafts[at].source)
        to = next(of_device, None)
        if to is None or any(isinstance(each.payload, UNMOVED) for each in drafts[at : to + 1]):
            at += 1
            continue
        late.append((at, to))
        at = to + random.randrange(20, 60)
    order = list(drafts)
    for at, to in reversed(late):
        order.insert(to, order.pop(at))
    return order, len(late)


@functools.cache
def streams(game: str, *, plant: bool) -> list[tuple[str, list[Draft], Judged]]:
    """The streams of a game's tables, each with its verdicts in order."""
    rounds = 600 if plant and game == "over_under" else 120 if plant else 30  # a shoe lasts for many rounds
    day = stored(simulate(15 if plant and game == "over_under" else 11, rounds, plant=plant, games=(game,), days=1))
    return [
        (stream, drafts, judged(stream, drafts))
        for stream, drafts in day.items()
        if stream.startswith("table/") and not any(isinstance(each.payload, model.EventCorrected) for each in drafts)
    ]


@TRIALS
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_a_message_after_the_next_of_its_device_changes_no_verdict(game: str, trial: int) -> None:
    tried = 0
    for stream, drafts, right in streams(game, plant=False):
        order, late = handed_in_late(drafts, Random(f"{stream} {trial}"))
        tried += late
        wrong = {
            number: (right[number], verdict)
            for number, verdict in judged(stream, order).items()
            if verdict != right[number] and right[number][0] != "UNDETERMINED"
        }
        assert not wrong, f"{stream}, trial {trial}"
    assert tried > 15


@pytest.mark.sampled(9)
@TRIALS
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_it_accuses_nobody_who_is_not_accused_in_order(game: str, trial: int) -> None:
    """What only the clock of the late message shows may become a doubt; nothing new is found, and nothing at fault is upheld."""
    missed, found = 0, 0
    for stream, drafts, right in streams(game, plant=True):
        order = handed_in_late(drafts, Random(f"{stream} {trial}"))[0]
        for number, verdict in judged(stream, order).items():
            assert verdict[2] <= right[number][2], f"{stream}, round {number}, trial {trial}"
            assert verdict[0] in ("UNDETERMINED", right[number][0]), f"{stream}, round {number}, trial {trial}"
            found += len(right[number][2])
            missed += len(right[number][2] - verdict[2])
    assert found > 6
    assert missed <= max(1, found // 20)


def without_some(drafts: Sequence[Draft], random: Random) -> tuple[list[Draft], set[str]]:
    """The messages without one in forty, and the ids of these: never the first or last of a device, or what frames a round."""
    numbers = Counter((each.source, each.source_seq) for each in drafts)
    ends = {each.source: each.event_id for each in drafts}, {each.source: each.event_id for each in reversed(drafts)}
    lost = {
        each.event_id
        for each in drafts
        if random.random() < 1 / 40
        and not isinstance(each.payload, FRAME)
        and numbers[each.source, each.source_seq] == 1
        and each.event_id not in (ends[0][each.source], ends[1][each.source])
    }
    return [each for each in drafts if each.event_id not in lost], lost


def filed_by_the_office(drafts: Sequence[Draft]) -> list[Draft]:
    """The messages with filings of the office in the place of a device's: what is lost of it leaves the rules certain (D1191)."""
    filed, moved = Counter[str](), list[Draft]()
    for each in drafts:
        is_filing = isinstance(each.payload, model.RulesFiled)
        filed[each.source] += is_filing
        source, number = each.source, each.source_seq - filed[each.source]
        if is_filing:
            source, number = "filing-m-ortiz", filed.total()
        moved.append(msgspec.structs.replace(each, source=source, source_seq=number))
    return moved


@pytest.mark.sampled(6)
@TRIALS
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_a_message_that_never_comes_accuses_nobody_and_upholds_nothing_that_is_at_fault(game: str, trial: int) -> None:
    """Who sits there, what is out of order, what a shoe has left and the like may be otherwise since: a doubt (D402, D951)."""
    upheld, found = 0, 0
    for stream, drafts, right in streams(game, plant=True):
        order, lost = without_some(filed_by_the_office(drafts), Random(f"{stream} {trial}"))
        for number, verdict in judged(stream, order).items():
            assert verdict[2] <= right[number][2], f"{stream}, round {number}, trial {trial}"
            seen = {each for each in right[number][2] if lost.isdisjoint(each)}
            found += len(seen)
            upheld += verdict[0] in ("UPHELD", "VOID") and bool(seen - verdict[2])
    assert found > 6
    assert not upheld


def reported_by(drafts: Sequence[Draft], device: Callable[[Draft], str]) -> list[Draft]:
    """The messages as if these devices had reported them."""
    counts: Counter[str] = Counter()
    moved: list[Draft] = []
    for each in drafts:
        source = device(each)[:32]
        counts[source] += 1
        moved.append(msgspec.structs.replace(each, source=source, source_seq=counts[source]))
    return moved


def one_for_each_kind(draft: Draft) -> str:
    return f"d-{draft.payload.TYPE.replace('_', '-')}"


def one_of_all(draft: Draft) -> str:
    return "d-all"


def one_of_five(draft: Draft) -> str:
    return f"d-{crc32(draft.payload.TYPE.encode()) % 5}"


def longest_silences(drafts: Sequence[Draft]) -> dict[str, tuple[int, int]]:
    """Of each kind the message around which its device was silent for most rounds: how many, and its place.

    A device whose first message is lost is heard again on the first gaming day: later it may have counted elsewhere (D1192).
    """
    found: dict[str, tuple[int, int]] = {}
    second = [at for at, each in enumerate(drafts) if isinstance(each.payload, model.GamingDayOpened)][1]
    rounds, heard = [0, *accumulate(is_opening(each) for each in drafts)], defaultdict[str, list[int]](list)
    for at, each in enumerate(drafts):
        heard[each.source].append(at)
    for at, each in enumerate(drafts):
        own = heard[each.source]
        if at == 0 or each.source_seq == len(own) or isinstance(each.payload, NEVER_LOST):
            continue
        if each.source_seq == 1 and own[1] > second:
            continue
        silent = rounds[own[each.source_seq]] - (rounds[own[each.source_seq - 2]] if each.source_seq > 1 else 0)
        found[each.payload.TYPE] = max(found.get(each.payload.TYPE, (0, 0)), (silent, at))
    return found


@functools.cache
def two_days(game: str) -> dict[str, list[Draft]]:
    """What the tables of a floor without faults say in two days."""
    day = stored(simulate(12, 60, plant=False, games=(game,), days=2))
    return {
        stream: drafts
        for stream, drafts in day.items()
        if stream.startswith("table/") and not any(isinstance(each.payload, model.EventCorrected) for each in drafts)
    }


LAYOUTS = ((one_for_each_kind, RECENT_ROUNDS), (one_of_five, 0), (one_of_all, 0))
"""The devices that report, and after how many rounds of silence a message is lost at least."""


def lose_after_silence(game: str, turns: int) -> int:
    """Lose every `turns`-th of the messages, of each kind one, by another turn for each layout; return how many."""
    tried = 0
    for turn, (device, least) in enumerate(LAYOUTS):
        chosen: dict[str, tuple[int, int, str]] = {}
        day = {stream: reported_by(drafts, device) for stream, drafts in two_days(game).items()}
        for stream, drafts in day.items():
            for kind, silence in longest_silences(drafts).items():
                chosen[kind] = max(chosen.get(kind, (least, 0, "")), (*silence, stream))
        lost = sorted((kind, at, stream) for kind, (_, at, stream) in chosen.items() if stream)
        lost = lost[turn % turns :: turns]
        right = {stream: judged(stream, day[stream]) for stream in {stream for _, _, stream in lost}}
        for _, at, stream in lost:
            tried += 1
            drafts = day[stream]
            for number, verdict in judged(stream, [*drafts[:at], *drafts[at + 1 :]]).items():
                assert verdict[2] <= right[stream][number][2], f"{stream}, round {number}, without {drafts[at].payload}"
    return tried


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_a_lost_message_of_a_device_that_was_silent_for_long_accuses_nobody(game: str) -> None:
    """However long it was silent, the message may be the one that is missing in a round (D656, D1121).

    It may be its first (D1192), and what it filed or opened counts for the rounds after (D1191).
    """
    assert lose_after_silence(game, turns=len(LAYOUTS)) > 6


@pytest.mark.nightly
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_a_lost_message_of_any_kind_of_a_device_that_was_silent_for_long_accuses_nobody(game: str) -> None:
    assert lose_after_silence(game, turns=1) > 20


def is_of_a_round(draft: Draft) -> bool:
    return TABLE[draft.payload.KIND][COLUMN[Phase.BETWEEN]] is STRAY


def handed_in_rounds_later(drafts: Sequence[Draft], random: Random) -> list[Draft]:
    """The messages about rounds without the number of their round, and one of each two hundred or so a round or two later."""
    order = [msgspec.structs.replace(each, round_no=None) if is_of_a_round(each) else each for each in drafts]
    at = random.randrange(60)
    while at < len(order) - 120:
        to = at + random.randrange(10, 90)
        passed = order[at : to + 1]
        is_next_here = any(each.source == order[at].source for each in passed[1:])
        if is_of_a_round(order[at]) and is_next_here and not any(isinstance(each.payload, UNMOVED) for each in passed):
            order.insert(to, order.pop(at))
            at = to + random.randrange(60, 200)
        else:
            at += 1
    return order


@TRIALS
@pytest.mark.parametrize("game", of(*SIMULATIONS))
def test_a_message_without_a_round_number_that_comes_rounds_later_is_not_of_the_round_open_then(game: str, trial: int) -> None:
    """Its device's numbers show the round that it is of; if they leave two, what is due there is not known."""
    undetermined, tried = 0, 0
    for stream, drafts, right in streams(game, plant=False):
        for number, verdict in judged(stream, handed_in_rounds_later(drafts, Random(f"{stream} {trial}"))).items():
            assert verdict[2] <= right[number][2], f"{stream}, round {number}, trial {trial}: {verdict[:3]}"
            assert verdict[0] in ("UNDETERMINED", right[number][0]), f"{stream}, round {number}, trial {trial}"
            undetermined, tried = undetermined + (verdict[0] == "UNDETERMINED"), tried + 1
    assert undetermined < tried // 2


@pytest.mark.parametrize("names", ["all", "all but openings", "none"])
@pytest.mark.parametrize("game", of("dj_wild", "over_under"))
def test_an_opening_that_comes_after_its_round_begins_it_all_the_same(game: str, names: str) -> None:
    """It is where its device counted it, whether events name their rounds or not; if that leaves a doubt, no one is accused."""
    undetermined, tried, random = 0, 0, Random(game)
    for stream, drafts, _ in streams(game, plant=False):
        keeps = {"all": (), "all but openings": (model.RoundOpened,), "none": (model.Event,)}[names]
        named = [msgspec.structs.replace(each, round_no=None) if isinstance(each.payload, keeps) else each for each in drafts]
        right, opened = judged(stream, named), [at for at, each in enumerate(named) if is_opening(each)]
        for later in (1, 2, 15, 60):
            at = random.choice(opened[1:-4])
            if any(isinstance(each.payload, UNMOVED) for each in named[at : at + later + 90]):
                continue
            order = [*named[:at], *named[at + 1 : at + later + 1], named[at], *named[at + later + 1 :]]
            verdicts = judged(stream, order)
            assert verdicts.keys() == right.keys()
            for number, verdict in verdicts.items():
                assert verdict[2] <= right[number][2], f"{stream}, round {number}, {later} events later: {verdict[:3]}"
                assert verdict[0] in ("UNDETERMINED", right[number][0]), f"{stream}, round {number}, {later} events later"
                undetermined, tried = undetermined + (verdict[0] != right[number][0]), tried + 1
    assert undetermined <= tried // (5 if names == "none" else 50)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", of("face_up_pai_gow", "over_under"))
def test_the_opening_of_a_days_last_round_comes_after_its_close(game: str) -> None:
    """Then the table closes, and the next gaming day opens: the round is that of its day, and nobody is accused (D1122)."""
    tried = 0
    for stream, drafts, right in streams(game, plant=False):
        opener = reported_by(drafts, lambda each: "opener" if is_opening(each) else each.source)
        for at in [at for at, each in enumerate(drafts) if isinstance(each.payload, model.GamingDayOpened)][1:]:
            opened = max((place for place in range(at) if is_opening(drafts[place])), default=0)
            closed = max((place for place in range(at) if isinstance(drafts[place].payload, model.RoundClosed)), default=0)
            for to in (closed, at - 1, at, at + 2) if opened else ():
                for named in (drafts, opener):
                    order = [*named[:opened], *named[opened + 1 : to + 1], named[opened], *named[to + 1 :]]
                    tried += 1
                    assert judged(stream, order).items() >= right.items(), f"{stream}: event {opened} after {to}"
    assert tried > 8


def is_opening(draft: Draft) -> bool:
    return isinstance(draft.payload, model.RoundOpened)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("game", of("face_up_pai_gow", "dj_wild"))
def test_a_round_is_written_in_the_order_of_play(game: str, *, names: bool) -> None:
    """`rack round` of a round with a message that came late is judged as that of the same round in order.

    So it is if nothing but its opening names the round.
    """
    stream, drafts, _ = streams(game, plant=False)[0]
    order = handed_in_late(drafts[:200], Random(stream))[0]
    number = next(each.round_no for at, each in enumerate(order) if each.round_no and is_late_at(order, at))
    if not names:
        order = [each if is_opening(each) else msgspec.structs.replace(each, round_no=None) for each in order]
    said = []
    for arrived in (drafts[:200], order):
        log = MemoryLog([])
        log.records = defaultdict(list, {stream: records_of_drafts(stream, arrived)})
        log.all = log.records[stream]
        text = recorded_round(log, stream.removeprefix("table/"), number).transcript()
        filed = next(each.payload for each in arrived if isinstance(each.payload, model.RulesFiled))
        (judgment,) = judge(f"rules filed.toml\n{text}", "round.txt", lambda name, toml=filed.toml: toml)
        conclusion = judgment.conclusion
        said.append((conclusion.verdict, [each.line() for each in conclusion.findings], conclusion.settlements))
    assert said[0] == said[1]


def is_late_at(order: Sequence[Draft], at: int) -> bool:
    device = order[at].source
    return any(each.source == device and each.source_seq > order[at].source_seq for each in order[:at])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", of("face_up_pai_gow", "over_under", "player_dealer"))
def test_a_replay_that_is_taken_up_anywhere_says_the_same(game: str) -> None:
    stream, drafts, _ = streams(game, plant=False)[0]
    for order in (handed_in_late(drafts[:160], Random(stream))[0], handed_in_rounds_later(drafts[:240], Random(stream))):
        right = judged(stream, order)
        for cut in range(20, len(order), 5):
            assert judged(stream, order, cut) == right, f"cut after event {cut}"
