"""The floor knows the games and the events, and nothing of what judges them."""

from __future__ import annotations

import subprocess
import sys


def test_the_floor_never_imports_what_judges_it() -> None:
    program = (
        "import sys, floor.day.gaming_day\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.exit(' '.join(sorted(names & {'replay', 'analytics', 'dashboards', 'rack'})) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
