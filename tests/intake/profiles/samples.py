"""What the devices of the worked examples write, for readers: `python -m tests.intake.profiles.samples` writes the files.

Of each dialect the first messages of the simulated floor, then the first one of every kind that is not among them.
"""

from functools import cache
from pathlib import Path

from floor.day.gaming_day import PROPERTY, simulate
from intake.lines import line_of
from tests.intake.profiles.dialects import COLUMNS, DIALECTS, PROFILES, told

FIRST = 8


@cache
def floor() -> tuple[bytes, ...]:
    """What the simulated floor reports, line by line."""
    day = simulate(rounds=260, seed=688)
    return tuple(line_of(stream, draft) for stream, drafts in day.groups() for draft in drafts if stream != PROPERTY)


def samples() -> dict[Path, bytes]:
    """Return each sample file and what it holds."""
    found: dict[str, list[bytes]] = {name: [] for name in DIALECTS.values()}
    kinds: set[tuple[str, str]] = set()
    for message in told(floor()):
        if message.profile is None:
            continue
        kind = (message.profile, message.events[0][1].payload.TYPE)
        if len(found[message.profile]) < FIRST or kind not in kinds:
            found[message.profile].append(message.data)
        kinds.add(kind)
    files = {}
    for name, messages in found.items():
        is_csv = name == "jackpot-controller"
        heading = [",".join(COLUMNS).encode()] if is_csv else []
        files[PROFILES / f"{name}.{'csv' if is_csv else 'jsonl'}"] = b"\n".join([*heading, *messages]) + b"\n"
    return files


if __name__ == "__main__":
    for path, data in samples().items():
        path.write_bytes(data)
