"""Charts as SVG markup: plain functions from data to text, a module a chart. Pure."""
