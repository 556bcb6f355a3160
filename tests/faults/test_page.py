"""A part of the table of faults is written anew, and the rest of the page stays."""

from __future__ import annotations

from tests.faults.page import MARK, cells_of, insert_rows, markdown

ROWS = [
    ["disk", "full disk", "how", "130", "holds", "nothing"],
    ["broker", "killed", "how", "3", "holds", "nothing"],
    ["everything", "all", "how", "9", "holds", "nothing"],
]


def test_a_table_reads_back_as_it_was_written() -> None:
    assert cells_of(f"# Page\n\n| not | this |\n\n{MARK}\n{markdown(ROWS)}") == ROWS


def test_a_row_that_was_tried_takes_its_place_and_a_new_one_ends_its_area() -> None:
    again = ["broker", "killed", "how", "10", "holds", "nothing"]
    new = ["broker", "stopped", "how", "2", "holds", "nothing"]
    other = ["cluster", "killed", "how", "2", "holds", "nothing"]
    assert insert_rows(ROWS, [again, new, other]) == [ROWS[0], again, new, other, ROWS[2]]


def test_a_name_in_another_area_is_another_row() -> None:
    other = ["network", "killed", "how", "2", "holds", "nothing"]
    assert insert_rows(ROWS[:2], [other]) == [*ROWS[:2], other]
