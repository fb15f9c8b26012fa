"""Who answers typed questions: the user's own Codex, Ollama, or any OpenAI-compatible server, as the settings say.

Creating it costs nothing: Codex starts, and DSPy is imported, at the first question.
"""

import contextlib
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from rawr import __version__
from rawr.cli.places import Places
from rawr.codex import binary
from rawr.codex.completing import CodexCompleter
from rawr.codex.plain_thread import own_server
from rawr.core.policy.policy import Policy
from rawr.errors import CodexError
from rawr.models.desk import ModelDesk


def _codex(places: Places) -> Path | None:
    """The program as it is found now. At the first question another one could be in front of it in PATH, in a virtual
    environment that the agent writes to."""
    with contextlib.suppress(CodexError):
        return binary.locate(places.codex_bin, configured=places.settings.codex_bin)[0]
    return places.codex_bin


@asynccontextmanager
async def model_desk(places: Places, policy: Callable[[], Policy]) -> AsyncIterator[ModelDesk]:
    server = own_server(_codex(places), configured=places.settings.codex_bin, codex_home=places.codex_home)
    home = places.home if places.home.is_dir() else None
    completer = CodexCompleter(server, version=__version__, folder=home)
    desk = ModelDesk(lambda: policy().models, completer, tuned=places.home / "tuned", env=os.environ)
    try:
        yield desk
    finally:
        await desk.close()
        await completer.close()
