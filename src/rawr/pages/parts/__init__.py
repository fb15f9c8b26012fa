"""The parts of pages, each of them small: a chart, bars, a table, a list of facts."""
