"""What all operations of the API share: who may, parameters, lists, refusals, and the schema that says so."""
