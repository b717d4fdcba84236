"""A bounded HTTP server and the guard of its callers: for the mock, the console and sandboxes.

Imports nothing else of the project.
"""
