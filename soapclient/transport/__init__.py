"""The HTTP transport: connections, deadlines, limits, bodies."""
