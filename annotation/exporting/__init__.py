"""A campaign's annotations as files."""
