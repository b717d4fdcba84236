"""Mutation testing with mutmut: find faults in the code that no test detects."""
