"""Text made safe to show, as every surface does it: ``rawr.views.visible``."""

from rawr.views.visible import exact, harmless, one_line, whole

__all__ = ["exact", "harmless", "one_line", "whole"]
