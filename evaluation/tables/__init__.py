"""Tables of a report as values: built once from counts, written to the page, CSV, LaTeX and charts."""
