"""The refusals of commands, and the exit code of every error (the only mapping)."""

from enum import IntEnum
from importlib.util import find_spec


class Exit(IntEnum):
    """The exit codes of the process."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3
    INTEGRITY = 4


class UsageError(Exception):
    """The command cannot be carried out with these arguments; the message says what was expected and what to do."""


class EnvironmentFault(Exception):
    """Something outside is missing or blocked: a program, a folder, a port."""


EXIT_OF: dict[str, Exit] = {
    "events.errors.IntegrityError": Exit.INTEGRITY,
    "events.sqlite.database.DamagedDatabase": Exit.INTEGRITY,
    "events.errors.LogUnavailable": Exit.ENVIRONMENT,
    "events.errors.AppendRefused": Exit.ENVIRONMENT,
    "events.errors.EventError": Exit.USAGE,
    "events.kafka.acls.RoleUnknown": Exit.USAGE,
    "events.proofs.keys.KeyRefused": Exit.ENVIRONMENT,
    "events.proofs.signed_note.BadNote": Exit.INTEGRITY,
    "replay.installed_games.GameNotAdded": Exit.ENVIRONMENT,
    "desk.keys.KeyNotAdded": Exit.USAGE,
    "desk.verification.file.NotAFile": Exit.USAGE,
    "desk.verification.verification.NotVerifiable": Exit.USAGE,
    "desk.packet.bundle.BadPacket": Exit.INTEGRITY,
    "desk.packet.make.NotCovered": Exit.USAGE,
    "desk.packet.evidence.RoundUnknown": Exit.USAGE,
    "desk.packet.withholding.NotWithheld": Exit.USAGE,
    "events.proofs.merkle.BadProof": Exit.INTEGRITY,
    "rulebook.chapters.chapters.RulesRefused": Exit.USAGE,
    "replay.transcript.words.TranscriptError": Exit.USAGE,
    "replay.transcript.file.TranscriptUnreadable": Exit.USAGE,
    "desk.review.persons.ReviewRefused": Exit.USAGE,
    "desk.alarms.settings.SettingsRefused": Exit.USAGE,
    "desk.alarms.outbox.OutboxRefused": Exit.USAGE,
    "analytics.warehouse.warehouse.WarehouseError": Exit.ENVIRONMENT,
    "analytics.reports.filing.FilingError": Exit.USAGE,
    "analytics.reports.sources.NoPeriod": Exit.USAGE,
    "analytics.reports.sources.WrongLog": Exit.USAGE,
    "dashboards.access.login.ServingRefused": Exit.USAGE,
    "trial.live.supervision.PartEnded": Exit.ENVIRONMENT,
    "trial.property_folder.ReportUnreadable": Exit.ENVIRONMENT,
    "trial.property_folder.TrialRefused": Exit.USAGE,
    "whatif.round_table.TableError": Exit.USAGE,
    "whatif.workers.pool.WorkerLost": Exit.ENVIRONMENT,
    "whatif.workers.cluster.NoCluster": Exit.ENVIRONMENT,
    "whatif.workers.cluster.OtherSoftware": Exit.ENVIRONMENT,
    "intake.errors.IntakeError": Exit.USAGE,
    "rack.errors.UsageError": Exit.USAGE,
    "rack.errors.EnvironmentFault": Exit.ENVIRONMENT,
    "events.kafka.development.broker.BrokerError": Exit.ENVIRONMENT,
    "builtins.OSError": Exit.ENVIRONMENT,
}
"""Exit code by the class of the error, or of the first of its bases that is here. Classes are named and not imported,
so that `rack --help` loads none of them."""


EXTRA_OF = {
    "duckdb": "analytics",
    "numpy": "analytics",
    "polars": "analytics",
    "pyarrow": "analytics",
    "kafka": "kafka",
    "streamlit": "dashboard",
    "starlette": "gateway",
    "uvicorn": "gateway",
    "typst": "packet",
    "pyhanko": "packet",
    "pyhanko_certvalidator": "packet",
    "dask": "scale",
    "distributed": "scale",
    "numba": "theory",
    "llvmlite": "theory",
}
"""Library that a plain installation does not have → the extra that brings it."""

NEEDS = {
    "archive": ("analytics",),
    "dashboard": ("dashboard",),
    "dealer-errors": ("analytics",),
    "demo": ("analytics",),
    "dispute": ("packet",),
    "fairness": ("analytics",),
    "find": ("analytics",),
    "gateway": ("gateway",),
    "hold": ("analytics",),
    "live": ("gateway", "dashboard"),
    "report": ("analytics",),
    "rounds": ("analytics",),
    "warehouse": ("analytics",),
    "what-if": ("analytics",),
    "replay --engine dask": ("scale",),
    "replay --warehouse FILE": ("analytics",),
    "theory --compute": ("theory",),
    "verdicts diff --report FILE": ("packet",),
    "verify --log archive:///path": ("analytics",),
    "verify --log kafka://host/prefix": ("kafka",),
}
"""Command, option, file or address → the extras that it needs. A command is refused before it begins, the others when reached."""


def require_extras(asked: str) -> None:
    """Raise `ModuleNotFoundError` for the first library that a command needs and that is not installed."""
    for extra in NEEDS.get(asked, ()):
        for library, brought_by in EXTRA_OF.items():
            if brought_by == extra and find_spec(library) is None:
                raise ModuleNotFoundError(f"rack {asked} needs {library}", name=library)


def missing_extra(error: BaseException) -> tuple[str, str] | None:
    """Return the library that an import did not find and its extra; None for another error.

    >>> missing_extra(ModuleNotFoundError("no", name="pyhanko.sign")), missing_extra(ModuleNotFoundError("no", name="x"))
    (('pyhanko', 'packet'), None)
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    library = error.name.partition(".")[0]
    extra = EXTRA_OF.get(library)
    return None if extra is None else (library, extra)


def exit_code(error: BaseException) -> Exit | None:
    """Return the exit code of an error; None for an unexpected one.

    >>> exit_code(FileNotFoundError("x")), exit_code(ZeroDivisionError())
    (<Exit.ENVIRONMENT: 3>, None)
    """
    for cls in type(error).__mro__:
        code = EXIT_OF.get(f"{cls.__module__}.{cls.__qualname__}")
        if code is not None:
            return code
    return None
