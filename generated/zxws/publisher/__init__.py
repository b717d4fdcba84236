"""Bindings of publisher 2011-03-01."""
