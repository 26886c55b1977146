"""Vāda: structured adversarial debate among language models. The house is described in README.md."""

__version__ = "0.1.0"
