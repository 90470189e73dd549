"""Pages of datasets: collections, excluded questions, and revised passages."""
