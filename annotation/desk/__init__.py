"""What an annotator's own pages show: the queue, the page of a draft, the own progress."""
