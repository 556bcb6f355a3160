"""The log of a live floor: made before the first part starts, and judged to its end after the last part has ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from analytics.warehouse.feed import build_warehouse
from events.proofs.keys import read_signer
from floor.faults.comparison import ComparableFinding, FaultLabel, compare
from replay.narrative.names import plural
from trial import demo
from trial.live.parts import DEVICES, LiveSite
from trial.live.simulated_floor import ACCOUNT, Account, office_events
from trial.property_folder import DEMO_KEY, WAREHOUSE


@dataclass(frozen=True)
class LiveDay:
    """The result of a live floor; findings of rounds still open when it stopped (`left_out`) are no false alarms."""

    events: int
    rounds: int
    left_out: int
    planted: int
    missed: Sequence[FaultLabel]
    false_alarms: Sequence[ComparableFinding]
    integrity: Sequence[str]

    @property
    def summary(self) -> str:
        """The number of events sent, and how many of the planted faults were found."""
        return (
            f"{plural(self.events, 'event')} answered, all of them stored; {plural(self.rounds, 'round')} judged; "
            f"{plural(self.planted, 'planted fault')}, {self.planted - len(self.missed):,} found; "
            f"{plural(len(self.false_alarms), 'false alarm')}"
            + (f"; {plural(self.left_out, 'round')} not over when the floor was stopped: left out" if self.left_out else "")
        )

    @property
    def problems(self) -> list[str]:
        """The problems: missed faults, false alarms, and damage to the log."""
        named = [("missed", each) for each in self.missed], [("false alarm", each) for each in self.false_alarms]
        lines = [f"{what}: {each.code} in {each.stream} round {each.round_no}" for each_ in named for what, each in each_]
        return [*lines, *self.integrity]


def prepare(out: Path, address: str | None) -> str:
    """Prepare the folder as a demo's, without an earlier live floor's files, and return the log's address."""
    address = demo.prepare(out, address)
    for name in (WAREHOUSE, DEVICES, ACCOUNT):
        for file in out.glob(f"{name}*"):
            file.unlink()
    demo.register_staff(out)
    return address


def make_log(site: LiveSite) -> None:
    """Create the log, with the office's events and the property's key. Raises `TrialRefused` if it holds events already."""
    with site.new_log() as log:
        log.append_groups([office_events(site.start_us, site.seed, site.games)])
        demo.publish_key(log, site.out)
    demo.write_report(site.out, {"log": site.log})


def judge_rest(site: LiveSite) -> LiveDay:
    """Judge the remaining rounds, build the warehouse, sign a checkpoint, and compare findings with planted faults."""
    from replay.run.in_force import adjudications
    from replay.run.replayer import findings, replay

    account = msgspec.json.decode((site.out / ACCOUNT).read_bytes(), type=Account)
    with site.open_log() as log, site.results() as results:
        summary = replay(log, results)
        broken: dict[str, str] = {}
        build_warehouse(site.warehouse, log, results, broken=broken)
        found = compare(account.begun, findings(results))
        judged = {(each.stream, each.round_no) for each in adjudications(results)}
        rounds = sum(summary.verdicts.values())
        demo.sign_checkpoint(log, results, site, read_signer(site.out / DEMO_KEY))
    return LiveDay(
        events=sum(account.answered.values()),
        rounds=rounds,
        left_out=len(judged & account.unfinished),
        planted=len(account.planted),
        missed=[label for label in found.missed if label in account.planted],
        false_alarms=[each for each in found.false_alarms if (each.stream, each.round_no) not in account.unfinished],
        integrity=[*summary.integrity, *broken.values()],
    )
