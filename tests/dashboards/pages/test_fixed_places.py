"""A fragment keeps its place whatever its page says above it: one that moves while it is redrawn is there twice."""

import pytest
from streamlit.runtime import fragment

from dashboards.access.page_list import PAGES
from dashboards.drawing import markup
from dashboards.parts import verification_run
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, start

SHOWN = {"round": {"table": "fu-01", "round": "1"}, "dispute": {"of": "fu-01", "round": "1"}}
"""What the pages show that show one thing."""


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """The fragments that are drawn from here on, by name, each with its place."""
    seen: set[tuple[str, str]] = set()
    identity = fragment._make_fragment_identity

    def noted(func: object, *, delta_path: str, additional_hash_info: str) -> object:
        seen.add((getattr(func, "__qualname__", ""), delta_path))
        return identity(func, delta_path=delta_path, additional_hash_info=additional_hash_info)

    monkeypatch.setattr(fragment, "_make_fragment_identity", noted)
    return seen


@pytest.mark.parametrize("page", PAGES)
def test_a_fragment_stays_in_its_place_below_notices(
    page: str, floor: Living, places: set[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.serve(monkeypatch)
    log_in("m.ortiz", "surveillance")
    test = start(page, **SHOWN.get(page, {}))
    quiet = set(places)
    places.clear()
    monkeypatch.setattr(verification_run, "banner", lambda _: markup.notice("The log failed its verification", "…"))
    test.query_params["finding"] = "nothing"
    test.session_state["desk-refusal"] = "Not saved", "somebody else was first"
    test.run()
    assert places == quiet
