"""The terminal program: a surface like ``rawr.cli``. It shows views and submits facts, and holds no policy.

Only this package imports Textual, and only ``rawr.tui.opening`` is for others; importing it needs the extra ``tui``.
"""
