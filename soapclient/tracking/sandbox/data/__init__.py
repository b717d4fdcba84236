"""The data of the sandbox: generated from a seed, always the same for the same seed, without real people."""
