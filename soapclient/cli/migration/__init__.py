"""Conversion of Python code that uses zeep, for `soapclient migrate`.

The code is parsed, never run. `source` edits text by the positions of syntax nodes, `zeep_names` resolves
imported names, `packages` knows the names in a generated package, `values` infers which expressions are
clients and responses, and `rewriter` makes the edits.
"""
