"""What people change in annotations: they claim tags, save and submit drafts, and ask for articles; admins reassign."""
