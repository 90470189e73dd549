"""What exists before its use: the one list of exceptions, each with the step that will use it.

tests/test_in_use.py and bin/unused.py fail for a move, a value, a model or a function without a caller that is missing
here, and for an entry that has one. docs/workflow.md leaves these moves and states out.
"""

# (state table, move)
MOVES: dict[tuple[str, str], str] = {}
# (module of the enum, its name, member)
VALUES: dict[tuple[str, str, str], str] = {}
# (room, model)
MODELS: dict[tuple[str, str], str] = {}
# (module, function)
FUNCTIONS: dict[tuple[str, str], str] = {}
