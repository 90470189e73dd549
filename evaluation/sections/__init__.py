"""The sections of a study's report as data, computed from its counts."""
