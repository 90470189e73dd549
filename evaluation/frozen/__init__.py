"""Frozen reports: made, published, and checked against their rows."""
