"""Golden rounds: an edition that changes nothing changes no byte, and one of the day after changes no verdict.

Every tenth round in each test run, all of them by `make test-nightly`.
"""

from datetime import date, timedelta

import msgspec
import pytest

from replay.fold.table_fold import TableFold
from replay.run.adjudicate import adjudicate
from replay.transcript.transcript import fold_script, parse
from rulebook.chapters.rulebook import Chapter, chapter
from tests.golden.rounds import GoldenCase, read_cases, round_files

encode = msgspec.json.Encoder(order="sorted").encode
CASES = [case for path in round_files() for case in read_cases(path) if "\nedition " not in f"\n{case.transcript}"]


def judged(case: GoldenCase, published: tuple[str, ...]) -> tuple[list[bytes], dict[str, Chapter], date]:
    """Return what each round of a case is judged to, with edition and digest, the chapters, and the last day."""
    folds, made, used, days = dict[str, TableFold](), list[bytes](), dict[str, Chapter](), list[str]()
    for script in parse(case.transcript, case.title, lambda name: (case.path.parent / name).read_text(), published=published):
        fold = folds.setdefault(script.table, TableFold(f"table/{script.table}"))
        of = script.book.chapter
        made.append(encode((of.edition, of.edition_digest, adjudicate(fold_script(fold, script), script.book))))
        used[of.key] = of
        days.append(script.gaming_day)
    return made, used, date.fromisoformat(max(days))


def amendment(of: Chapter, edition: int, day: date, changes: str) -> str:
    return (
        f'jurisdiction = "{of.jurisdiction}"\nchapter = "{of.name}"\nedition = {edition}\neffective = {day}\n'
        f'published = "tests"\ncite = "tests"\n{changes}\n'
    )


@pytest.mark.parametrize("key", sorted({case.path.parent.name for case in CASES}))
@pytest.mark.parametrize("step", [10, pytest.param(1, marks=[pytest.mark.nightly, pytest.mark.slow])])
def test_an_edition_that_is_not_in_force_or_changes_nothing_changes_no_verdict(key: str, step: int) -> None:
    for case in (each for each in CASES[::step] if each.path.parent.name == key):
        before, used, last = judged(case, ())
        nothing = tuple(amendment(of, 2, date(2000, 1, 1), f'title = "{of.title}"') for of in used.values())
        after = last + timedelta(days=1)
        later = tuple(amendment(of, 3, after, 'title = "Another"') for of in used.values())
        assert judged(case, (*nothing, *later))[0] == before, case.title
        for of in used.values():
            texts = tuple(each for each in (*nothing, *later) if f'chapter = "{of.name}"' in each)
            assert chapter(of.jurisdiction, of.name, day=after.isoformat(), published=texts).edition == 3
