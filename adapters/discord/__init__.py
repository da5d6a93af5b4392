"""Discord, over discord.py."""
