"""Charts as SVG markup: plain functions from data to text, a module a chart. Pure."""

from evaluation.charts.bars import Bar, stacked_bars
from evaluation.charts.confusion import confusion_matrix
from evaluation.charts.flow import Stage, flow_diagram
from evaluation.charts.forest import Estimate, forest_plot
from evaluation.charts.heatmap import pair_heat_map
from evaluation.charts.sparkline import Trend, sparkline, trend_lines
from evaluation.charts.standalone import standalone

__all__ = [
    "Bar",
    "Estimate",
    "Stage",
    "Trend",
    "confusion_matrix",
    "flow_diagram",
    "forest_plot",
    "pair_heat_map",
    "sparkline",
    "stacked_bars",
    "standalone",
    "trend_lines",
]
