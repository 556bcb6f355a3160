"""The systemd units of a property without a gateway, all from one pattern."""

from typing import Final

from desk.house.property_file import Property

PROGRAM: Final = "/opt/rack/bin/rack"
_HARDENED: Final = """\
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths={folder}
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
"""
_RUNS: Final = """\
[Unit]
Description=Discard Rack: {what}
After=network-online.target
Wants=network-online.target

[Service]
{kind}ExecStart={program} {words}
EnvironmentFile={folder}/units/rack.env
User=rack
WorkingDirectory={folder}
UMask=0027
KillSignal=SIGINT
TimeoutStopSec=60
"""
_ALWAYS: Final = """\
Restart=always
RestartSec=2
SuccessExitStatus=1 130
"""
_WANTED: Final = """
[Install]
WantedBy={target}
"""
_TIMER: Final = """\
[Unit]
Description=Discard Rack: when {what}

[Timer]
OnCalendar=*-*-* {at}:00
Persistent=true

[Install]
WantedBy=timers.target
"""


def units(made: Property) -> dict[str, str]:
    """Return the name and text of each unit of a property, and their shared environment."""
    form, folder = made.form, made.folder.resolve().as_posix()

    def service(words: str, what: str) -> str:
        runs = _RUNS.format(what=what, program=PROGRAM, words=words, folder=folder, kind="")
        return runs + _ALWAYS + _HARDENED.format(folder=folder) + _WANTED.format(target="multi-user.target")

    made_units = {
        "rack-replay.service": service(f"replay --follow --warehouse {folder}/warehouse.duckdb", "judges every round"),
        "rack-pages.service": service(
            f"dashboard --warehouse {folder}/warehouse.duckdb --login {folder}/login.toml", "the pages, behind a proxy with TLS"
        ),
        "rack-metrics.service": service("metrics", "figures for Prometheus"),
    }
    if form.key is not None:
        words = f"checkpoint --follow --key {folder}/{form.key.file}"
        made_units["rack-checkpoints.service"] = service(words, "signs what the log holds")
    if form.mail is not None and form.route:
        made_units["rack-alerts.service"] = service("alerts send", "tells people of incidents")
    if form.key is not None and form.witness is not None:
        words = f"witness --follow --key {folder}/{form.witness.key} --folder {folder}/{form.witness.folder}"
        made_units["rack-witness.service"] = service(words, "vouches for what was signed")
    if form.backup is not None:
        words = f"archive --out {folder}/{form.backup.folder}"
        runs = _RUNS.format(what="seals closed days", program=PROGRAM, words=words, folder=folder, kind="Type=oneshot\n")
        made_units["rack-archive.service"] = runs + _HARDENED.format(folder=folder)
        made_units["rack-archive.timer"] = _TIMER.format(what="closed days are sealed", at=form.backup.at)
    named = {"LOG": made.address, "PERSONS": f"{folder}/persons.toml"}
    if made.log_file is None:  # what lies next to a log in a file is looked for there
        beside = {"REPORTS": "reports.toml", "CAMERAS": "cameras.toml", "ALARMS": "alarms.toml", "OUTBOX": "log.alarms"}
        named |= {"CASES": folder} | {name: f"{folder}/{file}" for name, file in beside.items()}
    made_units["rack.env"] = "".join(f"RACK_{name}={value}\n" for name, value in named.items())
    return made_units
