"""Deep JSON is bad input like any other (D7)."""

import pytest

from rawr.local.nesting import DEEPEST, too_deep

pytestmark = pytest.mark.mission("D7")


@pytest.mark.parametrize(
    ("body", "deep"),
    [
        (b"[" * DEEPEST + b"]" * DEEPEST, False),
        (b"[" * (DEEPEST + 1), True),
        (b'{"a":' * (DEEPEST + 1), True),
        (b"[]" * 1000, False),
        (b'"' + b"[" * 1000 + b'"', False),
        (b'"\\"' + b"[" * 1000 + b'"', False),
        (b'"\\\\"' + b"[" * 1000, True),
        (b'"' + b'\\"[' * 500_000, False),
    ],
    ids=["as deep as may be", "deeper", "objects", "wide", "text", "quoted", "after text", "text without end"],
)
def test_what_is_too_deep(body: bytes, deep: bool) -> None:
    assert too_deep(body) is deep
