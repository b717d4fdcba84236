# Made by `bindgen generate`. Do not edit: it is written anew with each package.
"""Bindings, a package for each contract."""
