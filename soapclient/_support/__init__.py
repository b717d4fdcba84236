"""Base modules of the package: locks, crash-safe files, part files of downloads, hidden secrets, TOML."""
