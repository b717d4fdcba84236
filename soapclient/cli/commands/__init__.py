"""The commands, one module each; every module has its `command`."""
