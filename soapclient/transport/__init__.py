"""HTTP: connections, deadlines, limits, bodies."""
