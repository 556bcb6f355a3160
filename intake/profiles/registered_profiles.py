"""The profiles of the devices in a register, each read once: a changed profile counts from the next start on."""

from pathlib import Path

from intake.devices import Device, Devices
from intake.profiles.profile import Profile


class Profiles:
    """Profiles by their files, which are named relative to a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Profile] = {}

    def of(self, device: Device) -> Profile | None:
        """Return the profile that a device speaks; None if it speaks our own vocabulary. Raises `IntakeError`."""
        if device.profile is None:
            return None
        if device.profile not in self._read:
            self._read[device.profile] = Profile(self._folder / device.profile)
        return self._read[device.profile]

    def read_all(self, devices: Devices) -> None:
        """Read the profiles of all devices that are let in. Raises `IntakeError` at the first that is wrong."""
        for device in devices.values():
            if device.revoked is None:
                self.of(device)
