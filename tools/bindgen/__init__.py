"""Generate typed Python bindings from a WSDL: fetch → model → passes → emit. `cli` has the commands."""

__version__ = "0.1.0"
