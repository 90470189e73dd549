"""The operations of wikifetch: tags and fetches."""
