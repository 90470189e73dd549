"""How far a campaign is: numbers, time, and what waits for a person."""
