"""Campaigns: many calls, or many exports, through a proxy that goes wrong by a plan, held against the truth.

    python -m tests.campaigns calls --seed 1
    python -m tests.campaigns exports --seed 1 --minutes 5

`wire` reads and writes HTTP, `proxy` is the proxy, `faults` what can go wrong in it, `plan` when it does;
`world` is the sandbox and the proxy in a process of their own, `faces` are the ways to ask them.
`calls` (of `reads` and `writes`, under `supervision`, with `resources` and `forks`) `exports` and
`backfills` (by `processes` and a `cluster` that are killed at `moments`) are campaigns. `truth` is what the
sandbox really holds, `files` what belongs in a file, `findings` what campaigns end with.
Campaigns alone may read the wall clock; what they do otherwise comes from their seed.
"""
