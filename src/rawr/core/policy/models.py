"""The settings of model calls, ``[rawr_models]``. Everything works without a model; these say when to ask one."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Seconds = Annotated[int, Meta(ge=1, le=3_600)]
Attempts = Annotated[int, Meta(ge=1, le=5)]
Percent = Annotated[int, Meta(ge=0, le=100)]


class Models(Struct, frozen=True):
    order: tuple[str, ...] = ("codex", "ollama:llama3.2")
    """Models to ask, in this order until one can be reached: ``codex``, ``codex:MODEL``, ``ollama:MODEL``,
    ``openai:MODEL``."""
    decisions: Literal["rules", "model"] = "rules"
    """Who decides a run's next move: the rules alone, or a model among the moves that the rules leave open."""
    questions: Literal["person", "model"] = "person"
    """Who answers the agent's questions: a person, or a model if it is confident."""
    on_error: Literal["pause", "rules"] = "pause"
    """What a run does if a model gives no usable answer."""
    judgment_on_error: Literal["tier", "defer", "compact"] = "tier"
    """The same for a judgment before a compaction; ``tier``: defer in early and ready, compact in asap."""
    min_confidence_percent: Percent = 55
    """Below this, rawr does not act on an answer: the run pauses, the question waits for a person."""
    seconds: Seconds = 60
    """How long one question to a model may take, including all attempts."""
    attempts: Attempts = 2
    """How often to ask a model whose replies cannot be read."""
    ollama_url: str = "http://127.0.0.1:11434"
    """Where Ollama listens."""
    openai_url: str = ""
    """Where an OpenAI-compatible server listens, for ``openai:MODEL``."""
    openai_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds its key. The key itself is never in a setting."""
