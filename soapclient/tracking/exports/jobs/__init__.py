"""Report jobs: what the service says of one, and how it is waited for."""
