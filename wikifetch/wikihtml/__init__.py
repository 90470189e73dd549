"""A wiki's own HTML of an article, rewritten in the elements of our rendering, with its blocks. Pure.

`html_limits` refuses what takes too long; `elements` says what becomes of each element, `writing` writes the article
and its `html_blocks`, `block_finding` finds the tagged one, by `calls` where Parsoid says which template made it.
"""
