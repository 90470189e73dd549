"""Pages of datasets: collections, which of their questions are taken out, and passages revised for them."""
