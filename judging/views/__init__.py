"""The pages of judging: studies for admins and researchers, the judge's desk, the third person's."""
