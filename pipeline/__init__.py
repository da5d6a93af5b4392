"""Answer questions from documents, with citations. Knows no chat platform."""
