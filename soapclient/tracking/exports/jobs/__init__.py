"""Report jobs: reading and polling their state."""
