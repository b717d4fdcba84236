"""What the sandbox knows: made from a seed, the same every time, nobody's real data."""
