"""The terminal: a chat platform made of standard input and output."""
