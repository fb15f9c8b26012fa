"""Numbers as a person reads them, in the one format of every surface: ``rawr.views.numbers``."""

from rawr.views.numbers import ago, clock, clock_time, short

__all__ = ["ago", "clock", "clock_time", "short"]
