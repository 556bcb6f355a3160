"""The register of what can be irregular at Over/Under; the planters add to it when they are imported."""

from __future__ import annotations

from floor.irregular import Irregulars

IRREGULARS = Irregulars()
fault, legitimate = IRREGULARS.fault, IRREGULARS.legitimate
