"""Bindings of data 2011-05-01."""
