"""What exists before its use: the one list of exceptions, each with the step that will use it.

tests/test_in_use.py and bin/unused.py fail for a move, a value, a model or a function without a caller that is missing
here, and for an entry that has one. docs/workflow.md leaves these moves and states out.
"""

STUDIES = "judging studies"
GENERATION = "generation in full"

# (state table, move)
MOVES = {
    ("Study", "reopen"): f"{STUDIES}: a closed study can be reopened with a reason",
    ("Judging slot", "claim"): f"{STUDIES}: several judges draw from free slots",
    ("Judging slot", "expire"): f"{STUDIES}: several judges draw from free slots",
}
# (module of the enum, its name, member)
VALUES = {
    ("judging.states", "SlotState", "FREE"): f"{STUDIES}: several judges draw from free slots",
    ("judging.models", "Study.ResolvedBy", "DISCUSSION"): f"{STUDIES}: resolution by discussion",
    ("judging.models", "Resolution.How", "DISCUSSED"): f"{STUDIES}: resolution by discussion",
}
# (room, model)
MODELS = {
    ("datasets", "Subset"): f"{STUDIES}: a study over a named, frozen subset",
    ("generation", "OptionScore"): f"{GENERATION}: option scores",
}
# (module, function)
FUNCTIONS: dict[tuple[str, str], str] = {}
