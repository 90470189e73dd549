"""Agreement of the annotators of a campaign, on the tags that two or more of them annotated."""
