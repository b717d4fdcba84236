"""Base modules of the package: forks, crash-safe files, part files, redaction, names of secrets, TOML."""
