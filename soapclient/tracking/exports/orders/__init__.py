"""Orders that are placed only once: recorded in a state directory, and found again after a crash."""
