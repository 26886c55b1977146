"""What the project's claims are measured with: `python -m bench NAME`."""
