"""How a report is shown: its page, sentences, charts and sheets. Pure."""
