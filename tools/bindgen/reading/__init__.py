"""Reading a contract's documents into the model.

Arrows: wsdl → operations → messages → types → particles → elements → simple → schemas → documents.
What is not handled becomes a located problem; all of them are shown together.
"""
