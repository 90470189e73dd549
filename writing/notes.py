"""Texts that go with an entry: why its author rejected the record, and what a checker says is wrong. Pure."""

from annotation.fields.form_input import plain
from leases.refusal import Refusal

MOST = 2_000


def noted(text: str, what: str, if_empty: str) -> str:
    """The text as it is stored. Raises Refusal where there is none, or it is too long."""
    kept = plain(text)
    if not kept:
        raise Refusal(if_empty)
    if len(kept) > MOST:
        raise Refusal(
            f"The {what} has {len(kept):,} characters; at most {MOST:,} can be kept. Shorten it."
        )
    return kept
