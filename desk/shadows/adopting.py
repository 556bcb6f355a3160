"""Two people adopt a shadow by one event in the property's stream, which the replayer puts in force; and the work after it."""

from collections.abc import Iterator

import msgspec

from desk.house.filing import Office
from desk.house.record import house_event
from desk.review.cases import cases_of
from desk.review.desk import Desk
from desk.review.persons import ReviewRefused
from events.errors import IntegrityError
from events.log.contract import Head, ResultStore
from events.log.result_chain import check_chains
from events.vocabulary import model
from replay.findings import Adjudication
from replay.run.engine import engine
from replay.run.shadow import VerdictChange, changes, held_streams, last_adoption, shadow_digest, shadow_engine


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
            f"the shadow {name} does not reach as far as the standing verdicts of {short[0]}"
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
        isinstance(each, VerdictChange)
        for stream in shadow.chain_heads()
        for each in changes(shadow, results.latest, stream)
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


def work(desk: Desk, shadow: ResultStore, results: ResultStore) -> Iterator[WorkAgain]:
    """Yield the decisions on rounds whose verdict a shadow changes: someone must review them."""
    for stream in sorted(shadow.chain_heads()):
        kind, _, table = stream.partition("/")
        if kind != "table" or f"review/{table}" not in desk.log.streams():
            continue
        try:
            review = desk.review(table)
        except IntegrityError:
            continue
        rounds = {case.case.round_no: case for case in cases_of(table, review)}
        disputes = {each.round_no: each for each in review.disputes.values()}
        for each in changes(shadow, results.latest, stream):
            if not isinstance(each, VerdictChange):
                continue
            number = each.after.round_no
            why = f"{each.before.verdict} to {each.after.verdict}"
            left = {found.id for found in each.after.findings}
            for found in each.before.findings:
                state = review.finding(found.id)
                if state.resolution is not None:
                    gone = "remains" if found.id in left else "is withdrawn"
                    yield _work(
                        each.after, table, f"finding {found.id[:8]} {found.line()}", state.state, f"{why}; it {gone}"
                    )
            if number in rounds:
                yield _work(each.after, table, f"case {rounds[number].name}", rounds[number].case.state, why)
            elif number in disputes:
                yield _work(each.after, table, f"dispute {disputes[number].dispute}", disputes[number].state, why)


def _work(verdict: Adjudication, table: str, what: str, decided: str, why: str) -> WorkAgain:
    return WorkAgain(table=table, round_no=verdict.round_no, what=what, decided=decided, why=why)
