"""The operations of annotation: campaigns, an annotator's assignments and drafts."""
