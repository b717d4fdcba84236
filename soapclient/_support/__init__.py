"""Base modules of the package: forks, durable files, part files, redaction, names of secrets and TOML."""
