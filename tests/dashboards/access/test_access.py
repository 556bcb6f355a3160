"""Roles: what each may see and do, from the claims of the login on; and that every way to do it asks."""

from pathlib import Path
from typing import Any

import pytest

from dashboards.access import access
from dashboards.access.access import EXPORT, FIGURES, NAMES, PACKET, REVIEW, RIGHTS, Session, of_claims
from dashboards.access.anonymous import PEOPLE_SOURCES, without_names
from dashboards.access.page_list import PAGES, Role
from dashboards.parts import desk
from dashboards.run import ACCESS_VARIABLE, CASES_VARIABLE
from desk.review.desk import desk_at
from intake.writer_rights import PEOPLE as PEOPLE_OF_INTAKE
from intake.writer_rights import RESERVED_BEGINNINGS
from rack.cli import main
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, said, start
from tests.desk.people import PEOPLE

NOW = 1_772_400_000.0
SETTING: dict[str, Any] = {"claim": "groups", "surveillance": ["sv", "sv-night"], "auditor": "audit"}


def session_of(**said: Any) -> Session:
    return of_claims({"is_logged_in": True, "iat": NOW - 60, "email": "M.Ortiz@x", "email_verified": True, **said}, SETTING, NOW)


OF_A_HOUSE = {
    "pit": {Role.PIT},
    "count": {Role.COUNT},
    "filing": {Role.COMPLIANCE},
    "setup": {Role.COMPLIANCE, Role.ADMINISTRATOR},
}


def test_what_each_role_reaches_to() -> None:
    acts = {role: RIGHTS[role] & {REVIEW, PACKET, EXPORT, FIGURES, NAMES} for role in Role}
    assert acts == {
        Role.SURVEILLANCE: {REVIEW, PACKET, EXPORT, FIGURES, NAMES},
        Role.ANALYST: {FIGURES},
        Role.AUDITOR: {PACKET, EXPORT, FIGURES, NAMES},
        Role.ADMINISTRATOR: set(),
        Role.PIT: set(),
        Role.COMPLIANCE: {FIGURES},
        Role.COUNT: set(),
    }
    assert "round" not in RIGHTS[Role.ADMINISTRATOR]
    assert "queue" not in RIGHTS[Role.ANALYST]
    assert [role for role in Role if "pit" in RIGHTS[role]] == [Role.PIT]
    assert {name: set(entry.roles) for name, entry in PAGES.items() if name in OF_A_HOUSE} == OF_A_HOUSE
    assert {*PAGES} - {*OF_A_HOUSE} <= RIGHTS[Role.SURVEILLANCE] == RIGHTS[Role.AUDITOR] | {REVIEW}


@pytest.mark.parametrize(
    ("groups", "rights"),
    [
        (["sv-night", "other"], RIGHTS[Role.SURVEILLANCE]),
        ("audit", RIGHTS[Role.AUDITOR]),
        (["audit", "sv"], RIGHTS[Role.SURVEILLANCE]),
        ([], frozenset()),
        (None, frozenset()),
        (["SV"], frozenset()),
        (["surveillance"], frozenset()),
        ({"sv": 1}, frozenset()),
    ],
)
def test_roles_come_from_the_claim(groups: object, rights: frozenset[str]) -> None:
    found = session_of(groups=groups)
    assert (found.person, found.rights, bool(found.refusal)) == ("m.ortiz@x", rights, not rights)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"is_logged_in": False}, "Log in"),
        ({"iat": NOW - 12 * 3600 - 1}, "over"),
        ({"iat": NOW + 301}, "over"),
        ({"iat": None}, "over"),
        ({"email": ""}, "names no person"),
        ({"email": "<b>"}, "names no person"),
        ({"email": None}, "names no person"),
        ({"email": "\N{KELVIN SIGN}im@x"}, "names no person"),  # lower() makes an ASCII k of it
        ({"email_verified": False}, "does not confirm"),
        ({"email_verified": None}, "does not confirm"),
        ({"email_verified": "true"}, "does not confirm"),
        ({"email_verified": 1}, "does not confirm"),
    ],
)
def test_a_login_that_does_not_hold_gives_nothing(said: dict[str, Any], why: str) -> None:
    found = session_of(groups=["sv"], **said)
    assert found.rights == frozenset()
    assert why in found.refusal


def test_a_login_that_does_not_say_whether_the_address_is_verified_is_refused() -> None:
    found = of_claims({"is_logged_in": True, "iat": NOW - 60, "email": "m.ortiz@x", "groups": ["sv"]}, SETTING, NOW)
    assert (found.person, found.rights) == (None, frozenset())
    assert "(email_verified): have it verified there" in found.refusal


def test_who_is_known_by_another_claim_needs_no_verified_address() -> None:
    """D461"""
    claims = {"is_logged_in": True, "iat": NOW - 60, "sub": "4711", "groups": ["sv"]}
    assert of_claims(claims, {**SETTING, "person": "sub"}, NOW).person == "4711"


@pytest.mark.parametrize("iat", [NOW - 12 * 3600, NOW + 300])
def test_a_login_at_the_edge_of_its_time_holds(iat: float) -> None:
    assert session_of(groups=["sv"], iat=iat).rights


def test_what_nobody_started_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ACCESS_VARIABLE)
    assert access.session().rights == frozenset()
    monkeypatch.setenv(ACCESS_VARIABLE, "Read-Only")
    assert access.session().rights == frozenset()


def test_without_a_login_everything_is_seen_and_nothing_done() -> None:
    assert access.session() == Session(None, RIGHTS[Role.AUDITOR] - {PACKET, EXPORT, FIGURES} | {*OF_A_HOUSE})


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    floor = living.make(tmp_path)
    floor.serve(monkeypatch)
    return floor


def viewed(floor: Living) -> list[tuple[int | None, str]]:
    with desk_at(floor.log, read_only=True) as at:
        return [(entry.round_no, entry.by) for entry in at.review("fu-01").custody]


@pytest.mark.parametrize(("page", "name"), [("round", "table"), ("dispute", "of")])
def test_a_look_at_a_round_is_put_on_record_once_a_session(floor: Living, page: str, name: str) -> None:
    log_in("r.haas", "auditor")
    test = start(page, **{name: "fu-01", "round": "2"})
    test.run()
    assert viewed(floor) == [(2, "r.haas")]


def test_a_round_is_not_shown_where_the_look_cannot_be_put_on_record(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.log.turn.TURN_WAIT_S", 0.1)
    log_in("r.haas", "auditor")
    with desk_at(floor.log) as at, at.log.turn():
        page = said(start("round", table="fu-01", round="2"))
    assert "your view of it cannot be recorded" in page
    assert 'class="rk-now"' not in page
    assert viewed(floor) == []


def test_without_a_login_no_look_is_written(floor: Living) -> None:
    assert 'class="rk-now"' in said(start("round", table="fu-01", round="2"))
    assert viewed(floor) == []


def test_a_key_opens_one_page() -> None:
    """In a small house a person may have every role."""
    assert len({page.key for page in PAGES.values()}) == len(PAGES)


@pytest.mark.parametrize("role", Role)
def test_a_page_links_to_nothing_that_its_viewer_may_not_see(floor: Living, role: Role) -> None:
    log_in("r.haas", role.value)
    for page in PAGES:
        if page in RIGHTS[role]:
            start(page, **({"table": "fu-01", "round": "2"} if page == "round" else {}))


TYPED = ("Ann Lee", "ann-lee", "m.ortiz", "s.lee", "M. Ortiz")
"""A patron, and who named her in an assignment, a note, a claim, an attachment, and the mark of a video."""


def test_an_analyst_sees_no_names(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    from desk.review import cases
    from desk.review.case_folder import CaseFolder, CaseSettings

    monkeypatch.setenv(CASES_VARIABLE, str(floor.warehouse.parent))
    with desk_at(floor.log, persons=PEOPLE) as at:
        ids = [each.finding.id for each in at.cases("fu-01") if each.finding.round_no == 2]
        at.note(ids[0], note="Ann Lee shouted", by="m.ortiz")
        at.assign(ids[0], to="s.lee", by="m.ortiz", reason="knows Ann Lee")
        cases.open_case(
            at, "fu-01", 2, by="m.ortiz", settings=CaseSettings(), claim="Ann Lee was not paid", seat=3, patron="ann-lee"
        )
        folder = CaseFolder(floor.warehouse.parent)
        note, data = "Ann Lee at seat 3", b"\xff\xd8\xff"
        cases.attach_to_round(at, folder, "fu-01", 2, file="ann-lee.txt", data=data[:1], by="m.ortiz", note=note)
        times = {"starts_us": at.now_us() - 9, "ends_us": at.now_us()}
        at.mark_video("fu-01", 2, camera="c1", by="m.ortiz", reason="Ann Lee points", **times)
    desk._read.clear()
    for role in ("surveillance", "analyst"):
        log_in("a.novak", role)
        test = start("round", table="fu-01", round="2")
        shown = said(test)
        assert ("Hide names" in [toggle.label for toggle in test.toggle]) is (role == "surveillance")
        assert {name for name in TYPED[:3] if name in shown} == (set(TYPED[:3]) if role == "surveillance" else set())
    assert not [name for name in TYPED if name in shown]
    log_in("a.novak", "surveillance")
    test = start("round", table="fu-01", round="2")
    test.toggle[0].set_value(True).run(timeout=60)
    assert not [name for name in TYPED[:2] if name in said(test)], "who may act still sees with whom"


@pytest.mark.parametrize("source", ["pit-m-ortiz", "count-s-lee", "filing-m-ortiz", "observer-m-ortiz", "fu-01-floor"])
def test_the_source_of_what_a_person_entered_is_hidden_with_the_names(floor: Living, source: str) -> None:
    import polars as pl
    from msgspec import structs

    from analytics.warehouse.round_data import round_view
    from analytics.warehouse.warehouse import reading

    with reading(floor.warehouse) as db:
        view = round_view(db, "table/fu-01", 2)
    assert view is not None
    view = structs.replace(view, events=view.events.with_columns(pl.lit(source).alias("source")))
    view = structs.replace(view, settlements=view.settlements.with_columns(pl.lit("p-third").alias("bettor")))
    hidden = without_names(view)
    assert set(hidden.events["source"]) == {source if source == "fu-01-floor" else source.partition("-")[0]}
    assert "p-third" not in hidden.settlements["bettor"].to_list()


def test_every_source_of_a_person_is_known() -> None:
    persons = {*PEOPLE_OF_INTAKE, *(each for each, writer in RESERVED_BEGINNINGS.items() if writer == "desk")}
    assert all(PEOPLE_SOURCES.fullmatch(f"{each}x") for each in persons)


@pytest.mark.parametrize("role", ["analyst", "auditor", "administrator"])
def test_the_desk_asks_whoever_comes(floor: Living, role: str) -> None:
    log_in("x", role)
    assert desk.act(lambda at: pytest.fail("the desk was opened")) is None


def test_the_command_wants_to_know_how_it_serves(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--warehouse", str(floor.warehouse), "--log", floor.log]) == 2
    assert "--login FILE, or --read-only" in capsys.readouterr().err


LOGIN = """
[auth]
redirect_uri = "http://127.0.0.1:8501/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
client_id = "rack"
client_secret = "x"
server_metadata_url = "https://id.example/.well-known/openid-configuration"

[roles]
claim = "groups"
auditor = ["audit"]
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[roles]", "[rolls]", "expected the tables"),
        ('client_id = "rack"', "", "lacks client_id"),
        ("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcde", "shorter than 32"),
        ("https://id", "http://id", "expected https"),
        ('auditor = ["audit"]', "", "gives no one a role"),
        ("auditor =", "boss = 1\nauditor =", "which is no role"),
        ("[auth]", "[auth", "expected TOML"),
    ],
)
def test_a_login_file_out_of_order_is_refused(
    floor: Living, tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, says: str
) -> None:
    path = tmp_path / "login.toml"
    path.touch(0o600)
    path.write_text(LOGIN.replace(old, new))
    assert main(["dashboard", "--warehouse", str(floor.warehouse), "--login", str(path)]) == 2
    assert says in capsys.readouterr().err


def test_a_login_file_that_others_can_read_is_refused(floor: Living, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "login.toml"
    path.write_text(LOGIN)
    path.chmod(0o644)
    assert main(["dashboard", "--warehouse", str(floor.warehouse), "--login", str(path)]) == 2
    assert "chmod 600" in capsys.readouterr().err
