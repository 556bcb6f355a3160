"""The accounts of the sign-in of our own (D965 to D967): what opens them, how often, how long, and what the file gives away."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from desk.review.persons import Person, Persons
from desk.sign_in import passwords
from desk.sign_in.accounts import FIRST_WAIT_S, FORGET_S, FREE_TRIES, LONGEST_WAIT_S, WRONG, Accounts, SignInRefused
from desk.sign_in.passwords import code_step, password_objection

ORTIZ, KANE = Person(id="m.ortiz", name="Maria Ortiz", roles=("pit",)), Person(id="s.kane", name="S. Kane")
PEOPLE = Persons([ORTIZ, KANE], "persons.toml")
PASSWORD, SECRET, NOW = "a felt table, three dice", bytes(range(20)), 1_800_000_000.0


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "_PASSES", 1)


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    return Accounts(tmp_path / "sign-in.db")


def code(at_s: float) -> str:
    return TOTP(SECRET, 6, SHA1(), 30).generate(int(at_s)).decode()


def set_up(accounts: Accounts, now_s: float = NOW - 60) -> None:
    invitation = accounts.invite(ORTIZ, now_s, 1)
    accounts.set_password(invitation, PEOPLE, PASSWORD, SECRET, code(now_s), now_s)


def tried(accounts: Accounts, name: str, password: str = PASSWORD, one_time: str = "", now_s: float = NOW) -> str:
    """What somebody is told who tries to sign in."""
    try:
        return accounts.by_password(name, PEOPLE, password, one_time or code(now_s), now_s).id
    except SignInRefused as error:
        return str(error)


@pytest.mark.parametrize(
    ("name", "password", "one_time", "said"),
    [
        ("m.ortiz", PASSWORD, code(NOW), "m.ortiz"),
        (" M.Ortiz", PASSWORD, code(NOW), "m.ortiz"),
        ("m.ortiz", PASSWORD, f"{code(NOW)[:3]} {code(NOW)[3:]}", "m.ortiz"),
        ("m.ortiz", PASSWORD, code(NOW + 30), "m.ortiz"),
        ("m.ortiz", PASSWORD, code(NOW - 30), "m.ortiz"),
        ("m.ortiz", PASSWORD, code(NOW + 60), WRONG),
        ("m.ortiz", PASSWORD, code(NOW - 60), WRONG),
        ("m.ortiz", PASSWORD.upper(), code(NOW), WRONG),
        ("m.ortiz", "", code(NOW), WRONG),
        ("m.ortiz", PASSWORD, "ⅷ" * 6, WRONG),
        ("s.kane", PASSWORD, code(NOW), WRONG),
        ("no.one", PASSWORD, code(NOW), WRONG),
        ("x" * 10_000, PASSWORD, code(NOW), WRONG),
    ],
)
def test_only_name_password_and_a_code_of_now_open(
    accounts: Accounts, name: str, password: str, one_time: str, said: str
) -> None:
    set_up(accounts, NOW - 120)
    assert tried(accounts, name, password, one_time) == said


def test_a_code_counts_once(accounts: Accounts) -> None:
    set_up(accounts)
    assert tried(accounts, "m.ortiz", one_time=code(NOW + 30)) == "m.ortiz"
    assert tried(accounts, "m.ortiz", one_time=code(NOW + 30)) == WRONG
    assert tried(accounts, "m.ortiz", one_time=code(NOW)) == WRONG  # an older one that was not used, either


@pytest.mark.parametrize("name", ["m.ortiz", "s.kane", "no.one"])
def test_after_five_wrong_tries_each_waits_twice_as_long_whether_or_not_the_name_exists(accounts: Accounts, name: str) -> None:
    set_up(accounts)
    now, wait = NOW, float(FIRST_WAIT_S)
    for _ in range(FREE_TRIES):
        assert tried(accounts, name, "wrong", now_s=now) == WRONG
    for _ in range(8):
        assert tried(accounts, name, now_s=now + wait - 1).startswith("Too many wrong tries")
        now += wait
        assert tried(accounts, name, "wrong", now_s=now) == WRONG
        wait = min(wait * 2, LONGEST_WAIT_S)
    assert tried(accounts, name, now_s=now + 1) == "Too many wrong tries. Wait 899 seconds, then try again."
    later = tried(accounts, name, now_s=now + FORGET_S + 1)
    assert later == ("m.ortiz" if name == "m.ortiz" else WRONG)


def test_a_right_sign_in_forgets_wrong_tries(accounts: Accounts) -> None:
    set_up(accounts)
    for at in range(3):
        for _ in range(FREE_TRIES - 1):
            assert tried(accounts, "m.ortiz", "wrong", now_s=NOW + at * 60) == WRONG
        assert tried(accounts, "m.ortiz", now_s=NOW + at * 60) == "m.ortiz"


@pytest.mark.parametrize(("later_s", "holds"), [(3599, True), (3600, False)])
def test_an_invitation_holds_until_its_time_and_once(accounts: Accounts, later_s: int, holds: bool) -> None:
    invitation, now = accounts.invite(ORTIZ, NOW, 1), NOW + later_s
    if not holds:
        with pytest.raises(SignInRefused, match="used, over"):
            accounts.invited(invitation, PEOPLE, now)
        return
    assert accounts.invited(f" {invitation.lower().replace('-', '')}", PEOPLE, now) == ORTIZ
    accounts.add_passkey(invitation, PEOPLE, (b"id", b"key", 0), now)
    with pytest.raises(SignInRefused, match="used, over"):
        accounts.set_password(invitation, PEOPLE, PASSWORD, SECRET, code(now), now)


def test_a_new_invitation_replaces_the_earlier_one_and_one_of_nobody_opens_nothing(accounts: Accounts) -> None:
    first, second = accounts.invite(ORTIZ, NOW, 1), accounts.invite(ORTIZ, NOW, 1)
    assert accounts.invited(second, PEOPLE, NOW) == ORTIZ
    for wrong in (first, "", "-", second[:-1]):
        with pytest.raises(SignInRefused, match="used, over"):
            accounts.invited(wrong, PEOPLE, NOW)
    with pytest.raises(SignInRefused):
        accounts.invited(second, Persons([KANE], "persons.toml"), NOW)  # the register no longer has the person


@pytest.mark.parametrize(
    ("password", "objection"),
    [
        ("elevenchars", "12 to 200"),
        ("twelve chars", ""),
        ("x y z 1 2 " * 20, ""),
        ("x y z 1 2 " * 20 + "1", "12 to 200"),
        ("aaaabbbbcccc", "five different"),
        ("I am m.ortiz, really", "your name"),
        ("for ORTIZ alone, please", "your name"),
    ],
)
def test_passwords_have_length_variety_and_nothing_of_the_name(password: str, objection: str) -> None:
    said = password_objection(password, "m.ortiz", "Maria", "Ortiz")
    assert (objection in said) if objection else (said == "")


def test_a_setup_with_a_wrong_code_or_a_weak_password_uses_nothing_up(accounts: Accounts) -> None:
    invitation = accounts.invite(ORTIZ, NOW, 1)
    with pytest.raises(SignInRefused, match="not the code"):
        accounts.set_password(invitation, PEOPLE, PASSWORD, SECRET, code(NOW + 90), NOW)
    with pytest.raises(SignInRefused, match="another password"):
        accounts.set_password(invitation, PEOPLE, "short", SECRET, code(NOW), NOW)
    assert accounts.set_password(invitation, PEOPLE, PASSWORD, SECRET, code(NOW), NOW) == ORTIZ


def test_the_file_is_its_owners_alone_and_holds_neither_password_nor_invitation(accounts: Accounts) -> None:
    set_up(accounts)
    invitation = accounts.invite(KANE, NOW, 1)
    held = b"".join(path.read_bytes() for path in accounts.path.parent.iterdir())
    assert PASSWORD.encode() not in held
    assert invitation.replace("-", "").encode() not in held
    assert {stat.S_IMODE(path.stat().st_mode) for path in accounts.path.parent.iterdir()} == {0o600}
    accounts.path.chmod(0o640)
    with pytest.raises(SignInRefused, match="chmod 600"):
        accounts.passkey(b"id")


def test_whose_sign_ins_were_ended_is_known_while_another_writes_and_while_the_file_is_gone(accounts: Accounts) -> None:
    assert accounts.ended() == {}
    accounts.end("m.ortiz", NOW)
    with accounts._database() as database, database.transaction():
        assert accounts.ended() == {"m.ortiz": NOW}
    accounts.path.write_bytes(b"no database" * 100)
    assert accounts.ended() == {"m.ortiz": NOW}
    accounts.path.unlink()
    assert accounts.ended() == {"m.ortiz": NOW}


def test_what_is_removed_opens_nothing_and_ends_what_it_opened(accounts: Accounts) -> None:
    set_up(accounts)
    accounts.add_passkey(accounts.invite(ORTIZ, NOW, 1), PEOPLE, (b"id", b"key", 0), NOW)
    passkey = accounts.passkey(b"id")
    assert passkey is not None
    assert accounts.by_passkey(passkey, PEOPLE, 1, NOW) == ORTIZ
    assert accounts.states(NOW)["m.ortiz"] == (1, True, None, NOW)
    accounts.remove("m.ortiz", NOW + 1)
    assert tried(accounts, "m.ortiz") == WRONG
    assert accounts.passkey(b"id") is None
    with pytest.raises(SignInRefused, match="removed"):
        accounts.by_passkey(passkey, PEOPLE, 2, NOW)
    assert accounts.ended() == {"m.ortiz": NOW + 1}
    assert not accounts.states(NOW)["m.ortiz"].is_set_up


def test_another_password_ends_what_the_one_before_opened(accounts: Accounts) -> None:
    set_up(accounts)
    set_up(accounts, NOW)
    assert accounts.ended() == {"m.ortiz": NOW}


def test_a_code_is_found_by_its_step_and_never_again_after_it() -> None:
    step = int(NOW) // 30
    assert [code_step(SECRET, code(NOW), NOW, after) for after in (0, step - 1, step)] == [step, step, None]
