"""Planted failures: a seeded generator of clean debates, and mutators that spoil them in a known way.

Nothing here reads a detector: the mutators act on records and sentences, by the table of the design.
"""
