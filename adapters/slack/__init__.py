"""Slack: a workspace's channels, over Socket Mode or HTTP, with the real client libraries."""
