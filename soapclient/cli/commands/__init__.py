"""The commands, one module each. Every module has a `command`."""
