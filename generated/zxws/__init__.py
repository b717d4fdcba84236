# Made by `bindgen generate`. Do not edit: it is overwritten with each package.
"""Python bindings: one package for each contract."""
