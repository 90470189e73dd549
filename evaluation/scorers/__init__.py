"""What a protocol declares of scores: its scorers, populations, measures and tables. Pure."""
