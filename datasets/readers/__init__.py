"""Files as people send them, read from their beginning, with a sentence for each problem. Pure."""
