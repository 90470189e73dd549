"""The file formats of human evaluations, and what brings them in and out."""
