"""Full-text search: what people wrote and what was found, by the beginnings of words, in any case; nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.review import cases, full_text, surveillance
from desk.review.case_folder import CaseSettings
from desk.review.desk import Desk


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """The desk, with something written in each kind of place."""
    (finding,) = [each.finding for each in desk.cases()]
    desk.note(finding.id, note="Señora saw the shuffler jam", by="m.ortiz")
    desk.open_dispute("fu-01", 1, dispute="d-1", claim="The bonus was short", by="m.ortiz", patron="p-7")
    cases.open_case(desk, "fu-01", 1, by="m.ortiz", settings=CaseSettings(), claim="Wrong change", patron="p-8")
    cases.note(desk, "fu-01-c1", note="asked for the photograph", by="s.lee")
    surveillance.make_entry(desk, note="a drunk patron at the rail", by="s.lee")
    return desk


def hits(desk: Desk, words: str) -> list[tuple[str, str]]:
    return [(each.kind, each.place) for each in full_text.search(full_text.texts(desk, "USD"), words)]


HERE = "FU-01, round 1"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("shuffler", [("note", HERE)]),
        ("SHUFFL jam", [("note", HERE)]),
        ("senora", [("note", HERE)]),
        ("bonus short", [("dispute", HERE)]),
        ("D-1", [("dispute", HERE)]),
        ("p-7", [("dispute", HERE)]),
        ("change", [("case", HERE)]),
        ("FU-01-C1", [("case", HERE)]),
        ("photograph lee", [("case", HERE)]),
        ("drunk", [("note", "Surveillance log")]),
        ("underpaid", [("finding", HERE)]),
        ("pay-under", [("finding", HERE)]),
    ],
)
def test_a_text_is_found_by_its_words(desk: Desk, words: str, found: list[tuple[str, str]]) -> None:
    assert hits(desk, words) == found


@pytest.mark.parametrize("words", ["huffler", "sh", "shuffler bonus", "shufflers", "xyzzy", "", "···"])
def test_what_has_not_every_word_is_not_found(desk: Desk, words: str) -> None:
    assert hits(desk, words) == []


def test_a_finding_is_found_by_the_beginning_of_its_id_in_any_case(desk: Desk) -> None:
    (finding,) = [each.finding for each in desk.cases()]
    assert ("finding", HERE) in hits(desk, finding.id[:8].upper())


def test_a_dispute_that_is_a_case_is_found_once(desk: Desk) -> None:
    assert [kind for kind, _ in hits(desk, "wrong change")] == ["case"]


def test_cases_come_first_and_findings_last(desk: Desk) -> None:
    kinds = [kind for kind, _ in hits(desk, "fu-01 1")]
    assert kinds == sorted(kinds, key=full_text.KINDS.index)
    assert set(kinds) == set(full_text.KINDS) - {"entry"}  # nothing was observed


@given(st.text(max_size=80))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    made = full_text.FoundText(
        kind="note", id="x", table="fu-01", round_no=None, at_us=0, says=text, words=full_text.words_of(text)
    )
    assert full_text.search([made], text) == ([made] if full_text.words_of(text) else [])
