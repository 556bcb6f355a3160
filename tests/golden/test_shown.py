"""What the coverage files call modelled is shown by golden rounds, and changing one fact of such a round undoes it."""

import pytest

from tests.golden.shown import cases_of, conclusions, entries, is_undone, listed, shows

DOCUMENTS = sorted({entry["section"].split(".")[0] for entry in entries()})


def of_document(document: str) -> list[tuple[str, str, str]]:
    """Section, code or wager, and round, of everything that the list has of a chapter."""
    return [
        (section, what, name)
        for section, rounds in listed().items()
        if section.split(".")[0] == document
        for what, names in rounds.items()
        for name in names
    ]


def test_every_entry_names_its_golden_rounds() -> None:
    """For what an entry names, at least one round; for what none names, none: `python -m tests.golden.shown` fills them in."""
    wanted = {entry["section"]: set(entry["by"]) for entry in entries()}
    named = {section: {what for what, names in rounds.items() if names} for section, rounds in listed().items()}
    assert named == wanted


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_rounds_show_it_and_a_changed_fact_undoes_it(document: str) -> None:
    known = cases_of(document)
    wrong = []
    for what, name in sorted({(what, name) for _, what, name in of_document(document)}):
        if name not in known:
            wrong.append(f"{what}: no golden round {name!r}")
        elif not shows(document, name, what):
            wrong.append(f"{what}: not shown by {name!r}")
        elif not is_undone(document, name, what):
            wrong.append(f"{what}: no change of a fact of {name!r} changes it")
    assert wrong == []


def test_a_round_that_shows_something_else_is_no_proof() -> None:
    name = next(iter(cases_of("688a")))
    assert shows("688a", name, "base")
    assert is_undone("688a", name, "base")
    assert not shows("688a", name, "EQUIP-DICE")
    assert not is_undone("688a", name, "EQUIP-DICE")


def test_a_finding_that_no_fact_changes_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    ((what, name),) = [(what, name) for section, what, name in of_document("688a") if section == "688a.11(j)"][:1]
    before = conclusions("688a", name)
    monkeypatch.setattr("tests.golden.shown.adjudicate", lambda round_, book: before[0])
    assert not is_undone("688a", name, what)
