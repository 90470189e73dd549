"""Agreement, intervals and tables of counts: formulas without a database. Pure."""
