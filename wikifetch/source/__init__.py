"""Where pages come from: a wiki's API or an export file. Both give the same batches (see batches)."""
