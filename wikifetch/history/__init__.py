"""What a page's revisions say of its tags: which tag is which, and which edit added it. Pure."""
