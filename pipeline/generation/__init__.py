"""Word an answer from labelled sources."""
