"""The golden rounds: worked out by hand from the text of the regulation, and played by the program."""

from pathlib import Path

import pytest

from tests.golden.rounds import EDGES, read_cases, round_files, run


@pytest.mark.parametrize("path", [*round_files(), *EDGES], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_rounds(path: Path) -> None:
    wrong = {}
    for case in read_cases(path):
        name = f"{path.name}:{case.line} {case.title}"
        try:
            wrong[name] = run(case) if case.expectations else ["nothing is expected"]
        except Exception as error:
            error.add_note(name)
            raise
    assert {name: differs for name, differs in wrong.items() if differs} == {}
