"""Recomputes the numbers of a report from its rows, with numpy alone.

Unpack the zip of a report and run, in its folder:

    python -m recompute

It reads report.json, rows.jsonl and manifest.json, checks the hashes, counts every cell anew from the rows, computes
each coefficient, difference and score from these counts and each interval from its seed, and says what differs. The
ways are those of the report's own documentation; nothing is taken from the program that wrote it. Numbers that it has
no way for are named, never passed over.

    findings.py     what was compared and what differs
    rows.py         the rows, read by their columns
    formulas.py     coefficients from tables of counts
    resampling.py   intervals from a seed
    agreement.py    agreement of judges: each two, all, by round, over time, with themselves
    rounds.py       what two rounds ended with on the same responses
    tables.py       tables of verdicts and their intervals
    models.py       judge models against people
    comparisons.py  differences and their p-values
    annotators.py   agreement of annotators
    study.py        how many responses, questions, articles, days
"""
