"""Responses that somebody else's program collected: a file of lines becomes an imported run over a release."""
