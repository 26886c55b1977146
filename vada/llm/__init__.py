"""The only network code: `base` the seam, `messages` the Messages client, `rehearsal` the offline engine,
`endpoints` who is configured, `pricing` what a call costs."""
