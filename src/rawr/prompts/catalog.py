"""The prompt files by name, and the texts that rawr ships for them."""

from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct

FOLDER = "auto-compact"
"""The folder of the files, in ``RAWR_HOME``."""

Field = Literal[
    "heads_up",
    "packet_request",
    "correction",
    "landing",
    "handoff",
    "recovery",
    "scratch_write",
    "watcher_packet",
    "judgment",
    "judgment_context",
]
"""A field of ``core.prompts.Prompts``."""


class PromptFile(Struct, frozen=True):
    name: str
    field: Field
    purpose: str
    has_settings: bool = False
    """Its frontmatter holds settings."""

    @property
    def file(self) -> str:
        return f"{self.name}.md"


PROMPTS = (
    PromptFile(
        "auto-compact", "packet_request", "asks the agent for the packet; its frontmatter says when", has_settings=True
    ),
    PromptFile("heads-up", "heads_up", "tells the agent that a compaction is coming"),
    PromptFile("landing", "landing", "asks a running turn to stop before Codex compacts by itself"),
    PromptFile("correction", "correction", "sends a packet back that contradicts the record"),
    PromptFile("handoff", "handoff", "gives the packet back after the compaction"),
    PromptFile("recovery", "recovery", "gives the record after a compaction that was not rawr's"),
    PromptFile("scratch-write", "scratch_write", "asks the agent for verbatim notes in a file"),
    PromptFile("judgment", "judgment", "instructs the model that may veto a compaction"),
    PromptFile("judgment-context", "judgment_context", "gives that model the facts"),
    PromptFile("watcher-packet", "watcher_packet", "is the packet that rawr writes itself"),
)


def named(name: str) -> PromptFile | None:
    """The prompt with this name, with or without ``.md``."""
    return next((one for one in PROMPTS if name in (one.name, one.file)), None)


@cache
def shipped(prompt: PromptFile) -> str:
    """The whole text of a file as rawr ships it."""
    return (files("rawr.prompts") / prompt.file).read_text(encoding="utf-8")
