"""Compare two versions of a contract: find the changes, and whether they break requests or responses.

- `sources` loads the documents, `check` reads them into two models.
- `compare` finds changes of the messages, and which operations send or receive them.
- `rules` is the table of verdicts, `reports` renders reports.
- `unmodelled` finds changes of the documents that the models do not contain.

If anything could not be compared, the verdict is "unchecked", never "same".
"""
