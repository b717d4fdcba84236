"""Exports: ordered as jobs, waited for, downloaded, verified, read row by row (service.md 4.3).

Knows the generated data service and HTTP, nothing of how SOAP calls are made.
"""
