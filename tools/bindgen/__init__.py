"""From a WSDL to typed Python bindings: fetch → model → passes → emit. See `cli` for the commands."""

__version__ = "0.1.0"
