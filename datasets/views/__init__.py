"""Pages of datasets: collections, and which of their questions are taken out."""
