"""What an annotator reads, and what is copied from it: articles, edits, where each passage is from."""
