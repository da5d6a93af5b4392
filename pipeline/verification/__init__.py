"""Check and attribute what an answer says."""
