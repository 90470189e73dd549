"""Who may see what others entered for a tag: nobody who has the tag in hand, or may still get it."""
