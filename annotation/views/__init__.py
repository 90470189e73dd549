"""Pages of annotation: the annotator's, the campaigns', the reviewer's."""
