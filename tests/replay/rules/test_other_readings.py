"""Where the text can be read otherwise: the finding says so, and judged by a filing of the other reading the round has none."""

import pytest

from replay.fold.table_fold import TableFold
from replay.run.adjudicate import adjudicate
from replay.transcript.transcript import fold_script, parse
from rulebook.chapters.rulebook import parse_submission
from tests.golden.rounds import GoldenCase, read_cases, round_files
from tests.replay.tables import rules_text


def golden(name: str, title: str) -> GoldenCase:
    """Return the golden case of this title."""
    (file,) = (path for path in round_files() if path.as_posix().endswith(f"/rounds/{name}"))
    (case,) = (each for each in read_cases(file) if each.title.endswith(title))
    return case


@pytest.mark.parametrize(
    ("case", "found", "other", "filed"),
    [
        (
            golden("686a/7f_hand_by_hand.rounds", "decide after additional cards of another"),
            ["PLAY-ORDER seat=2", "PLAY-ORDER seat=5"],
            "D278: Annex A, rulemaking 125-223, § 686a.7(h) and (i)",
            "pa-686a decisions=hand_by_hand",
        ),
        (
            golden("687a/11f_optional.rounds", "Trips before the Progressive, where the order printed is filed"),
            ["PAY-ORDER seat=2"],
            "D277: Annex A, rulemaking 125-223, § 687a.11(f)(1) to (3)",
            "pa-687a progressive=1 progressive.rate=15% trips=DJWT-04 bad_beat=DJWBB-01",
        ),
        (
            golden("687a/11b_fold.rounds", "the Progressive of a folded hand paid where folded hands do not qualify"),
            ["PAY-LOSER seat=2 wager=progressive +10.00"],
            "D573: by Annex A, rulemaking 125-223, § 687a.11(b)(3)",
            "pa-687a progressive=1 progressive.rate=15% folded_progressive=yes",
        ),
    ],
    ids=["D278", "D277", "D573"],
)
def test_the_finding_names_the_other_reading_and_a_filing_of_it_has_none(
    case: GoldenCase, found: list[str], other: str, filed: str
) -> None:
    (script,) = parse(case.transcript, "test")
    round_ = fold_script(TableFold("table/t-1"), script)
    findings = adjudicate(round_, script.book).findings
    assert [each.line() for each in findings] == found
    assert all(each.other_reading is not None and each.other_reading.startswith(other) for each in findings)
    (again,) = parse(case.transcript, "test")
    instead = adjudicate(fold_script(TableFold("table/t-1"), again), parse_submission(rules_text(filed)))
    assert (instead.verdict, instead.findings) == ("UPHELD", ())


def test_686a_7_f_what_no_reading_lets_names_none() -> None:
    """Seat 2 decides after seat 5: out of turn, however the text is read."""
    case = golden("686a/7f_hand_by_hand.rounds", "out of turn, where hand by hand is filed")
    (script,) = parse(case.transcript, "test")
    findings = adjudicate(fold_script(TableFold("table/t-1"), script), script.book).findings
    assert [each.other_reading for each in findings if each.code == "PLAY-ORDER"] == [None]
