"""The only network code. `base` is the seam; `messages` the Messages client, with `request` and `reading` for the wire
and `faults` for its errors; `endpoints` who is configured, `probe` what they keep of the protocol; `search` who
searches where an endpoint cannot; `pricing` what a call costs, `ledger` the budget; `rehearsal` the offline engine,
`local` a model in this process."""
