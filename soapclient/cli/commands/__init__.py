"""The commands, one module each. Every module defines its click command as `command`."""
