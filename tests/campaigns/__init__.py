"""Campaigns: many calls or exports through a proxy with planned faults, compared with the truth.

    python -m tests.campaigns calls --seed 1
    python -m tests.campaigns exports --seed 1 --minutes 5

`wire` reads and writes HTTP, `proxy` is the proxy, `faults` defines its faults and `plan` schedules them.
`world` runs sandbox and proxy in a separate process, and `faces` are the ways to call them. `calls` (with
`reads` and `writes`, under `supervision`, with `resources` and `forks`), `exports` and `backfills` (with
`processes` and a `cluster` that are killed at `moments`) are campaigns. `truth` is the actual content of the
sandbox, `files` the expected content of a file, and `findings` the result of a campaign. Only campaigns may
read the wall clock. Everything else is determined by their seed.
"""
