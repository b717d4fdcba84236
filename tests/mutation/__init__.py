"""Mutation testing with mutmut: what of the code could be wrong without a test noticing it."""
