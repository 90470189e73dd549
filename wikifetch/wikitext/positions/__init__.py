"""Where marks, elements and rows are in wikitext, by their characters alone. Pure."""
