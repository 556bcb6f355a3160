"""Faults with real files, real processes and a real Kafka: one table of them, tried by the tests and by `make faults`."""

import importlib

from tests.faults.table import FAULTS, Fault

AREAS = (
    *("files", "records", "shown", "forged", "refused", "keys", "served", "on_kafka.foreign"),
    *(
        "results",
        "on_kafka.results",
        "pages",
        "killed",
        "gateway",
        "alarms.sending",
        "local",
        "beside",
        "on_kafka.broker",
        "on_kafka.cluster",
    ),
)
"""The modules that fill the table, in its order."""


def all_faults() -> list[Fault]:
    """Return the whole table."""
    for name in AREAS:
        importlib.import_module(f"tests.faults.{name}")
    return FAULTS
