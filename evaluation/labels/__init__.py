"""Agreement of labels from elsewhere, read from a CSV. Pure."""
