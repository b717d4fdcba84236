"""What changed between two states of a contract, and whom it breaks.

`sources` gives documents, `check` reads them into two models, `compare` finds changes by what goes over the
wire and whether requests or responses meet them, `rules` holds the table of verdicts, `unmodelled` finds what
no model shows, and `reports` puts it into words. Not being able to compare is a verdict of its own: it is
never "same".
"""
