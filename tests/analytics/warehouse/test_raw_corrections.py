"""What a correction changes in the warehouse, recomputed from the raw lines: only one whose number and id fit counts (D140)."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from analytics.hold.figure_detail import not_judged
from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.selection import EVERYTHING
from analytics.warehouse.warehouse import reading
from events.vocabulary.correction_events import EventCorrected, Replacement
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import simulate
from intake.filings import TableFilings
from rack.opening import log_at, results_at
from replay.run.replayer import replay
from tests.rack.test_raw_figures import Raw, hands_of, in_order, rounds, table
from trial.property_folder import PROPERTY


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("corrected", "fits"), [(True, True), (True, False), (False, False)])
def test_a_shuffle_between_rounds_that_is_corrected_counts_as_corrected_in_the_rounds_after_it(
    tmp_path: Path, corrected: bool, fits: bool
) -> None:
    """A correction that comes after the rounds changes them in a file that had them, if it names the shuffle's id (D140)."""
    address = f"sqlite://{tmp_path}/floor.db"
    groups = list(simulate(7, 12, games=("face_up_pai_gow",), plant=False).groups())
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log, closing(results_at(address)) as results:
        log.append_groups(groups)
        replay(log, results)
        build_warehouse(tmp_path / "w", log, results)
        raw = Raw(log)
        stream = "table/fu-01"
        shuffle = next(e for e in raw.lines[stream] if e["type"] == "cards_shuffled" and e["round_no"] is None)
        if corrected:
            payload = shuffle["payload"] | {"method": "manual"}
            fact = EventCorrected(
                by="f-1",
                reason="the machine was out of order",
                replacement=Replacement(payload=payload, round_no=None, type="cards_shuffled", version=shuffle["version"]),
                supersedes_event_id=shuffle["event_id"] if fits else "cd" * 16,
                supersedes_seq=shuffle["seq"],
            )
            last = max(e["source_seq"] for e in raw.recorded[stream] if e["source"] == "fu-01-floor")
            draft = Draft(
                event_id="ab" * 16,
                source="fu-01-floor",
                source_seq=last + 1,
                occurred_at_us=raw.recorded[stream][-1]["occurred_at_us"],
                round_no=None,
                payload=fact,
            )
            log.append_groups([(stream, [draft])])
            replay(log, results)
            build_warehouse(tmp_path / "w", log, results)
        raw = Raw(log)
    with reading(tmp_path / "w") as db:
        expected = hands_of(raw, rounds(db))
        found = table(db, "fct_hands", "stream, round_no, position, deck, method, cards")
    assert found == in_order([(*key, *value) for key, value in expected.items()])
    methods = {method for (of, _, _), (deck, method, _) in expected.items() if (of, deck) == (stream, shuffle["payload"]["deck"])}
    assert ("manual" in methods) == fits


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("made", ["corrected", "by another id", "corrected and taken back", "taken back twice"])
def test_a_filing_that_is_corrected_is_shown_as_corrected(tmp_path: Path, made: str) -> None:
    """The corrections come one after the other after the last round; the file has the filing as it was typed first."""
    address, stream = f"sqlite://{tmp_path}/floor.db", "table/fu-01"
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log, closing(results_at(address)) as results:
        log.append_groups(list(simulate(7, 4, games=("face_up_pai_gow",), plant=False).groups()))
        recorded = Raw(log).recorded[stream]
        filed = [line for line in recorded if line["type"] == "rules_filed"][-1]
        toml = filed["payload"]["toml"] + "\n# filed again\n"
        payload = filed["payload"] | {"toml": toml, "sha256": sha256(toml.encode()).hexdigest()}
        put = Replacement(payload=payload, round_no=None, type="rules_filed", version=filed["version"])
        corrections = [(filed["seq"], "cd" * 16 if made == "by another id" else filed["event_id"], put)]
        end = recorded[-1]["seq"]
        if "taken back" in made:
            corrections.append((end + 1, f"{0:032x}", None))
        if made == "taken back twice":
            corrections.append((end + 2, f"{1:032x}", None))
        last = max(e["source_seq"] for e in recorded if e["source"] == "fu-01-floor")
        for number, (seq, event_id, replacement) in enumerate(corrections):
            replay(log, results)
            build_warehouse(tmp_path / "w", log, results)
            fact = EventCorrected(
                by="f-1",
                reason="a comment was missing",
                replacement=replacement,
                supersedes_event_id=event_id,
                supersedes_seq=seq,
            )
            draft = Draft(
                event_id=f"{number:032x}",
                source="fu-01-floor",
                source_seq=last + 1 + number,
                occurred_at_us=recorded[-1]["occurred_at_us"],
                round_no=None,
                payload=fact,
            )
            log.append_groups([(stream, [draft])])
        replay(log, results)
        build_warehouse(tmp_path / "w", log, results)
        filings = TableFilings()
        filings.read_on(log, stream)
    with reading(tmp_path / "w") as db:
        query = "SELECT digest, toml FROM fct_filings WHERE stream = 'table/fu-01' ORDER BY seq"
        *_, newest = db.sql(query).fetchall()
    of = payload if made in ("corrected", "taken back twice") else filed["payload"]
    assert newest == (of["sha256"], of["toml"])
    pinned = filings.pinned("2099-01-01")
    assert pinned is not None
    assert (pinned[1].sha256, filings.in_force("2099-01-01")) == (of["sha256"], pinned[1])


@pytest.mark.parametrize("dropped", [True, False])
def test_a_round_that_was_never_closed_is_named_once_play_has_passed_it(tmp_path: Path, dropped: bool) -> None:
    """A whole gaming day, less the last round's close: what was taken in it shows in the tray (D605)."""
    address = f"sqlite://{tmp_path}/floor.db"
    groups = [(stream, list(drafts)) for stream, drafts in simulate(7, 4, games=("over_under",), plant=False).groups()]
    stream, drafts, place = next(
        (stream, drafts, place)
        for stream, drafts in reversed(groups)
        for place, draft in reversed(list(enumerate(drafts)))
        if draft.payload.TYPE == "round_closed"
    )
    number = drafts[place].round_no
    if dropped:
        del drafts[place]
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log, closing(results_at(address)) as results:
        log.append_groups(groups)
        replay(log, results)
        build_warehouse(tmp_path / "w", log, results)
    with reading(tmp_path / "w") as db:
        words = not_judged(db, EVERYTHING)
    said = f"1 round was never closed on record and not judged ({stream.partition('/')[2]} round {number})"
    assert words.startswith(said) if dropped else words == ""
