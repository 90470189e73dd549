"""The rules of judging, without rows: rubrics, who judges what, final verdicts. Pure."""
