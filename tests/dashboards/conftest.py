"""Pages in tests are looked at without a login, unless a test logs somebody in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dashboards import access
from dashboards.run import ACCESS_VARIABLE, READ_ONLY
from tests.dashboards.running import WHO

ROLES = {"claim": "roles", **{role.value: [role.value] for role in access.Role}}


@pytest.fixture(autouse=True)
def nobody_is_logged_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(ACCESS_VARIABLE, READ_ONLY)
    monkeypatch.setattr(access, "claims", lambda: dict(WHO))
    monkeypatch.setattr(access, "roles_setting", lambda: ROLES)
    yield
    WHO.clear()
