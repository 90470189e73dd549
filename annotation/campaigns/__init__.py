"""Campaigns: which tags are annotated, by how many people, and who gets which tag next."""
