"""Numbers with the noun that they count. Pure."""


def how_many(n: int, one: str, many: str = "") -> str:
    """`1 response`, `2 responses`; `many` is the plural where it is not `one` and an s."""
    return f"{n} {one if n == 1 else many or one + 's'}"
