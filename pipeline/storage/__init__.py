"""Keep documents, chunks, conversations and jobs."""
