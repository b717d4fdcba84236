"""Generate typed Python bindings from a WSDL: fetch → model → passes → emit. `cli` has the commands."""
