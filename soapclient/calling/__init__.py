"""The engine and the loop of a call, for both protocols: retries, deadline, clock skew, outcome, findings."""
