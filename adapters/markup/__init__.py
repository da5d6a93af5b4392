"""Markdown in chats: what the dialects of all platforms have in common."""
