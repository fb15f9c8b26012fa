"""Which cases of a test wait for ``make soak``."""

import pytest
from _pytest.mark import ParameterSet


def soak(value: object) -> ParameterSet:
    """A case that keeps a promise in one more place, and takes its time."""
    return pytest.param(value, marks=pytest.mark.soak, id=str(value))
