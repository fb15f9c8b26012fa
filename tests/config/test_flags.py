"""``KEY=VALUE`` on the command line."""

import pytest

from rawr.config.flags import parse_flags
from rawr.errors import ConfigError


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ([], {}),
        (["a.b=5"], {"a.b": 5}),
        (["a = true "], {"a": True}),
        (["a=tag"], {"a": "tag"}),
        (['a="tag"'], {"a": "tag"}),
        (['a=["x", "y"]'], {"a": ["x", "y"]}),
        (["a=b=c"], {"a": "b=c"}),
        (["a="], {"a": ""}),
        (["a=1\nb=2"], {"a": "1\nb=2"}),
        (["a=" + "[" * 5000], {"a": "[" * 5000}),
        (["a=1", "a=2"], {"a": 2}),
    ],
    ids=range(11),
)
def test_values(given: list[str], flags: dict[str, object]) -> None:
    assert parse_flags(given) == flags


@pytest.mark.parametrize("given", ["a", "", "=5", " = 5"])
def test_what_is_no_pair(given: str) -> None:
    with pytest.raises(ConfigError, match="KEY=VALUE"):
        parse_flags([given])
