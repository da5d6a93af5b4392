"""Decide what may enter and leave a question's path."""
