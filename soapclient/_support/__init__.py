"""Basic modules of the package: locks, crash-safe files, part files of downloads, hiding of secrets, TOML."""
