"""The register of what can be irregular at Over/Under; the planters add to it when they are imported."""

from __future__ import annotations

from floor.faults.anomaly import Anomalies

ANOMALIES = Anomalies()
fault, legitimate = ANOMALIES.fault, ANOMALIES.legitimate
