"""What a correction changes in the warehouse, recomputed from the raw lines: only one whose number and id fit counts (D140)."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from analytics.hold.behind import not_judged
from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.selection import EVERYTHING
from analytics.warehouse.warehouse import reading
from events.vocabulary.correction_events import EventCorrected, Replacement
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import simulate
from rack.opening import log_at, results_at
from replay.run.replayer import replay
from tests.rack.test_raw_figures import Raw, hands_of, in_order, rounds, table
from trial.place import PROPERTY


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
                replacement=Replacement(
                    payload=payload, round_no=None, type="cards_shuffled", version=shuffle["version"]
                ),
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
    methods = {
        method
        for (of, _, _), (deck, method, _) in expected.items()
        if (of, deck) == (stream, shuffle["payload"]["deck"])
    }
    assert ("manual" in methods) == fits


@pytest.mark.parametrize("fits", [True, False])
def test_a_filing_that_is_corrected_is_shown_as_corrected(tmp_path: Path, fits: bool) -> None:
    """The correction comes after the last round; the file had the filing as it was typed first."""
    address = f"sqlite://{tmp_path}/floor.db"
    groups = list(simulate(7, 4, games=("face_up_pai_gow",), plant=False).groups())
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log, closing(results_at(address)) as results:
        log.append_groups(groups)
        replay(log, results)
        build_warehouse(tmp_path / "w", log, results)
        stream, recorded = "table/fu-01", Raw(log).recorded["table/fu-01"]
        filed = [line for line in recorded if line["type"] == "rules_filed"][-1]
        toml = filed["payload"]["toml"] + "\n# filed again\n"
        payload = filed["payload"] | {"toml": toml, "sha256": sha256(toml.encode()).hexdigest()}
        fact = EventCorrected(
            by="f-1",
            reason="a comment was missing",
            replacement=Replacement(payload=payload, round_no=None, type="rules_filed", version=filed["version"]),
            supersedes_event_id=filed["event_id"] if fits else "cd" * 16,
            supersedes_seq=filed["seq"],
        )
        last = max(e["source_seq"] for e in recorded if e["source"] == "fu-01-floor")
        draft = Draft(
            event_id="ab" * 16,
            source="fu-01-floor",
            source_seq=last + 1,
            occurred_at_us=recorded[-1]["occurred_at_us"],
            round_no=None,
            payload=fact,
        )
        log.append_groups([(stream, [draft])])
        replay(log, results)
        build_warehouse(tmp_path / "w", log, results)
    with reading(tmp_path / "w") as db:
        query = "SELECT digest, toml FROM fct_filings WHERE stream = 'table/fu-01' ORDER BY seq"
        *_, newest = db.sql(query).fetchall()
    of = payload if fits else filed["payload"]
    assert newest == (of["sha256"], of["toml"])


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
