# Made by `bindgen generate`. Do not edit: it is overwritten with each package.
"""Bindings, a package for each contract."""
