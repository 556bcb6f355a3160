"""The whole pipeline from one seed: devices, a bad network, a writer and a replayer that die, a disk that fails."""
