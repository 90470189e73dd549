"""Which record of a file names which as another of its tag: a record has one that it names, a file has both. Pure."""

from collections.abc import Mapping, Sequence

# The ids of the others of its tag, by the id of a record, as bytes.
Links = dict[bytes, list[bytes]]


def named_by(links: Links, seen: Mapping[bytes, int]) -> tuple[dict[str, str], list[str]]:
    """({id: the id that it names}, a sentence for each fault); `seen` has the number of each record of the file.

    Records that name each other are chains or trees, since the program lets a newer record name an older one: a record
    with one other names it, and is taken away, until none is left.
    """
    if problems := [
        f"record {seen[one]}: 'same_tag' names {other.hex()}, {fault}"
        for one, others in links.items()
        for other in others
        if (fault := _fault(one, other, links, seen))
    ]:
        return {}, problems
    left = {one: set(others) for one, others in links.items()}
    ends = [one for one, others in left.items() if len(others) == 1]
    named: dict[str, str] = {}
    while ends:
        one = ends.pop()
        if not left[one]:
            continue
        other = left.pop(one).pop()
        left[other].discard(one)
        named[one.hex()] = other.hex()
        if len(left[other]) == 1:
            ends.append(other)
    return named, [
        f"record {seen[one]}: 'same_tag' leads back to the record in a circle"
        for one, others in left.items()
        if others
    ]


def _fault(
    one: bytes, other: bytes, links: Mapping[bytes, Sequence[bytes]], seen: Mapping[bytes, int]
) -> str:
    if other == one:
        return "which is the record itself"
    if other not in seen:
        return "which is no record of this file"
    return (
        "" if one in links.get(other, ()) else f"which does not name it: see record {seen[other]}"
    )
