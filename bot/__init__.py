"""Hold a conversation on any chat platform."""
