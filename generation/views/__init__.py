"""Pages of models, runs and responses. Judges and annotators have no access."""

from accounts.roles import Role

READERS = (Role.ADMIN, Role.RESEARCHER)
