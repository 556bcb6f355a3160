"""The pages of a simulated property with a login to try (`dashboards.sign_in.trial`), on this machine only.

`rack live` runs it, and `python -m trial.live.trial_sign_in [--out demo]` for a demo.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dashboards.sign_in.trial import TrialProvider


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the login and the pages until interrupted."""
    parser = argparse.ArgumentParser(prog="trial.live.trial_sign_in", description=__doc__)
    parser.add_argument("--out", default=os.environ.get("RACK_OUT", "demo"), help="the folder of a demo")
    parser.add_argument("--port", type=int, default=int(os.environ.get("RACK_PORT", "8501")), help="of the pages")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, TrialProvider(f"http://127.0.0.1:{options.port}/oauth2callback") as provider:
        login = provider.login_file(Path(folder) / "login.toml")
        command = [sys.executable, "-c", "import sys; from rack.cli import main; sys.exit(main())", "dashboard"]
        try:
            return subprocess.run(
                [*command, "--out", options.out, "--port", str(options.port), "--login", str(login)], check=False
            ).returncode
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
