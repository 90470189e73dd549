"""A report for a paper: LaTeX tables, figures and citation. Pure."""
