"""The rows that a number counts: chosen, listed, written as a table and hashed."""
