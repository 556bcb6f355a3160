"""What only Fortune Asia Poker has of procedure: who sets first, whose card was seen, who cuts (58 Pa. Code Chapter 659a)."""

import pytest

from replay.rules.order import rules_in_order
from replay.run.adjudicate import rules_of
from rulebook.chapters.rulebook import chapter

PA_659A = chapter("pa", "659a")

# -------------------------------------------------------------------------------------------------------- the sections


def test_every_section_that_a_shared_rule_stands_on_has_its_own_number_or_none() -> None:
    shared = {section for each in rules_in_order() for section in each.on if "." not in section and section != "*"}
    assert sorted(shared - set(PA_659A.sections)) == []


def test_659a_has_no_rule_of_what_it_does_not_have() -> None:
    """No order of offering the cut, no exposed stack, no one sets before the dealer must: 688a.5(d), .11(b), .13(i)."""
    held = {each.evaluate.__name__ for each in rules_of(PA_659A)}
    assert "dealer_first" not in held
    assert {"players_first", "cut_by_the_dealer", "exposed_card_election", "house_way", "drawn_card_next"} <= held
    assert not PA_659A.has("13(i)")


@pytest.mark.parametrize(
    ("shared", "own"),
    [
        ("5(e)", "5(c)"),
        ("5(f)", "5(d)"),
        ("5(g)", "5(e)"),
        ("5(i)(1)(ii)", "5(g)(1)(ii)"),
        ("8(d)", "8(c)"),
        ("8(e)", "8(d)"),
        ("8(f)", "8(e)"),
        ("9(c)", "9(b)"),
        ("9(e)", "9(d)"),
        ("10(a)(2)", "10(a)"),
        ("10(a)(2)(i)", "10(a)(1)"),
        ("10(c)", "10(b)"),
        ("10(e)", "10(d)"),
        ("11(a)", "11(c)"),
        ("11(b)(3)", "11(a)(3)"),
        ("11(c)", "11(b)"),
        ("11(h)(2)(ii)", "11(h)(1)(ii)"),
        ("11(h)(3)(i)(B)(4)", "11(h)(3)(ii)(D)"),
        ("12(c)", "12(b)"),
        ("13(e)", "13(f)"),
        ("13(g)", "13(h)"),
        ("13(h)", "13(i)"),
        ("13(j)", "13(k)"),
        ("13(l)", "13(m)"),
        ("13(m)", "13(n)"),
    ],
)
def test_shared_rules_cite_this_chapters_own_numbers(shared: str, own: str) -> None:
    assert PA_659A.cite(shared) == f"58 Pa. Code § 659a.{own}"
