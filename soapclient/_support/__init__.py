"""Forks, durable and part files, redaction, names of secrets, TOML: what all parts stand on."""
