"""The zip of a report, its hashes, and the script that recomputes it. Pure."""
