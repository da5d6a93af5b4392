"""The ways in: one module or package for each."""
