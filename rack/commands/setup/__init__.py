"""Commands that set Discard Rack up on a machine."""
