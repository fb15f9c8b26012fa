"""rawr keeps long Codex runs on course.

The rings, from the inside out: ``rawr.core`` decides and is pure, ``rawr.runtime`` runs the loop, ``rawr.codex`` and
``rawr.journal`` reach the world, ``rawr.cli`` shows it to a person. ``rawr.testing`` is public: a scripted model and a
real Codex on it.
"""

__version__ = "0.1.0"
