"""What changed between two states of a contract, and whom it breaks.

`sources` gives documents, `reading` makes the two models, `compare` finds changes by what goes over the wire,
`directions` says whether requests or responses meet them, `rules` holds the table of verdicts, and the
`report_…` modules put it into words. Not being able to compare is a verdict of its own: it is never "same".
"""
