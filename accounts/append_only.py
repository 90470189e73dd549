"""For how long nothing can delete an entry of the audit log. Pure.

A trigger refuses every change of an entry, and deletes of younger ones (migrations/0001). A constraint cannot say this.
TRUNCATE, which only the owner of the tables may do, is left open.
"""

LEAST_DAYS = 30  # also in the trigger
