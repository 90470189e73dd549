"""The judges of a study one by one, and why they disagreed."""
