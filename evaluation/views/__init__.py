"""Pages of reports, by what they show."""
