"""Benchmarks: measures this project and its peers side by side. README.md in this folder explains them."""
