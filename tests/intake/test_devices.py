"""The register of devices: tokens that nothing shows again, and who may speak for what."""

import stat
from hashlib import sha256
from pathlib import Path

import pytest

from intake.devices import DeviceWatch, add_device, device_of, read_devices, revoke_device
from intake.errors import IntakeError

AT = "2026-11-23T08:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "devices.toml"


def test_a_token_opens_for_its_device_alone(path: Path) -> None:
    shoe = add_device(path, "fu-01-shoe", ["fu-01-shoe"], None, AT)
    dice = add_device(path, "fu-01-dice", ["fu-01-dice", "fu-01-shaker"], "profiles/dice.toml", AT)
    devices = read_devices(path)
    found = device_of(devices, dice)
    assert found is not None
    assert (found[0], found[1].sources, found[1].profile) == ("fu-01-dice", ["fu-01-dice", "fu-01-shaker"], "profiles/dice.toml")
    assert device_of(devices, "fu-01-dice." + shoe.partition(".")[2]) is None
    assert device_of(devices, dice + "x") is None
    assert device_of(devices, "fu-01-dice") is None
    assert device_of(devices, "stranger." + "0" * 43) is None
    assert device_of(devices, "") is None


def test_the_register_holds_no_token_and_is_readable_by_its_owner_alone(path: Path) -> None:
    token = add_device(path, "fu-01-shoe", ["fu-01-shoe"], None, AT)
    secret = token.partition(".")[2]
    assert len(secret) >= 43
    assert secret not in path.read_text()
    assert sha256(secret.encode()).hexdigest() in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(IntakeError, match="chmod 600"):
        read_devices(path)


def test_what_is_revoked_is_refused_and_its_name_not_given_again(path: Path) -> None:
    token = add_device(path, "fu-01-shoe", ["fu-01-shoe"], None, AT)
    watch = DeviceWatch(path)
    assert device_of(watch.current(), token) is not None
    revoke_device(path, "fu-01-shoe", AT)
    assert device_of(watch.current(), token) is None
    with pytest.raises(IntakeError, match="revoked already"):
        revoke_device(path, "fu-01-shoe", AT)
    with pytest.raises(IntakeError, match="not given again"):
        add_device(path, "fu-01-shoe", ["fu-01-shoe"], None, AT)
    add_device(path, "fu-01-shoe-2", ["fu-01-shoe"], None, AT)  # the device that comes in its place counts on


@pytest.mark.parametrize(
    ("name", "sources", "message"),
    [
        ("fu-01-shoe", ["x"], "is in the register"),
        ("other", ["fu-01-shoe"], "speaks for fu-01-shoe already"),
        ("Other", ["x"], "1 to 32 of a-z"),
        ("a" * 33, ["x"], "1 to 32 of a-z"),
        ("other", ["X"], "1 to 32 of a-z"),
        ("other", ["review"], "Discard Rack's own"),
        ("other", ["intake-1"], "Discard Rack's own"),
        ("other", [], "length >= 1"),
    ],
)
def test_what_no_device_may_be(path: Path, name: str, sources: list[str], message: str) -> None:
    add_device(path, "fu-01-shoe", ["fu-01-shoe"], None, AT)
    before = path.read_bytes()
    with pytest.raises(IntakeError, match=message):
        add_device(path, name, sources, None, AT)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("device = 3", "Expected `object`"),
        ("[device.a]\nsources = ['a']\nadded = 'x'\n", "token_sha256"),
        (f"[device.a]\ntoken_sha256 = '{'0' * 64}'\nsources = ['a']\nadded = 'x'\nport = 1\n", "port"),
        (f"[device.a]\ntoken_sha256 = '{'0' * 64}'\nsources = ['rack-keys']\nadded = 'x'\n", "Discard Rack's own"),
        ("[device", "Expected"),
    ],
)
def test_a_register_out_of_form_is_named(path: Path, text: str, message: str) -> None:
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(IntakeError, match=message) as refused:
        read_devices(path)
    assert str(path) in str(refused.value)


def test_a_register_that_is_missing_or_a_link_is_refused(path: Path) -> None:
    with pytest.raises(IntakeError, match="no register"):
        read_devices(path)
    with pytest.raises(IntakeError, match="no register"):
        revoke_device(path, "a", AT)
    add_device(path, "a", ["a"], None, AT)
    link = path.with_name("link.toml")
    link.symlink_to(path)
    with pytest.raises(IntakeError):
        read_devices(link)


def test_a_register_that_became_unreadable_lets_nobody_in(path: Path) -> None:
    add_device(path, "a", ["a"], None, AT)
    watch = DeviceWatch(path)
    path.write_text("[device")
    with pytest.raises(IntakeError):
        watch.current()
    path.unlink()
    with pytest.raises(IntakeError):
        watch.current()
