"""All annotations of a tag in a round: compared, decided on together, published as one record."""
