"""A report for a paper: LaTeX tables, methods, citation, and WikiContradict's table 2. Pure."""
