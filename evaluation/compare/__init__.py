"""Which comparisons a report makes, and what each comes to. Pure."""
