"""Models that judge: what they are asked, how a reply is read, and the queue of their verdicts."""
