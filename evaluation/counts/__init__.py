"""Queries: what a study's rows say, counted by the database."""
