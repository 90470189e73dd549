"""The fields of the six steps: as data, read from a form, checked, suggested, and shown."""
