"""Tests of vada.llm."""
