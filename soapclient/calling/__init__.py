"""The engine and the call loop of both protocols: retries, deadline, clock skew, outcome, findings."""
