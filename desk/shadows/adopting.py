"""Two people adopt a shadow by one event in the property's stream, which the replayer puts in force; and the work after it."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import msgspec

from desk.house.filing import Office
from desk.house.table_lines import house_event
from desk.review.cases import cases_of
from desk.review.desk import Desk
from desk.review.desk_memory import is_withdrawal
from desk.review.persons import ReviewRefused
from desk.review.state import TableReview
from desk.shadows.adopted import in_force, property_event
from events.errors import IntegrityError
from events.log.contract import Head, ResultStore
from events.log.result_chain import check_chains
from events.vocabulary import model
from replay.findings import Finding, read_result
from replay.run.engine import engine
from replay.run.shadow import VerdictChange, changes, held_streams, last_adoption, shadow_digest, shadow_engine
from replay.run.stream_worker import Withdrawn


class Adoption(msgspec.Struct, frozen=True, kw_only=True):
    """An adoption: the number of its event, the digest of the shadow, and the number of rounds whose verdict changes."""

    seq: int
    sha256: str
    changed: int


def must_be_whole(shadow: ResultStore, results: ResultStore, name: str) -> None:
    """Raise `ReviewRefused` if a shadow is not of this engine or reaches less far than the present verdicts."""
    reach = shadow.positions(shadow_engine())
    short = [stream for stream, to in held_streams(results).items() if reach.get(stream, Head(0, b"")).seq < to]
    if short:
        raise ReviewRefused(
            f"the shadow {name} does not reach as far as the verdicts in force of {short[0]}"
            + (f" and {len(short) - 1} more" if len(short) > 1 else "")
            + f", or another engine made it; run `rack replay --shadow {name}` and read the differences again"
        )
    for fault in check_chains(shadow).broken.values():
        raise fault


def adopt(
    office: Office, shadow: ResultStore, results: ResultStore, *, name: str, by: str, signed_by: str, reason: str
) -> Adoption:
    """Adopt a shadow in the names of two people; if it is already adopted and not yet in force, return that adoption.

    Raises `ReviewRefused` if it cannot be adopted; then nothing is written.
    """
    if results.group:
        raise ReviewRefused(
            f"the group {results.group} judges this log, and its members put no adoption in force; nothing was written. Stop "
            f"all members, run `rack replay` and `rack replay --shadow {name}`, read the differences again, repeat this "
            "command, and start the members"
        )
    held = held_streams(results)
    if not held:
        raise ReviewRefused("no verdicts of an earlier engine are in force; nothing was written")
    must_be_whole(shadow, results, name)
    changed = sum(
        isinstance(each, VerdictChange) for stream in shadow.chain_heads() for each in changes(shadow, results.latest, stream)
    )
    digest = shadow_digest(shadow)
    first, second = office.two_persons(by, signed_by, "adopts the verdicts")
    last = last_adoption(office.log)
    if last is not None and (last[1].sha256, last[1].shadow) == (digest, name):
        return Adoption(seq=last[0], sha256=digest, changed=last[1].changed)
    event = house_event(
        model.VerdictsAdopted,
        by=first.token,
        changed=changed,
        engine=engine(),
        reason=reason,
        sha256=digest,
        shadow=name,
        signed_by=second.token,
    )
    return Adoption(seq=office.enter(first, event), sha256=digest, changed=changed)


class WorkAgain(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of people on a round whose verdict changes: a finding with its disposition, a dispute, or a case."""

    table: str
    round_no: int
    what: str
    decided: str
    why: str


class _Decision(NamedTuple):
    """A decision about a finding (with its id), a case, or a dispute without a case; its state and latest time."""

    round_no: int | None
    what: str
    state: str
    at_us: int
    finding: str = ""


def work(desk: Desk, shadow: ResultStore, results: ResultStore) -> Iterator[WorkAgain]:
    """Yield the decisions on rounds whose verdict a shadow changes: someone must review them."""
    concerned = shadow.chain_heads()
    for table, decided in _decided(desk):
        stream, by_round = f"table/{table}", dict[int | None, list[_Decision]]()
        for one in decided:
            by_round.setdefault(one.round_no, []).append(one)
        for each in changes(shadow, results.latest, stream) if stream in concerned and decided else ():
            if not isinstance(each, VerdictChange):
                continue
            before, left = ({found.id for found in made.findings} for made in each)
            for one in by_round.get(each.after.round_no, ()):
                if not one.finding or one.finding in before:
                    why = f"{each.before.verdict} to {each.after.verdict}"
                    yield _work(table, one, f"{why}; it {_gone(one.finding not in left)}" if one.finding else why)


def adopted_work(desk: Desk) -> Iterator[WorkAgain]:
    """Yield the decisions made before an adoption changed the verdict of their round, and not touched since."""
    for table, decided in _decided(desk):
        for one in decided:
            verdict = in_force(desk, f"table/{table}", one.round_no)
            event = property_event(desk, verdict.adopted) if verdict is not None and verdict.adopted else None
            if verdict is not None and event is not None and one.at_us < event.recorded_at_us:
                left = {found.id for found in verdict.findings}
                why = f"now {verdict.verdict}"
                yield _work(table, one, f"{why}; it {_gone(one.finding not in left)}" if one.finding else why)


def _decided(desk: Desk) -> Iterator[tuple[str, list[_Decision]]]:
    """Yield each table with the decisions on its rounds; a table whose reviews are broken is left out."""
    for stream in desk.log.streams():
        kind, _, table = stream.partition("/")
        if kind == "review":
            with suppress(IntegrityError):
                yield table, list(_decisions(desk, table, desk.review(table)))


def _decisions(desk: Desk, table: str, review: TableReview) -> Iterator[_Decision]:
    for id_, state in review.findings.items():
        data = desk.results.latest("findings", id_) if state.resolution is not None else None
        if data is not None:
            if is_withdrawal(id_, data):
                round_no, line = read_result("findings", id_, data, Withdrawn).round_no, ""
            else:
                found = read_result("findings", id_, data, Finding)
                round_no, line = found.round_no, f" {found.line()}"
            yield _Decision(round_no, f"finding {id_[:8]}{line}", state.state, state.history[-1].at_us, id_)
    with_case = set()
    for each in cases_of(table, review):
        with_case.add(each.case.dispute)
        yield _Decision(each.case.round_no, f"case {each.name}", each.case.state, each.case.history[-1].at_us)
    for dispute in review.disputes.values():
        if dispute.dispute not in with_case:
            yield _Decision(dispute.round_no, f"dispute {dispute.dispute}", dispute.state, dispute.history[-1].at_us)


def _gone(gone: bool) -> str:
    return "is withdrawn" if gone else "remains"


def _work(table: str, decision: _Decision, why: str) -> WorkAgain:
    assert decision.round_no is not None
    return WorkAgain(table=table, round_no=decision.round_no, what=decision.what, decided=decision.state, why=why)
