"""Typed bindings, written by `bindgen` from the contracts in `wsdl/`; one package per contract."""
