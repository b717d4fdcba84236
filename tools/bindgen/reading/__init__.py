"""Read the documents of a contract into the model.

Each module imports the modules after it: wsdl → operations → messages → types → particles → elements → simple
→ schemas → documents. Unsupported parts become problems with a place. All problems are shown together.
"""
