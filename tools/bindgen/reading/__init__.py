"""Read the documents of a contract into the model.

Each module imports the modules after it: wsdl → operations → messages → types → particles → elements → simple
→ schemas → documents. Each unsupported part of a contract is collected as a problem, with its file and lines.
All problems are shown together.
"""
