"""The operations of datasets: collections with their records and questions, releases and files, imports."""
