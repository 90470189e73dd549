"""The project: settings, addresses, the task queue."""
