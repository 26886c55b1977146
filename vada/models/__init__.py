"""Frozen values: `vocabulary` the closed lists, `debate` what a person enters, `outputs` what each phase gives,
`replies` what a model is asked to answer, `events` what happened, `run` a debate folded from its events."""
