"""The data of the sandbox: generated from a seed, the same every time, about no real person."""
