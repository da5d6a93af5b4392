"""Find the chunks of one channel that may answer a question."""
