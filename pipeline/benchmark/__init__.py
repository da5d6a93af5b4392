"""Measure how fast this machine answers, searches and indexes, beside the bare libraries and models."""
