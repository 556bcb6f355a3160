"""That the mutants still fit the code; `make mutants` plays them."""

from pathlib import Path

import pytest

from tests.mutants.mutation import ROOT, Mutant, NoFit, load


@pytest.mark.slow
def test_mutants_fit() -> None:
    mutants = load()
    for mutant in mutants:
        assert mutant.file.startswith(("games/", "replay/", "rulebook/")), mutant.name
        assert mutant.find != mutant.replace, mutant.name
        changed = mutant.applied(ROOT)
        if mutant.file.endswith(".py"):
            compile(changed, mutant.name, "exec")
    assert len({mutant.name for mutant in mutants}) == len(mutants)


@pytest.mark.parametrize("content", ["nothing of it", "x = 1\nx = 1\n"])
def test_a_mutant_that_no_longer_fits_says_so(tmp_path: Path, content: str) -> None:
    mutant = Mutant(name="m", file="m.py", find="x = 1", replace="x = 2", why="")
    (tmp_path / "m.py").write_text(content)
    with pytest.raises(NoFit, match="no longer fits"):
        mutant.applied(tmp_path)
