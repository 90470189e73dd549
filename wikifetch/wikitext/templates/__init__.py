"""What a reader sees of templates. Pure."""
