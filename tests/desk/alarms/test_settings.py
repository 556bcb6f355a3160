"""The settings of alarms: what is refused, with its place, and that no secret is ever told."""

from pathlib import Path

import pytest

from desk.alarms.settings import SettingsRefused, read_password, read_secrets, read_settings
from tests.desk.alarms.receiving import SECRET, SECRET_LINE

WHOLE = """
form = "discard-rack alarms 1"

[mail]
host = "smtp.bellwether.example"
from = "rack@bellwether.example"
user = "rack"
password_file = "smtp.password"

[receiver.desk]
url = "https://desk.bellwether.example/alarms"
secret_file = "desk.secret"

[receiver.shift-mail]
mail_to = ["shift@bellwether.example"]

[role]
pit-boss = ["desk"]
shift-manager = ["desk", "shift-mail"]

[[route]]
to = "pit-boss"
severity = "medium"
codes = ["PAY-*"]
tables = ["fu-*"]
money_cents = 2500
escalate = [{ after_min = 10, to = "shift-manager" }]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "alarms.toml"
    file.touch(0o600)
    file.write_text(text)
    return file


def test_settings_are_read(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, WHOLE))
    assert settings.role["shift-manager"] == ["desk", "shift-mail"]
    assert [(step.after_min, step.to) for step in settings.route[0].escalate] == [(10, "shift-manager")]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("severity =", "severty =", "Object contains unknown field `severty` - at `$.route[0]`"),
        ('"medium"', '"grave"', r"Invalid enum value 'grave' - at `\$.route\[0\].severity`"),
        ('to = "pit-boss"', 'to = "nobody"', "route 1: there is no role 'nobody'"),
        ('pit-boss = ["desk"]', 'pit-boss = ["pager"]', "role.pit-boss: there is no receiver 'pager'"),
        ("https://desk", "http://desk", "receiver.desk: plain HTTP is for this machine"),
        ("https://desk", "https://user:word@desk", "receiver.desk: url: expected https://host/path without a user"),
        ("https://desk", "ftp://desk", "receiver.desk: url: expected https"),
        ('secret_file = "desk.secret"\n', "", "receiver.desk: expected secret_file or secret_env, one of the two"),
        ('mail_to = ["shift@bellwether.example"]', "", "receiver.shift-mail: expected url .* or mail_to"),
        ('password_file = "smtp.password"\n', "", "mail: user goes with password_file or password_env"),
        ('user = "rack"', 'user = "rack"\nsecurity = "none"', 'mail: security = "none" is for this machine'),
        ("after_min = 10", "after_min = 0", "Expected `int` >= 1"),
        ("money_cents = 2500", "money_cents = 25.00", "Expected `int`, got `float`"),
        ('form = "discard-rack alarms 1"', 'form = "alarms 2"', "Invalid enum value 'alarms 2'"),
        ("[role]", "[role", "alarms.toml: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, why: str) -> None:
    assert before in WHOLE
    with pytest.raises(SettingsRefused, match=why.replace("$.route[0]`", r"\$.route\[0\]`")) as refused:
        read_settings(written(tmp_path, WHOLE.replace(before, after)))
    assert "alarms.toml" in str(refused.value)


@pytest.mark.parametrize("host", ["127.0.0.1:8700", "localhost", "[::1]:8700"])
def test_plain_http_to_this_machine_needs_no_leave(tmp_path: Path, host: str) -> None:
    read_settings(written(tmp_path, WHOLE.replace("https://desk.bellwether.example", f"http://{host}")))


def test_plain_http_elsewhere_needs_leave(tmp_path: Path) -> None:
    plain = WHOLE.replace("https://desk", "http://desk").replace("secret_file", "plain_http = true\nsecret_file")
    assert read_settings(written(tmp_path, plain)).receiver["desk"].plain_http


def test_settings_that_others_can_change_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    file.chmod(0o620)
    with pytest.raises(SettingsRefused, match="other users can change this file"):
        read_settings(file)


def test_secrets_come_from_files_of_ones_own_or_the_environment(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, WHOLE))
    desk, mail = settings.receiver["desk"], settings.mail
    assert mail is not None
    file = tmp_path / "desk.secret"
    with pytest.raises(SettingsRefused, match=r"desk\.secret: No such file"):
        read_secrets("receiver.desk", desk, tmp_path)
    file.touch(0o600)
    file.write_text(SECRET_LINE + "\n" + SECRET_LINE + "\n")
    assert read_secrets("receiver.desk", desk, tmp_path) == [SECRET, SECRET]
    file.chmod(0o640)
    with pytest.raises(SettingsRefused, match="others can read this secret; chmod 600 it"):
        read_secrets("receiver.desk", desk, tmp_path)
    (tmp_path / "smtp.password").touch(0o600)
    (tmp_path / "smtp.password").write_text("pass word\n")
    assert read_password(mail, tmp_path) == "pass word"


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_c2hvcnQ=", SECRET_LINE.removeprefix("whsec_"), "whsec_%%%%"])
def test_a_secret_out_of_form_is_refused_and_not_told(tmp_path: Path, text: str) -> None:
    there = WHOLE.replace('secret_file = "desk.secret"', 'secret_env = "RACK_SECRET"')
    desk = read_settings(written(tmp_path, there)).receiver["desk"]
    with pytest.raises(SettingsRefused, match=r"receiver.desk: ") as refused:
        read_secrets("receiver.desk", desk, tmp_path, {"RACK_SECRET": text})
    assert "c2hvcnQ" not in str(refused.value)
    assert SECRET_LINE[6:20] not in str(refused.value)
