"""The parts of a report as data: what its JSON holds, and what pages, LaTeX and CSV read. Pure.

Shares and ends of intervals are numbers from 0 to 1 (coefficients from -1 to 1), None where they do not exist; then
`reason` says why. Prompts are named by their labels, models and judges by the names that the report shows.
"""
