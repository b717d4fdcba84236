"""The tracking service: its client, its exports and backfills, its commands, its sandbox."""
