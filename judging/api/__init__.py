"""Judging for programs."""
