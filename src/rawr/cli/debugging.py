"""``--debug``: the one piece of state that must be known before a command runs."""

_on = False


def switch(value: bool) -> bool:  # noqa: FBT001 - the shape that Typer calls
    global _on  # noqa: PLW0603 - set once, at the start
    _on = _on or value
    return value


def on() -> bool:
    return _on
