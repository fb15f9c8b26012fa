"""Who answers typed questions: the user's own Codex, Ollama, or any OpenAI-compatible server, as the settings say.

Creating it costs nothing: Codex starts, and DSPy is imported, at the first question.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from rawr import __version__
from rawr.cli.places import Places
from rawr.codex.completing import CodexCompleter
from rawr.codex.plain_thread import own_server
from rawr.core.policy.policy import Policy
from rawr.models.desk import ModelDesk


@asynccontextmanager
async def model_desk(places: Places, policy: Callable[[], Policy]) -> AsyncIterator[ModelDesk]:
    server = own_server(places.codex_bin, configured=places.settings.codex_bin, codex_home=places.codex_home)
    completer = CodexCompleter(server, version=__version__)
    desk = ModelDesk(lambda: policy().models, completer, tuned=places.home / "tuned", env=os.environ)
    try:
        yield desk
    finally:
        await desk.close()
        await completer.close()
