"""D26: what the record leaves open is said to be open, and the rest is judged."""

from collections.abc import Iterator

import pytest

from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.order import rules_in_order
from replay.rules.rule import SEVERITY, Indeterminate, rule
from rulebook.chapters.rulebook import Rulebook

# ---------------------------------------------------------------------------------------------- the register of rules


def never(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    yield from ()


@pytest.mark.parametrize(("codes", "on"), [(("deal-nothing",), ("13(a)",)), (("DEAL-START",), ())])
def test_a_rule_needs_a_known_code_and_a_section(codes: tuple[str, ...], on: tuple[str, ...]) -> None:
    make = rule(*codes, on=on)
    with pytest.raises(ValueError, match="never: unknown code"):
        make(never)


def test_every_code_has_a_rule_or_a_stream() -> None:
    """Each code of the register can be found by a rule of 688a; the meters' own streams find PAY-METER too.

    What is found of an observed round apart from its play needs other streams: `replay/run/observed_entries.py`.
    """
    of_observed = {"LOG-PINNED-RULES", "LOG-OBSERVED-DIFFERS"}
    assert {code for each in rules_in_order() for code in each.codes} == set(SEVERITY) - of_observed
