"""Reading a contract's documents into the model: `documents` → `schemas` → `types`, and `wsdl` on top.

What is not handled becomes a located problem; all of them are shown together.
"""
