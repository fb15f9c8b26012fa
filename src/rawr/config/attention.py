"""How rawr calls a person back to a run. None of it changes what a run does."""

from msgspec import Struct


class Attention(Struct, frozen=True):
    bell: bool = True
    """Ring the terminal's bell when a run asks something, pauses, stops, fails or is done."""
    title: bool = True
    """Show the state of the run in the terminal's title."""
    command: str = ""
    """Run this shell command at the same moments, as `rawr run --notify` does."""
