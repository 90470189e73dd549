"""Tests of what open studies hide from those who judge or resolve in them."""
