"""Compare two states of a contract: find the changes and whom each one breaks.

- `sources` loads the documents, `check` reads them into two models.
- `compare` finds changes of the messages, and which operations send or receive them.
- `rules` is the table of verdicts, `unmodelled` finds changes that no model shows, `reports` renders reports.

"Could not be compared" is a verdict of its own. It never counts as "same".
"""
