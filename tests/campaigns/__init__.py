"""Campaigns: many calls, or many exports, through a proxy that goes wrong by a plan, held against the truth.

    python -m tests.campaigns calls --seed 1
    python -m tests.campaigns exports --seed 1 --minutes 5

`wire` reads and writes HTTP, `proxy` is the proxy, `faults` what can go wrong in it, `plan` when it does.
`calls` (of `reads` and `writes`, under `supervision`, and `forks`) and `exports` (by an `export_command` that
may be killed) are the campaigns; `truth` is what the sandbox really holds, `findings` what they end with.
Campaigns alone may read the wall clock; what they do otherwise comes from their seed.
"""
