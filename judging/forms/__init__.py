"""The forms of judging. studies.py, rounds.py and adjudication.py decide what is stored."""
