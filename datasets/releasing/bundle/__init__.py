"""The bundle of a release: one zip with its data in plain formats, and what describes them."""
