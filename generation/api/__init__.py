"""The operations of generation: models, prompts, runs and their responses."""
